package topic

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// compressFrom is the size in bytes at which a segment is worth a try.
const compressFrom = 1 << 10

// Bits of a directory entry's type flags.
const (
	typeUnsigned = 1 << iota
	typeNotNull
	typeBool
)

// A directory entry, byte by byte: kind, type flags, form, validity (0 or 1),
// collation, precision, scale, zero; length u32; bytes of ENUM names u32; offset,
// stored size and decoded size of the segment u32 each; zero u32.
func putDir(e []byte, t types.Type, f form, validity bool, off, stored, size int) {
	le := binary.LittleEndian
	e[0] = byte(t.Kind)
	if t.Unsigned {
		e[1] |= typeUnsigned
	}
	if t.NotNull {
		e[1] |= typeNotNull
	}
	if t.Bool {
		e[1] |= typeBool
	}
	e[2] = byte(f)
	if validity {
		e[3] = 1
	}
	e[4], e[5], e[6] = byte(t.Collation), byte(t.Prec), byte(t.Scale)
	le.PutUint32(e[8:], uint32(t.Len))
	le.PutUint32(e[12:], uint32(len(t.Enum)))
	le.PutUint32(e[16:], uint32(off))
	le.PutUint32(e[20:], uint32(stored))
	le.PutUint32(e[24:], uint32(size))
}

func formOf(v *vector.Vector) form {
	switch v.Type.Class() {
	case types.ClassFloat:
		return formFloat
	case types.ClassBytes:
		return formBytes
	case types.ClassDecimal:
		if v.IsWide() {
			return formWide
		}
	}
	return formInt
}

// appendColumn appends the segment of v and fills its directory entry at dir.
func appendColumn(dst []byte, start, dir int, v *vector.Vector) []byte {
	le := binary.LittleEndian
	seg := len(dst)
	if v.Valid != nil {
		for _, w := range v.Valid[:(v.N+63)>>6] {
			dst = le.AppendUint64(dst, w)
		}
	}
	f := formOf(v)
	switch f {
	case formFloat:
		dst = slices.Grow(dst, 8*v.N)
		for _, x := range v.F[:v.N] {
			dst = le.AppendUint64(dst, math.Float64bits(x))
		}
	case formWide:
		for i := range v.W[:v.N] {
			for _, limb := range v.W[i] {
				dst = le.AppendUint64(dst, limb)
			}
		}
	case formBytes:
		first := v.Off[0]
		dst = slices.Grow(dst, 4*(v.N+1)+int(v.Off[v.N]-first))
		for _, o := range v.Off[:v.N+1] {
			dst = le.AppendUint32(dst, uint32(o-first))
		}
		dst = append(dst, v.Buf[first:v.Off[v.N]]...)
	default:
		dst = appendInts(dst, v.I[:v.N])
	}
	size := len(dst) - seg
	dst = squeeze(dst, seg)
	putDir(dst[dir:], v.Type, f, v.Valid != nil, seg-start, len(dst)-seg, size)
	return dst
}

func appendWeights(dst []byte, start, dir int, w []int64) []byte {
	seg := len(dst)
	dst = appendInts(dst, w)
	size := len(dst) - seg
	dst = squeeze(dst, seg)
	putDir(dst[dir:], types.MakeBigInt(), formInt, false, seg-start, len(dst)-seg, size)
	return dst
}

func appendInts(dst []byte, xs []int64) []byte {
	at := len(dst)
	dst = slices.Grow(dst, 8*len(xs))[:at+8*len(xs)]
	for i, x := range xs {
		binary.LittleEndian.PutUint64(dst[at+8*i:], uint64(x))
	}
	return dst
}

// scratch holds the output of the compressor.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

// squeeze compresses dst[seg:] in place if that saves an eighth.
func squeeze(dst []byte, seg int) []byte {
	raw := dst[seg:]
	if len(raw) < compressFrom {
		return dst
	}
	p := scratch.Get().(*[]byte)
	defer scratch.Put(p)
	if n := s2.MaxEncodedLen(len(raw)); cap(*p) < n {
		*p = make([]byte, n)
	}
	out := s2.Encode((*p)[:cap(*p)], raw)
	if len(out) > len(raw)-len(raw)/8 {
		return dst
	}
	return append(dst[:seg], out...)
}

// segment returns the decoded bytes of c, which alias the block if they lie
// there as they are.
func (b *Block) segment(c *column) ([]byte, error) {
	raw := b.data[c.off : c.off+c.stored]
	if c.stored == c.size {
		return raw, nil
	}
	n, err := s2.DecodedLen(raw)
	if err != nil || n != c.size {
		return nil, corrupt("a segment of %d bytes claims %d", c.size, n)
	}
	out, err := s2.Decode(make([]byte, n), raw)
	if err != nil {
		return nil, corrupt("segment: %v", err)
	}
	return out, nil
}

func (b *Block) decodeColumn(i int) (*vector.Vector, error) {
	c := &b.cols[i]
	seg, err := b.segment(c)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	v := &vector.Vector{Type: c.typ, N: b.rows}
	if c.validity {
		v.Valid = make([]uint64, (b.rows+63)>>6)
		for k := range v.Valid {
			v.Valid[k] = le.Uint64(seg[8*k:])
		}
		seg = seg[8*len(v.Valid):]
	}
	switch c.form {
	case formFloat:
		v.F = make([]float64, b.rows)
		for k := range v.F {
			v.F[k] = math.Float64frombits(le.Uint64(seg[8*k:]))
		}
	case formWide:
		v.W = make([]decimal.Wide, b.rows)
		for k := range v.W {
			for l := range v.W[k] {
				v.W[k][l] = le.Uint64(seg[32*k+8*l:])
			}
		}
	case formBytes:
		return v, b.decodeBytes(v, seg, c.stored != c.size)
	default:
		v.I = ints(seg, b.rows)
	}
	return v, nil
}

// decodeBytes fills v from offsets and bytes. owned says that seg belongs to
// nobody else, so that v may alias it; else the bytes are copied, lest a small
// column keep a whole message alive.
func (b *Block) decodeBytes(v *vector.Vector, seg []byte, owned bool) error {
	v.Off = make([]int32, b.rows+1)
	buf := seg[4*len(v.Off):]
	last := int32(0)
	for k := range v.Off {
		o := int32(binary.LittleEndian.Uint32(seg[4*k:]))
		if o < last || (k == 0 && o != 0) {
			return corrupt("offsets run backwards")
		}
		v.Off[k], last = o, o
	}
	if int(last) != len(buf) {
		return corrupt("offsets end at %d, bytes at %d", last, len(buf))
	}
	if !owned {
		buf = append(make([]byte, 0, len(buf)), buf...)
	}
	v.Buf = buf
	return nil
}

func (b *Block) decodeWeights() ([]int64, error) {
	c := &b.cols[len(b.cols)-1]
	if c.form == formNone {
		return nil, nil
	}
	seg, err := b.segment(c)
	if err != nil {
		return nil, err
	}
	return ints(seg, b.rows), nil
}

func ints(seg []byte, n int) []int64 {
	out := make([]int64, n)
	for k := range out {
		out[k] = int64(binary.LittleEndian.Uint64(seg[8*k:]))
	}
	return out
}
