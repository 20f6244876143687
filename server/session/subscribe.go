package session

import (
	"context"

	"streamsql/engine"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// subscribe runs SUBSCRIBE, whose rows end with the statement: by KILL, a client
// that hangs up, or an error of the view.
func (s *Session) subscribe(ctx context.Context, b *bind.Subscribe, more bool, emit Emit) error {
	o := engine.SubscribeOptions{Snapshot: b.Snapshot, From: b.From, Progress: b.Progress, Timeout: s.settings.waitTimeout, Cut: s.interrupt}
	if s.settings.readYourWrites {
		o.After = s.after
	}
	rows, err := s.server.engine.Subscribe(ctx, b.View, o)
	if err != nil {
		return err
	}
	return s.give(ctx, &Result{Rows: rows, Live: true}, more, emit)
}

// asOf is what AS OF of a SELECT says; nil: it has none.
func (s *Session) asOf(b bind.Statement) (*engine.AsOf, error) {
	sel, ok := b.(*bind.SelectStatement)
	if !ok || sel.AsOf == nil {
		return nil, nil
	}
	if sel.AsOf.Batch != nil {
		return &engine.AsOf{Batch: sel.AsOf.Batch}, nil
	}
	v, err := constant(sel.AsOf.Time, s.evalContext(false))
	if err != nil {
		return nil, err
	}
	if v.Null {
		return nil, sqlerr.New(sqlerr.WrongArguments, "AS OF TIMESTAMP takes a point of time")
	}
	at, ok := types.FromClock(v.I, s.settings.location)
	if !ok {
		return nil, sqlerr.New(sqlerr.WrongArguments, "AS OF TIMESTAMP: that time does not exist in the session's time zone")
	}
	return &engine.AsOf{Time: at}, nil
}
