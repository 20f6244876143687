package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// answers keeps what each live left row was given, so that its retraction takes
// back exactly that, whatever the right side has come to hold since. A row is the
// encoded left row, then the right columns; the outcome is its degree.
type answers struct {
	spec  *TimedSpec
	kept  *joinSide
	codec *state.Codec // of left rows
	cond  *filter
	bytes [][]byte
}

func newAnswers(spec *TimedSpec, cond *filter, env Env) *answers {
	key := types.Type{Kind: types.Blob}
	ts := append([]types.Type{key}, spec.output()[len(spec.Left):]...)
	return &answers{spec: spec, cond: cond, codec: state.NewCodec(spec.Left), kept: newJoinSide(ts, []int{0}, ts[:1], env)}
}

// encoded is the left columns of a chunk as one.
func (a *answers) encoded(c *batch.Chunk) *vector.Vector {
	v := vector.New(a.kept.codec.Types[0], c.N)
	for i := range c.N {
		v.Buf = a.codec.Append(v.Buf, c.Cols, i)
		v.Off = append(v.Off, int32(len(v.Buf)))
	}
	v.N = c.N
	return v
}

// keep counts rows of the output with their outcomes.
func (a *answers) keep(rows *batch.Chunk, outcome []int64) error {
	c := &batch.Chunk{Cols: append([]*vector.Vector{a.encoded(rows)}, rows.Cols[len(a.spec.Left):]...), N: rows.N, Weights: rows.Weights}
	a.kept.open(c)
	for i := range c.N {
		if err := a.kept.upsert(c, i, c.Weight(i), outcome[i]); err != nil {
			return err
		}
	}
	return nil
}

// take emits the retraction of what the left rows of c with a negative weight
// were given, and forgets it. Of equal left rows that were given different things
// the first one's goes first, then the newest's. It returns how many kept rows it met.
func (a *answers) take(c *batch.Chunk, emit func(*batch.Chunk)) (int, error) {
	var weights, outcome []int64
	var from []int32
	a.bytes = a.bytes[:0]
	a.kept.group.open([]*vector.Vector{a.encoded(c)}, c.N)
	for i := range c.N {
		left := -c.Weight(i)
		if left <= 0 {
			continue
		}
		for r := a.kept.head(a.kept.group, i); r != 0 && left > 0; r = nextOf(a.kept.store.Slot(r)) {
			row := a.kept.store.Slot(r)
			n := min(left, getInt(row))
			left -= n
			a.bytes = append(a.bytes, a.kept.row(row))
			from, weights, outcome = append(from, int32(i)), append(weights, -n), append(outcome, getInt(row[8:]))
		}
	}
	if len(from) == 0 {
		return 0, nil
	}
	decoded := newVectors(a.kept.codec.Types, len(from))
	a.kept.codec.Decode(a.bytes, decoded)
	rows := &batch.Chunk{N: len(from), Weights: weights}
	for _, v := range c.Cols {
		rows.Cols = append(rows.Cols, v.Gather(from))
	}
	rows.Cols = append(rows.Cols, decoded[1:]...)
	if err := a.keep(rows, outcome); err != nil {
		return 0, err
	}
	a.reportGone(rows, outcome)
	a.spec.give(rows, outcome, emit)
	return rows.N, nil
}

// reportGone takes the reports of failed rows back, by failing again.
func (a *answers) reportGone(rows *batch.Chunk, outcome []int64) {
	var again []int32
	for i, o := range outcome {
		if o == failed {
			again = append(again, int32(i))
		}
	}
	if len(again) > 0 {
		a.cond.sel(rows.Gather(again))
	}
}
