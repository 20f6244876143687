package mysqlwire

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/server/session"
	"streamsql/sql/sqlerr"
)

// errMalformed is for a command whose fields do not fit its length.
var errMalformed = sqlerr.New(1835, "Malformed communication packet.")

// command runs one command. An error of the statement goes to the client; one
// that is returned ends the connection.
func (c *conn) command(b []byte) (quit bool, err error) {
	if len(b) == 0 {
		return false, c.answer(errMalformed)
	}
	body := b[1:]
	switch b[0] {
	case mysql.COM_QUIT:
		return true, nil
	case mysql.COM_PING:
		c.writeOK(&session.Result{}, false)
	case mysql.COM_QUERY:
		err = c.session.Query(c.ctx, string(body), c.multi, c.emitText)
	case mysql.COM_INIT_DB:
		err = c.done(c.session.Use(c.ctx, string(body)))
	case mysql.COM_FIELD_LIST:
		err = c.fieldList(body)
	case mysql.COM_STATISTICS:
		c.packets.begin()
		c.packets.out = append(c.packets.out, c.server.backend.Statistics()...)
		c.packets.end()
	case mysql.COM_PROCESS_KILL:
		r := reader{b: body}
		id := r.u32()
		if err = errMalformed; !r.bad {
			err = c.done(c.session.Kill(uint64(id), false))
		}
	case mysql.COM_CHANGE_USER:
		return false, c.changeUser(body)
	case mysql.COM_RESET_CONNECTION:
		clear(c.statements)
		c.session.Reset()
		err = c.done(nil)
	case mysql.COM_SET_OPTION:
		err = c.setOption(body)
	case mysql.COM_STMT_PREPARE:
		err = c.prepare(string(body))
	case mysql.COM_STMT_EXECUTE:
		err = c.execute(body)
	case mysql.COM_STMT_SEND_LONG_DATA: // never answered
		c.sendLongData(body)
		return false, nil
	case mysql.COM_STMT_CLOSE: // never answered
		r := reader{b: body}
		delete(c.statements, r.u32())
		return false, nil
	case mysql.COM_STMT_RESET:
		err = c.resetStatement(body)
	case mysql.COM_STMT_FETCH:
		r := reader{b: body}
		err = sqlerr.New(1421, "The statement (%d) has no open cursor.", r.u32())
	default:
		err = sqlerr.New(sqlerr.UnknownCommand, "Unknown command")
	}
	return false, c.answer(err)
}

// answer tells the client an error of its command; a lost client is returned.
func (c *conn) answer(err error) error {
	if err == nil || isLost(err) {
		return err
	}
	c.writeError(sqlerr.From(err))
	return nil
}

// done answers OK for a command without a result.
func (c *conn) done(err error) error {
	if err == nil {
		c.state = c.session.State()
		c.writeOK(&session.Result{}, false)
	}
	return err
}

// fieldList answers COM_FIELD_LIST: the columns of a table, with a default each.
func (c *conn) fieldList(body []byte) error {
	table, _, ok := bytes.Cut(body, []byte{0})
	if !ok {
		return errMalformed
	}
	fields, err := c.session.Columns(c.ctx, string(table))
	if err != nil {
		return err
	}
	for _, f := range fields {
		c.packets.begin()
		c.packets.out = append(appendColumn(c.packets.out, f), nullText) // no default is told
		c.packets.end()
		if err := c.packets.flushFull(); err != nil {
			return err
		}
	}
	c.writeEOF(false)
	return nil
}

func (c *conn) setOption(body []byte) error {
	r := reader{b: body}
	switch option := r.u16(); {
	case r.bad:
		return errMalformed
	case option > 1:
		return sqlerr.New(sqlerr.UnknownCommand, "Unknown command")
	default:
		c.multi = option == 0
	}
	c.writeEOF(false)
	return nil
}

// changeUser logs in again on the same connection. A failure ends it.
func (c *conn) changeUser(body []byte) error {
	r := &reader{b: body}
	l := &login{user: r.nul(), reply: clone(r.take(uint64(r.u8()))), db: r.nul(), plugin: auth0(c.caps)}
	if len(r.b) > 0 {
		r.u16() // character set: always utf8mb4
	}
	if c.caps&mysql.CLIENT_PLUGIN_AUTH != 0 && len(r.b) > 0 {
		l.plugin = r.nulOrRest()
	}
	if c.caps&mysql.CLIENT_CONNECT_ATTRS != 0 && len(r.b) > 0 {
		l.attributes = readAttributes(r)
	}
	if r.bad {
		return errMalformed
	}
	if err := c.authenticate(l); err != nil {
		return err
	}
	clear(c.statements)
	if err := c.open(l); err != nil {
		return err
	}
	return c.done(nil)
}

// auth0 is the plugin of a client that does not name one.
func auth0(caps uint32) string {
	if caps&mysql.CLIENT_PLUGIN_AUTH == 0 {
		return mysql.AUTH_NATIVE_PASSWORD
	}
	return ""
}

// emitText sends the result of a statement of COM_QUERY.
func (c *conn) emitText(ctx context.Context, r *session.Result, more bool) error {
	return c.emit(ctx, r, more, appendTextRow)
}

// emitBinary sends the result of COM_STMT_EXECUTE.
func (c *conn) emitBinary(ctx context.Context, r *session.Result, more bool) error {
	return c.emit(ctx, r, more, appendBinaryRow)
}

// prepare answers COM_STMT_PREPARE: the statement's id, then what is known of
// its parameters and of its result.
func (c *conn) prepare(text string) error {
	if len(c.statements) >= maxStatements {
		return sqlerr.New(1461, "Can't create more than max_prepared_stmt_count statements (current value: %d)", maxStatements)
	}
	ps, err := c.session.Prepare(c.ctx, text)
	if err != nil {
		return err
	}
	c.lastStmt++
	c.statements[c.lastStmt] = newStatement(ps)
	p := c.packets
	p.begin()
	p.out = append(p.out, 0)
	p.out = binary.LittleEndian.AppendUint32(p.out, c.lastStmt)
	p.out = binary.LittleEndian.AppendUint16(p.out, uint16(len(ps.Fields)))
	p.out = binary.LittleEndian.AppendUint16(p.out, uint16(len(ps.Params)))
	p.out = append(p.out, 0, 0, 0)
	p.end()
	if len(ps.Params) > 0 {
		for _, t := range ps.Params {
			c.writeColumn("?", t)
		}
		c.writeColumnsEnd()
	}
	if len(ps.Fields) > 0 {
		for _, f := range ps.Fields {
			c.writeColumn(f.Name, f.Type)
		}
		c.writeColumnsEnd()
	}
	return nil
}
