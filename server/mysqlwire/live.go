package mysqlwire

import (
	"context"
	"time"

	"streamsql/server/session"
)

// liveBuffer is how many bytes the system may keep for a client that does not read.
const liveBuffer = 256 << 10

// emitLive sends rows that go on for ever, each chunk as soon as it is there. A
// client that reads slowly only holds up itself: a write waits for it without a
// limit of time, until the statement is to end (KILL, a reader that fell behind).
// Then it has the usual time to take what was sent before, and the error.
func (c *conn) emitLive(ctx context.Context, r *session.Result, columns int, more bool, encode rowEncoder) error {
	p := c.packets
	timeout := p.writeTimeout
	p.writeTimeout = 0
	c.raw.SetWriteDeadline(time.Time{})
	if tcp, ok := c.raw.(interface{ SetWriteBuffer(int) error }); ok {
		tcp.SetWriteBuffer(liveBuffer) // what a client has not read yet lies in the view's changelog, not here
	}
	stop := context.AfterFunc(ctx, func() { c.raw.SetWriteDeadline(time.Now().Add(max(timeout, time.Second))) })
	defer func() {
		stop()
		p.writeTimeout = timeout
	}()
	for {
		if err := p.flush(); err != nil {
			return err
		}
		chunk, err := r.Rows.Next(ctx)
		if err != nil {
			return err
		}
		if chunk == nil {
			break
		}
		if err := c.writeRows(ctx, chunk, columns, encode); err != nil {
			return err
		}
	}
	c.state = c.session.State()
	c.writeEnd(more)
	return nil
}
