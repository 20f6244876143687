package session

import (
	"context"
	"errors"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/engine"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// statement runs one statement from its text.
func (s *Session) statement(ctx context.Context, text string, params []Param, more bool, emit Emit) error {
	if params == nil {
		if ok, err := s.fastInsert(ctx, text, more, emit); ok {
			return err
		}
		if c := s.cachedSelect(text); c != nil {
			return s.query(ctx, c, more, emit)
		}
	}
	stmt, err := s.parser.Parse(text, s.settings.parserMode)
	if isComment(text, err) {
		return s.give(ctx, &Result{}, more, emit)
	}
	if err != nil {
		return err
	}
	return s.parsed(ctx, stmt, params, more, emit)
}

// isComment reports a text that is a comment only, which dump programs send for
// servers of another kind; err is what the parser says of it.
func isComment(text string, err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.EmptyQuery && strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "/*")
}

// parsed runs a statement that is parsed.
func (s *Session) parsed(ctx context.Context, stmt *parser.Statement, params []Param, more bool, emit Emit) error {
	if e, ok := stmt.Node.(*ast.ExecuteStmt); ok {
		return s.executeNamed(ctx, e, more, emit)
	}
	if len(stmt.Params) > 0 && params == nil {
		return stmt.ParameterError()
	}
	for _, w := range stmt.Warnings {
		s.warn(w.Code, w.Message)
	}
	s.changes = stmt.Changes
	r, ours, err := s.command(ctx, stmt)
	if err != nil {
		return err
	}
	if ours {
		return s.give(ctx, r, more, emit)
	}
	return s.data(ctx, stmt, params, more, emit)
}

// give hands a result to the client, and keeps its counts.
func (s *Session) give(ctx context.Context, r *Result, more bool, emit Emit) error {
	if r.Rows == nil {
		s.rowCount = int64(r.Affected)
		if r.LastInsertID != 0 {
			s.lastInsertID = r.LastInsertID
		}
		return emit(ctx, r, more)
	}
	defer r.Rows.Close()
	rows := &countedRows{Rows: r.Rows, left: s.settings.selectLimit}
	err := emit(ctx, &Result{Rows: rows, Live: r.Live}, more)
	s.rowCount, s.foundRows = -1, rows.n
	return err
}

// command runs the statements that concern the session; ours is false for all others.
func (s *Session) command(ctx context.Context, stmt *parser.Statement) (r *Result, ours bool, err error) {
	switch {
	case stmt.Flush != nil:
		r, err = s.flushStreams(ctx, stmt.Flush)
		return r, true, err
	case stmt.Show != nil:
		r, err = s.showStreams(stmt.Show)
		return r, true, err
	}
	r = &Result{}
	switch n := stmt.Node.(type) {
	case *ast.UseStmt:
		err = s.Use(ctx, n.DBName)
	case *ast.SetStmt:
		err = s.set(ctx, n)
	case *ast.BeginStmt:
		err = s.begin(ctx, n.ReadOnly)
	case *ast.CommitStmt:
		err = s.endAndChain(ctx, n.CompletionType, s.commit)
	case *ast.RollbackStmt:
		if n.SavepointName != "" {
			return r, true, s.toSavepoint(n.SavepointName, engine.Tx.RollbackTo)
		}
		err = s.endAndChain(ctx, n.CompletionType, func(context.Context) error { s.rollback(); return nil })
	case *ast.SavepointStmt:
		err = s.savepoint(n.Name)
	case *ast.ReleaseSavepointStmt:
		err = s.toSavepoint(n.Name, engine.Tx.Release)
	case *ast.ShowStmt:
		r, err = s.show(ctx, n)
	case *ast.ExplainStmt:
		describe, ok := n.Stmt.(*ast.ShowStmt)
		if !ok {
			return nil, false, nil
		}
		r, err = s.show(ctx, describe)
	case *ast.KillStmt:
		err = s.killStatement(ctx, n)
	case *ast.DoStmt:
		for _, e := range n.Exprs {
			if _, err = s.scalar(ctx, e); err != nil {
				break
			}
		}
	case *ast.PrepareStmt:
		err = s.prepareNamed(ctx, n)
	case *ast.DeallocateStmt:
		err = s.deallocate(n.Name)
	case *ast.FlushStmt:
		s.noEffect("FLUSH")
	case *ast.LockTablesStmt:
		for _, l := range n.TableLocks {
			if _, err = s.namedTable(l.Table, ""); err != nil {
				return nil, true, err
			}
		}
		err = s.commit(ctx)
		s.noEffect("LOCK TABLES")
	case *ast.UnlockTablesStmt:
		// nothing is locked
	default:
		return nil, false, nil
	}
	return r, true, err
}

// noEffect warns of a statement that is accepted because clients send it.
func (s *Session) noEffect(statement string) {
	s.warn(sqlerr.NotSupportedYet, statement+" has no effect")
}

// endAndChain ends the transaction by end; AND CHAIN begins the next.
func (s *Session) endAndChain(ctx context.Context, completion ast.CompletionType, end func(context.Context) error) error {
	readOnly := s.readOnly
	if err := end(ctx); err != nil {
		return err
	}
	switch completion {
	case ast.CompletionTypeChain:
		return s.begin(ctx, readOnly)
	case ast.CompletionTypeRelease:
		if s.client.Hangup != nil {
			defer s.client.Hangup()
		}
	}
	return nil
}

func (s *Session) killStatement(ctx context.Context, n *ast.KillStmt) error {
	id := n.ConnectionID
	if n.Expr != nil {
		e, err := s.scalar(ctx, n.Expr)
		if err != nil {
			return err
		}
		if e.Value.Null || e.Value.I < 0 {
			return sqlerr.New(sqlerr.NoSuchThread, "Unknown thread id: 0")
		}
		id = uint64(e.Value.I)
	}
	if err := s.server.kill(id, n.Query); err != nil {
		return err
	}
	if id == uint64(s.client.ID) {
		return context.Cause(ctx)
	}
	return nil
}

// tableName is the name of a table as MySQL's messages have it.
func tableName(n *ast.TableName) (db, name string) { return n.Schema.O, n.Name.O }

// startsWith reports a text whose first word is word, in any case.
func startsWith(text, word string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return len(text) > len(word) && strings.EqualFold(text[:len(word)], word)
}
