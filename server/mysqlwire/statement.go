package mysqlwire

import (
	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/server/session"
	"streamsql/sql/sqlerr"
)

const (
	maxStatements = 16382 // prepared at a time, on one connection
	maxLongData   = 64 << 20
)

// statement is a prepared statement of the binary protocol.
type statement struct {
	prepared *session.Prepared
	// types are two bytes for each parameter, as last sent: a client sends them with
	// the first execution only.
	types []byte
	long  map[int][]byte // parameters sent ahead, piece by piece
	size  int            // bytes in long
	err   error          // why a piece could not be taken; the next execution tells it
}

func newStatement(p *session.Prepared) *statement { return &statement{prepared: p} }

func (s *statement) resetLong() { s.long, s.size, s.err = nil, 0, nil }

// sendLongData takes a piece of a parameter. It has no answer: an error waits
// for the execution.
func (c *conn) sendLongData(body []byte) {
	r := &reader{b: body}
	id, k := r.u32(), int(r.u16())
	s := c.statements[id]
	if s == nil {
		return
	}
	switch {
	case r.bad || k >= len(s.prepared.Params):
		s.err = sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to mysqld_stmt_send_long_data")
	case s.size+len(r.b) > maxLongData:
		s.err = sqlerr.New(sqlerr.UnknownError, "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes")
	default:
		if s.long == nil {
			s.long = map[int][]byte{}
		}
		s.long[k] = append(s.long[k], r.b...)
		s.size += len(r.b)
	}
}

func (c *conn) resetStatement(body []byte) error {
	r := &reader{b: body}
	s, err := c.statement(r.u32(), "mysqld_stmt_reset")
	if err != nil {
		return err
	}
	s.resetLong()
	return c.done(nil)
}

func (c *conn) statement(id uint32, command string) (*statement, error) {
	s := c.statements[id]
	if s == nil {
		return nil, sqlerr.New(sqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%d) given to %s", id, command)
	}
	return s, nil
}

// execute runs a prepared statement. A request for a cursor is answered with all
// rows and without the flag that says a cursor is there, which every client
// takes for a server that did not open one.
func (c *conn) execute(body []byte) error {
	r := &reader{b: body}
	id := r.u32()
	r.u8()  // cursor type
	r.u32() // iterations: always 1
	s, err := c.statement(id, "mysqld_stmt_execute")
	if err != nil {
		return err
	}
	defer s.resetLong()
	if s.err != nil {
		return s.err
	}
	params, err := s.params(r)
	if err != nil {
		return err
	}
	return c.session.Execute(c.ctx, s.prepared, params, c.emitBinary)
}

// params reads the parameters of an execution: the bitmap of NULLs, whether
// types follow, the types, the values.
func (s *statement) params(r *reader) ([]session.Param, error) {
	n := len(s.prepared.Params)
	if n == 0 {
		return nil, nil
	}
	nulls := r.take(uint64(n+7) / 8)
	if bound := r.u8(); bound == 1 {
		s.types = append(s.types[:0], r.take(2*uint64(n))...)
	}
	if r.bad || len(s.types) != 2*n {
		return nil, errMalformed
	}
	params := make([]session.Param, n)
	for k := range params {
		code, unsigned := s.types[2*k], s.types[2*k+1]&0x80 != 0
		long, sent := s.long[k]
		switch {
		case sent:
			params[k] = longParam(code, long)
		case nulls[k/8]>>(k&7)&1 == 1 || code == mysql.MYSQL_TYPE_NULL:
			params[k] = nullParam()
		default:
			p, err := readParam(r, code, unsigned)
			if err != nil {
				return nil, err
			}
			params[k] = p
		}
		if r.bad {
			return nil, errMalformed
		}
	}
	return params, nil
}
