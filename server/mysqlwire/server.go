// Package mysqlwire speaks the MySQL client protocol: packets on one side,
// commands and rows of a session on the other. Why it does not stand on an
// existing server library is in docs/adr/0020.
package mysqlwire

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"streamsql/server/auth"
	"streamsql/sql/sqlerr"
)

// Options of a server. The zero value of a field means its default.
type Options struct {
	Version        string        // what clients see; they read features from its number
	Accounts       auth.Accounts // default: auth.Root
	TLS            *tls.Config   // default: no TLS
	MaxConnections int           // default 1000
	LoginTimeout   time.Duration // default 10 s
	Log            *slog.Logger  // default: slog.Default
}

// Server accepts clients. Safe for all.
type Server struct {
	backend Backend
	options Options
	sha2    auth.SHA2Cache
	keys    auth.Keys
	lastID  atomic.Uint32

	mu        sync.Mutex
	listeners map[net.Listener]struct{}
	conns     map[*conn]struct{}
	closing   bool
	done      sync.WaitGroup // one for each connection
	stop      chan struct{}  // closed at shutdown
}

// errShutdown is what running statements end with at shutdown.
var errShutdown = sqlerr.New(sqlerr.ServerShutdown, "Server shutdown in progress")

// ErrClosed is what Serve returns after Shutdown.
var ErrClosed = errors.New("mysqlwire: server closed")

// New makes a server; Serve starts it.
func New(b Backend, o Options) *Server {
	if o.Accounts == nil {
		o.Accounts = auth.Root()
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 1000
	}
	if o.LoginTimeout == 0 {
		o.LoginTimeout = 10 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	s := &Server{
		backend: b, options: o,
		listeners: map[net.Listener]struct{}{}, conns: map[*conn]struct{}{}, stop: make(chan struct{}),
	}
	go s.watch()
	return s
}

// Serve accepts clients on l until Shutdown, then returns ErrClosed.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closing {
		s.mu.Unlock()
		return ErrClosed
	}
	s.listeners[l] = struct{}{}
	s.mu.Unlock()
	for {
		nc, err := l.Accept()
		switch {
		case err == nil:
			s.accept(nc)
		case s.isClosing():
			return ErrClosed
		default:
			var temporary net.Error
			if !errors.As(err, &temporary) || errors.Is(err, net.ErrClosed) {
				return err
			}
			s.options.Log.Warn("accept", "err", err) // out of files: others will close some
			time.Sleep(50 * time.Millisecond)
		}
	}
}

func (s *Server) isClosing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closing
}

// accept starts a connection, or refuses it when there are too many.
func (s *Server) accept(nc net.Conn) {
	c := newConn(s, nc, s.lastID.Add(1))
	s.mu.Lock()
	full, closing := len(s.conns) >= s.options.MaxConnections, s.closing
	if !full && !closing {
		s.conns[c] = struct{}{}
		s.done.Add(1)
	}
	s.mu.Unlock()
	if !full && !closing {
		go c.serve()
		return
	}
	go func() {
		defer nc.Close()
		nc.SetDeadline(time.Now().Add(time.Second))
		err := sqlerr.New(sqlerr.ConCount, "Too many connections")
		if closing {
			err = errShutdown
		}
		c.writeError(err)
		c.packets.flush()
	}()
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.done.Done()
}

// Shutdown stops accepting, ends running statements with error 1053 and waits
// for the connections to end; when ctx is done first it closes them.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if !s.closing {
		s.closing = true
		close(s.stop)
	}
	for l := range s.listeners {
		l.Close()
	}
	for c := range s.conns {
		c.cancel(errShutdown)
		c.wake()
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { s.done.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.conns {
		c.raw.Close()
	}
	s.mu.Unlock()
	return ctx.Err()
}

// Connections is how many clients there are now.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}
