package state

import (
	"bytes"
	"math"
	"math/rand"
	"testing"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// A row comes out of its packing as it was.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	cols, c := randomColumns(rng, 2000), NewCodec(codecTypes)
	for i := range 2000 {
		row := c.Append(nil, cols, i)
		if got := c.Unpack([]byte("before"), c.Pack(nil, row))[6:]; !bytes.Equal(got, row) {
			t.Fatalf("row %d: %x, want %x", i, got, row)
		}
	}
	v := vector.New(types.MakeBigInt(), 4)
	for _, x := range []int64{math.MinInt64, math.MaxInt64, -1, 63} {
		v.AppendInt(x)
	}
	c = NewCodec([]types.Type{types.MakeBigInt()})
	for i, want := range []int{11, 11, 2, 2} {
		row := c.Append(nil, []*vector.Vector{v}, i)
		if packed := c.Pack(nil, row); len(packed) != want || !bytes.Equal(c.Unpack(nil, packed), row) {
			t.Errorf("%d: %d bytes, want %d", v.I[i], len(packed), want)
		}
	}
}
