package session

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// fakeEngine keeps tables in memory and runs plans of Source, Values, Map,
// Shuffle and Sort (LIMIT only). Transactions see each other's writes at once.
type fakeEngine struct {
	mu       sync.Mutex
	catalog  *catalog.Snapshot
	rows     map[catalog.ID]*batch.Chunk
	position engine.Position
	lastID   catalog.ID
	auto     int64
	// Hooks of tests.
	conflicts int             // how many commits are still to fail with 1213
	block     chan struct{}   // a query waits for it, or for its context
	after     engine.Position // of the last query, as the next
	strict    bool
	inserts   int
	commits   int
}

func newFake() *fakeEngine {
	s, err := catalog.NewSnapshot().WithVersion(1).WithDatabase(&catalog.Database{ID: 1, Name: "shop", Collation: "utf8mb4_bin"})
	if err != nil {
		panic(err)
	}
	return &fakeEngine{catalog: s.WithVersion(2), rows: map[catalog.ID]*batch.Chunk{}, lastID: 1}
}

func (e *fakeEngine) Catalog() catalog.Reader {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.catalog
}

func (e *fakeEngine) Begin() (engine.Tx, error) { return &fakeTx{e: e}, nil }

func (e *fakeEngine) Admit(context.Context) error { return nil }

func (e *fakeEngine) LastBatch(context.Context, *catalog.Table, string) (b engine.WriterBatch, known bool, err error) {
	return b, false, nil
}

func (t *fakeTx) Once(context.Context, *catalog.Table, engine.WriterBatch) (first bool, rows int, err error) {
	return true, 0, nil
}

func (e *fakeEngine) DDL(_ context.Context, b bind.Statement, sess catalog.Session) ([]engine.Warning, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	next := e.catalog
	var err error
	switch b := b.(type) {
	case *bind.CreateDatabase:
		e.lastID++
		next, err = next.WithDatabase(&catalog.Database{ID: e.lastID, Name: b.Name, Collation: sess.Collation})
	case *bind.DropDatabase:
		next, err = next.WithoutDatabase(b.Name)
	case *bind.CreateTable:
		if _, ok := next.Table(b.Table.Database, b.Table.Name); ok && b.IfNotExists {
			return []engine.Warning{{Code: 1050, Message: "Table '" + b.Table.Name + "' already exists", Note: true}}, nil
		}
		e.lastID++
		t := *b.Table
		t.ID = e.lastID
		e.rows[t.ID] = batch.New(columnTypesOf(&t), 0)
		next, err = next.WithTable(&t)
	case *bind.DropTables:
		for _, n := range b.Names {
			t, ok := next.Table(n.DB, n.Name)
			if !ok {
				return nil, sqlerr.New(sqlerr.BadTable, "Unknown table '%s.%s'", n.DB, n.Name)
			}
			next = next.WithoutTable(t.ID)
		}
	default:
		return nil, errors.New("no such DDL")
	}
	if err != nil {
		return nil, err
	}
	e.catalog = next.WithVersion(e.catalog.Version() + 1)
	return nil, nil
}

func columnTypesOf(t *catalog.Table) []types.Type {
	var ts []types.Type
	for _, c := range t.Columns {
		ts = append(ts, c.Type)
	}
	return ts
}

func (e *fakeEngine) Flush(_ context.Context, ids []catalog.ID, _ time.Duration) ([]engine.Warning, error) {
	if ids == nil {
		return []engine.Warning{{Code: 1105, Message: "all"}}, nil
	}
	return nil, nil
}

func (e *fakeEngine) Subscribe(context.Context, *catalog.Table, engine.SubscribeOptions) (engine.Rows, error) {
	return nil, sqlerr.Unsupported("SUBSCRIBE")
}

func (e *fakeEngine) Lookup(context.Context, *catalog.Table, []physical.ColumnValue, []int, engine.ReadOptions) (*batch.Chunk, bool, error) {
	return nil, false, nil
}

func (e *fakeEngine) Analyze(catalog.ID) (*engine.Analysis, bool) { return nil, false }

func (e *fakeEngine) Shares(*catalog.Table, *physical.Plan, catalog.Session) map[int]string {
	return nil
}

func (e *fakeEngine) Groups() []engine.GroupStatus { return nil }

func (e *fakeEngine) SetBatchTarget(time.Duration) {}

func (e *fakeEngine) Status() []engine.ViewStatus {
	return []engine.ViewStatus{{View: 99, State: "running"}}
}

type fakeTx struct {
	e    *fakeEngine
	undo []func()
}

func (t *fakeTx) Savepoint(string) {}

func (t *fakeTx) RollbackTo(string) error { return sqlerr.Unsupported("SAVEPOINT") }

func (t *fakeTx) Release(string) error { return sqlerr.Unsupported("SAVEPOINT") }

func (t *fakeTx) Truncate(ctx context.Context, d *catalog.Table, old *batch.Chunk) (engine.Result, error) {
	if old == nil {
		return engine.Result{}, nil
	}
	return t.Delete(ctx, d, old)
}

func (t *fakeTx) Rollback() {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	for _, f := range slices.Backward(t.undo) {
		f()
	}
	t.undo = nil
}

