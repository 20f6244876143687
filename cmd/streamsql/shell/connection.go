package shell

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"
)

const connectTimeout = 10 * time.Second

// Error numbers of the client's own, as the mysql client has them.
const (
	errInterrupted  = 1317
	errNoConnection = 2003
	errServerLost   = 2013
)

// noBackslashEscapes is the server status flag of that sql_mode.
const noBackslashEscapes = 0x200

// connection is a session on a server. After it was lost, the next statement
// opens another one.
type connection struct {
	options   Options
	conn      *client.Conn
	noEscapes bool   // sql_mode has NO_BACKSLASH_ESCAPES
	database  string // as far as USE was seen
}

// outcome is how a statement went.
type outcome struct {
	hasRows  bool
	rows     int
	affected uint64
	warnings uint16
}

func connect(ctx context.Context, o Options) (*connection, error) {
	c := &connection{options: o, database: o.Database}
	return c, c.open(ctx)
}

func (c *connection) open(ctx context.Context) error {
	conn, err := dial(ctx, c.options, c.database)
	c.conn = conn
	return err
}

func dial(ctx context.Context, o Options, database string) (*client.Conn, error) {
	address := o.address()
	user := o.User
	if user == "" {
		user = "root"
	}
	conn, err := client.ConnectWithContext(ctx, address, user, o.Password, database, connectTimeout, func(c *client.Conn) error {
		return c.SetCharset("utf8mb4")
	})
	if err == nil {
		return conn, nil
	}
	var coded *mysql.MyError
	if errors.As(err, &coded) {
		return nil, coded
	}
	reason := err.Error()
	var code syscall.Errno
	if errors.As(err, &code) {
		reason = fmt.Sprintf("%d %q", int(code), code.Error())
	}
	return nil, &mysql.MyError{Code: errNoConnection, State: "HY000",
		Message: fmt.Sprintf("Can't connect to server on '%s' (%s)", address, reason)}
}

// address is host:port, or the path of a socket.
func (o Options) address() string {
	host, port := o.Host, o.Port
	if strings.HasPrefix(host, "/") {
		return host
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if port == 0 {
		port = 4000
	}
	return net.JoinHostPort(host, strconv.Itoa(port))
}

func (c *connection) close() {
	if c.conn != nil {
		_ = c.conn.Quit()
		c.conn = nil
	}
}

// query runs one statement and prints its rows as they come. When ctx ends
// first, the statement is killed on the server.
func (c *connection) query(ctx context.Context, sql string, pr printer) (outcome, error) {
	if c.conn == nil {
		if err := c.open(ctx); err != nil {
			return outcome{}, err
		}
	}
	stop := context.AfterFunc(ctx, c.kill())
	defer stop()
	var out outcome
	var res mysql.Result
	row := make([]field, 0, 16)
	err := c.conn.ExecuteSelectStreaming(sql, &res,
		func(values []mysql.FieldValue) error {
			row = row[:0]
			for i := range values {
				row = append(row, field{text: values[i].AsString(), null: values[i].Type == mysql.FieldValueTypeNull})
			}
			out.rows++
			return pr.row(row)
		},
		func(r *mysql.Result) error {
			out.hasRows = true
			return pr.begin(columns(r.Fields))
		})
	if err == nil && out.hasRows {
		err = pr.end()
	}
	if err != nil {
		return out, c.failed(ctx, err)
	}
	out.affected, out.warnings = res.AffectedRows, res.Warnings
	c.noEscapes = res.Status&noBackslashEscapes != 0
	c.noteUse(sql)
	return out, nil
}

// columns describes the columns of a result, and makes the library hand out
// the values as the server wrote them, numbers included.
func columns(fields []*mysql.Field) []column {
	cs := make([]column, len(fields))
	for i, f := range fields {
		cs[i].name = string(f.Name)
		cs[i].null = f.Flag&mysql.NOT_NULL_FLAG == 0
		switch f.Type {
		case mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_INT24, mysql.MYSQL_TYPE_LONG,
			mysql.MYSQL_TYPE_LONGLONG, mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE, mysql.MYSQL_TYPE_DECIMAL,
			mysql.MYSQL_TYPE_NEWDECIMAL, mysql.MYSQL_TYPE_YEAR:
			cs[i].number = true
		}
		f.Type = mysql.MYSQL_TYPE_VAR_STRING
	}
	return cs
}

// failed turns an error of the library into one with a number; when it is not
// the server's, the connection is gone.
func (c *connection) failed(ctx context.Context, err error) error {
	var coded *mysql.MyError
	if errors.As(err, &coded) {
		return coded
	}
	_ = c.conn.Close()
	c.conn = nil
	if ctx.Err() != nil {
		return &mysql.MyError{Code: errInterrupted, State: "70100", Message: "Query execution was interrupted"}
	}
	return &mysql.MyError{Code: errServerLost, State: "HY000",
		Message: "Lost connection to server during query (" + err.Error() + ")"}
}

// kill returns a function that ends the running statement, over a connection
// of its own; if that fails, it drops the connection.
func (c *connection) kill() func() {
	conn, o := c.conn, c.options
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
		defer cancel()
		other, err := dial(ctx, o, "")
		if err == nil {
			_, err = other.Execute("KILL QUERY " + strconv.FormatUint(uint64(conn.GetConnectionID()), 10))
			_ = other.Quit()
		}
		if err != nil {
			_ = conn.Conn.Conn.Close()
		}
	}
}

// noteUse keeps the database of a USE, for the prompt and for a connection
// that replaces this one.
func (c *connection) noteUse(sql string) {
	word, name, _ := strings.Cut(strings.TrimSpace(sql), " ")
	if strings.EqualFold(word, "use") {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, "`") {
			name = strings.ReplaceAll(strings.Trim(name, "`"), "``", "`")
		}
		c.database = name
	}
}

// message is an error as the shell prints it; line 0: without a place.
func message(err error, line int) string {
	var coded *mysql.MyError
	if !errors.As(err, &coded) {
		return "ERROR: " + err.Error()
	}
	place := ""
	if line > 0 {
		place = fmt.Sprintf(" at line %d", line)
	}
	return fmt.Sprintf("ERROR %d (%s)%s: %s", coded.Code, coded.State, place, coded.Message)
}
