package engine

import (
	"context"
	"time"

	"streamsql/catalog"
	"streamsql/engine/table"
	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// A writer may number its batches of rows, so that it can send one again whose
// answer it did not get. What was last taken of each writer is a table of the
// engine's own: a batch and its number go through the committer in one
// transaction, and survive a crash together.

// WriterBatch is a batch under the number that its writer gave it. The numbers of
// a writer into a table go up by one; the first may be any.
type WriterBatch struct {
	Writer string // at most MaxWriter bytes
	Number uint64
	Rows   int // that it has
}

// MaxWriter is how long the name of a writer may be, in bytes.
const MaxWriter = 128

const (
	// maxWriters is how many writers are remembered, over all tables.
	maxWriters = 100_000
	// rememberFor is how long a writer is remembered at least after its last batch.
	rememberFor = 7 * 24 * time.Hour
)

// writersID is the id of the table of writers: the last that a state can have, far
// above those that objects get.
const writersID = catalog.ID(1)<<48 - 1

// The columns of the table of writers.
const (
	writerTable = iota
	writerName
	writerNumber
	writerRows
	writerTime // in microseconds
)

func writersTable() *catalog.Table {
	number := types.Type{Kind: types.BigInt, Unsigned: true, NotNull: true}
	name := types.Type{Kind: types.VarBinary, Len: MaxWriter, NotNull: true, Collation: types.BinaryCollation}
	return &catalog.Table{
		ID: writersID, Database: "streamsql", Name: "writers", Kind: catalog.BaseTable, Primary: []int{writerTable, writerName},
		Columns: []catalog.Column{
			{Name: "table_id", Type: number}, {Name: "writer", Type: name}, {Name: "number", Type: number},
			{Name: "rows", Type: number}, {Name: "time", Type: types.Type{Kind: types.BigInt, NotNull: true}},
		},
	}
}

// Once lets a batch be committed once. It returns false and the rows of the batch
// when it is there already, on disk: then nothing is to be inserted (of a batch
// before the last one the rows are not known any more, and 0). Error 1210 for a
// number that does not follow the last one.
func (t *tx) Once(ctx context.Context, d *catalog.Table, b WriterBatch) (first bool, rows int, err error) {
	known, first := false, true
	merge := func(old, next *batch.Chunk) (*batch.Chunk, error) {
		known = true
		last := uint64(old.Cols[writerNumber].I[0])
		if first = b.Number > last; !first {
			return old, nil
		}
		if b.Number != last+1 {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Batch %d of writer '%s' does not follow %d, the last that was taken", b.Number, b.Writer, last)
		}
		return next, nil
	}
	w, err := t.writes(writersTable())
	if err != nil {
		return false, 0, err
	}
	if _, err = w.Insert(writerRow(d.ID, b, t.e.now()), table.InsertMode{Merge: merge}); err == nil {
		switch {
		case !first:
			return t.e.taken(ctx, d, b)
		case !known:
			err = t.e.roomForWriter(ctx)
		}
	}
	if err != nil {
		w.Undo()
	}
	return first, 0, err
}

// taken waits until a batch that has been accepted is on disk. It may have failed
// to get there: then the transaction is to be tried again.
func (e *Engine) taken(ctx context.Context, d *catalog.Table, b WriterBatch) (first bool, rows int, err error) {
	last, ok, err := e.LastBatch(ctx, d, b.Writer)
	switch {
	case err != nil:
		return false, 0, err
	case !ok || last.Number < b.Number:
		return false, 0, sqlerr.New(sqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction")
	case last.Number == b.Number:
		rows = last.Rows
	}
	return false, rows, nil
}

// LastBatch is the last batch of a writer into a table that is on disk; false: none.
func (e *Engine) LastBatch(ctx context.Context, d *catalog.Table, writer string) (WriterBatch, bool, error) {
	images, err := e.writersImage(ctx)
	if err != nil {
		return WriterBatch{}, false, err
	}
	defer images.release()
	key := writerRow(d.ID, WriterBatch{Writer: writer}, 0)
	row, _ := images.parts[0].Get(key.Cols[:writerNumber], 0)
	if row == nil {
		return WriterBatch{}, false, nil
	}
	return WriterBatch{writer, uint64(row.Cols[writerNumber].I[0]), int(row.Cols[writerRows].I[0])}, true, nil
}

// writersImage is the table of writers between two groups of commits: what is in it
// is on disk.
func (e *Engine) writersImage(ctx context.Context) (images *imageSet, err error) {
	e.mu.Lock()
	t := e.tables[writersID]
	e.mu.Unlock()
	err = e.withCommitter(ctx, func() { images = newImageSet(t.Snapshot()) })
	return images, err
}

func writerRow(id catalog.ID, b WriterBatch, now int64) *batch.Chunk {
	var ts []types.Type
	for _, c := range writersTable().Columns {
		ts = append(ts, c.Type)
	}
	c := batch.New(ts, 1)
	c.Cols[writerTable].AppendInt(int64(id))
	c.Cols[writerName].AppendString(b.Writer)
	c.Cols[writerNumber].AppendInt(int64(b.Number))
	c.Cols[writerRows].AppendInt(int64(b.Rows))
	c.Cols[writerTime].AppendInt(now)
	c.N = 1
	return c
}

// roomForWriter makes sure that a further writer can be remembered.
func (e *Engine) roomForWriter(ctx context.Context) error {
	images, err := e.writersImage(ctx)
	if err != nil {
		return err
	}
	defer images.release()
	if images.rows() < maxWriters {
		return nil
	}
	forgotten, err := e.forgetWriters(ctx, images, e.now()-rememberFor.Microseconds())
	if err == nil && forgotten == 0 {
		err = sqlerr.New(sqlerr.OutOfResources, "%d writers number their batches already; one is forgotten %d days after its last batch",
			maxWriters, int(rememberFor.Hours()/24))
	}
	return err
}

// forgetWriters drops the writers that wrote nothing since, and counts them.
func (e *Engine) forgetWriters(ctx context.Context, images *imageSet, since int64) (int, error) {
	n := 0
	for _, im := range images.parts {
		scan := im.Scan()
		for c := scan.Next(batch.TargetRows); c != nil; c = scan.Next(batch.TargetRows) {
			var idle []int32
			for i := range c.N {
				if c.Cols[writerTime].I[i] < since {
					idle = append(idle, int32(i))
				}
			}
			if len(idle) == 0 {
				continue
			}
			t := &tx{e: e, tables: map[catalog.ID]*table.Writes{}}
			if _, err := t.Delete(ctx, writersTable(), c.Gather(idle)); err != nil {
				return n, err
			}
			if _, err := t.Commit(ctx); err != nil {
				return n, err
			}
			n += len(idle)
		}
	}
	return n, nil
}
