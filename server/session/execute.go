package session

import (
	"context"
	"errors"
	"fmt"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/planner"
	"streamsql/planner/explain"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// data runs the statements that go through the binder.
func (s *Session) data(ctx context.Context, stmt *parser.Statement, params []Param, more bool, emit Emit) error {
	warned := s.diagnostics
	err := s.dataOnce(ctx, stmt, params, more, emit)
	for try := 1; s.tx == nil && hasChanged(err) && try < maxRetries; try++ { // nothing has been done or said yet
		s.diagnostics = warned
		err = s.dataOnce(ctx, stmt, params, more, emit)
	}
	return err
}

// hasChanged reports that ALTER changed a table between the binding of a statement and its work.
func hasChanged(err error) bool {
	var e *sqlerr.Error
	return errors.As(err, &e) && e.Code == sqlerr.TableDefChanged
}

// dataOnce binds a statement and runs it.
func (s *Session) dataOnce(ctx context.Context, stmt *parser.Statement, params []Param, more bool, emit Emit) error {
	version := s.server.catalog().Version()
	c, err := s.compile(ctx, stmt, params)
	if err != nil {
		return err
	}
	var r *Result
	switch b := c.bound.(type) {
	case *bind.SelectStatement:
		if params == nil {
			s.keep(stmt.Text, version, c)
		}
		return s.query(ctx, c, more, emit)
	case *bind.Subscribe:
		return s.subscribe(ctx, b, more, emit)
	case *bind.Explain:
		if b.Analyze {
			r, err = s.analyzeQuery(ctx, b)
		} else {
			r, err = s.explained(ctx, b)
		}
	case *bind.Analyze:
		r, err = s.analyzeView(b)
	case *bind.Insert:
		r, err = s.insertRows(ctx, b, c.plan, len(b.Rows))
	case *bind.LoadData:
		r, err = s.loadData(ctx, b)
	case *bind.Update:
		r, err = s.update(ctx, b, c)
	case *bind.Delete:
		if b.Truncate {
			r, err = s.truncate(ctx, b, c)
		} else {
			r, err = s.deleteRows(ctx, b, c)
		}
	default:
		r, err = s.ddl(ctx, c.bound)
	}
	if err != nil {
		return err
	}
	return s.give(ctx, r, more, emit)
}

// query runs a SELECT.
func (s *Session) query(ctx context.Context, c *compiled, more bool, emit Emit) error {
	rows, done, err := s.open(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	return s.give(ctx, &Result{Rows: rows}, more, emit)
}

// open starts a SELECT; done ends the transaction that it may have of its own.
func (s *Session) open(ctx context.Context, c *compiled) (rows engine.Rows, done func(), err error) {
	if c.constant != nil {
		rows, err = s.constantRow(c)
		return rows, func() {}, err
	}
	tx, done, err := s.current()
	if err != nil {
		return nil, nil, err
	}
	o := s.readOptions(false)
	o.Analyze = c.analyze
	if o.AsOf, err = s.asOf(c.bound); err == nil {
		rows, err = tx.Query(ctx, c.plan, o)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return rows, done, nil
}

// constantRow computes a SELECT that reads nothing.
func (s *Session) constantRow(c *compiled) (engine.Rows, error) {
	chunk := &batch.Chunk{Cols: make([]*vector.Vector, len(c.constant)), N: 1}
	ec := s.evalContext(false)
	for i, e := range c.constant {
		val, err := constant(e, ec)
		if err != nil {
			return nil, err
		}
		chunk.Cols[i] = vector.New(e.Type, 1)
		appendValue(chunk.Cols[i], val)
	}
	return &fixedRows{c.fields, []*batch.Chunk{chunk}}, nil
}

// evalContext is for expressions that the session computes itself; assign is
// for values that go into a table.
func (s *Session) evalContext(assign bool) *eval.Context {
	rules := s.settings.rules
	rules.Strict = rules.Strict && assign
	return &eval.Context{Now: s.now.UnixMicro(), Location: s.settings.location, Rules: rules, Warn: s.warn, Note: s.note}
}

// constant computes an expression without columns.
func constant(e *expr.Expr, ec *eval.Context) (*expr.Value, error) {
	if e.Op == expr.OpConst {
		return e.Value, nil
	}
	v, err := eval.Const(e, ec)
	return &v, err
}

// insertRows runs INSERT and REPLACE. sent is how many rows the statement lists.
func (s *Session) insertRows(ctx context.Context, b *bind.Insert, plan *physical.Plan, sent int) (*Result, error) {
	r, err := s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		rows, err := s.rowsToInsert(ctx, tx, b, plan)
		if err != nil || rows == nil {
			return engine.Result{}, err
		}
		sent = rows.N
		return tx.Insert(ctx, b.Table, rows, engine.InsertOptions{
			Ignore: b.Ignore, Replace: b.Replace, OnDuplicate: b.OnDuplicate,
			OldCols: b.OldCols, NewCols: b.NewCols, Eval: s.evalOptions(),
		})
	})
	if err != nil {
		return nil, err
	}
	s.warnAll(r.Warnings)
	return s.inserted(b, r, sent), nil
}

// inserted is what the client is told of an INSERT.
func (s *Session) inserted(b *bind.Insert, r engine.Result, sent int) *Result {
	out := &Result{Affected: r.Affected, LastInsertID: r.LastInsertID}
	if sent > 1 || b.Source != nil {
		out.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", sent, r.Duplicates, s.warnings())
	}
	return out
}

// rowsToInsert computes the rows of an INSERT; nil: there are none.
func (s *Session) rowsToInsert(ctx context.Context, tx engine.Tx, b *bind.Insert, plan *physical.Plan) (*batch.Chunk, error) {
	if b.Source == nil {
		return s.valuesToInsert(b)
	}
	if plan == nil { // INSERT … SELECT of constants
		c := &compiled{constant: constants(b.Source)}
		rows, err := s.constantRow(c)
		if err != nil {
			return nil, err
		}
		return collect(ctx, rows)
	}
	rows, err := tx.Query(ctx, plan, s.readOptions(!b.Ignore))
	if err != nil {
		return nil, err
	}
	return collect(ctx, rows)
}

// valuesToInsert computes VALUES lists.
func (s *Session) valuesToInsert(b *bind.Insert) (*batch.Chunk, error) {
	ts := make([]types.Type, len(b.Table.Columns))
	for i, c := range b.Table.Columns {
		ts[i] = c.Type
	}
	chunk := batch.New(ts, len(b.Rows))
	ec := s.evalContext(!b.Ignore)
	for n, row := range b.Rows {
		ec.FirstRow = n
		for i, e := range row {
			val, err := constant(e, ec)
			if err != nil {
				return nil, err
			}
			appendValue(chunk.Cols[i], val)
		}
		chunk.PushWeight(1)
	}
	return chunk, nil
}

// update runs UPDATE: the query gives each row as it is, then the new values.
func (s *Session) update(ctx context.Context, b *bind.Update, c *compiled) (*Result, error) {
	r, err := s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		rows, err := s.rowsToChange(ctx, tx, c)
		if err != nil || rows == nil {
			return engine.Result{}, err
		}
		n := len(b.Table.Columns)
		old := &batch.Chunk{Cols: rows.Cols[:n:n], N: rows.N}
		changed := &batch.Chunk{Cols: append([]*vector.Vector(nil), old.Cols...), N: rows.N}
		for i, col := range b.Columns {
			changed.Cols[col] = rows.Cols[n+i]
		}
		return tx.Update(ctx, b.Table, old, changed)
	})
	if err != nil {
		return nil, err
	}
	s.warnAll(r.Warnings)
	out := &Result{Affected: r.Changed}
	if s.client.FoundRows {
		out.Affected = r.Matched
	}
	out.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", r.Matched, r.Changed, s.warnings())
	return out, nil
}

