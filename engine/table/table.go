// Package table keeps base tables: the keyed image of each, against which one
// committer validates, and the write set of a transaction.
package table

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Table is the image of one base table as of the last transaction accepted.
// Sessions look rows up in it under its read lock, the committer changes it.
type Table struct {
	Desc  *catalog.Table
	name  atomic.Pointer[string] // that it has now
	mu    sync.RWMutex
	view  *operators.View
	codec atomic.Pointer[state.Codec] // of whole rows
	key   *state.Codec                // of the primary key
	folds bool                        // what key encodes is no value any more, only what it is equal by
	// unique are further unique keys: encoded key → encoded primary key.
	unique  []uniqueIndex
	last    uint64        // the greatest AUTO_INCREMENT value, row id or arrival so far
	version atomic.Uint64 // raised by each change
	auto    int           // its column, −1: none
	arrival int           // of an upsert stream: the column with the number of the row, else −1
	batch   uint64        // numbers the changes: the view tells them apart by it
}

type uniqueIndex struct {
	def   catalog.Key
	codec *state.Codec
	rows  map[string]string
}

// Rename says what the table is called from now on in messages.
func (t *Table) Rename(name string) { t.name.Store(&name) }

// New makes the empty image of a table.
func New(t *catalog.Table, env operators.Env) (*Table, error) {
	ts := columnTypes(t)
	added := Added(t)
	first := ts[:len(ts)-count(added)]
	view, err := operators.NewView(operators.ViewSpec{Input: first, Key: t.Primary}, env)
	if err != nil {
		return nil, err
	}
	tb := &Table{Desc: t, view: view, key: state.NewKeyCodec(pick(ts, t.Primary)), auto: -1, arrival: -1}
	tb.codec.Store(state.NewCodec(first))
	tb.Grow(t)
	tb.Rename(t.Name)
	tb.folds = slices.ContainsFunc(pick(ts, t.Primary), types.Type.Folds)
	if t.Upsert() {
		tb.arrival = t.SystemColumn(catalog.ArrivalColumn)
	}
	for i, c := range t.Columns {
		if c.AutoIncrement || c.Name == catalog.RowID && c.Hidden {
			tb.auto = i
		}
		if c.AutoIncrement && t.AutoIncrement > 0 {
			tb.last = t.AutoIncrement - 1
		}
	}
	for _, u := range t.Unique {
		tb.unique = append(tb.unique, uniqueIndex{u, state.NewKeyCodec(pick(ts, u.Columns)), map[string]string{}})
	}
	return tb, nil
}

func columnTypes(t *catalog.Table) []types.Type {
	ts := make([]types.Type, len(t.Columns))
	for i, c := range t.Columns {
		ts[i] = c.Type
	}
	return ts
}

func count[T any](lists [][]T) int {
	n := 0
	for _, l := range lists {
		n += len(l)
	}
	return n
}

func pick[T any](xs []T, at []int) []T {
	out := make([]T, len(at))
	for k, i := range at {
		out[k] = xs[i]
	}
	return out
}

// Snapshot takes an image of the rows. Only the committer, or who holds it still, may.
func (t *Table) Snapshot() []operators.Image {
	t.mu.Lock()
	defer t.mu.Unlock()
	return []operators.Image{t.view.Snapshot()}
}

// Rows is the number of rows.
func (t *Table) Rows() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.view.Rows()
}

// State is what a checkpoint keeps of the rows.
func (t *Table) State() operators.Stateful { return t.view }

// Counters is what a checkpoint keeps beside the rows.
type Counters struct {
	Last  uint64 `json:"last,omitempty"`  // the greatest AUTO_INCREMENT value or row id so far
	Batch uint64 `json:"batch,omitempty"` // number of the last change
}

// Counters as they are now.
func (t *Table) Counters() Counters {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return Counters{t.last, t.batch}
}

// Loaded rebuilds what follows from the rows, after they were loaded.
func (t *Table) Loaded(c Counters) error {
	if err := t.view.Rebuild(); err != nil {
		return err
	}
	t.last, t.batch = c.Last, c.Batch
	im := t.view.Snapshot()
	defer im.Release()
	for scan := im.Scan(); ; {
		c := scan.Next(batch.TargetRows)
		if c == nil {
			return nil
		}
		t.index(c)
	}
}

// Replay takes in a block of the log: changes that were accepted before a crash.
// renumber says that AUTO_INCREMENT began anew with them.
func (t *Table) Replay(c *batch.Chunk, renumber bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if renumber {
		t.last = 0
	}
	return t.apply(c)
}

// apply changes the image. The rows' weights are +1 and −1.
func (t *Table) apply(c *batch.Chunk) error {
	t.batch++
	t.view.Begin(&operators.Batch{ID: t.batch})
	t.view.Push(0, c)
	t.view.CloseInput(0)
	for {
		st, err := t.view.Step(batch.TargetRows, func(*batch.Chunk) {})
		if err != nil {
			return fmt.Errorf("table %s.%s: %w", t.Desc.Database, t.Desc.Name, err)
		}
		if st == operators.Done {
			break
		}
	}
	t.index(c)
	t.version.Add(1)
	return nil
}

// Version differs after each change.
func (t *Table) Version() uint64 { return t.version.Load() }

// index brings the unique keys and the counter up to date: what went first,
// then what came.
func (t *Table) index(c *batch.Chunk) {
	if numbered := max(t.auto, t.arrival); numbered >= 0 {
		v := c.Cols[numbered]
		for i := range c.N {
			if c.Weight(i) > 0 {
				t.seen(v, i)
			}
		}
	}
	for k := range t.unique {
		u := &t.unique[k]
		cols, pk := pick(c.Cols, u.def.Columns), pick(c.Cols, t.Desc.Primary)
		for _, gone := range []bool{true, false} {
			for i := range c.N {
				if c.Weight(i) < 0 != gone || anyNull(cols, i) {
					continue
				}
				key, row := string(u.codec.Append(nil, cols, i)), string(t.key.Append(nil, pk, i))
				if !gone {
					u.rows[key] = row
				} else if u.rows[key] == row {
					delete(u.rows, key)
				}
			}
		}
	}
}

func anyNull(cols []*vector.Vector, i int) bool {
	for _, v := range cols {
		if v.IsNull(i) {
			return true
		}
	}
	return false
}

// Close gives the memory back.
func (t *Table) Close() {
	for _, s := range t.view.States() {
		s.Close()
	}
}

// describe prints a key's values for error 1062: joined by '-'.
func describe(cols []*vector.Vector, i int) string {
	var parts []string
	for _, v := range cols {
		parts = append(parts, string(v.AppendText(nil, i, nil)))
	}
	return strings.Join(parts, "-")
}
