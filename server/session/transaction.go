package session

import (
	"context"
	"errors"
	"time"

	"streamsql/engine"
	"streamsql/sql/sqlerr"
)

// maxRetries is how often a statement outside a transaction is tried that
// another transaction overtook.
const maxRetries = 16

// begin opens an explicit transaction; one that is open is committed first.
func (s *Session) begin(ctx context.Context, readOnly bool) error {
	if err := s.commit(ctx); err != nil {
		return err
	}
	tx, err := s.server.engine.Begin()
	if err != nil {
		return err
	}
	s.tx, s.explicit, s.readOnly = tx, true, readOnly
	return nil
}

// commit ends the open transaction, if there is one.
func (s *Session) commit(ctx context.Context) error {
	tx := s.tx
	s.tx, s.explicit, s.readOnly = nil, false, false
	if tx == nil {
		return nil
	}
	at, err := tx.Commit(ctx)
	if err != nil {
		return err
	}
	s.after = max(s.after, at)
	return nil
}

// rollback drops the open transaction, if there is one.
func (s *Session) rollback() {
	if s.tx != nil {
		s.tx.Rollback()
	}
	s.tx, s.explicit, s.readOnly = nil, false, false
}

// savepoint remembers where the open transaction stands. Where each statement is a
// transaction of its own there is nothing to go back to.
func (s *Session) savepoint(name string) error {
	if s.tx == nil && s.settings.autocommit {
		s.noEffect("SAVEPOINT outside of a transaction")
		return nil
	}
	tx, _, err := s.current()
	if err != nil {
		return err
	}
	tx.Savepoint(name)
	return nil
}

// toSavepoint goes back to a savepoint of the open transaction, or releases it.
func (s *Session) toSavepoint(name string, f func(engine.Tx, string) error) error {
	if s.tx == nil {
		return sqlerr.New(sqlerr.SPDoesNotExist, "SAVEPOINT %s does not exist", name)
	}
	return f(s.tx, name)
}

// current is the open transaction; with autocommit off the first statement
// opens one. done must be called when the statement is over: it ends a
// transaction that was opened for the statement alone.
func (s *Session) current() (tx engine.Tx, done func(), err error) {
	if s.tx == nil && !s.settings.autocommit {
		if s.tx, err = s.server.engine.Begin(); err != nil {
			return nil, nil, err
		}
		s.explicit = true
	}
	if s.tx != nil {
		return s.tx, func() {}, nil
	}
	if tx, err = s.server.engine.Begin(); err != nil {
		return nil, nil, err
	}
	return tx, tx.Rollback, nil
}

// change runs f in the open transaction, or in one of its own that is committed
// at the end, and tried again when another transaction overtook it.
func (s *Session) change(ctx context.Context, f func(engine.Tx) (engine.Result, error)) (engine.Result, error) {
	if s.readOnly || s.settings.readOnly {
		return engine.Result{}, readOnlyError()
	}
	for try := 1; ; try++ {
		tx, done, err := s.current()
		if err != nil {
			return engine.Result{}, err
		}
		warned := s.diagnostics
		r, err := f(tx)
		if err == nil && s.tx == nil {
			var at engine.Position
			if at, err = tx.Commit(ctx); err == nil {
				s.after = max(s.after, at)
				return r, nil
			}
		}
		done()
		if err == nil || s.tx != nil || !isDeadlock(err) || try == maxRetries {
			return r, err
		}
		s.diagnostics = warned
		select {
		case <-time.After(time.Duration(try) * time.Millisecond):
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	}
}

func readOnlyError() error {
	return sqlerr.New(sqlerr.ReadOnlyTransaction, "Cannot execute statement in a READ ONLY transaction.")
}

func isDeadlock(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.LockDeadlock
}

// readOptions are those of a query now. For a SELECT a value that is cut, or a
// division by zero, is a warning whatever sql_mode says; for the query inside a
// change of data (assign) it may be an error.
func (s *Session) readOptions(assign bool) engine.ReadOptions {
	o := engine.ReadOptions{Timeout: s.settings.waitTimeout, Eval: s.evalOptions(), Warn: s.warn, Note: s.note, Recursion: s.settings.recursion}
	o.Eval.Rules.Strict = o.Eval.Rules.Strict && assign
	if s.settings.readYourWrites {
		o.After = s.after
	}
	return o
}

func (s *Session) evalOptions() engine.EvalOptions {
	return engine.EvalOptions{Now: s.now, Location: s.settings.location, Rules: s.settings.rules, Warn: s.warn, Note: s.note}
}
