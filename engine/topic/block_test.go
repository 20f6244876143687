package topic

import (
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"streamsql/operators/batch"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// drawChunk makes a chunk with columns of every class, NULLs and weights.
func drawChunk(t *rapid.T, maxRows int) *batch.Chunk {
	kinds := []types.Type{
		types.MakeBigInt(), types.MakeBool(), types.MakeDouble(), types.MakeDecimal(12, 2), types.MakeDecimal(60, 10),
		types.MakeVarChar(20), types.MakeDateTime(3), {Kind: types.Enum, Enum: "a\x00bb\x00"}, {Kind: types.BigInt, Unsigned: true, NotNull: true},
		{Kind: types.Blob, Len: 1 << 16, Collation: types.BinaryCollation},
	}
	ts := rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 6).Draw(t, "types")
	n := rapid.IntRange(0, maxRows).Draw(t, "rows")
	c := batch.New(ts, n)
	nulls := rapid.Bool().Draw(t, "nulls")
	weighted := rapid.Bool().Draw(t, "weighted")
	wide := rapid.Bool().Draw(t, "wide")
	small := rapid.Int64Range(-3, 3)
	for i := range n {
		for k, v := range c.Cols {
			x := small.Draw(t, "x")
			switch {
			case nulls && x == 0 && !ts[k].NotNull:
				v.AppendNull()
			case ts[k].Class() == types.ClassFloat:
				v.AppendFloat(float64(x) / 3)
			case ts[k].Class() == types.ClassBytes:
				v.AppendString("some text of a row"[:x+3])
			case ts[k].Class() == types.ClassDecimal && wide:
				v.AppendWide(decimal.Wide{uint64(x), 7, uint64(i), 0})
			default:
				v.AppendInt(x * 1e9)
			}
		}
		w := int64(1)
		if weighted {
			w = small.Draw(t, "w")
		}
		c.PushWeight(w)
	}
	return c
}

// sameChunk compares contents: NULL slots hold nothing of meaning.
func sameChunk(t interface{ Fatalf(string, ...any) }, got, want *batch.Chunk) {
	if got.N != want.N || len(got.Cols) != len(want.Cols) {
		t.Fatalf("%d rows, %d columns; want %d, %d", got.N, len(got.Cols), want.N, len(want.Cols))
	}
	for i := range want.N {
		if got.Weight(i) != want.Weight(i) {
			t.Fatalf("weight of row %d is %d, want %d", i, got.Weight(i), want.Weight(i))
		}
		for k, w := range want.Cols {
			g := got.Cols[k]
			if g.Type != w.Type {
				t.Fatalf("column %d has type %+v, want %+v", k, g.Type, w.Type)
			}
			if g.IsNull(i) != w.IsNull(i) {
				t.Fatalf("row %d column %d: NULL is %v", i, k, g.IsNull(i))
			}
			if !w.IsNull(i) && !reflect.DeepEqual(value(g, i), value(w, i)) {
				t.Fatalf("row %d column %d is %v, want %v", i, k, value(g, i), value(w, i))
			}
		}
	}
}

func value(v *vector.Vector, i int) any {
	switch v.Type.Class() {
	case types.ClassFloat:
		return v.F[i]
	case types.ClassDecimal:
		return v.Wide(i)
	case types.ClassBytes:
		return string(v.Bytes(i))
	}
	return v.I[i]
}

func TestBlockRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawChunk(t, 300)
		if n := c.N; n > 4 && rapid.Bool().Draw(t, "slice") { // offsets that do not begin at 0
			c = c.Slice(1, n-1)
		}
		h := Header{Table: 7, Partition: 65535, Flags: FlagWatermark | FlagIdle, Seq: 9, Watermark: -5, IdleMark: 1 << 60, Epoch: 3}
		prefix := []byte("12345678")
		data := AppendBlock(prefix, NewBlock(h, c))[8:]
		b, n, err := DecodeBlock(append(data, 1, 2, 3))
		if err != nil || n != len(data) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
		if b.Header != h || b.Rows() != c.N || b.Columns() != len(c.Cols) {
			t.Fatalf("header %+v", b.Header)
		}
		got, err := b.Chunk(nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		sameChunk(t, got, c)
		if again := AppendBlock(nil, b); string(again) != string(data) {
			t.Fatalf("a block that was read is written differently")
		}
	})
}

func TestBlockColumnSubset(t *testing.T) {
	c := batch.New([]types.Type{types.MakeBigInt(), types.MakeVarChar(9), types.MakeDouble()}, 2)
	for i := range 2 {
		c.Cols[0].AppendInt(int64(i))
		c.Cols[1].AppendString("x")
		c.Cols[2].AppendFloat(1.5)
		c.PushWeight(-1)
	}
	b, _, err := DecodeBlock(EncodeBlock(nil, 1, 2, 3, c))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*Block{b, NewBlock(Header{}, c)} {
		got, err := b.Chunk([]int{2, 0})
		if err != nil {
			t.Fatal(err)
		}
		sameChunk(t, got, &batch.Chunk{Cols: []*vector.Vector{c.Cols[2], c.Cols[0]}, N: 2, Weights: c.Weights})
	}
}

// TestBlockFlippedBit turns every bit of a block: each must be noticed.
func TestBlockFlippedBit(t *testing.T) {
	c := batch.New([]types.Type{types.MakeBigInt(), types.MakeVarChar(9)}, 300)
	for i := range 300 {
		c.Cols[0].AppendInt(int64(i))
		c.Cols[1].AppendString("abc")
		c.PushWeight(1)
	}
	data := EncodeBlock(nil, 1, 2, 3, c)
	for i := range len(data) * 8 {
		data[i/8] ^= 1 << (i % 8)
		if _, _, err := DecodeBlock(data); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit %d flipped: %v", i, err)
		}
		data[i/8] ^= 1 << (i % 8)
	}
	for n := range len(data) {
		if _, _, err := DecodeBlock(data[:n]); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
}
