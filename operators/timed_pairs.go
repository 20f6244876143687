package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// The outcomes of a left row.
const (
	joined  int64 = iota // with the right row beside it
	padded               // with NULLs beside it
	failed               // Residual could not be computed of it and the right row: padded, or if not Outer, left out
	dropped              // left out
)

// timedPairs collects the left rows of a block, each with the right row that
// time has picked, and settles what they are given.
type timedPairs struct {
	spec    *TimedSpec
	codec   *state.Codec // of right rows
	cond    *filter      // nil: no residual
	nulls   []byte       // a right row of NULLs
	rows    []int32      // of the left chunk
	bytes   [][]byte     // the right rows, encoded
	outcome []int64
}

func newTimedPairs(spec *TimedSpec, env Env) (*timedPairs, error) {
	p := &timedPairs{spec: spec, codec: state.NewCodec(spec.Right)}
	p.nulls = make([]byte, p.codec.Fixed())
	for k := range spec.Right {
		p.nulls[k>>3] |= 1 << (k & 7)
	}
	var err error
	if len(spec.Residual) > 0 {
		p.cond, err = newFilter(spec.Residual, env)
	}
	return p, err
}

func (p *timedPairs) begin(b *Batch) {
	if p.cond != nil {
		p.cond.begin(b)
	}
}

func (p *timedPairs) reset() { p.rows, p.bytes, p.outcome = p.rows[:0], p.bytes[:0], p.outcome[:0] }

// add pairs row i of the left chunk with an encoded right row; nil: there is none.
func (p *timedPairs) add(i int, right []byte) {
	outcome := joined
	if right == nil {
		right, outcome = p.nulls, padded
	}
	p.rows, p.bytes, p.outcome = append(p.rows, int32(i)), append(p.bytes, right), append(p.outcome, outcome)
}

// meet is add where the right row goes to settleWith; no: there is none.
func (p *timedPairs) meet(i int, some bool) {
	outcome := joined
	if !some {
		outcome = padded
	}
	p.rows, p.outcome = append(p.rows, int32(i)), append(p.outcome, outcome)
}

// settle tests the pairs of rows of the chunk left, notes their outcomes in kept
// (nil: nothing is kept) and emits them. The pairs are done with.
func (p *timedPairs) settle(left *batch.Chunk, kept *answers, emit func(*batch.Chunk)) error {
	if len(p.rows) == 0 {
		return nil
	}
	right := newVectors(p.spec.output()[len(p.spec.Left):], len(p.rows))
	p.codec.Decode(p.bytes, right)
	return p.settleWith(left, right, kept, emit)
}

// settleWith is settle where the right rows, NULLs where there is none, are given
// as columns, in the order of rows.
func (p *timedPairs) settleWith(left *batch.Chunk, right []*vector.Vector, kept *answers, emit func(*batch.Chunk)) error {
	out := left.Gather(p.rows)
	out.Cols = append(out.Cols, right...)
	p.test(out)
	out, outcome := p.spec.without(p.spec.blank(out, p.outcome, padded), p.outcome, dropped)
	if kept != nil {
		if err := kept.keep(out, outcome); err != nil {
			return err
		}
	}
	p.spec.give(out, outcome, emit)
	return nil
}

// test sets the outcomes of pairs by the residual.
func (p *timedPairs) test(pairs *batch.Chunk) {
	if p.cond == nil {
		return
	}
	missed := dropped
	if p.spec.Outer {
		missed = padded
	}
	var tested []int32
	for i, o := range p.outcome {
		if o == joined {
			tested = append(tested, int32(i))
			p.outcome[i] = missed
		}
	}
	if len(tested) < pairs.N {
		pairs = pairs.Gather(tested)
	}
	pass, fails := p.cond.test(pairs)
	for _, k := range pass {
		p.outcome[tested[k]] = joined
	}
	for k := range fails {
		p.outcome[tested[k]] = failed
	}
}

// give emits rows of the output as their outcomes say.
func (s *TimedSpec) give(rows *batch.Chunk, outcome []int64, emit func(*batch.Chunk)) {
	if s.Outer {
		rows = s.blank(rows, outcome, failed)
	} else {
		rows, _ = s.without(rows, outcome, failed)
	}
	if rows.N > 0 {
		emit(rows)
	}
}

// blank puts NULLs in the place of the right row of those with an outcome.
func (s *TimedSpec) blank(rows *batch.Chunk, outcome []int64, of int64) *batch.Chunk {
	if !slices.Contains(outcome, of) {
		return rows
	}
	cols := slices.Clone(rows.Cols)
	for k := len(s.Left); k < len(cols); k++ {
		v := vector.New(cols[k].Type, rows.N)
		for i, o := range outcome {
			if o == of {
				v.AppendNull()
			} else {
				v.AppendFrom(cols[k], i)
			}
		}
		cols[k] = v
	}
	return &batch.Chunk{Cols: cols, N: rows.N, Weights: rows.Weights}
}

// without leaves out those with an outcome.
func (s *TimedSpec) without(rows *batch.Chunk, outcome []int64, of int64) (*batch.Chunk, []int64) {
	if !slices.Contains(outcome, of) {
		return rows, outcome
	}
	var sel []int32
	var rest []int64
	for i, o := range outcome {
		if o != of {
			sel, rest = append(sel, int32(i)), append(rest, o)
		}
	}
	return rows.Gather(sel), rest
}