// truncate runs TRUNCATE: what was open is committed before, and it itself behind.
func (s *Session) truncate(ctx context.Context, b *bind.Delete, c *compiled) (*Result, error) {
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	_, err := s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		rows, err := s.rowsToChange(ctx, tx, c)
		if err != nil {
			return engine.Result{}, err
		}
		return tx.Truncate(ctx, b.Table, ofTable(b.Table, rows))
	})
	if err != nil {
		return nil, err
	}
	return &Result{}, s.commit(ctx)
}

// ofTable is the rows of a table without what a query computed beside them.
func ofTable(t *catalog.Table, rows *batch.Chunk) *batch.Chunk {
	if rows == nil {
		return nil
	}
	n := len(t.Columns)
	return &batch.Chunk{Cols: rows.Cols[:n:n], N: rows.N}
}

// deleteRows runs DELETE.
func (s *Session) deleteRows(ctx context.Context, b *bind.Delete, c *compiled) (*Result, error) {
	r, err := s.change(ctx, func(tx engine.Tx) (engine.Result, error) {
		rows, err := s.rowsToChange(ctx, tx, c)
		if err != nil || rows == nil {
			return engine.Result{}, err
		}
		return tx.Delete(ctx, b.Table, ofTable(b.Table, rows))
	})
	if err != nil {
		return nil, err
	}
	s.warnAll(r.Warnings)
	return &Result{Affected: r.Affected}, nil
}

