package vector

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
)

// Spare vectors: memory of columns that its owner has given back, for whoever makes
// the next ones. It is the process's, so that who is idle holds none of it, and the
// collector takes what nobody has used for a while.
//
// A vector has one owner: whoever took it, until it hands the vector over. Only the owner may
// give it back, once, when nobody reads it or a slice of it any more. Giving is never
// a duty: what is not given back is the collector's.

// A vector with room for n values, 1<<k < n <= 1<<(k+1), comes from spares[class][k+1].
// Smaller ones have room for 1<<minSpare, larger than 1<<maxSpare are not kept.
const (
	minSpare = 6
	maxSpare = 14
	// maxSpareText is the largest text memory that is kept, in bytes.
	maxSpareText = 4 << 20
)

var spares [spareKinds][maxSpare + 1]sync.Pool

// spareKinds are the kinds of memory that vectors have.
const (
	spareInts = iota
	spareFloats
	spareText
	spareKinds
)

func spareKind(t types.Type) int {
	switch t.Class() {
	case types.ClassFloat:
		return spareFloats
	case types.ClassBytes:
		return spareText
	}
	return spareInts
}

// Take makes an empty vector with room for n values, as New does, maybe of memory
// that was given back. Its values' memory holds anything.
func Take(t types.Type, n int) *Vector {
	k := spareSize(n)
	if k > maxSpare {
		return New(t, n)
	}
	v, ok := spares[spareKind(t)][k].Get().(*Vector)
	if !ok {
		return New(t, 1<<k)
	}
	v.Type, v.N = t, 0
	if v.Off != nil {
		v.Off = append(v.Off, 0)
	}
	return v
}

// spareSize is the k with room for n values.
func spareSize(n int) int { return max(bits.Len(uint(max(n, 1)-1)), minSpare) }

// gone is the N of a vector that was given back: whoever counts on its rows fails.
const gone = -1

// Give gives a vector back, and all memory of its values: nobody else may hold them,
// nor v itself. To give what was given already is a fault of the program.
func Give(v *Vector) {
	if v.N == gone {
		panic("a vector was given back twice")
	}
	if poison.Load() {
		v.condemn()
		return
	}
	kind, room := -1, 0
	switch {
	case cap(v.Off) > 0:
		kind, room = spareText, cap(v.Off)-1
	case cap(v.F) > 0:
		kind, room = spareFloats, cap(v.F)
	case cap(v.I) > 0:
		kind, room = spareInts, cap(v.I)
	}
	k := bits.Len(uint(room)) - 1 // room for 1<<k at least
	*v = Vector{N: gone, I: v.I[:0], F: v.F[:0], Off: v.Off[:0], Buf: v.Buf[:0]}
	if kind >= 0 && k >= minSpare && k <= maxSpare && cap(v.Buf) <= maxSpareText {
		spares[kind][k].Put(v)
	}
}

// TakeInts is memory for n numbers that hold anything.
func TakeInts(n int) *Vector {
	v := Take(types.MakeBigInt(), n)
	v.I, v.N = v.I[:n], n
	return v
}

// poison: what is given back is spoiled, and never used again.
var poison atomic.Bool

// PoisonSpares makes Give spoil what it is given, instead of keeping it for others: whoever
// still holds it finds nonsense, or nothing, however late it looks. It is for tests.
func PoisonSpares(yes bool) { poison.Store(yes) }

// SparesPoisoned reports it.
func SparesPoisoned() bool { return poison.Load() }

// What spoiled memory is filled with.
const (
	spoiledInt    = 0x5A5A5A5A5A5A
	spoiledOffset = 0x5A5A5A5A // beyond any text
)

// condemn spoils a vector for good. Its memory may not have been another's that was given back.
func (v *Vector) condemn() {
	if spoiled(v.I, spoiledInt) || spoiled(v.Off, spoiledOffset) {
		panic("the memory of a vector was given back twice")
	}
	Spoil(v)
	*v = Vector{N: gone}
}

// spoiled reports that memory of some size was given back already.
func spoiled[T comparable](mem []T, with T) bool {
	mem = mem[:cap(mem)]
	return len(mem) >= 1<<minSpare && !slices.ContainsFunc(mem, func(x T) bool { return x != with })
}

// Spoil fills the memory of a vector's values with nonsense.
func Spoil(v *Vector) {
	fill(v.I[:cap(v.I)], spoiledInt)
	fill(v.F[:cap(v.F)], -5.25e77)
	fill(v.W, decimal.FromInt64(spoiledOffset))
	fill(v.Off[:cap(v.Off)], spoiledOffset)
	fill(v.Buf[:cap(v.Buf)], '?')
	for i := range v.Valid {
		v.Valid[i] = ^v.Valid[i]
	}
}

// fill sets all elements, by copies that double.
func fill[T any](list []T, x T) {
	if len(list) == 0 {
		return
	}
	list[0] = x
	for n := 1; n < len(list); n *= 2 {
		copy(list[n:], list[:n])
	}
}
