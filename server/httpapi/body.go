package httpapi

import (
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// body is a request's body in memory, unpacked.
type body struct {
	server *Server
	bytes  []byte
	held   int64 // of the server's room for bodies
}

// release gives the memory back.
func (b *body) release() {
	b.server.bodies.Add(-b.held)
	if cap(b.bytes) <= maxSpare {
		spares.Put(&b.bytes)
	}
	b.bytes = nil
}

// spares are the bytes of bodies that are done with: nothing of a request refers to
// its body once its rows are in columns.
var spares = sync.Pool{New: func() any { return new([]byte) }}

// maxSpare is how large a body may be that is kept for another.
const maxSpare = 4 << 20

// firstRead is the room for a body whose length is not known.
const firstRead = 64 << 10

// read reads a body to its end, within the limits.
func (v *Server) read(w http.ResponseWriter, r *http.Request) (*body, error) {
	in := io.Reader(&patient{body: http.MaxBytesReader(w, r.Body, int64(v.options.MaxBody)), control: http.NewResponseController(w), until: time.Now().Add(bodyTimeout)})
	size := int64(firstRead)
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "", "identity":
		if r.ContentLength > int64(v.options.MaxBody) {
			return nil, v.tooLarge()
		}
		if r.ContentLength >= 0 {
			size = r.ContentLength + 1 // and the end
		}
	case "gzip":
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, v.unreadable(err)
		}
		in = z
	case "zstd":
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, v.unreadable(err)
		}
		defer z.Close()
		in = z
	default:
		return nil, refused(http.StatusUnsupportedMediaType, "Content-Encoding '%.64s' is not known; gzip and zstd are", coding)
	}
	b := &body{server: v}
	if err := b.fill(in, size); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// fill reads all of in. Memory grows with what has come, not with what was promised.
func (b *body) fill(in io.Reader, size int64) error {
	v := b.server
	size = min(size, 1<<20)
	b.bytes = (*spares.Get().(*[]byte))[:0]
	for {
		if int64(len(b.bytes)) == b.held {
			more := max(size, b.held) // doubles
			if !b.reserve(more) {
				return refused(http.StatusTooManyRequests, "The server has no room for this body now")
			}
			if int64(cap(b.bytes)) < b.held {
				b.bytes = append(make([]byte, 0, b.held), b.bytes...)
			}
		}
		n, err := in.Read(b.bytes[len(b.bytes):b.held])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case len(b.bytes) > v.options.MaxBody:
			return v.tooLarge()
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return v.unreadable(err)
		}
	}
}

// reserve takes n bytes of the room for bodies.
func (b *body) reserve(n int64) bool {
	if b.server.bodies.Add(n) > int64(b.server.options.MaxBodies) {
		b.server.bodies.Add(-n)
		return false
	}
	b.held += n
	return true
}

func (v *Server) tooLarge() error {
	return refused(http.StatusRequestEntityTooLarge, "The body is larger than %d bytes", v.options.MaxBody)
}

// unreadable says why a body ended before its end.
func (v *Server) unreadable(err error) error {
	var large *http.MaxBytesError
	var late net.Error
	switch {
	case errors.As(err, &large):
		return v.tooLarge()
	case errors.As(err, &late) && late.Timeout():
		return refused(http.StatusRequestTimeout, "The body did not come in time")
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return refused(http.StatusBadRequest, "The body is packed with too large a window")
	}
	return refused(http.StatusBadRequest, "The body cannot be read: %v", err)
}

// patient reads a body that keeps coming, for a while.
type patient struct {
	body    io.Reader
	control *http.ResponseController
	until   time.Time
	set     time.Time
}

// Read reads what comes within stallTimeout.
func (p *patient) Read(b []byte) (int, error) {
	if now := time.Now(); now.Sub(p.set) > time.Second {
		p.set = now
		deadline := now.Add(stallTimeout)
		if deadline.After(p.until) {
			deadline = p.until
		}
		_ = p.control.SetReadDeadline(deadline) // not there in a test's recorder
	}
	return p.body.Read(b)
}
