package engine

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/planner"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func init() { vector.PoisonSpares(true) } // who holds memory that was given back shows it

// harness runs SQL against an engine without a server in between.
type harness struct {
	t   testing.TB
	e   *Engine
	cfg Config
	pos Position
	tx  Tx // open transaction, nil: each statement for itself
}

var testSession = catalog.Session{
	Database: "d", TimeZone: "+00:00", SQLMode: "STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY",
	Collation: "utf8mb4_bin", DivPrecision: 4, ConcatMaxLen: 1024,
}

func open(t testing.TB, cfg Config) *harness {
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	if cfg.Connectors == nil {
		cfg.Connectors = connector.NewRegistry()
	}
	if cfg.Workers == 0 {
		cfg.Workers = 2
	}
	e, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	h := &harness{t: t, e: e, cfg: cfg}
	t.Cleanup(func() { h.e.Close() })
	return h
}

// reopen stops the engine and starts it again on the same directory.
func (h *harness) reopen() {
	h.t.Helper()
	if err := h.e.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.start()
}

// start starts the engine again.
func (h *harness) start() {
	h.t.Helper()
	e, err := Open(h.cfg)
	if err != nil {
		h.t.Fatal(err)
	}
	h.e, h.pos = e, 0
}

func (h *harness) exec(sql string) {
	h.t.Helper()
	for s := parser.Split(sql); ; {
		text, _, ok := s.Next()
		if !ok {
			return
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		if err := h.try(text); err != nil {
			h.t.Fatalf("%s\n%v", text, err)
		}
	}
}

func (h *harness) bind(text string) (bind.Statement, error) {
	st, err := parser.New().Parse(text, 0)
	if err != nil {
		return nil, err
	}
	return bind.Bind(st, &bind.Env{Catalog: h.e.Catalog(), Session: testSession, Mode: bind.ParseMode(testSession.SQLMode)})
}

func (h *harness) try(text string) error {
	b, err := h.bind(text)
	if err != nil {
		return err
	}
	ctx := context.Background()
	tx := h.tx
	if tx == nil {
		if tx, err = h.e.Begin(); err != nil {
			return err
		}
		defer tx.Rollback()
	}
	eo := EvalOptions{Now: time.Now(), Location: time.UTC, Rules: eval.Rules{Strict: true}}
	switch s := b.(type) {
	case *bind.Insert:
		rows := constants(h.t, s)
		_, err = tx.Insert(ctx, s.Table, rows, InsertOptions{
			Replace: s.Replace, Ignore: s.Ignore, OnDuplicate: s.OnDuplicate, OldCols: s.OldCols, NewCols: s.NewCols, Eval: eo,
		})
	case *bind.Update:
		c := h.collect(tx, s.Query, Everything)
		n := len(s.Table.Columns)
		old := &batch.Chunk{Cols: c.Cols[:n], N: c.N}
		next := &batch.Chunk{Cols: append(c.Cols[:0:0], c.Cols[:n]...), N: c.N}
		for k, col := range s.Columns {
			next.Cols[col] = c.Cols[n+k]
		}
		_, err = tx.Update(ctx, s.Table, old, next)
	case *bind.Delete:
		c := h.collect(tx, s.Query, Everything)
		_, err = tx.Delete(ctx, s.Table, c)
	default:
		_, err = h.e.DDL(ctx, b, testSession)
	}
	if err == nil && h.tx == nil {
		var pos Position
		if pos, err = tx.Commit(ctx); pos > h.pos {
			h.pos = pos
		}
	}
	return err
}

func constants(t testing.TB, s *bind.Insert) *batch.Chunk {
	var ts []types.Type
	for _, c := range s.Table.Columns {
		ts = append(ts, c.Type)
	}
	c := batch.New(ts, len(s.Rows))
	for _, row := range s.Rows {
		for k, e := range row {
			v, err := eval.Const(e, &eval.Context{Location: time.UTC, Rules: eval.Rules{Strict: true}, Now: time.Now().UnixMicro()})
			if err != nil {
				t.Fatal(err)
			}
			c.Cols[k].AppendFrom(v.Vector(e.Type), 0)
		}
		c.PushWeight(1)
	}
	return c
}

// collect runs a query and returns all rows, repeats written out.
func (h *harness) collect(tx Tx, q *bind.Query, after Position) *batch.Chunk {
	h.t.Helper()
	plan, err := planner.Plan(q, planner.Options{})
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	rows, err := tx.Query(ctx, plan, ReadOptions{After: after, Eval: EvalOptions{Location: time.UTC, Rules: eval.Rules{Strict: true}}})
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	var ts []types.Type
	for _, f := range plan.Root.Fields {
		ts = append(ts, f.Type)
	}
	out := batch.New(ts, 0)
	for {
		c, err := rows.Next(ctx)
		if err != nil {
			h.t.Fatal(err)
		}
		if c == nil {
			return out
		}
		for i := range c.N {
			for range c.Weight(i) {
				out.AppendFrom(c, i, 1)
			}
		}
	}
}

// query returns the rows of a SELECT, columns joined by a blank, in order, rows by "; ".
func (h *harness) query(sql string) string {
	h.t.Helper()
	b, err := h.bind(sql)
	if err != nil {
		h.t.Fatalf("%s\n%v", sql, err)
	}
	tx := h.tx
	if tx == nil {
		if tx, err = h.e.Begin(); err != nil {
			h.t.Fatal(err)
		}
		defer tx.Rollback()
	}
	q := b.(*bind.SelectStatement).Query
	c := h.collect(tx, q, h.pos)
	var lines []string
	for i := range c.N {
		var cells []string
		for k := range q.Out {
			if c.Cols[k].IsNull(i) {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, string(c.Cols[k].AppendText(nil, i, time.UTC)))
			}
		}
		lines = append(lines, strings.Join(cells, " "))
	}
	if len(q.OrderBy) == 0 {
		sort.Strings(lines)
	}
	return strings.Join(lines, "; ")
}

func (h *harness) want(sql, rows string) {
	h.t.Helper()
	if got := h.query(sql); got != rows {
		h.t.Errorf("%s\n got: %s\nwant: %s", sql, got, rows)
	}
}

var _ = fmt.Sprint
var _ expr.Value
