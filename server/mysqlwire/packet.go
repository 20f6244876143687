package mysqlwire

import (
	"bufio"
	"errors"
	"io"
	"net"
	"time"

	"streamsql/sql/sqlerr"
)

const (
	maxFrame     = 1<<24 - 1 // payload bytes of one frame; a longer packet goes on in the next
	preAuthLimit = 64 << 10  // largest packet before the login is through
	flushBytes   = 32 << 10  // rows are sent when this much is waiting
	readStep     = 1 << 20   // memory for a packet grows by what has arrived, at most this ahead
)

// errOrder says that the client lost count of packets.
var errOrder = sqlerr.New(1156, "Got packets out of order")

// packets frames payloads on a connection. One goroutine at a time.
type packets struct {
	conn         net.Conn
	in           io.Reader // conn itself until the login is through: a client may start TLS at any byte
	buffered     *bufio.Reader
	seq          uint8
	limit        int           // largest payload that read accepts
	restTimeout  time.Duration // for the rest of a packet whose header has arrived
	writeTimeout time.Duration // for each write; 0: none
	payload      []byte        // of the last read
	out          []byte        // finished packets that wait to be sent, then the open one
	open         int           // where the header of the open packet is in out
}

func newPackets(conn net.Conn) *packets {
	return &packets{conn: conn, in: conn, limit: preAuthLimit, out: make([]byte, 0, flushBytes+4096)}
}

// buffer makes further reads buffered.
func (p *packets) buffer() {
	p.buffered = bufio.NewReaderSize(p.conn, 16<<10)
	p.in = p.buffered
}

// read returns the payload of the next packet, good until the next read. A
// packet above the limit is error 1153, after which the connection is lost.
func (p *packets) read() ([]byte, error) {
	if cap(p.payload) > flushBytes {
		p.payload = nil // one large packet must not hold its memory for ever
	}
	p.payload = p.payload[:0]
	for {
		var head [4]byte
		if err := p.readHead(head[:]); err != nil {
			return nil, err
		}
		n := int(head[0]) | int(head[1])<<8 | int(head[2])<<16
		if head[3] != p.seq {
			return nil, errOrder
		}
		p.seq++
		if len(p.payload)+n > p.limit {
			return nil, sqlerr.New(sqlerr.PacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
		}
		if err := p.readBody(n); err != nil {
			return nil, err
		}
		if n < maxFrame {
			return p.payload, nil
		}
	}
}

func (p *packets) readHead(head []byte) error {
	if p.buffered == nil {
		_, err := io.ReadFull(p.conn, head)
		return err
	}
	b, err := p.buffered.Peek(len(head))
	if err != nil {
		return err
	}
	copy(head, b)
	_, err = p.buffered.Discard(len(head))
	return err
}

// readBody appends n bytes to the payload.
func (p *packets) readBody(n int) error {
	if p.restTimeout > 0 && p.buffered != nil && p.buffered.Buffered() < n {
		p.conn.SetReadDeadline(time.Now().Add(p.restTimeout))
	}
	for n > 0 {
		have, step := len(p.payload), min(n, readStep)
		if cap(p.payload)-have < step {
			p.payload = append(make([]byte, 0, 2*have+step), p.payload...)
		}
		p.payload = p.payload[:have+step]
		if _, err := io.ReadFull(p.in, p.payload[have:]); err != nil {
			return err
		}
		n -= step
	}
	return nil
}

// begin opens a packet: what is appended to out until end is its payload.
func (p *packets) begin() {
	p.open = len(p.out)
	p.out = append(p.out, 0, 0, 0, 0)
}

// end closes the open packet.
func (p *packets) end() {
	n := len(p.out) - p.open - 4
	if n >= maxFrame {
		p.split()
		return
	}
	p.frame(p.open, n)
}

func (p *packets) frame(at, n int) {
	h := p.out[at : at+4]
	h[0], h[1], h[2], h[3] = byte(n), byte(n>>8), byte(n>>16), p.seq
	p.seq++
}

// split cuts an open packet that is longer than a frame into several.
func (p *packets) split() {
	payload := append([]byte(nil), p.out[p.open+4:]...)
	p.out = p.out[:p.open]
	for {
		n := min(len(payload), maxFrame)
		at := len(p.out)
		p.out = append(append(p.out, 0, 0, 0, 0), payload[:n]...)
		p.frame(at, n)
		payload = payload[n:]
		if n < maxFrame {
			return
		}
	}
}

// flush sends what is finished.
func (p *packets) flush() error {
	if len(p.out) == 0 {
		return nil
	}
	if p.writeTimeout > 0 {
		p.conn.SetWriteDeadline(time.Now().Add(p.writeTimeout))
	}
	_, err := p.conn.Write(p.out)
	if cap(p.out) > 4*flushBytes {
		p.out = make([]byte, 0, flushBytes+4096)
	}
	p.out = p.out[:0]
	if err != nil {
		return &lostError{err}
	}
	return nil
}

// flushFull sends what is finished when it is enough to be worth it.
func (p *packets) flushFull() error {
	if len(p.out) < flushBytes {
		return nil
	}
	return p.flush()
}

// lostError says that the client cannot be reached any more: there is nobody to
// tell an error.
type lostError struct{ err error }

func (e *lostError) Error() string { return "client lost: " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

func isLost(err error) bool {
	var e *lostError
	return errors.As(err, &e)
}

// appendLenenc appends a length-encoded integer.
func appendLenenc(dst []byte, n uint64) []byte {
	switch {
	case n < 251:
		return append(dst, byte(n))
	case n < 1<<16:
		return append(dst, 0xfc, byte(n), byte(n>>8))
	case n < 1<<24:
		return append(dst, 0xfd, byte(n), byte(n>>8), byte(n>>16))
	}
	return append(dst, 0xfe, byte(n), byte(n>>8), byte(n>>16), byte(n>>24), byte(n>>32), byte(n>>40), byte(n>>48), byte(n>>56))
}

// appendString appends a length-encoded string.
func appendString[T string | []byte](dst []byte, s T) []byte {
	return append(appendLenenc(dst, uint64(len(s))), s...)
}
