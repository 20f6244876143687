package operators

import (
	"encoding/binary"

	"streamsql/operators/batch"
	"streamsql/sql/agg"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Reduce combines the rows of a key, within a batch, into one partial row, so
// that less goes through the shuffle. It keeps nothing across batches, and gives
// out what it has early when groups get many: its output is right however it
// is cut.
type Reduce struct {
	inbox
	lending
	group  *grouping
	states []agg.State
	out    []types.Type

	stride int // bytes of a group: how many rows, then the states
	find   finder
	slabs  [][]byte // groups in order, slabGroups each
	groups int
	given  int      // groups given out, while flushing
	giving [][]byte // scratch of give
	ids    []uint32
	keys   []int // positions of the keys in the output
	flush  bool
	heap   arena
	env    Env

	taken int // rows combined since the last time groups were given out
	pass  int // so many rows are to be passed on one by one
	// opened is the chunk whose keys group knows.
	opened *batch.Chunk
	block  []byte

	index [blockRows]uint32
	rows  [blockRows][]byte
}

const (
	slabGroups      = 256
	maxReduceGroups = 1 << 16
	keptSlabs       = 256 // that survive the batch

	// Where combining leaves more than combineRatio of the rows, the next passRows
	// are passed on as they are: looking their keys up would gain nothing.
	combineRatio = 0.7
	passRows     = 1 << 20
)

// NewReduce makes a Reduce.
func NewReduce(spec AggSpec, env Env) (*Reduce, error) {
	r := &Reduce{group: newGrouping(spec.Input, spec.Keys), stride: 8, env: env}
	if err := checkGivenKeys(pickTypes(spec.Input, spec.Keys)); err != nil {
		return nil, err
	}
	r.out, r.keys = append(r.out, r.group.types...), positions(len(spec.Keys))
	for _, c := range spec.Aggs {
		if !agg.Splits(c, spec.AppendOnly) {
			return nil, sqlerr.New(sqlerr.UnknownError, "%s cannot be combined ahead of a Merge", c.Fn)
		}
		s, err := agg.New(c, argColumns(c), false, r.stride, &r.heap)
		if err != nil {
			return nil, err
		}
		r.states = append(r.states, s)
		r.stride += s.Size()
		r.out = append(r.out, agg.Partial(c)...)
	}
	return r, nil
}

// argColumns are the positions of a call's arguments.
func argColumns(c agg.Call) []int {
	var cols []int
	for _, a := range c.Args {
		cols = append(cols, a.Col)
	}
	return cols
}

// String names the operator as EXPLAIN does.
func (r *Reduce) String() string { return "Reduce" }

// Types are the types of the output columns.
func (r *Reduce) Types() []types.Type { return r.out }

// Transient: what groups need of a row is copied.
func (r *Reduce) Transient() bool { return true }

// Begin opens a batch.
func (r *Reduce) Begin(*Batch) { r.begin(1) }

// Push queues a chunk.
func (r *Reduce) Push(_ int, c *batch.Chunk) { r.push(0, c) }

// CloseInput notes the end of the input.
func (r *Reduce) CloseInput(int) {
	r.close()
	r.opened = nil
}

// Step combines rows, and at the end gives the groups out.
func (r *Reduce) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for {
		switch {
		case r.flush:
			if budget <= 0 {
				return More, nil
			}
			budget -= r.give(min(budget, batch.TargetRows), emit)
		case r.pass > 0 && r.groups == 0 && r.head < len(r.queue):
			if budget <= 0 {
				return More, nil
			}
			n, err := r.passOn(min(budget, blockRows), emit)
			if err != nil {
				return Done, err
			}
			budget -= n
		case r.head < len(r.queue):
			if budget <= 0 {
				return More, nil
			}
			n, err := r.take(min(budget, blockRows))
			if err != nil {
				return Done, err
			}
			budget -= n
			r.taken += n
			if r.flush = r.groups >= maxReduceGroups; r.flush && float64(r.groups) > combineRatio*float64(r.taken) {
				r.pass = passRows
			}
		case r.closed() && r.groups > 0:
			r.flush = true
		default:
			return Done, nil
		}
	}
}

// take combines at most n rows of the first chunk.
func (r *Reduce) take(n int) (int, error) {
	_, c, lo := r.first()
	if r.opened != c { // its beginning may have been passed on
		r.opened = c
		r.group.openChunk(c)
	}
	n = min(n, c.N-lo)
	index, rows := r.index[:n], r.rows[:n]
	r.find.groupsOf(r.group, lo, index)
	if err := r.extend(); err != nil {
		return 0, err
	}
	for i, g := range index {
		slab := r.slabs[g/slabGroups]
		at := int(g%slabGroups) * r.stride
		rows[i] = slab[at : at+r.stride : at+r.stride]
	}
	if c.Weights == nil {
		for _, row := range rows {
			putInt(row, getInt(row)+1)
		}
	} else {
		for i, row := range rows {
			putInt(row, getInt(row)+c.Weights[lo+i])
		}
	}
	for _, s := range r.states {
		if err := s.Add(rows, c.Cols, lo, c.Weights); err != nil {
			return 0, err
		}
	}
	r.work(n)
	return n, nil
}

