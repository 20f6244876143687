package agg

import (
	"encoding/binary"
	"math/bits"

	"streamsql/sql/vector"
)

// xorState is BIT_XOR, 8 bytes: a value taken back is a value once more.
type xorState struct{ at, col int }

func (s *xorState) Columns() int { return 1 }

func (s *xorState) Size() int { return 8 }

func (s *xorState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.col]
	for i, r := range rows {
		if !v.IsNull(lo+i) && weight(weights, lo+i)&1 != 0 {
			b := r[s.at : s.at+8]
			putInt(b, getInt(b)^v.I[lo+i])
		}
	}
	return nil
}

func (s *xorState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	for i, r := range rows {
		b := r[s.at : s.at+8]
		putInt(b, getInt(b)^getInt(in[s.col].Bytes(lo+i)))
	}
	return nil
}

func (s *xorState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendBytes(r[s.at : s.at+8])
	}
}

func (s *xorState) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, r := range rows {
		out.AppendInt(getInt(r[s.at:]))
	}
}

// bitsState is BIT_AND and BIT_OR: how many values there are, then for each of the
// 64 bits in how many it is set. So a value can be taken back.
type bitsState struct {
	at, col int
	and     bool
}

const bitsSize = 8 + 64*8

func (s *bitsState) Columns() int { return 1 }

func (s *bitsState) Size() int { return bitsSize }

func (s *bitsState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.col]
	for i, r := range rows {
		w := weight(weights, lo+i)
		if w == 0 || v.IsNull(lo+i) {
			continue
		}
		b := r[s.at : s.at+bitsSize]
		putInt(b, getInt(b)+w)
		for x := uint64(v.I[lo+i]); x != 0; x &= x - 1 {
			n := b[8+8*bits.TrailingZeros64(x):]
			putInt(n, getInt(n)+w)
		}
	}
	return nil
}

func (s *bitsState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	for i, r := range rows {
		addWords(r[s.at:s.at+bitsSize], in[s.col].Bytes(lo+i))
	}
	return nil
}

// addWords adds the words of x to those of b, each by itself.
func addWords(b, x []byte) {
	for k := 0; k < len(b); k += 8 {
		binary.LittleEndian.PutUint64(b[k:], binary.LittleEndian.Uint64(b[k:])+binary.LittleEndian.Uint64(x[k:]))
	}
}

func (s *bitsState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendBytes(r[s.at : s.at+bitsSize])
	}
}

func (s *bitsState) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, r := range rows {
		b := r[s.at : s.at+bitsSize]
		n, x := getInt(b), uint64(0)
		for k := range 64 {
			if count := getInt(b[8+8*k:]); s.and && count == n || !s.and && count != 0 {
				x |= 1 << k
			}
		}
		out.AppendInt(int64(x))
	}
}
