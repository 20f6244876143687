package operators

import (
	"encoding/binary"
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// FirstFew keeps the first few rows of each partition of an input that never
// retracts: a TopN by ROW_NUMBER of so few rows that they are a list, in order, in
// the partition's row itself. What does not come into the list is gone. At the end
// of a batch it gives, for each partition that has changed, how the new list
// differs from the one before the batch.
//
// A list has, of each row, a prefix of what it is ordered by, a number; only where
// these are equal are the values looked at. So a row that is behind a full list
// costs one comparison. A partition's row in parts:
//
//	0   id + 1 of the last batch that changed it, 8
//	8   how many rows it has, 4
//	12  in that batch, while there is an output: its place in dirty, 4
//	16  of each place in the list, 16: the prefix, 8; the Ref of the row, 8
//	…   the encoded key
//
// and the rows lie, encoded, in a store of their own.
type FirstFew struct {
	inbox
	spec  TopNSpec
	env   Env
	batch *Batch
	most  int // rows of a partition
	out   []types.Type
	codec *state.Codec
	parts *index
	rows  *state.Store

	prefixes []uint64 // of the rows of the current chunk
	refs     [blockRows]state.Ref
	dirty    []dirtyFew
	before   []state.Ref // the lists of dirty, one after the other
	given    int         // dirty partitions that are done
	enc      []byte
	stored   *batch.Chunk // scratch: a row
	bytes    [][]byte
	weights  []int64
	numbers  []int64

	// quiet: nobody takes the output, so that only the state is brought up to date.
	quiet bool
}

// dirtyFew is a partition that the batch changed; its rows were n of before.
type dirtyFew struct {
	part    state.Ref
	from, n int
}

const fewHeader = 16

// fewList is the list of a partition, a part of its row.
type fewList []byte

func (l fewList) len() int            { return int(binary.LittleEndian.Uint32(l[8:])) }
func (l fewList) setLen(n int)        { binary.LittleEndian.PutUint32(l[8:], uint32(n)) }
func (l fewList) prefix(k int) uint64 { return binary.LittleEndian.Uint64(l[fewHeader+16*k:]) }
func (l fewList) ref(k int) state.Ref { return state.Ref(getInt(l[fewHeader+16*k+8:])) }

// insert puts a row at place k, those from there on one further.
func (l fewList) insert(k int, prefix uint64, r state.Ref) {
	n := l.len()
	at := fewHeader + 16*k
	copy(l[at+16:fewHeader+16*(n+1)], l[at:fewHeader+16*n])
	binary.LittleEndian.PutUint64(l[at:], prefix)
	putInt(l[at+8:], int64(r))
	l.setLen(n + 1)
}

// has reports that r is among the rows from place k on.
func (l fewList) has(r state.Ref, k int) bool {
	for ; k < l.len(); k++ {
		if l.ref(k) == r {
			return true
		}
	}
	return false
}

// NewFirstFew makes a FirstFew of a TopNSpec that is AppendOnly, by RowNumber, with
// a Limit from 1 on and no Expiry. Each partition has room for Offset + Limit rows.
func NewFirstFew(spec TopNSpec, env Env) (*FirstFew, error) {
	most := int(spec.Offset + spec.Limit)
	f := &FirstFew{spec: spec, env: env, most: most, out: append([]types.Type(nil), spec.Input...), codec: state.NewCodec(spec.Input),
		parts: newIndex(newGrouping(spec.Input, spec.Partition), fewHeader+16*most, env.Account), rows: state.NewStore(env.Account), stored: batch.New(spec.Input, 1)}
	if spec.Number {
		f.out = append(f.out, NumberType())
	}
	return f, nil
}

// String names the operator as EXPLAIN does.
func (f *FirstFew) String() string { return "TopN" }

// Types are the types of the output columns.
func (f *FirstFew) Types() []types.Type { return f.out }

// Begin opens a batch.
func (f *FirstFew) Begin(b *Batch) {
	f.batch = b
	f.begin(1)
}

// Push queues a chunk.
func (f *FirstFew) Push(_ int, c *batch.Chunk) { f.push(0, c) }

// CloseInput notes the end of the input.
func (f *FirstFew) CloseInput(int) { f.close() }

// States are the partitions and their rows.
func (f *FirstFew) States() []*state.Store { return []*state.Store{f.parts.store, f.rows} }

// Rebuild derives the index from the store.
func (f *FirstFew) Rebuild() error {
	f.parts.rebuild()
	return nil
}

// Step takes rows in, and with the input closed gives out what changed.
func (f *FirstFew) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
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
		budget -= f.give(min(budget, batch.TargetRows), emit)
	}
	f.dirty, f.before, f.given = emptied(f.dirty), emptied(f.before), 0
	return Done, nil
}

// take puts at most n rows of the first chunk where they belong.
func (f *FirstFew) take(n int) (int, error) {
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
		if c.Weight(i) < 0 {
			return 0, gone(f.env.Node, c.Weight(i))
		}
		if part == 0 && c.Weight(i) > 0 {
			// Maybe a row of this block just made it.
			if part = f.parts.find(i); part == 0 {
				var err error
				if part, err = f.parts.add(i); err != nil {
					return 0, err
				}
			}
		}
		for range c.Weight(i) {
			if kept, err := f.offer(c, i, part); err != nil {
				return 0, err
			} else if !kept {
				break
			}
		}
	}
	f.done(n)
	return n, nil
}

