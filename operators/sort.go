package operators

import (
	"bytes"
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Sort orders the rows of one batch. Equal rows meet in the merge of the sorted
// runs: there their weights add up, and what was taken back is gone before LIMIT
// counts. Where nothing is taken back, a small LIMIT keeps only as many rows as
// it gives: the others are dropped as they come.
type Sort struct {
	inbox
	spec  SortSpec
	env   Env
	codec *state.Codec
	rows  sortedRuns
	last  []byte // a row with a greater key is none of the first; nil: not known

	skip int64 // rows of OFFSET still to leave out
	left int64 // rows of LIMIT still to give, −1: all
}

// maxHeld is the largest LIMIT + OFFSET for which only the first rows are held.
const maxHeld = 2 * batch.TargetRows

// NewSort makes a Sort.
func NewSort(spec SortSpec, env Env) (*Sort, error) {
	return &Sort{spec: spec, env: env, codec: state.NewCodec(spec.Input), rows: sortedRuns{account: env.Account}}, nil
}

// String names the operator as EXPLAIN does.
func (s *Sort) String() string { return "Sort" }

// Types are the types of the columns.
func (s *Sort) Types() []types.Type { return s.spec.Input }

// Begin opens the batch.
func (s *Sort) Begin(*Batch) {
	s.begin(1)
	s.skip, s.left, s.last = s.spec.Offset, s.spec.Limit, nil
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
	for !s.rows.empty() && s.left != 0 {
		if budget <= 0 {
			return More, nil
		}
		n, err := s.give(min(budget, batch.TargetRows), emit)
		if err != nil {
			return Done, err
		}
		budget -= n
	}
	s.rows.reset()
	return Done, nil
}

// take makes a run of the rows lo to hi of c.
func (s *Sort) take(c *batch.Chunk, lo, hi int) error {
	m := s.rows.begin()
	for i := lo; i < hi; i++ {
		at := len(m.buf)
		for _, k := range s.spec.Keys {
			m.buf = state.AppendOrderedKey(m.buf, c.Cols[k.Col], i, k.Desc)
		}
		for _, v := range c.Cols {
			m.buf = state.AppendOrdered(m.buf, v, i, false)
		}
		if s.last != nil && bytes.Compare(m.buf[at:], s.last) > 0 {
			m.buf = m.buf[:at]
			continue
		}
		end := len(m.buf)
		m.buf = s.codec.Append(m.buf, c.Cols, i)
		m.push(end, c.Weight(i))
	}
	if err := s.rows.finish(); err != nil {
		return err
	}
	limit := s.spec.Limit + s.spec.Offset
	if !s.spec.AppendOnly || s.spec.Limit < 0 || limit > maxHeld || s.rows.rows() < 2*int(limit)+batch.TargetRows {
		return nil
	}
	var err error
	s.last, err = s.rows.cut(limit)
	return err
}

// give merges about n rows, emits what is left of them, and returns how many it took in.
func (s *Sort) give(n int, emit func(*batch.Chunk)) (int, error) {
	var rows [][]byte
	var weights []int64
	took := 0
	for took < n && !s.rows.empty() && s.left != 0 {
		_, row, w, k := s.rows.next()
		took += k
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