// work notes that n rows of the first chunk are done.
func (r *Reduce) work(n int) {
	if r.done(n) {
		r.opened = nil
	}
}

// passOn gives at most n rows of the first chunk out as groups of their own.
func (r *Reduce) passOn(n int, emit func(*batch.Chunk)) (int, error) {
	_, c, lo := r.first()
	n = min(n, c.N-lo)
	if r.block == nil {
		r.block = make([]byte, blockRows*r.stride)
	}
	clear(r.block[:n*r.stride])
	rows := r.rows[:n]
	for i := range rows {
		rows[i] = r.block[i*r.stride : (i+1)*r.stride : (i+1)*r.stride]
	}
	out := r.loan.Chunk(len(r.out), n)
	for k, key := range r.group.keys {
		out.Cols[k] = r.loan.SliceVector(c.Cols[key], lo, lo+n)
	}
	at := len(r.group.keys)
	for k := at; k < len(r.out); k++ {
		out.Cols[k] = r.loan.Vector(r.out[k], n)
	}
	for _, s := range r.states {
		if err := s.Add(rows, c.Cols, lo, c.Weights); err != nil {
			return 0, err
		}
		s.AppendPartial(rows, out.Cols[at:])
		at += s.Columns()
	}
	if c.Weights != nil {
		out.Weights = c.Weights[lo : lo+n]
	}
	r.heap.reset()
	r.pass -= n
	r.work(n)
	emit(out)
	return n, nil
}

// extend makes room for the groups that find has added.
func (r *Reduce) extend() error {
	for len(r.slabs)*slabGroups < r.find.n {
		if err := r.env.Account.Reserve(int64(slabGroups * r.stride)); err != nil {
			return err
		}
		r.slabs = append(r.slabs, make([]byte, slabGroups*r.stride))
	}
	for r.groups < r.find.n { // what an earlier batch left there
		at := r.groups % slabGroups * r.stride
		upTo := min(slabGroups, r.groups%slabGroups+r.find.n-r.groups)
		clear(r.slabs[r.groups/slabGroups][at : upTo*r.stride])
		r.groups += upTo - r.groups%slabGroups
	}
	return nil
}

// give emits at most n groups and returns how many it looked at.
func (r *Reduce) give(n int, emit func(*batch.Chunk)) int {
	n = min(n, r.groups-r.given)
	rows, ids := r.giving[:0], r.ids[:0]
	weights := r.loan.Ints(n)[:0]
	for g := r.given; g < r.given+n; g++ {
		at := g % slabGroups * r.stride
		row := r.slabs[g/slabGroups][at : at+r.stride]
		if isZero(row) {
			continue // all its rows were taken back
		}
		rows = append(rows, row)
		ids = append(ids, uint32(g))
		weights = append(weights, getInt(row))
	}
	r.giving, r.ids = rows, ids
	if len(rows) > 0 {
		c := r.loan.New(r.out, len(rows))
		c.N, c.Weights = len(rows), weights
		r.find.appendKeys(r.group, ids, c.Cols)
		if !r.group.one {
			c.Hashes, c.HashedBy = r.loan.Hashes(len(ids)), r.keys
			r.find.hashesOf(ids, c.Hashes)
		}
		at := len(r.group.keys)
		for _, s := range r.states {
			s.AppendPartial(rows, c.Cols[at:])
			at += s.Columns()
		}
		emit(c)
	}
	if r.given += n; r.given == r.groups {
		r.reset()
	}
	return n
}

// reset forgets the groups.
func (r *Reduce) reset() {
	r.flush, r.groups, r.given, r.taken = false, 0, 0, 0
	r.find.reset()
	r.heap.reset()
	if extra := len(r.slabs) - keptSlabs; extra > 0 {
		r.env.Account.Release(int64(extra * slabGroups * r.stride))
		clear(r.slabs[keptSlabs:])
		r.slabs = r.slabs[:keptSlabs]
	}
}

func isZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	return true
}

// arena is a Heap for one batch.
type arena struct{ buf []byte }

// Put keeps b under a handle: its offset + 1, and its length.
func (a *arena) Put(b []byte) (uint64, error) {
	at := len(a.buf)
	a.buf = append(a.buf, b...)
	return uint64(at+1)<<32 | uint64(len(b)), nil
}

// Get returns what Put kept.
func (a *arena) Get(h uint64) []byte {
	at := int(h>>32) - 1
	return a.buf[at : at+int(h&0xFFFFFFFF)]
}

// Drop does nothing; reset forgets all.
func (a *arena) Drop(uint64) {}

func (a *arena) reset() {
	if cap(a.buf) > 1<<20 {
		a.buf = nil
	}
	a.buf = a.buf[:0]
}