// rowsToChange reads the rows that an UPDATE or DELETE is about, all of them
// before the first is changed.
func (s *Session) rowsToChange(ctx context.Context, tx engine.Tx, c *compiled) (*batch.Chunk, error) {
	rows, err := tx.Query(ctx, c.plan, s.readOptions(true))
	if err != nil {
		return nil, err
	}
	return collect(ctx, rows)
}

// ddl commits the open transaction and changes the catalog.
func (s *Session) ddl(ctx context.Context, b bind.Statement) (*Result, error) {
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	ws, err := s.server.engine.DDL(ctx, b, s.settings.catalog)
	if err != nil {
		return nil, err
	}
	for _, w := range ws { // such as "Table 't' already exists" for IF NOT EXISTS
		if w.Note {
			s.note(w.Code, w.Message)
		} else {
			s.warn(w.Code, w.Message)
		}
	}
	r := &Result{}
	switch b := b.(type) {
	case *bind.CreateDatabase:
		r.Affected = 1
	case *bind.DropDatabase:
		if b.Name == s.db {
			s.mu.Lock()
			s.db, s.showDB = "", ""
			s.mu.Unlock()
			s.settings.catalog.Database = ""
		}
	}
	return r, nil
}

// explained is the result of EXPLAIN.
func (s *Session) explained(ctx context.Context, b *bind.Explain) (*Result, error) {
	q := queryOf(b.Statement)
	continuous := false
	if c, ok := b.Statement.(*bind.CreateTable); ok && c.Query != nil {
		q, continuous = c.Query, c.Table.Continuous()
	}
	if q == nil {
		return nil, sqlerr.Unsupported("EXPLAIN of a statement without a query")
	}
	p, err := planner.Plan(q, planner.Options{Continuous: continuous, Interrupted: func() error { return context.Cause(ctx) }})
	if err != nil {
		return nil, err
	}
	var shared map[int]string
	if continuous {
		shared = s.server.engine.Shares(b.Statement.(*bind.CreateTable).Table, p, s.settings.catalog)
	}
	return planned(p, shared, b.Format), nil
}

// planned is a plan as a result; shared says which nodes other views compute too.
func planned(p *physical.Plan, shared map[int]string, format string) *Result {
	t := newTable("EXPLAIN")
	switch format {
	case "json":
		t.add(explain.JSON(p))
	case "dot":
		t.add(explain.Dot(p))
	default:
		t.addLines(explain.TextShared(p, shared))
	}
	return t.result()
}