func (t *fakeTx) Commit(context.Context) (engine.Position, error) {
	t.e.mu.Lock()
	if t.e.conflicts > 0 {
		t.e.conflicts--
		t.e.mu.Unlock()
		t.Rollback()
		return 0, sqlerr.New(sqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction")
	}
	defer t.e.mu.Unlock()
	t.undo = nil
	t.e.commits++
	t.e.position++
	return t.e.position, nil
}

// set replaces the rows of a table until rollback.
func (t *fakeTx) set(id catalog.ID, rows *batch.Chunk) {
	old := t.e.rows[id]
	t.undo = append(t.undo, func() { t.e.rows[id] = old })
	t.e.rows[id] = rows
}

func (t *fakeTx) Insert(_ context.Context, tab *catalog.Table, rows *batch.Chunk, _ engine.InsertOptions) (engine.Result, error) {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	t.e.inserts++
	var r engine.Result
	all := batch.New(columnTypesOf(tab), rows.N)
	appendAll(all, t.e.rows[tab.ID])
	for i := range rows.N {
		for k, c := range tab.Columns {
			if v := rows.Cols[k]; v.IsNull(i) && (c.AutoIncrement || c.Hidden) {
				t.e.auto++
				all.Cols[k].AppendInt(t.e.auto)
				if r.LastInsertID == 0 && c.AutoIncrement {
					r.LastInsertID = uint64(t.e.auto)
				}
			} else {
				all.Cols[k].AppendFrom(v, i)
			}
		}
		all.PushWeight(1)
	}
	t.set(tab.ID, all)
	r.Affected = uint64(rows.N)
	return r, nil
}

func (t *fakeTx) Update(ctx context.Context, tab *catalog.Table, old, new *batch.Chunk) (engine.Result, error) {
	if _, err := t.Delete(ctx, tab, old); err != nil {
		return engine.Result{}, err
	}
	if _, err := t.Insert(ctx, tab, new, engine.InsertOptions{}); err != nil {
		return engine.Result{}, err
	}
	r := engine.Result{Matched: uint64(old.N)}
	for i := range old.N {
		if rowText(old, i) != rowText(new, i) {
			r.Changed++
		}
	}
	return r, nil
}

func (t *fakeTx) Delete(_ context.Context, tab *catalog.Table, old *batch.Chunk) (engine.Result, error) {
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	gone := map[string]int{}
	for i := range old.N {
		gone[rowText(old, i)]++
	}
	rest := batch.New(columnTypesOf(tab), 0)
	all := t.e.rows[tab.ID]
	for i := range all.N {
		if k := rowText(all, i); gone[k] > 0 {
			gone[k]--
			continue
		}
		rest.AppendFrom(all, i, 1)
	}
	t.set(tab.ID, rest)
	return engine.Result{Affected: uint64(old.N)}, nil
}

func rowText(c *batch.Chunk, i int) string {
	var b []byte
	for _, v := range c.Cols {
		if v.IsNull(i) {
			b = append(b, "NULL"...)
		} else {
			b = v.AppendText(b, i, time.UTC)
		}
		b = append(b, '|')
	}
	return string(b)
}

func (t *fakeTx) Query(ctx context.Context, p *physical.Plan, o engine.ReadOptions) (engine.Rows, error) {
	if t.e.block != nil {
		select {
		case <-t.e.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t.e.mu.Lock()
	defer t.e.mu.Unlock()
	t.e.after, t.e.strict = o.After, o.Eval.Rules.Strict
	c, err := t.node(p.Root)
	if err != nil {
		return nil, err
	}
	return &fixedRows{fields: p.Output, chunks: []*batch.Chunk{c}}, nil
}

func (t *fakeTx) node(n *physical.Node) (*batch.Chunk, error) {
	var in *batch.Chunk
	if len(n.Inputs) == 1 {
		var err error
		if in, err = t.node(n.Inputs[0]); err != nil {
			return nil, err
		}
	}
	switch n.Kind {
	case physical.Source:
		if n.Source.Table == 0 {
			return &batch.Chunk{N: 1}, nil
		}
		all := t.e.rows[catalog.ID(n.Source.Table)]
		if all == nil {
			all = &batch.Chunk{}
			all.Cols, all.N = infoschema.Rows(t.e.catalog, catalog.ID(n.Source.Table))
		}
		out := &batch.Chunk{N: all.N}
		for _, c := range n.Source.Columns {
			out.Cols = append(out.Cols, all.Cols[c])
		}
		return out, nil
	case physical.Map:
		return mapRows(n.Map, in)
	case physical.Shuffle:
		return in, nil
	case physical.Sort:
		if n.Sort.Limit >= 0 {
			return in.Slice(0, min(in.N, int(n.Sort.Limit))), nil
		}
		return in, nil
	}
	return nil, errors.New("the fake engine has no " + string(n.Kind))
}

func mapRows(m *physical.MapSpec, in *batch.Chunk) (*batch.Chunk, error) {
	ec := &eval.Context{Location: time.UTC}
	if len(m.Filter) > 0 {
		f, err := eval.CompileFilter(m.Filter)
		if err != nil {
			return nil, err
		}
		in = in.Gather(f.Select(ec, in.Cols, in.N, nil))
	}
	if m.Project == nil {
		return in, nil
	}
	out := &batch.Chunk{N: in.N, Cols: make([]*vector.Vector, len(m.Project))}
	for i, e := range m.Project {
		p, err := eval.Compile(e)
		if err != nil {
			return nil, err
		}
		if out.Cols[i], err = p.Eval(ec, in.Cols, in.N); err != nil {
			return nil, err
		}
	}
	return out, nil
}
