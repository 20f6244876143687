package topic

import (
	"strings"
	"testing"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// TestConstantColumns: what compresses to next to nothing can be read again.
func TestConstantColumns(t *testing.T) {
	const rows = 4 << 20
	ints := batch.New([]types.Type{types.MakeBigInt()}, rows)
	for range rows {
		ints.Cols[0].AppendInt(1)
	}
	ints.N = rows
	text := batch.New([]types.Type{types.MakeVarChar(1)}, 1)
	text.Cols[0].AppendBytes([]byte(strings.Repeat("a", 200<<20)))
	text.N = 1
	for _, c := range []*batch.Chunk{ints, text} {
		data := EncodeBlock(nil, 1, 0, 0, c)
		b, _, err := DecodeBlock(data)
		if err != nil {
			t.Fatalf("%d rows in %d bytes: %v", c.N, len(data), err)
		}
		got, err := b.Chunk(nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.N != c.N || string(got.Cols[0].Buf) != string(c.Cols[0].Buf) || len(got.Cols[0].I) != len(c.Cols[0].I) {
			t.Errorf("%d rows come back as %d", c.N, got.N)
		}
	}
}
