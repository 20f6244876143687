package operators

import (
	"bytes"
	"container/heap"
	"fmt"
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Sort orders the rows of one batch. Rows are sorted in runs as they come, and
// the runs merged as they are given out, so no Step is longer than its budget.
// Equal rows meet in the merge: there their weights add up, and what was taken
// back is gone before LIMIT counts.
type Sort struct {
	inbox
	spec  SortSpec
	env   Env
	codec *state.Codec
	runs  runHeap
	held  int64 // bytes reserved

	merging bool
	skip    int64 // rows of OFFSET still to leave out
	left    int64 // rows of LIMIT still to give, −1: all
}

// run is a sorted sequence of rows.
type run struct {
	key  [][]byte // orders the row: the sort keys, then all columns
	row  [][]byte
	w    []int64
	next int
}

// NewSort makes a Sort.
func NewSort(spec SortSpec, env Env) (*Sort, error) {
	return &Sort{spec: spec, env: env, codec: state.NewCodec(spec.Input)}, nil
}

// String names the operator as EXPLAIN does.
func (s *Sort) String() string { return "Sort" }

// Types are the types of the columns.
func (s *Sort) Types() []types.Type { return s.spec.Input }

// Begin opens the batch.
func (s *Sort) Begin(*Batch) {
	s.begin(1)
	s.merging, s.skip, s.left = false, s.spec.Offset, s.spec.Limit
}

// Push queues a chunk.
func (s *Sort) Push(_ int, c *batch.Chunk) { s.push(0, c) }

// CloseInput notes the end of the input.
func (s *Sort) CloseInput(int) { s.close() }

// Step sorts what came, and with the input closed gives the rows out in order.
func (s *Sort) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for s.head < len(s.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, at := s.first()
		n := min(budget, batch.TargetRows, c.N-at)
		if err := s.take(c, at, at+n); err != nil {
			return Done, err
		}
		s.done(n)
		budget -= n
	}
	if !s.closed() {
		return Done, nil
	}
	if !s.merging {
		s.merging = true
		heap.Init(&s.runs)
	}
	for len(s.runs) > 0 && s.left != 0 {
		if budget <= 0 {
			return More, nil
		}
		n, err := s.give(min(budget, batch.TargetRows), emit)
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	s.runs = nil
	s.env.Account.Release(s.held)
	s.held = 0
	return Done, nil
}

// take makes a run of the rows lo to hi of c.
func (s *Sort) take(c *batch.Chunk, lo, hi int) error {
	n := hi - lo
	order := make([]int32, n)
	keys, rows := make([][]byte, n), make([][]byte, n)
	var buf []byte
	ends := make([]int, 0, 2*n)
	for i := lo; i < hi; i++ {
		for _, k := range s.spec.Keys {
			buf = state.AppendOrderedKey(buf, c.Cols[k.Col], i, k.Desc)
		}
		for _, v := range c.Cols {
			buf = state.AppendOrdered(buf, v, i, false)
		}
		ends = append(ends, len(buf))
		buf = s.codec.Append(buf, c.Cols, i)
		ends = append(ends, len(buf))
	}
	size := int64(len(buf) + 60*n)
	if err := s.env.Account.Reserve(size); err != nil {
		return err
	}
	s.held += size
	at := 0
	for i := range n {
		order[i] = int32(i)
		keys[i], rows[i] = buf[at:ends[2*i]], buf[ends[2*i]:ends[2*i+1]]
		at = ends[2*i+1]
	}
	slices.SortFunc(order, func(a, b int32) int { return bytes.Compare(keys[a], keys[b]) })
	r := &run{key: make([][]byte, n), row: make([][]byte, n), w: make([]int64, n)}
	for i, o := range order {
		r.key[i], r.row[i], r.w[i] = keys[o], rows[o], c.Weight(lo+int(o))
	}
	s.runs = append(s.runs, r)
	return nil
}

// give merges about n rows, emits what is left of them, and returns how many it took in.
func (s *Sort) give(n int, emit func(*batch.Chunk)) (int, error) {
	var rows [][]byte
	var weights []int64
	took := 0
	for took < n && len(s.runs) > 0 && s.left != 0 {
		// One row, with all that are equal to it.
		first := s.runs[0]
		key, row, w := first.key[first.next], first.row[first.next], int64(0)
		for len(s.runs) > 0 {
			r := s.runs[0]
			if !bytes.Equal(r.key[r.next], key) {
				break
			}
			w += r.w[r.next]
			took++
			if r.next++; r.next == len(r.key) {
				heap.Pop(&s.runs)
			} else {
				heap.Fix(&s.runs, 0)
			}
		}
		if w < 0 {
			return 0, fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", s.env.Node, w)
		}
		skip := min(s.skip, w)
		s.skip -= skip
		if w -= skip; s.left >= 0 {
			w = min(w, s.left)
			s.left -= w
		}
		if w > 0 {
			rows, weights = append(rows, row), append(weights, w)
		}
	}
	if len(rows) > 0 {
		emit(decodeChunk(s.codec, rows, weights))
	}
	return took, nil
}

// runHeap has the run with the smallest next row first.
type runHeap []*run

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	return bytes.Compare(h[i].key[h[i].next], h[j].key[h[j].next]) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is heap.Interface's.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*run)) }

// Pop is heap.Interface's.
func (h *runHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	*h = old[:len(old)-1]
	return r
}
