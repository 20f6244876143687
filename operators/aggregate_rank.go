package operators

import (
	"encoding/binary"
	"math"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/vector"
)

// rankAggregate is a percentile. Its state:
//
//	0   the Ref of the value's row in the multiset, 8; 0: there is none
//	8   the Ref of the next greater value's that it lies before, 8
//	16  how far on it lies between both, 0 to 1, 8
type rankAggregate struct{ keptValues }

func newRankAggregate(c agg.Call, cols []int, at int, a *account.Account) *rankAggregate {
	return &rankAggregate{newKeptValues(c, cols, at, a, counted)}
}

func (k *rankAggregate) size() int { return 24 }

func (k *rankAggregate) refresh(group state.Ref, row []byte, _ func(uint16, string)) error {
	b := row[k.at : k.at+24]
	n := k.kept.ranks.total(group)
	if n <= 0 {
		clear(b)
		return nil
	}
	at, between := k.place(n)
	low := k.kept.ranks.at(group, at)
	high := low
	if between > 0 {
		high = k.kept.ranks.at(group, at+1)
	}
	binary.LittleEndian.PutUint64(b, uint64(low))
	binary.LittleEndian.PutUint64(b[8:], uint64(high))
	binary.LittleEndian.PutUint64(b[16:], math.Float64bits(between))
	return nil
}

// place is the rank, from 0, of the value in a group of n > 0, and how far on
// towards the next one the result lies.
func (k *rankAggregate) place(n int64) (at int64, between float64) {
	last, p := float64(n-1), k.call.Fraction
	switch k.call.Fn {
	case "median", "percentile_cont":
		x := p * last
		if k.call.Reverse {
			x = last - x
		}
		x = min(max(x, 0), last)
		return int64(x), x - math.Floor(x)
	}
	// The first value that at least the fraction of all are not greater than. A
	// product that misses a whole number by rounding alone is meant to be it.
	x := p * float64(n)
	if r := math.Round(x); math.Abs(x-r) <= 1e-12*r {
		x = r
	}
	at = min(max(int64(math.Ceil(x))-1, 0), n-1)
	if k.call.Reverse {
		at = n - 1 - at
	}
	return at, 0
}

func (k *rankAggregate) results(_ agg.Heap, values rows) results {
	return &rankResults{rankAggregate: k, values: values, scratch: vector.New(k.types[0], 2)}
}

type rankResults struct {
	*rankAggregate
	values  rows
	scratch *vector.Vector
}

// AppendResult appends the values at the ranks, or what lies between two.
func (k *rankResults) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, row := range rows {
		b := row[k.at : k.at+24]
		low := state.Ref(binary.LittleEndian.Uint64(b))
		if low == 0 {
			out.AppendNull()
			continue
		}
		between := math.Float64frombits(binary.LittleEndian.Uint64(b[16:]))
		if between == 0 {
			state.DecodeOrdered(k.skip(k.values.Get(low)[multisetValue:]), out)
			continue
		}
		high := state.Ref(binary.LittleEndian.Uint64(b[8:]))
		k.scratch.Reset()
		state.DecodeOrdered(k.values.Get(low)[multisetValue:], k.scratch)
		state.DecodeOrdered(k.values.Get(high)[multisetValue:], k.scratch)
		out.AppendFloat(k.scratch.F[0]*(1-between) + k.scratch.F[1]*between)
	}
}
