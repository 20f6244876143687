package topic

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// FuzzDecodeBlock feeds the decoder bytes under a right CRC, so that it meets
// every lie that a directory can tell: it may refuse, never panic, and what it
// accepts must hold together. Run it with -fuzzminimizetime=1x: minimising takes
// all the time else.
func FuzzDecodeBlock(f *testing.F) {
	c := batch.New([]types.Type{types.MakeBigInt(), types.MakeVarChar(9), types.MakeDecimal(50, 3), {Kind: types.Enum, Enum: "a\x00"}}, 500)
	for i := range 500 {
		c.Cols[0].AppendInt(int64(i))
		c.Cols[1].AppendString("some text")
		c.Cols[2].AppendNull()
		c.Cols[3].AppendInt(1)
		c.PushWeight(int64(i%3 - 1))
	}
	f.Add(EncodeBlock(nil, 1, 2, 3, c))
	f.Add(EncodeBlock(nil, 1, 2, 3, c.Slice(2, 5)))
	f.Add(EncodeBlock(nil, 0, 0, 0, &batch.Chunk{N: 3}))
	f.Fuzz(func(t *testing.T, data []byte) {
		le := binary.LittleEndian
		if len(data) > headerSize+crcSize {
			le.PutUint32(data[56:], uint32(len(data)))
			end := len(data) - crcSize
			le.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
		}
		b, n, err := DecodeBlock(data)
		if err != nil {
			return
		}
		if n > len(data) || b.Rows() > maxBlockRows || b.Columns() > maxBlockColumns {
			t.Fatalf("%d rows, %d columns, %d of %d bytes", b.Rows(), b.Columns(), n, len(data))
		}
		for i := range b.Columns() {
			v, err := b.Column(i)
			if err != nil {
				continue
			}
			if v.N != b.Rows() || len(v.I)+len(v.F)+len(v.W)+max(0, len(v.Off)-1) != v.N {
				t.Fatalf("column %d does not have %d rows", i, v.N)
			}
			if v.Off != nil && int(v.Off[v.N]) != len(v.Buf) {
				t.Fatalf("column %d: offsets do not fit", i)
			}
			if v.Valid != nil && len(v.Valid) != (v.N+63)/64 {
				t.Fatalf("column %d: validity does not fit", i)
			}
		}
		if w, err := b.Weights(); err == nil && w != nil && len(w) != b.Rows() {
			t.Fatalf("%d weights", len(w))
		}
	})
}

// FuzzDecodeMessage does the same one layer up.
func FuzzDecodeMessage(f *testing.F) {
	r := &request{tx: Tx{ID: 1, Blocks: []*Block{blockOf(1, 2, 3)}}}
	r.data = pad8(AppendBlock(nil, r.tx.Blocks[0]), 0)
	f.Add(appendWhole(nil, 1, 2, 3, []*request{r, r}))
	f.Add(appendPart(nil, 1, 2, 3, r, 0, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > groupHeader+crcSize {
			binary.LittleEndian.PutUint64(data[8:], 1)
			end := len(data) - crcSize
			binary.LittleEndian.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
		}
		m, err := decodeMessage(1, data)
		if err != nil {
			return
		}
		var a assembler
		_, _ = a.add(m)
	})
}
