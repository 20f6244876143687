package engine

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/engine/table"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// intoKind is the stream table or table that takes the result of a continuous query, in
// the form of a connector. Without a primary key rows can only be added to it; with one,
// rows of the result that go are deleted by it.
func (e *Engine) intoKind(t *catalog.Table, plan *physical.Plan) (*connector.Kind, error) {
	target, ok := e.Catalog().TableByID(t.Into)
	if !ok {
		return nil, sqlerr.New(sqlerr.NoSuchTable, "The table that '%s' writes INTO was dropped meanwhile", t.Name)
	}
	k := &connector.Kind{Name: string(target.Kind), Changelogs: []connector.Changelog{connector.Append}}
	if keyed(target) {
		k.Changelogs = []connector.Changelog{connector.Retract}
	}
	if err := fitsInto(target, plan); err != nil {
		return nil, err
	}
	k.Sink = func(connector.SinkSpec) (connector.Sink, error) { return &into{e: e, query: t}, nil }
	return k, nil
}

// keyed reports a table with a primary key of the user's.
func keyed(t *catalog.Table) bool {
	return len(t.Primary) > 0 && !slices.ContainsFunc(t.Primary, func(c int) bool { return t.Columns[c].Hidden })
}

// fitsInto says why a table cannot take the result of a plan; nil: it can. The columns
// of the result are those of the table.
func fitsInto(target *catalog.Table, plan *physical.Plan) error {
	bad := func(format string, args ...any) error {
		args = append([]any{target.Database, target.Name}, args...)
		return sqlerr.New(sqlerr.WrongArguments, "'%s.%s' cannot take the result of the query: "+format, args...)
	}
	if !keyed(target) {
		if !plan.AppendOnly {
			return bad("that takes rows back (%s), and without a PRIMARY KEY they are not found there", build.Retracts(plan))
		}
		return nil
	}
	if plan.Key == nil || slices.ContainsFunc(plan.Key, func(c int) bool { return !slices.Contains(target.Primary, c) }) {
		return bad("several of its rows may have the same PRIMARY KEY; GROUP BY the columns that go into the key")
	}
	return nil
}

// into writes the result of a continuous query into a table. Each block that it writes
// to the commit log says of which query and batch it is. By that the engine knows, as the
// log goes by, what is delivered (noteInto), and gives nothing again: a batch is in the
// log whole or not at all.
type into struct {
	e     *Engine
	query *catalog.Table
}

// Taken implements connector.Sink. It reads the log from the query's creation on, since
// who asks has no checkpoint to go by; what cannot be read may hold anything.
func (w *into) Taken() uint64 {
	var last uint64
	err := w.e.readLog(w.e.ctx, w.query.LogFrom+1, w.e.log.LastSeq(), func(_ uint64, b *topic.Block) error {
		if w.e.isInto(b) == w.query.ID {
			last = max(last, b.Seq)
		}
		return nil
	})
	if err != nil {
		slog.Error("what a continuous query has written is not known", "name", nameOf(w.query), "error", err)
		return never
	}
	return last
}

// Close implements connector.Sink.
func (w *into) Close() error { return nil }

// Write implements connector.Sink.
func (w *into) Write(ctx context.Context, id uint64, changes []*batch.Chunk) error {
	target, ok := w.e.Catalog().TableByID(w.query.Into)
	if !ok {
		return nil // it is going with the query
	}
	var err error
	if target.Kind == catalog.StreamTable && !target.Upsert() {
		err = w.append(ctx, target, id, changes)
	} else {
		err = w.change(ctx, target, id, changes)
	}
	if err == nil {
		w.e.queryWrites.Add(1)
	}
	return err
}

// append adds rows to a stream.
func (w *into) append(ctx context.Context, target *catalog.Table, id uint64, changes []*batch.Chunk) error {
	var blocks []*topic.Block
	for _, c := range inTime(target, changes) {
		b := w.e.newBlock(target.ID, c)
		w.mark(id).put(b)
		blocks = append(blocks, b)
	}
	_, err := w.e.append(ctx, blocks)
	return err
}