// offer puts row i into the list of its partition, behind those that are equal,
// unless the list is full without it.
func (f *FirstFew) offer(c *batch.Chunk, i int, part state.Ref) (kept bool, err error) {
	list, p := fewList(f.parts.store.Slot(part)), f.prefixes[i]
	at := list.len()
	for ; at > 0; at-- {
		if q := list.prefix(at - 1); q < p || q == p && f.behind(c, i, list.ref(at-1)) {
			break
		}
	}
	if at == f.most {
		return false, nil
	}
	f.enc = f.codec.Append(f.enc[:0], c.Cols, i)
	r, err := f.rows.Alloc(len(f.enc))
	if err != nil {
		return false, err
	}
	copy(f.rows.Mutable(r), f.enc)
	list = f.parts.store.MutableSlot(part)
	f.touch(part, list)
	if n := list.len(); n == f.most {
		f.drop(list, list.ref(n-1))
		list.setLen(n - 1)
	}
	list.insert(at, p, r)
	return true, nil
}

// behind reports that row i does not come before a stored one.
func (f *FirstFew) behind(c *batch.Chunk, i int, r state.Ref) bool {
	resetVectors(f.stored.Cols)
	f.bytes = append(f.bytes[:0], f.rows.Get(r))
	f.codec.Decode(f.bytes, f.stored.Cols)
	return compareRows(f.spec.Order, c, i, f.stored, 0) >= 0
}

// touch notes how a partition was before the batch.
func (f *FirstFew) touch(part state.Ref, list fewList) {
	mark := int64(f.batch.ID + 1)
	if getInt(list) == mark {
		return
	}
	putInt(list, mark)
	binary.LittleEndian.PutUint32(list[12:], uint32(len(f.dirty)))
	if f.quiet {
		return
	}
	f.dirty = append(f.dirty, dirtyFew{part, len(f.before), list.len()})
	for k := range list.len() {
		f.before = append(f.before, list.ref(k))
	}
}

// drop frees a row that falls out of its list. One that was in it before the batch
// stays until it has been given back.
func (f *FirstFew) drop(list fewList, r state.Ref) {
	if f.quiet || !slices.Contains(f.was(f.dirty[binary.LittleEndian.Uint32(list[12:])]), r) {
		f.rows.Free(r)
	}
}

// was is the list of a partition before the batch.
func (f *FirstFew) was(d dirtyFew) []state.Ref { return f.before[d.from : d.from+d.n] }

// give emits the changes of the next dirty partitions, about n rows, and frees what
// is no more in their lists. It returns how much it did.
func (f *FirstFew) give(n int, emit func(*batch.Chunk)) int {
	f.bytes, f.weights, f.numbers = f.bytes[:0], f.weights[:0], f.numbers[:0]
	from := f.given
	for ; f.given < len(f.dirty) && f.given-from+len(f.bytes) < n; f.given++ {
		d := f.dirty[f.given]
		f.compare(f.was(d), fewList(f.parts.store.Slot(d.part)))
	}
	if len(f.bytes) > 0 {
		out := &batch.Chunk{Cols: newVectors(f.out, len(f.bytes)), N: len(f.bytes), Weights: plain(slices.Clone(f.weights))}
		f.codec.Decode(f.bytes, out.Cols[:len(f.spec.Input)])
		if f.spec.Number {
			for _, k := range f.numbers {
				out.Cols[len(f.spec.Input)].AppendInt(k)
			}
		}
		emit(out)
	}
	for _, d := range f.dirty[from:f.given] {
		list := fewList(f.parts.store.Slot(d.part))
		for _, r := range f.was(d) {
			if !list.has(r, 0) {
				f.rows.Free(r)
			}
		}
	}
	return f.given - from + len(f.bytes)
}

// compare notes what makes the list of a partition out of what it was.
func (f *FirstFew) compare(was []state.Ref, list fewList) {
	skip := int(f.spec.Offset)
	if !f.spec.Number {
		was = was[min(skip, len(was)):]
		for _, r := range was {
			if !list.has(r, skip) {
				f.change(r, -1, 0)
			}
		}
		for k := skip; k < list.len(); k++ {
			if r := list.ref(k); !slices.Contains(was, r) {
				f.change(r, 1, 0)
			}
		}
		return
	}
	for k := skip; k < list.len(); k++ { // a list never gets shorter
		r := list.ref(k)
		if k < len(was) && was[k] == r {
			continue
		}
		if k < len(was) {
			f.change(was[k], -1, k+1)
		}
		f.change(r, 1, k+1)
	}
}

func (f *FirstFew) change(r state.Ref, weight int64, number int) {
	f.bytes, f.weights, f.numbers = append(f.bytes, f.rows.Get(r)), append(f.weights, weight), append(f.numbers, int64(number))
}
