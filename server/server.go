// Package server puts the MySQL protocol and its sessions in front of an engine.
package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"

	"streamsql/server/auth"
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
	Log            *slog.Logger
}

// Server is a MySQL server on one listener.
type Server struct {
	listener net.Listener
	wire     *mysqlwire.Server
}

// New makes a server that will accept clients on l.
func New(l net.Listener, e session.Engine, o Options) *Server {
	if o.Version == "" {
		o.Version = Version
	}
	so := session.Options{Version: o.Version}
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		so.Port = a.Port
	}
	wire := mysqlwire.New(mysqlwire.Sessions(session.NewServer(e, so)), mysqlwire.Options{
		Version: o.Version, Accounts: o.Accounts, TLS: o.TLS, MaxConnections: o.MaxConnections, Log: o.Log,
	})
	return &Server{listener: l, wire: wire}
}

// Serve accepts clients until Shutdown, then returns nil.
func (s *Server) Serve() error {
	if err := s.wire.Serve(s.listener); err != mysqlwire.ErrClosed {
		return err
	}
	return nil
}

// Shutdown stops accepting, ends what runs with error 1053, and returns when all
// clients are gone, or have been cut off because ctx is done.
func (s *Server) Shutdown(ctx context.Context) error { return s.wire.Shutdown(ctx) }
