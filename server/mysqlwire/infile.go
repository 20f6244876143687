package mysqlwire

import (
	"context"
	"io"
	"time"
)

// infile asks the client for one of its files, as the answer to LOAD DATA LOCAL:
// the client sends it in packets, and an empty one at the end. It is read by the
// goroutine of the statement, and must be closed before the statement is answered.
func (c *conn) infile(_ context.Context, name string) (io.ReadCloser, error) {
	c.packets.begin()
	c.packets.out = append(append(c.packets.out, 0xfb), name...)
	c.packets.end()
	if err := c.packets.flush(); err != nil {
		return nil, err
	}
	return &sentFile{conn: c}, nil
}

// sentFile is a file that a client sends.
type sentFile struct {
	conn *conn
	rest []byte // of the last packet
	err  error  // io.EOF after the empty packet
}

// Read reads on in the file.
func (f *sentFile) Read(b []byte) (int, error) {
	for len(f.rest) == 0 && f.err == nil {
		f.next()
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// next takes the next packet.
func (f *sentFile) next() {
	if t := f.conn.packets.restTimeout; t > 0 {
		f.conn.raw.SetReadDeadline(time.Now().Add(t))
	}
	if cause := context.Cause(f.conn.ctx); cause != nil { // after the deadline, so that a wake is not undone
		f.err = cause
		return
	}
	f.rest, f.err = f.conn.packets.read()
	if f.err == nil && len(f.rest) == 0 {
		f.err = io.EOF
	}
}

// Close passes over what the client still sends: only then it listens.
func (f *sentFile) Close() error {
	for f.err == nil {
		f.next()
	}
	f.rest = nil
	return nil
}
