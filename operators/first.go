package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// First keeps the first row of each partition of an input that never retracts: a
// TopN of one row by ROW_NUMBER, which needs no order among the rows that lost.
// At the end of a batch it gives, for each partition whose first row has become
// another, the retraction of the old one and the new one.
//
// Each row is compared with its partition's by a prefix of what it is ordered by
// alone, a number; only if those are equal are the values looked at. Within a
// block of rows the best of each partition is found first, and only that is
// encoded. A partition's row in parts:
//
//	0   id + 1 of the last batch that changed it, 8
//	8   the Ref of its first row, 8
//	16  the prefix of that, 8
//	24  while a block is worked on: 1 + its place in winners, 8; else 0
//	32  the encoded key
//
// and the first rows lie, encoded, in a store of their own.
type First struct {
	inbox
	lending
	spec  TopNSpec
	env   Env
	batch *Batch
	out   []types.Type
	codec *state.Codec
	parts *index
	rows  *state.Store
	over  *expiring // of partitions; nil: they stay
	keys  []*vector.Vector

	prefixes []uint64 // of the rows of the current chunk
	refs     [blockRows]state.Ref
	winners  []winner
	dirty    []dirtyFirst
	given    int // dirty partitions that are done
	enc      []byte
	stored   *batch.Chunk // scratch: a first row
	bytes    [][]byte

	// quiet: nobody takes the output, so that only the state is brought up to date.
	quiet bool
}

// winner is the best row of a partition in the block, which is better than the
// one before the block.
type winner struct {
	part state.Ref
	row  int
}

// dirtyFirst is a partition that the batch changed; before is 0 if it is new.
type dirtyFirst struct{ part, before state.Ref }

const firstHeader = 32

// NewFirst makes a First of a TopNSpec that is AppendOnly, by RowNumber, with
// Limit 1 and Offset 0.
func NewFirst(spec TopNSpec, env Env) (*First, error) {
	group := newGrouping(spec.Input, spec.Partition)
	f := &First{spec: spec, env: env, out: append([]types.Type(nil), spec.Input...), codec: state.NewCodec(spec.Input),
		parts: newIndex(group, firstHeader, env.Account), rows: state.NewStore(env.Account), stored: batch.New(spec.Input, 1)}
	if spec.Number {
		f.out = append(f.out, NumberType())
	}
	if spec.Expiry != nil {
		f.keys = newVectors(group.types, 1)
		f.over = newExpiring(spec.Expiry.Watermark, 1, f.timeOf, env.Account)
		f.over.shrinks = spec.Expiry.Shrinks
	}
	return f, nil
}

// timeOf reads the time of a partition; false: it is not there any more.
func (f *First) timeOf(part state.Ref) (int64, bool) {
	if !f.parts.store.Has(part) {
		return 0, false
	}
	return f.parts.codec.Int(f.parts.store.Get(part)[firstHeader:], slices.Index(f.spec.Partition, f.spec.Expiry.Col))
}

// String names the operator as EXPLAIN does.
func (f *First) String() string { return "TopN" }

// Types are the types of the output columns.
func (f *First) Types() []types.Type { return f.out }

// Transient: first rows are copied into their store.
func (f *First) Transient() bool { return true }

// Begin opens a batch.
func (f *First) Begin(b *Batch) {
	f.batch = b
	f.begin(1)
}

// Push queues a chunk.
func (f *First) Push(_ int, c *batch.Chunk) {
	if f.over != nil {
		if c = f.over.live(c, f.spec.Expiry.Col); c == nil {
			return
		}
	}
	f.push(0, c)
}

// CloseInput notes the end of the input.
func (f *First) CloseInput(int) { f.close() }

// States are the partitions, their first rows, and what has expired.
func (f *First) States() []*state.Store {
	list := []*state.Store{f.parts.store, f.rows}
	if f.over != nil {
		list = append(list, f.over.over.store)
	}
	return list
}

// Rebuild derives the indexes from the stores.
func (f *First) Rebuild() error {
	f.parts.rebuild()
	if f.over != nil {
		f.over.rebuild(f.parts.store)
	}
	return nil
}