// change applies what changed to a table or an upsert stream, in one transaction.
func (w *into) change(ctx context.Context, target *catalog.Table, id uint64, changes []*batch.Chunk) error {
	tx := &tx{e: w.e, tables: map[catalog.ID]*table.Writes{}, mark: w.mark(id)}
	defer tx.Rollback()
	gone, here := changes[:0:0], changes
	if keyed(target) {
		gone, here = byOp(changes)
	}
	for _, c := range gone {
		writes, err := tx.writes(target)
		if err != nil {
			return err
		}
		writes.DeleteKeys(asColumns(target, c))
	}
	for _, c := range inTime(target, here) {
		if _, err := tx.Insert(ctx, target, c, InsertOptions{Replace: keyed(target)}); err != nil {
			return err
		}
	}
	_, err := tx.Commit(ctx)
	return err
}

// inTime are the rows that have come, each once, with target's columns; in the order of
// its event time, if it has that. Several tasks have made them, and in a large batch,
// such as one that fills from history, none may be late because another went before.
func inTime(target *catalog.Table, changes []*batch.Chunk) []*batch.Chunk {
	out := make([]*batch.Chunk, len(changes))
	for k, c := range changes {
		if c.Weights != nil {
			c = came([]*batch.Chunk{c})
		}
		out[k] = asColumns(target, c)
	}
	if target.EventTime == nil || ordered(out, target.EventTime.Column) {
		return out
	}
	type place struct {
		time       int64
		chunk, row int32
	}
	var rows []place
	for k, c := range out {
		for i := range c.N {
			rows = append(rows, place{timeOf(c, target.EventTime.Column, i), int32(k), int32(i)})
		}
	}
	slices.SortStableFunc(rows, func(a, b place) int { return cmp.Compare(a.time, b.time) })
	var sorted []*batch.Chunk
	for part := range slices.Chunk(rows, batch.TargetRows) {
		c := batch.New(out[0].Types(), len(part))
		for _, at := range part {
			c.AppendFrom(out[at.chunk], int(at.row), 1)
		}
		sorted = append(sorted, c)
	}
	return sorted
}

// ordered reports that the rows of all chunks are in the order of a time column.
func ordered(chunks []*batch.Chunk, column int) bool {
	last := int64(math.MinInt64)
	for _, c := range chunks {
		for i := range c.N {
			at := timeOf(c, column, i)
			if at < last {
				return false
			}
			last = at
		}
	}
	return true
}

// timeOf is the time in row i of a column, before all others if it is NULL.
func timeOf(c *batch.Chunk, column, i int) int64 {
	if v := c.Cols[column]; !v.IsNull(i) {
		return v.I[i]
	}
	return math.MinInt64
}

// byOp divides changes with an op before each row by whether the row goes or comes.
func byOp(changes []*batch.Chunk) (gone, here []*batch.Chunk) {
	for _, c := range changes {
		var sel [2][]int32
		for i := range c.N {
			k := 1
			if op := string(c.Cols[0].Bytes(i)); op == opDelete || op == opBefore {
				k = 0
			}
			sel[k] = append(sel[k], int32(i))
		}
		rows := &batch.Chunk{N: c.N, Cols: c.Cols[1:]} // a row with a key is there once
		if len(sel[0]) > 0 {
			gone = append(gone, rows.Gather(sel[0]))
		}
		if len(sel[1]) > 0 {
			here = append(here, rows.Gather(sel[1]))
		}
	}
	return gone, here
}

// queryMark says in the log of which continuous query and batch rows are.
type queryMark struct{ query, batch uint64 }

func (w *into) mark(id uint64) *queryMark { return &queryMark{uint64(w.query.ID), id} }

func (m *queryMark) put(b *topic.Block) {
	b.Flags, b.Query, b.Seq = b.Flags|topic.FlagQuery, m.query, m.batch
}

// isInto is the continuous query that wrote a block of its result; 0: none did.
func (e *Engine) isInto(b *topic.Block) catalog.ID {
	if b.Flags&topic.FlagQuery == 0 {
		return 0
	}
	t, ok := e.Catalog().TableByID(catalog.ID(b.Query))
	if !ok || t.Into != catalog.ID(b.Table) {
		return 0
	}
	return t.ID
}

// noteInto notes a block that holds rows of a continuous query: what is in the log is
// delivered, and a checkpoint that covers the block says so. Engine.mu is held.
func (e *Engine) noteInto(b *topic.Block) {
	if j := e.sinks[e.isInto(b)]; j != nil {
		j.sink.taken = max(j.sink.taken, b.Seq)
	}
}
