package operators

import (
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// SetOpKind tells set operations apart.
type SetOpKind uint8

// The set operations.
const (
	Intersect SetOpKind = iota // rows that all inputs have
	Except                     // rows of the first input that no other has
)

// SetOpSpec compares whole rows of any number of inputs, NULL being equal to
// NULL. Output: the inputs' columns.
type SetOpSpec struct {
	Kind SetOpKind
	// All keeps duplicates: INTERSECT ALL gives a row as often as the input has it
	// that has it least, EXCEPT ALL as often as the first one has it more than the
	// others together. Without, a row is there once.
	All    bool
	Input  []types.Type
	Inputs int
}

// weight is how often a row is in the result, given how often each input has it.
func (s *SetOpSpec) weight(counts []int64) int64 {
	n := counts[0]
	for _, c := range counts[1:] {
		switch {
		case s.Kind == Intersect:
			n = min(n, c)
		case s.All:
			n -= c
		case c > 0:
			n = 0
		}
	}
	if s.All {
		return max(n, 0)
	}
	return min(max(n, 0), 1)
}

// SetOp is INTERSECT or EXCEPT: a Merge by all columns that counts each row per
// input. At the end of a batch it gives, for each row that the batch touched,
// by how much its number in the result has changed.
//
// A row in the store:
//
//	0   id + 1 of the last batch that touched it, 8
//	8   how often each input has it, 8 each
//	…   the encoded row
type SetOp struct {
	inbox
	spec   SetOpSpec
	env    Env
	batch  *Batch
	index  *index
	dirty  []dirtySetRow
	given  int // dirty rows that are done
	counts []int64
}

// dirtySetRow is a row that the batch touched, and how often it was in the result.
type dirtySetRow struct {
	ref    state.Ref
	hash   uint64
	before int64
}

// NewSetOp makes a SetOp.
func NewSetOp(spec SetOpSpec, env Env) (*SetOp, error) {
	group := newGrouping(spec.Input, positions(len(spec.Input)))
	if err := checkGivenKeys(pickTypes(spec.Input, group.keys)); err != nil {
		return nil, err
	}
	return &SetOp{
		spec: spec, env: env, counts: make([]int64, spec.Inputs),
		index: newIndex(group, 8+8*spec.Inputs, env.Account),
	}, nil
}

// String names the operator as EXPLAIN does.
func (s *SetOp) String() string { return "SetOp" }

// Begin opens a batch.
func (s *SetOp) Begin(b *Batch) {
	s.batch = b
	s.begin(s.spec.Inputs)
}

// Push queues a chunk.
func (s *SetOp) Push(in int, c *batch.Chunk) { s.push(in, c) }

// CloseInput notes the end of an input.
func (s *SetOp) CloseInput(int) { s.close() }

// States are the rows.
func (s *SetOp) States() []*state.Store { return []*state.Store{s.index.store} }

// Rebuild derives the index from the store.
func (s *SetOp) Rebuild() error {
	s.index.rebuild()
	return nil
}

// Step counts rows, and with all inputs closed gives out what changed.
func (s *SetOp) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for s.head < len(s.queue) {
		if budget <= 0 {
			return More, nil
		}
		n, err := s.take(min(budget, blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	if !s.closed() {
		return Done, nil
	}
	for s.given < len(s.dirty) {
		if budget <= 0 {
			return More, nil
		}
		n := min(budget, blockRows, len(s.dirty)-s.given)
		if err := s.giveOut(n, emit); err != nil {
			return Done, err
		}
		budget -= n
	}
	if s.dirty, s.given = s.dirty[:0], 0; cap(s.dirty) > 1<<16 {
		s.dirty = nil
	}
	return Done, nil
}

// take counts at most n rows of the first chunk.
func (s *SetOp) take(n int) (int, error) {
	in, c, lo := s.first()
	if lo == 0 {
		s.index.open(c.Cols, c.N)
	}
	n = min(n, c.N-lo)
	mark := int64(s.batch.ID + 1)
	for i := lo; i < lo+n; i++ {
		ref := s.index.find(i)
		if ref == 0 {
			var err error
			if ref, err = s.index.add(i); err != nil {
				return 0, err
			}
		}
		row := s.index.store.MutableSlot(ref)
		if getInt(row) != mark {
			putInt(row, mark)
			s.dirty = append(s.dirty, dirtySetRow{ref, s.index.hashes[i], s.weightOf(row)})
		}
		count := row[8+8*in:]
		putInt(count, getInt(count)+weightAt(c.Weights, i))
	}
	s.done(n)
	return n, nil
}

// weightOf is how often a stored row is in the result.
func (s *SetOp) weightOf(row []byte) int64 {
	for in := range s.counts {
		s.counts[in] = getInt(row[8+8*in:])
	}
	return s.spec.weight(s.counts)
}

// giveOut emits the changes of the next n dirty rows, and forgets those that no
// input has any more.
func (s *SetOp) giveOut(n int, emit func(*batch.Chunk)) error {
	var keys [][]byte
	var weights []int64
	block := s.dirty[s.given : s.given+n]
	for _, d := range block {
		row := s.index.store.Slot(d.ref)
		now := s.weightOf(row)
		for in, c := range s.counts {
			if c < 0 {
				return fmt.Errorf("%s: a row is %d times in input %d: a retraction of what was never inserted", s.env.Node, c, in)
			}
		}
		if now != d.before {
			keys = append(keys, row[s.index.keyAt:])
			weights = append(weights, now-d.before)
		}
	}
	if len(keys) > 0 {
		c := &batch.Chunk{Cols: newVectors(s.spec.Input, len(keys)), Weights: weights, N: len(keys)}
		s.index.codec.Decode(keys, c.Cols)
		emit(c)
	}
	for _, d := range block {
		if s.gone(d.ref) {
			s.index.remove(d.hash, d.ref)
		}
	}
	s.given += n
	return nil
}

// gone reports that no input has the row.
func (s *SetOp) gone(r state.Ref) bool {
	row := s.index.store.Slot(r)
	for in := range s.counts {
		if getInt(row[8+8*in:]) != 0 {
			return false
		}
	}
	return true
}
