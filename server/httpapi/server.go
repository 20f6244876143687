// Package httpapi takes rows in over HTTP:
//
//	POST /v1/databases/{database}/streams/{stream}
//
// with JSON, CSV or Arrow in its body. It is a client of package session, as the
// MySQL protocol is, with the same accounts and privileges. What was answered
// with 200 is on disk. docs/ingest.md tells users about it.
package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"streamsql/server/auth"
	"streamsql/server/session"
)

// Options of a server. The zero value of a field means its default.
type Options struct {
	Accounts       auth.Accounts // default: auth.Root
	TLS            *tls.Config   // default: no TLS
	MaxConnections int           // default 1000
	// MaxBody bounds a request's body, compressed or not, in bytes; default 64 MiB.
	MaxBody int
	// MaxBodies bounds the bodies of all requests together; default 8 × MaxBody, but not below 1 MiB.
	MaxBodies int
	// Wait is how long a request waits for room in the engine before it is refused;
	// default half a second.
	Wait time.Duration
	Log  *slog.Logger // default: slog.Default
}

func (o *Options) fill() {
	if o.Accounts == nil {
		o.Accounts = auth.Root()
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = 1000
	}
	if o.MaxBody == 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxBodies == 0 {
		o.MaxBodies = max(8*o.MaxBody, 16*firstRead)
	}
	if o.Wait == 0 {
		o.Wait = 500 * time.Millisecond
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
}

// The times that a client may take.
const (
	headerTimeout = 10 * time.Second
	stallTimeout  = 15 * time.Second // until further bytes of a body come
	bodyTimeout   = 5 * time.Minute  // for a body
	writeTimeout  = 30 * time.Second // for the answer, once it is there
	idleTimeout   = 2 * time.Minute
)

// firstID begins the ids of sessions that came by HTTP; those below are of the
// MySQL protocol.
const firstID = 1 << 31

const streamPath = "/v1/databases/{database}/streams/{stream}"

// Server serves HTTP. Safe for all.
type Server struct {
	sessions *session.Server
	options  Options
	sha2     auth.SHA2Cache
	http     http.Server
	lastID   atomic.Uint32
	bodies   atomic.Int64 // bytes of bodies in memory
}

// New makes a server; Serve starts it.
func New(s *session.Server, o Options) *Server {
	o.fill()
	v := &Server{sessions: s, options: o}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+streamPath, v.post)
	mux.HandleFunc("GET "+streamPath+"/writers/{writer}", v.lastBatch)
	mux.HandleFunc(streamPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "Rows go by POST, not by %s", r.Method)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "There is nothing at %.200s; rows go by POST to %s", r.URL.Path, streamPath)
	})
	v.http = http.Server{
		Handler: v.guard(mux), TLSConfig: o.TLS, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
	}
	return v
}

// Serve accepts clients on l until Shutdown, then returns nil.
func (v *Server) Serve(l net.Listener) error {
	l = &limited{Listener: l, most: int64(v.options.MaxConnections)}
	err := error(nil)
	if v.options.TLS != nil {
		err = v.http.ServeTLS(l, "", "")
	} else {
		err = v.http.Serve(l)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Shutdown stops accepting and returns when all requests are answered, or have
// been cut off because ctx is done.
func (v *Server) Shutdown(ctx context.Context) error {
	err := v.http.Shutdown(ctx)
	if err != nil {
		v.http.Close()
	}
	return err
}

// limited is a listener that hangs up on clients beyond a number.
type limited struct {
	net.Listener
	most, now int64
	mu        sync.Mutex
}

// Accept returns the next client.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.mu.Lock()
		full := l.now >= l.most
		if !full {
			l.now++
		}
		l.mu.Unlock()
		if !full {
			return &counted{Conn: c, listener: l}, nil
		}
		c.Close()
	}
}

// counted is a connection that is counted until it is closed.
type counted struct {
	net.Conn
	listener *limited
	once     sync.Once
}

// Close closes the connection.
func (c *counted) Close() error {
	c.once.Do(func() {
		c.listener.mu.Lock()
		c.listener.now--
		c.listener.mu.Unlock()
	})
	return c.Conn.Close()
}

// Handler is what answers requests.
func (v *Server) Handler() http.Handler { return v.http.Handler }