// Step takes rows in, and with the input closed gives out what changed.
func (f *First) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for f.head < len(f.queue) {
		if budget <= 0 {
			return More, nil
		}
		n, err := f.take(min(budget, blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	if !f.closed() {
		return Done, nil
	}
	for f.given < len(f.dirty) {
		if budget <= 0 {
			return More, nil
		}
		n := min(max(budget/2, 1), blockRows, len(f.dirty)-f.given)
		f.give(n, emit)
		budget -= 2 * n
	}
	if f.dirty, f.given = f.dirty[:0], 0; cap(f.dirty) > 1<<16 {
		f.dirty = nil
	}
	if f.over == nil {
		return Done, nil
	}
	return f.expire(budget)
}

// take compares at most n rows of the first chunk with the first ones of their partitions.
func (f *First) take(n int) (int, error) {
	_, c, lo := f.first()
	if lo == 0 {
		f.parts.open(c.Cols, c.N)
		f.prefixes = orderPrefixes(f.spec.Order, c, f.prefixes)
	}
	n = min(n, c.N-lo)
	refs := f.refs[:n]
	f.parts.findAll(lo, refs)
	for k, part := range refs {
		i := lo + k
		if c.Weight(i) == 0 {
			continue
		}
		if part == 0 {
			// Maybe a row of this block just made it.
			if part = f.parts.find(i); part == 0 {
				var err error
				if part, err = f.parts.add(i); err != nil {
					return 0, err
				}
				if f.over != nil {
					f.over.add(part)
				}
				putInt(f.parts.store.MutableSlot(part)[16:], -1) // after all prefixes
			}
		}
		if p := f.prefixes[i]; p <= uint64(getInt(f.parts.store.Slot(part)[16:])) {
			f.challenge(c, i, part, p)
		}
	}
	for _, w := range f.winners {
		if err := f.replace(c, w); err != nil {
			return 0, err
		}
	}
	f.winners = f.winners[:0]
	f.done(n)
	return n, nil
}

// orderPrefixes computes the prefixes of a chunk's rows, in dst if it is large enough.
func orderPrefixes(order []OrderKey, c *batch.Chunk, dst []uint64) []uint64 {
	if cap(dst) < c.N {
		dst = make([]uint64, c.N, max(c.N, blockRows))
	}
	dst = dst[:c.N]
	if len(order) == 0 {
		clear(dst)
		return dst
	}
	state.OrderPrefixes(c.Cols[order[0].Col], order[0].Desc, dst)
	return dst
}

// challenge makes row i, whose prefix p is not greater, its partition's winner if it comes first.
func (f *First) challenge(c *batch.Chunk, i int, part state.Ref, p uint64) {
	row := f.parts.store.Slot(part)
	at := getInt(row[24:]) - 1
	if p == uint64(getInt(row[16:])) {
		switch before := state.Ref(getInt(row[8:])); {
		case at >= 0:
			if compareRows(f.spec.Order, c, i, c, f.winners[at].row) >= 0 {
				return
			}
		case before != 0:
			resetVectors(f.stored.Cols)
			f.bytes = append(f.bytes[:0], f.rows.Get(before))
			f.codec.Decode(f.bytes, f.stored.Cols)
			if compareRows(f.spec.Order, c, i, f.stored, 0) >= 0 {
				return
			}
		}
	}
	row = f.parts.store.MutableSlot(part)
	putInt(row[16:], int64(p))
	if at >= 0 {
		f.winners[at].row = i
		return
	}
	f.winners = append(f.winners, winner{part, i})
	putInt(row[24:], int64(len(f.winners)))
}

// compareRows orders rows as a ranking does: by ORDER BY, then by all columns.
func compareRows(order []OrderKey, a *batch.Chunk, i int, b *batch.Chunk, j int) int {
	for _, k := range order {
		if x := state.CompareOrderedKey(a.Cols[k.Col], i, b.Cols[k.Col], j); x != 0 {
			if k.Desc {
				return -x
			}
			return x
		}
	}
	for k, v := range a.Cols {
		if x := state.CompareOrdered(v, i, b.Cols[k], j); x != 0 {
			return x
		}
	}
	return 0
}

// replace makes a winner of the block its partition's first row. What was that
// before the batch stays until it has been given back.
func (f *First) replace(c *batch.Chunk, w winner) error {
	f.enc = f.codec.Append(f.enc[:0], c.Cols, w.row)
	r, err := f.rows.Alloc(len(f.enc))
	if err != nil {
		return err
	}
	copy(f.rows.Mutable(r), f.enc)
	part := f.parts.store.MutableSlot(w.part)
	putInt(part[24:], 0)
	before, mark := state.Ref(getInt(part[8:])), int64(f.batch.ID+1)
	putInt(part[8:], int64(r))
	switch {
	case !f.quiet && getInt(part) != mark:
		f.dirty = append(f.dirty, dirtyFirst{w.part, before})
	case before != 0:
		f.rows.Free(before)
	}
	putInt(part, mark)
	return nil
}

// give emits the changes of the next n dirty partitions, and frees what they were before.
func (f *First) give(n int, emit func(*batch.Chunk)) {
	block := f.dirty[f.given : f.given+n]
	f.given += n
	f.bytes = f.bytes[:0]
	old := 0
	for _, d := range block {
		if d.before != 0 {
			f.bytes = append(f.bytes, f.rows.Get(d.before))
			old++
		}
	}
	for _, d := range block {
		f.bytes = append(f.bytes, f.rows.Get(state.Ref(getInt(f.parts.store.Slot(d.part)[8:]))))
	}
	out := f.loan.New(f.out, len(f.bytes))
	out.N = len(f.bytes)
	f.codec.Decode(f.bytes, out.Cols[:len(f.spec.Input)])
	if f.spec.Number {
		for range out.N {
			out.Cols[len(f.spec.Input)].AppendInt(1)
		}
	}
	if old > 0 {
		out.Weights = f.loan.Ints(out.N)
		for i := range out.Weights {
			if out.Weights[i] = 1; i < old {
				out.Weights[i] = -1
			}
		}
	}
	for _, d := range block {
		if d.before != 0 {
			f.rows.Free(d.before)
		}
	}
	emit(out)
}

// expire lets partitions go whose time is over, about budget of them.
func (f *First) expire(budget int) (Status, error) {
	if err := f.over.advance(f.batch); err != nil {
		return Done, err
	}
	for {
		if budget <= 0 {
			return More, nil
		}
		due := f.over.next(min(budget, blockRows))
		if len(due) == 0 {
			return Done, nil
		}
		for _, part := range due {
			f.rows.Free(state.Ref(getInt(f.parts.store.Slot(part)[8:])))
			resetVectors(f.keys)
			f.parts.codec.Decode([][]byte{f.parts.store.Get(part)[firstHeader:]}, f.keys)
			f.parts.remove(f.parts.hashOf(f.keys), part)
		}
		budget -= len(due)
	}
}
