// Package batch holds the chunk: a piece of a changelog in columns.
package batch

import (
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// TargetRows is how many rows an operator aims to put into a chunk it makes.
const TargetRows = 4096

// Chunk is a piece of a changelog: N rows in columns, each with a weight (a
// Z-set: +1 inserts a row, −1 takes one back, ±n does so n times). The order of
// rows within a batch means nothing.
//
// A chunk that was handed on is immutable and may be shared.
type Chunk struct {
	Cols    []*vector.Vector
	N       int     // rows; a chunk may have no columns
	Weights []int64 // nil: all +1

	// Hashes, if not nil, are those of the columns HashedBy (state.HashColumns): who
	// hashes keys of text on their way into a shuffle says them to who comes after it.
	Hashes   []uint64
	HashedBy []int
}

// Weight returns the weight of row i.
func (c *Chunk) Weight(i int) int64 {
	if c.Weights == nil {
		return 1
	}
	return c.Weights[i]
}

// New makes an empty chunk for rows of the types ts, with room for n.
func New(ts []types.Type, n int) *Chunk {
	c := &Chunk{Cols: make([]*vector.Vector, len(ts))}
	for i, t := range ts {
		c.Cols[i] = vector.New(t, n)
	}
	return c
}

// Types are the types of the columns.
func (c *Chunk) Types() []types.Type {
	ts := make([]types.Type, len(c.Cols))
	for i, v := range c.Cols {
		ts[i] = v.Type
	}
	return ts
}

// AppendFrom appends row i of src with weight w. Weights stay nil while all are +1.
func (c *Chunk) AppendFrom(src *Chunk, i int, w int64) {
	for k, v := range c.Cols {
		v.AppendFrom(src.Cols[k], i)
	}
	c.PushWeight(w)
}

// PushWeight finishes a row whose values were appended to Cols.
func (c *Chunk) PushWeight(w int64) {
	if c.Weights == nil && w != 1 {
		c.Weights = make([]int64, c.N, max(cap(c.Weights), c.N+1, 64))
		for k := range c.Weights {
			c.Weights[k] = 1
		}
	}
	if c.Weights != nil {
		c.Weights = append(c.Weights, w)
	}
	c.N++
}

// Gather returns the rows at the positions sel.
func (c *Chunk) Gather(sel []int32) *Chunk {
	out := &Chunk{Cols: make([]*vector.Vector, len(c.Cols)), N: len(sel)}
	for k, v := range c.Cols {
		out.Cols[k] = v.Gather(sel)
	}
	if c.Weights != nil {
		out.Weights = make([]int64, len(sel))
		for k, i := range sel {
			out.Weights[k] = c.Weights[i]
		}
	}
	return out
}

// Slice returns the rows from lo to hi (exclusive), sharing memory.
func (c *Chunk) Slice(lo, hi int) *Chunk {
	out := &Chunk{Cols: make([]*vector.Vector, len(c.Cols)), N: hi - lo}
	for k, v := range c.Cols {
		out.Cols[k] = v.Slice(lo, hi)
	}
	if c.Weights != nil {
		out.Weights = c.Weights[lo:hi]
	}
	return out
}
