package mysqlwire

import (
	"context"
	"encoding/binary"
	"time"
	"unicode/utf8"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/server/session"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// rowEncoder appends row i of the first n columns of a chunk.
type rowEncoder func(dst []byte, c *batch.Chunk, n, i int, loc *time.Location) []byte

// emit sends one result. Rows are pulled chunk by chunk and sent when enough
// wait, so that a slow client holds back its own query and no memory.
func (c *conn) emit(ctx context.Context, r *session.Result, more bool, encode rowEncoder) error {
	c.state = c.session.State()
	if r.Rows == nil {
		c.writeOK(r, more)
		return nil
	}
	fields := r.Rows.Fields()
	p := c.packets
	p.begin()
	p.out = appendLenenc(p.out, uint64(len(fields)))
	p.end()
	for _, f := range fields {
		c.writeColumn(f.Name, f.Type)
	}
	c.writeColumnsEnd()
	if r.Live {
		return c.emitLive(ctx, r, len(fields), more, encode)
	}
	for {
		chunk, err := r.Rows.Next(ctx)
		if err != nil {
			return err
		}
		if chunk == nil {
			break
		}
		if err := c.writeRows(ctx, chunk, len(fields), encode); err != nil {
			return err
		}
	}
	c.state = c.session.State()
	c.writeEnd(more)
	return p.flushFull()
}

// writeRows sends the rows of a chunk, each as often as its weight says.
func (c *conn) writeRows(ctx context.Context, chunk *batch.Chunk, n int, encode rowEncoder) error {
	p := c.packets
	for i := range chunk.N {
		for range chunk.Weight(i) {
			p.begin()
			p.out = encode(p.out, chunk, n, i, c.state.Location)
			p.end()
		}
		if len(p.out) < flushBytes {
			continue
		}
		if err := p.flush(); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeColumn(name string, t types.Type) {
	c.packets.begin()
	c.packets.out = appendColumn(c.packets.out, physical.Field{Name: name, Type: t})
	c.packets.end()
}

// writeColumnsEnd ends a list of column definitions, for clients that need to be told.
func (c *conn) writeColumnsEnd() {
	if c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
		c.writeEOF(false)
	}
}

// writeEnd ends the rows of a result.
func (c *conn) writeEnd(more bool) {
	if c.caps&mysql.CLIENT_DEPRECATE_EOF == 0 {
		c.writeEOF(more)
		return
	}
	p := c.packets
	p.begin()
	p.out = append(p.out, 0xfe, 0, 0)
	c.appendStatus(more)
	p.end()
}

// writeEOF sends the short packet that ends a list.
func (c *conn) writeEOF(more bool) {
	p := c.packets
	p.begin()
	p.out = append(p.out, 0xfe)
	p.out = binary.LittleEndian.AppendUint16(p.out, c.warnings())
	p.out = binary.LittleEndian.AppendUint16(p.out, c.status(more))
	p.end()
}

func (c *conn) writeOK(r *session.Result, more bool) {
	p := c.packets
	p.begin()
	p.out = append(p.out, 0)
	p.out = appendLenenc(p.out, r.Affected)
	p.out = appendLenenc(p.out, r.LastInsertID)
	c.appendStatus(more)
	if r.Info != "" {
		p.out = appendString(p.out, r.Info) // the manual says "to the end"; servers and clients have a length
	}
	p.end()
}

func (c *conn) appendStatus(more bool) {
	c.packets.out = binary.LittleEndian.AppendUint16(c.packets.out, c.status(more))
	c.packets.out = binary.LittleEndian.AppendUint16(c.packets.out, c.warnings())
}

func (c *conn) warnings() uint16 { return uint16(min(c.state.Warnings, 1<<16-1)) }

func (c *conn) status(more bool) uint16 {
	var s uint16
	if c.state.InTransaction {
		s |= mysql.SERVER_STATUS_IN_TRANS
	}
	if c.state.Autocommit {
		s |= mysql.SERVER_STATUS_AUTOCOMMIT
	}
	if c.state.NoBackslashEscapes {
		s |= mysql.SERVER_STATUS_NO_BACKSLASH_ESCAPED
	}
	if more {
		s |= mysql.SERVER_MORE_RESULTS_EXISTS
	}
	return s
}

// writeError sends an error packet. A client that has not yet said what it
// understands gets no SQLSTATE.
func (c *conn) writeError(e *sqlerr.Error) {
	p := c.packets
	p.begin()
	p.out = append(p.out, 0xff)
	p.out = binary.LittleEndian.AppendUint16(p.out, e.Code)
	if c.caps&mysql.CLIENT_PROTOCOL_41 != 0 {
		p.out = append(p.out, '#')
		p.out = append(p.out, e.State...)
	}
	p.out = append(p.out, clip(e.Message)...)
	p.end()
}

// maxMessage is how many bytes of a message clients keep room for: MySQL's.
const maxMessage = 511

// clip shortens a message that is too long, between two characters.
func clip(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	end := maxMessage
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end]
}
