package bidgen

import (
	"math/bits"
	"strconv"

	"streamsql/operators/connector"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// generator makes the columns of one range. Every column draws its own numbers,
// so that a column is the same whichever others are read.
type generator struct {
	seed       uint64
	from       uint64
	keys       uint64
	partition  uint64
	partitions uint64
}

// draw is a random number for the row at from+i (the finaliser of SplitMix64).
func draw(seed, at uint64) uint64 {
	x := seed + at*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// below maps a random number to 0 … n−1.
func below(x, n uint64) uint64 {
	hi, _ := bits.Mul64(x, n)
	return hi
}

// The seeds of the columns, XORed to the partition's.
const (
	seedAuction = 0x1111111111111111 * (iota + 1)
	seedBidder
	seedPrice
	seedChannel
	seedURL
	seedExtra
)

func (g *generator) column(c connector.Column, n int) *vector.Vector {
	v := &vector.Vector{Type: c.Type, N: n}
	switch c.Name {
	case "auction":
		v.I = g.uniform(seedAuction, n)
	case "bidder":
		v.I = g.uniform(seedBidder, n)
	case "price":
		v.I = g.prices(n)
		if c.Type.Class() == types.ClassDecimal {
			scaleUp(v)
		}
	case "ts":
		v.I = make([]int64, n)
		for i := range v.I {
			v.I[i] = first + int64((g.from+uint64(i))*g.partitions+g.partition)*1000
		}
	case "channel":
		g.channels(v, n)
	case "url":
		g.texts(v, n, seedURL, "https://auction.example/item/")
	default:
		g.texts(v, n, seedExtra, "extra-")
	}
	return v
}

// uniform draws 1 … keys.
func (g *generator) uniform(column uint64, n int) []int64 {
	out := make([]int64, n)
	seed, keys := g.seed^column, g.keys
	for i := range out {
		out[i] = int64(below(draw(seed, g.from+uint64(i)), keys)) + 1
	}
	return out
}

// prices are in cents, from 100 up to some ten thousands, low ones far more often.
func (g *generator) prices(n int) []int64 {
	out := make([]int64, n)
	seed := g.seed ^ seedPrice
	for i := range out {
		x := draw(seed, g.from+uint64(i))
		out[i] = 100 + int64(x>>32)>>(20-x&7)
	}
	return out
}

// scaleUp turns prices in cents into decimals of the column's scale.
func scaleUp(v *vector.Vector) {
	switch s := v.Type.Scale; {
	case s > 2:
		f := decimal.NarrowPow10(min(s-2, 12))
		for i := range v.I {
			v.I[i] *= f
		}
	case s < 2:
		for i := range v.I {
			v.I[i] = decimal.RoundNarrow(v.I[i], 2-s)
		}
	}
}

func (g *generator) channels(v *vector.Vector, n int) {
	v.Off, v.Buf = make([]int32, 1, n+1), make([]byte, 0, 8*n)
	seed := g.seed ^ seedChannel
	for i := range n {
		v.Buf = append(v.Buf, channels[draw(seed, g.from+uint64(i))>>61]...)
		v.Off = append(v.Off, int32(len(v.Buf)))
	}
}

// texts are prefix and a number.
func (g *generator) texts(v *vector.Vector, n int, column uint64, prefix string) {
	v.Off, v.Buf = make([]int32, 1, n+1), make([]byte, 0, (len(prefix)+8)*n)
	seed := g.seed ^ column
	for i := range n {
		v.Buf = append(v.Buf, prefix...)
		v.Buf = strconv.AppendUint(v.Buf, draw(seed, g.from+uint64(i))>>40, 36)
		v.Off = append(v.Off, int32(len(v.Buf)))
	}
}
