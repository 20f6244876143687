package mysqlwire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/server/auth"
	"streamsql/server/session"
	"streamsql/sql/sqlerr"
)

// conn is one client's connection. Its own goroutine runs it; others may only
// cancel it, wake it, and close raw.
type conn struct {
	server  *Server
	raw     net.Conn
	packets *packets
	id      uint32
	host    string // the peer's address without port
	salt    [auth.SaltLen]byte
	caps    uint32
	secure  bool // TLS is on

	ctx    context.Context // of the connection: ends running statements
	cancel context.CancelCauseFunc
	began  atomic.Int64 // when the running command began, in ns; 0: none runs

	user       string
	session    Session
	state      session.State // as of the last command
	multi      bool          // COM_SET_OPTION or the login allowed several statements in a text
	statements map[uint32]*statement
	lastStmt   uint32
}

func newConn(s *Server, nc net.Conn, id uint32) *conn {
	c := &conn{server: s, raw: nc, packets: newPackets(nc), id: id, salt: auth.NewSalt()}
	c.host = auth.Host(nc.RemoteAddr().String())
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	c.statements = map[uint32]*statement{}
	return c
}

// serve runs the connection from greeting to end.
func (c *conn) serve() {
	defer c.server.forget(c)
	defer c.raw.Close()
	defer c.cancel(errGone)
	defer func() {
		if c.session != nil {
			c.session.Close()
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			c.server.options.Log.Error("panic in a connection", "connection", c.id, "panic", r, "stack", string(debug.Stack()))
			c.packets.out = c.packets.out[:0]
			c.writeError(sqlerr.New(sqlerr.UnknownError, "Internal error: %s", firstLine(r)))
			c.packets.flush()
		}
	}()
	if err := c.login(); err != nil {
		c.lastWords(err)
		return
	}
	c.lastWords(c.commands())
}

// firstLine is what a client is told of a panic.
func firstLine(r any) string {
	line, _, _ := strings.Cut(fmt.Sprint(r), "\n")
	return line
}

// lastWords tells the client why the connection ends, if there is a reason that it can use.
func (c *conn) lastWords(err error) {
	var e *sqlerr.Error
	if err == nil || !errors.As(err, &e) {
		return
	}
	c.writeError(e)
	c.packets.writeTimeout = time.Second
	c.packets.flush()
}

// login takes the connection through handshake and authentication.
func (c *conn) login() error {
	c.raw.SetDeadline(time.Now().Add(c.server.options.LoginTimeout))
	if err := c.greet(); err != nil {
		return err
	}
	l, err := c.readLogin()
	if err != nil {
		return err
	}
	if err := c.authenticate(l); err != nil {
		return err
	}
	if err := c.open(l); err != nil {
		return err
	}
	c.raw.SetDeadline(time.Time{})
	c.packets.buffer()
	c.writeOK(&session.Result{}, false)
	return c.packets.flush()
}

// open begins the session of a client that is authenticated.
func (c *conn) open(l *login) error {
	client := session.Client{
		ID: c.id, User: l.user, Host: c.host, DB: l.db, Attributes: l.attributes,
		FoundRows: c.caps&mysql.CLIENT_FOUND_ROWS != 0, Hangup: c.hangup,
	}
	if c.caps&mysql.CLIENT_LOCAL_FILES != 0 {
		client.Infile = c.infile
	}
	s, err := c.server.backend.Open(c.ctx, client)
	if err != nil {
		return err
	}
	if c.session != nil {
		c.session.Close()
	}
	c.session, c.user = s, l.user
	c.multi = c.caps&mysql.CLIENT_MULTI_STATEMENTS != 0
	c.refresh()
	return nil
}

// hangup ends the connection from another goroutine (KILL).
func (c *conn) hangup() {
	c.cancel(sqlerr.New(sqlerr.QueryInterrupted, "Query execution was interrupted"))
	c.wake()
}

// wake ends a wait for the next command; what is being sent goes on for a second.
func (c *conn) wake() {
	c.raw.SetReadDeadline(time.Unix(1, 0))
	time.AfterFunc(time.Second, func() { c.raw.SetDeadline(time.Unix(1, 0)) })
}

// refresh takes over what the last command may have changed.
func (c *conn) refresh() {
	c.state = c.session.State()
	c.packets.limit = c.state.MaxPacket
	c.packets.writeTimeout = c.state.WriteTimeout
	c.packets.restTimeout = c.state.ReadTimeout
}

// commands runs commands until the client leaves. It returns an error that the
// client should still be told, or that nobody can be told.
func (c *conn) commands() error {
	for {
		c.packets.seq = 0
		// Every read deadline is set before the check, so that a wake that comes
		// between the two is not undone.
		c.setIdle()
		if cause := context.Cause(c.ctx); cause != nil {
			return cause
		}
		b, err := c.packets.read()
		if err != nil {
			return c.readFailed(err)
		}
		c.began.Store(time.Now().UnixNano())
		quit, err := c.command(b)
		c.began.Store(0)
		if err != nil || quit {
			return err
		}
		c.refresh()
		if err := c.packets.flush(); err != nil {
			return err
		}
	}
}

func (c *conn) setIdle() {
	if c.packets.buffered.Buffered() == 0 && c.state.IdleTimeout > 0 {
		c.raw.SetReadDeadline(time.Now().Add(c.state.IdleTimeout))
	}
}

// readFailed says why there is no next command.
func (c *conn) readFailed(err error) error {
	if cause := context.Cause(c.ctx); cause != nil {
		return cause
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return sqlerr.New(4031, "The client was disconnected by the server because of inactivity. See wait_timeout and interactive_timeout for configuring this behavior.")
	}
	return err
}
