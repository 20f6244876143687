package operators

import (
	"bytes"
	"fmt"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// TimeFilter gives the rows for which all conditions are true at the batch's
// time. It holds those that will come or go with time, and is due at the next such
// time. A row that has come and will not go is not held: its retraction passes. A
// row in the store:
//
//	0   how often it is there, 8
//	8   1 when it has been given, 8
//	16  from when on it is given, 8
//	24  until when, 8
//	32  the encoded row
type TimeFilter struct {
	inbox
	input []types.Type
	env   Env
	batch *Batch
	conds []*timeCond
	codec *state.Codec
	store *state.Store
	byRow *state.Table
	turn  *expiring // rows by when they come or go

	all    []int
	hashes []uint64
	enc    []byte
	spans  []timeSpan // of the rows of the open chunk
	out    *batch.Chunk
	one    [][]byte
}

// timeSpan is when a row is given: from … until, not included.
type timeSpan struct{ from, until int64 }

const timeFilterHeader = 32

// NewTimeFilter makes a TimeFilter over rows of the types input.
func NewTimeFilter(conds []TimeCond, input []types.Type, env Env) (*TimeFilter, error) {
	f := &TimeFilter{
		input: input, env: env, codec: state.NewCodec(input), store: state.NewStore(env.Account), byRow: state.NewTable(env.Account),
		all: positions(len(input)), one: make([][]byte, 1),
	}
	for _, c := range conds {
		made, err := newTimeCond(c, env)
		if err != nil {
			return nil, err
		}
		f.conds = append(f.conds, made)
	}
	f.turn = newExpiring(Watermark{{Table: BatchTime}}, 1, f.next, env.Account)
	return f, nil
}

// next is when something happens to a row.
func (f *TimeFilter) next(r state.Ref) (int64, bool) {
	if !f.store.Has(r) {
		return 0, false
	}
	row := f.store.Get(r)
	if row[8] == 0 {
		return getInt(row[16:]), true
	}
	return getInt(row[24:]), true
}

// String names the operator as EXPLAIN does.
func (f *TimeFilter) String() string { return "TimeFilter" }

// Types are the types of the output columns.
func (f *TimeFilter) Types() []types.Type { return f.input }

// Due is when the next row comes or goes.
func (f *TimeFilter) Due() int64 { return f.turn.dueAt() }

// Begin opens a batch.
func (f *TimeFilter) Begin(b *Batch) {
	f.batch = b
	f.begin(1)
	for _, c := range f.conds {
		c.begin(b)
	}
}

// Push queues a chunk.
func (f *TimeFilter) Push(_ int, c *batch.Chunk) { f.push(0, c) }

// CloseInput notes the end of the input.
func (f *TimeFilter) CloseInput(int) { f.close() }

// States are the rows held, and the time that they are held at.
func (f *TimeFilter) States() []*state.Store { return []*state.Store{f.store, f.turn.over.store} }

// Rebuild derives the indexes from the store.
func (f *TimeFilter) Rebuild() error {
	cols := newVectors(f.input, 1)
	var one [1]uint64
	f.store.Scan(func(r state.Ref, row []byte) bool {
		resetVectors(cols)
		f.codec.Decode([][]byte{row[timeFilterHeader:]}, cols)
		f.byRow.Insert(state.HashRows(cols, f.all, 1, one[:])[0], r)
		return true
	})
	f.turn.rebuild(f.store)
	return nil
}

// Step takes rows in, and with the input closed lets those go and come whose
// time it is.
func (f *TimeFilter) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for f.head < len(f.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := f.first()
		n := min(budget, c.N-lo, batch.TargetRows)
		if err := f.take(c.Slice(lo, lo+n)); err != nil {
			return Done, err
		}
		f.flush(emit)
		f.done(n)
		budget -= n
	}
	if !f.closed() {
		return Done, nil
	}
	if err := f.turn.advance(f.batch); err != nil {
		return Done, err
	}
	for {
		if budget <= 0 {
			return More, nil
		}
		refs := f.turn.next(min(budget, batch.TargetRows))
		if refs == nil {
			return Done, nil
		}
		for _, r := range refs {
			if err := f.turnOf(r); err != nil {
				return Done, err
			}
		}
		f.flush(emit)
		budget -= len(refs)
	}
}

