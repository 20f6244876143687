package mysqlwire

import (
	"errors"
	"syscall"
	"time"
)

// watchEvery is how often connections that run a statement are looked at.
const watchEvery = 200 * time.Millisecond

// errGone is what a statement ends with whose client has hung up.
var errGone = errors.New("the client hung up")

// watch ends the statements of clients that are gone: while a statement runs
// nobody reads its connection, and a write fails only after the peer's reset.
func (s *Server) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.stop:
			return
		case now := <-tick.C:
			for _, c := range s.running(now.Add(-watchEvery)) {
				if gone(c.raw) {
					c.cancel(errGone)
				}
			}
		}
	}
}

// running are the connections whose statement began before t.
func (s *Server) running(t time.Time) []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var cs []*conn
	for c := range s.conns {
		if began := c.began.Load(); began != 0 && began < t.UnixNano() {
			cs = append(cs, c)
		}
	}
	return cs
}

// gone reports whether the peer has closed its side. It looks at the socket
// without taking anything from it.
func gone(c any) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	err = raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case err == nil:
			closed = n == 0
		case !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINTR):
			closed = true
		}
	})
	return closed || err != nil
}
