package batch

import (
	"sync"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Loan is memory for chunks that are soon done with: what is made of it is good
// until End. A nil Loan lends for ever: its memory is the collector's.
//
// A loan owns what was made of it: nobody else gives that back (vector.Give), or puts it
// into another loan. It has one owner itself, who alone ends it: the fragment whose operator
// emits of it, the task that a message brought it, or whoever uses it as scratch. Who is
// handed a chunk owns nothing: it may read it, hand it on, and slice it while it works on
// it, and copies what it keeps.
//
// It belongs to one goroutine at a time; the vectors made of it may be read by all.
type Loan struct {
	borrowed bool             // it is to be returned
	vectors  []*vector.Vector // whose memory is lent
	heads    []*vector.Vector // of slices: their values are another's
	free     []*vector.Vector // heads to use again
	chunks   []*Chunk
	spare    []*Chunk // chunks to use again
	hashes   [][]uint64
	old      [][]uint64 // hashes to use again
}

// loans are those that Return was called of.
var loans = sync.Pool{New: func() any { return &Loan{} }}

// Borrow begins a loan that whoever is done with it last is to Return.
func Borrow() *Loan {
	l := loans.Get().(*Loan)
	l.borrowed = true
	return l
}

// Return is the End of a loan that was borrowed, and of its own.
func (l *Loan) Return() {
	if !l.borrowed {
		panic("a loan was returned that nobody had borrowed")
	}
	l.End()
	l.borrowed = false
	loans.Put(l)
}

// End gives everything back. Nobody may hold anything of it any more.
func (l *Loan) End() {
	for i, v := range l.vectors {
		vector.Give(v)
		l.vectors[i] = nil
	}
	if vector.SparesPoisoned() {
		l.condemn()
		return
	}
	for _, v := range l.heads {
		*v = vector.Vector{}
	}
	for _, c := range l.chunks {
		clear(c.Cols)
		*c = Chunk{Cols: c.Cols[:0]}
	}
	l.vectors, l.free, l.heads = l.vectors[:0], append(l.free, l.heads...), l.heads[:0]
	l.spare, l.chunks = append(l.spare, l.chunks...), l.chunks[:0]
	l.old, l.hashes = append(l.old, l.hashes...), l.hashes[:0]
}

// condemn leaves nothing of what was lent to be used again, so that whoever still holds
// a chunk finds no rows in it, however late it looks.
func (l *Loan) condemn() {
	for _, v := range l.heads {
		*v = vector.Vector{}
	}
	for _, c := range l.chunks {
		clear(c.Cols)
		*c = Chunk{}
	}
	for _, h := range l.hashes {
		clear(h)
	}
	*l = Loan{borrowed: l.borrowed, vectors: l.vectors[:0]}
}

// Vector makes an empty vector with room for n values.
func (l *Loan) Vector(t types.Type, n int) *vector.Vector {
	if l == nil {
		return vector.New(t, n)
	}
	v := vector.Take(t, n)
	l.vectors = append(l.vectors, v)
	return v
}

// Own makes v, which nobody else holds, part of the loan.
func (l *Loan) Own(v *vector.Vector) {
	if l != nil {
		l.vectors = append(l.vectors, v)
	}
}

// Vectors makes an empty vector with room for n values of each of the types.
func (l *Loan) Vectors(ts []types.Type, n int) []*vector.Vector { return l.New(ts, n).Cols }

// New makes an empty chunk for rows of the types ts, with room for n.
func (l *Loan) New(ts []types.Type, n int) *Chunk {
	c := l.Chunk(len(ts), 0)
	for i, t := range ts {
		c.Cols[i] = l.Vector(t, n)
	}
	return c
}

// Chunk makes a chunk of n rows whose columns are still to be set.
func (l *Loan) Chunk(columns, n int) *Chunk {
	if l == nil {
		return &Chunk{Cols: make([]*vector.Vector, columns), N: n}
	}
	var c *Chunk
	if k := len(l.spare) - 1; k >= 0 {
		c, l.spare = l.spare[k], l.spare[:k]
	} else {
		c = &Chunk{}
	}
	if cap(c.Cols) < columns {
		c.Cols = make([]*vector.Vector, columns)
	}
	c.Cols, c.N = c.Cols[:columns], n
	l.chunks = append(l.chunks, c)
	return c
}

// Ints is memory for n numbers, such as weights, which hold anything.
func (l *Loan) Ints(n int) []int64 {
	if l == nil {
		return make([]int64, n)
	}
	v := vector.TakeInts(n)
	l.vectors = append(l.vectors, v)
	return v.I
}

// Hashes is memory for n hashes, which hold anything.
func (l *Loan) Hashes(n int) []uint64 {
	if l == nil {
		return make([]uint64, n)
	}
	var h []uint64
	if k := len(l.old) - 1; k >= 0 {
		h, l.old = l.old[k], l.old[:k]
	}
	if cap(h) < n {
		h = make([]uint64, n, max(n, 64))
	}
	h = h[:n]
	l.hashes = append(l.hashes, h)
	return h
}

// GatherVector returns the values of v at the positions sel, in that order.
func (l *Loan) GatherVector(v *vector.Vector, sel []int32) *vector.Vector {
	if l == nil || v.W != nil {
		return v.Gather(sel)
	}
	out := l.Vector(v.Type, len(sel))
	v.GatherTo(out, sel)
	return out
}

// SliceVector is the values of v from lo to hi (exclusive), sharing their memory.
func (l *Loan) SliceVector(v *vector.Vector, lo, hi int) *vector.Vector {
	if l == nil {
		return v.Slice(lo, hi)
	}
	var out *vector.Vector
	if k := len(l.free) - 1; k >= 0 {
		out, l.free = l.free[k], l.free[:k]
	} else {
		out = &vector.Vector{}
	}
	l.heads = append(l.heads, out)
	v.SliceTo(out, lo, hi)
	return out
}

// Gather returns the rows of c at the positions sel.
func (l *Loan) Gather(c *Chunk, sel []int32) *Chunk {
	out := l.Chunk(len(c.Cols), len(sel))
	for k, v := range c.Cols {
		out.Cols[k] = l.GatherVector(v, sel)
	}
	out.Weights = l.gatherWeights(c, sel)
	return out
}

func (l *Loan) gatherWeights(c *Chunk, sel []int32) []int64 {
	if c.Weights == nil {
		return nil
	}
	w := l.Ints(len(sel))
	for k, i := range sel {
		w[k] = c.Weights[i]
	}
	return w
}

// GatherColumns is Gather of the columns that are wanted; the others are nil.
func (l *Loan) GatherColumns(c *Chunk, sel []int32, want []bool) *Chunk {
	out := l.Chunk(len(c.Cols), len(sel))
	for k, v := range c.Cols {
		if want[k] {
			out.Cols[k] = l.GatherVector(v, sel)
		}
	}
	out.Weights = l.gatherWeights(c, sel)
	return out
}

// Slice returns the rows of c from lo to hi (exclusive), sharing memory.
func (l *Loan) Slice(c *Chunk, lo, hi int) *Chunk {
	out := l.Chunk(len(c.Cols), hi-lo)
	for k, v := range c.Cols {
		out.Cols[k] = l.SliceVector(v, lo, hi)
	}
	if c.Weights != nil {
		out.Weights = c.Weights[lo:hi]
	}
	return out
}

// Copy is c in memory of the loan.
func (l *Loan) Copy(c *Chunk) *Chunk {
	out := l.Chunk(len(c.Cols), c.N)
	for k, v := range c.Cols {
		out.Cols[k] = l.copyVector(v)
	}
	if c.Weights != nil {
		out.Weights = append(l.Ints(c.N)[:0], c.Weights...)
	}
	if c.Hashes != nil {
		out.Hashes, out.HashedBy = append(l.Hashes(c.N)[:0], c.Hashes...), c.HashedBy
	}
	return out
}

func (l *Loan) copyVector(v *vector.Vector) *vector.Vector {
	if l == nil || v.W != nil {
		all := make([]int32, v.N)
		for i := range all {
			all[i] = int32(i)
		}
		return v.Gather(all)
	}
	out := l.Vector(v.Type, v.N)
	v.CopyTo(out)
	return out
}