func (f *TimeFilter) flush(emit func(*batch.Chunk)) {
	if f.out != nil && f.out.N > 0 {
		emit(f.out)
	}
	f.out = nil
}

func (f *TimeFilter) give(c *batch.Chunk, i int, w int64) {
	if f.out == nil {
		f.out = batch.New(f.input, c.N)
	}
	f.out.AppendFrom(c, i, w)
}

// take gives rows whose time it is, and holds those that will come or go. A row
// that was held is changed where it is: its turn may be this batch's.
func (f *TimeFilter) take(c *batch.Chunk) error {
	if err := f.spansOf(c); err != nil {
		return err
	}
	f.hashes = state.HashRows(c.Cols, f.all, c.N, f.hashes)
	now := f.batch.Now
	for i, s := range f.spans {
		w := c.Weight(i)
		if w == 0 || s.from >= s.until {
			continue
		}
		f.enc = f.codec.Append(f.enc[:0], c.Cols, i)
		r := f.byRow.Find(f.hashes[i], func(r state.Ref) bool { return bytes.HasPrefix(f.store.Slot(r)[timeFilterHeader:], f.enc) })
		given := r != 0 && f.store.Get(r)[8] != 0
		switch {
		case r == 0 && now >= s.until:
			continue
		case given || r == 0 && now >= s.from:
			f.give(c, i, w)
		}
		switch {
		case r == 0 && now >= s.from && s.until == Never:
		case r == 0:
			if err := f.hold(s, w, f.hashes[i], now >= s.from); err != nil {
				return err
			}
		default:
			row := f.store.Mutable(r)
			if putInt(row, getInt(row)+w); getInt(row) == 0 {
				f.free(r, f.hashes[i])
			}
		}
	}
	return nil
}

// spansOf computes when the rows of c are given.
func (f *TimeFilter) spansOf(c *batch.Chunk) error {
	f.spans = f.spans[:0]
	for range c.N {
		f.spans = append(f.spans, timeSpan{from: minTime, until: Never})
	}
	for _, k := range f.conds {
		if err := k.narrow(c, f.spans); err != nil {
			return err
		}
	}
	return nil
}

// hold stores the row last encoded.
func (f *TimeFilter) hold(s timeSpan, w int64, hash uint64, given bool) error {
	r, err := f.store.Alloc(timeFilterHeader + len(f.enc))
	if err != nil {
		return err
	}
	row := f.store.Mutable(r)
	clear(row[:timeFilterHeader])
	putInt(row, w)
	if given {
		row[8] = 1
	}
	putInt(row[16:], s.from)
	putInt(row[24:], s.until)
	copy(row[timeFilterHeader:], f.enc)
	f.byRow.Insert(hash, r)
	f.turn.add(r)
	return nil
}

func (f *TimeFilter) free(r state.Ref, hash uint64) {
	f.turn.gone(r)
	f.byRow.Delete(hash, r)
	f.store.Free(r)
}

// turnOf lets a row come, or go.
func (f *TimeFilter) turnOf(r state.Ref) error {
	row := f.store.Mutable(r)
	n := getInt(row)
	if n < 0 {
		return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", f.env.Node, n)
	}
	one := batch.New(f.input, 1)
	f.one[0] = row[timeFilterHeader:]
	f.codec.Decode(f.one, one.Cols)
	one.PushWeight(1)
	comes, stays := row[8] == 0, f.batch.Now < getInt(row[24:])
	switch {
	case comes && stays:
		f.give(one, 0, n)
	case !comes:
		f.give(one, 0, -n)
	}
	if comes && stays && getInt(row[24:]) != Never {
		row[8] = 1
		f.turn.add(r)
		return nil
	}
	var hash [1]uint64
	f.byRow.Delete(state.HashRows(one.Cols, f.all, 1, hash[:])[0], r)
	f.store.Free(r)
	return nil
}

// location is where a condition's clock is; nil: UTC.
func (c TimeCond) location(env Env) *time.Location {
	if c.UTC || env.Location == time.UTC {
		return nil
	}
	return env.Location
}
