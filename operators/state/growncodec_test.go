package state

import (
	"bytes"
	"math/rand"
	"testing"

	"streamsql/sql/vector"
)

// TestGrownCodecs: whatever columns are added one statement after the other, rows that
// were written before are what they would be written as now, and everything comes back.
func TestGrownCodecs(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		cols := randomColumns(rng, 12)
		first := 1 + rng.Intn(len(cols)-1)
		codec := NewCodec(codecTypes[:first])
		var before [][]byte // by codecs that knew less
		for lo := first; ; {
			for i := range 12 {
				before = append(before, codec.Append(nil, cols, i))
			}
			if lo == len(cols) {
				break
			}
			hi := lo + 1 + rng.Intn(len(cols)-lo)
			initial := randomColumns(rng, 1)[lo:hi]
			for k := lo; k < hi; k++ { // some rows have it anyway
				for range rng.Intn(3) {
					cols[k] = withValue(cols[k], rng.Intn(12), initial[k-lo])
				}
			}
			codec = codec.Grow(initial)
			lo = hi
		}
		back := randomColumns(rng, 0)
		codec.Decode(before, back)
		for i, row := range before {
			if !bytes.Equal(row, codec.Append(nil, back, i)) {
				t.Fatalf("row %d is written in another way than before", i)
			}
		}
		for i := range 12 {
			now := len(before) - 12 + i
			for k := range cols {
				if cols[k].IsNull(i) != back[k].IsNull(now) || compare(pairOf(cols[k], i, back[k], now), 0, 1, false) != 0 {
					t.Fatalf("column %d of row %d came back different", k, i)
				}
			}
			for j := range 12 {
				if allEqual(cols, i, j, false) != bytes.Equal(before[now], before[len(before)-12+j]) {
					t.Fatal("rows are equal, their encodings not, or the other way round")
				}
			}
		}
	}
}

// withValue is v with another value in one place.
func withValue(v *vector.Vector, at int, value *vector.Vector) *vector.Vector {
	out := vector.New(v.Type, v.N)
	for i := range v.N {
		if i == at {
			out.AppendFrom(value, 0)
		} else {
			out.AppendFrom(v, i)
		}
	}
	return out
}
