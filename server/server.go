// Package server puts the MySQL protocol and its sessions in front of an engine.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"

	"streamsql/server/auth"
	"streamsql/server/httpapi"
	"streamsql/server/mysqlwire"
	"streamsql/server/session"
)

// Version is what clients see by default. They read features from the number in front, and
// behave otherwise towards a server that calls itself something else than MySQL.
const Version = "8.0.36-StreamSQL-0.1"

// Options of a server. The zero value of a field means its default.
type Options struct {
	Version        string        // default: Version
	Accounts       auth.Accounts // default: root without a password
	TLS            *tls.Config   // default: no TLS
	MaxConnections int           // default 1000
	HTTP           net.Listener  // for rows that come by HTTP; default: none
	HTTPMaxBody    int           // bytes; default: that of package httpapi
	SecureFiles    string        // directory of the files of LOAD DATA INFILE; default: none
	Log            *slog.Logger
}

// Server is a MySQL server on one listener, and an HTTP server on another if
// there is one.
type Server struct {
	listener net.Listener
	wire     *mysqlwire.Server
	web      net.Listener
	http     *httpapi.Server
}

// New makes a server that will accept clients on l.
func New(l net.Listener, e session.Engine, o Options) *Server {
	if o.Version == "" {
		o.Version = Version
	}
	so := session.Options{Version: o.Version, SecureFiles: o.SecureFiles}
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		so.Port = a.Port
	}
	sessions := session.NewServer(e, so)
	s := &Server{listener: l, web: o.HTTP}
	s.wire = mysqlwire.New(mysqlwire.Sessions(sessions), mysqlwire.Options{
		Version: o.Version, Accounts: o.Accounts, TLS: o.TLS, MaxConnections: o.MaxConnections, Log: o.Log,
	})
	s.http = httpapi.New(sessions, httpapi.Options{
		Accounts: o.Accounts, TLS: o.TLS, MaxConnections: o.MaxConnections, MaxBody: o.HTTPMaxBody, Log: o.Log,
	})
	return s
}

// Serve accepts clients until Shutdown, then returns nil; or an error once one of
// the listeners has failed.
func (s *Server) Serve() error {
	if s.web == nil {
		return s.serveMySQL()
	}
	ended := make(chan error, 2)
	go func() { ended <- s.serveMySQL() }()
	go func() { ended <- s.http.Serve(s.web) }()
	if err := <-ended; err != nil {
		return err
	}
	return <-ended
}

func (s *Server) serveMySQL() error {
	if err := s.wire.Serve(s.listener); err != mysqlwire.ErrClosed {
		return err
	}
	return nil
}

// Shutdown stops accepting, ends what runs with error 1053, and returns when all
// clients are gone, or have been cut off because ctx is done.
func (s *Server) Shutdown(ctx context.Context) error {
	return errors.Join(s.http.Shutdown(ctx), s.wire.Shutdown(ctx))
}
