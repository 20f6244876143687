package state

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"streamsql/sql/collate"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Codec turns rows of columns of fixed types into bytes and back. Equal rows
// (NULL equal to NULL, −0 to 0) give equal bytes. The form, little endian:
//
//	null bits, (columns+7)/8 bytes, bit set: NULL (the column's slot is 0 then)
//	a slot for each column, in order: 8 bytes of an int, a float, or a decimal of
//	  at most 18 digits; 32 of a longer decimal; of bytes their length, 4
//	the bytes of the ClassBytes columns, in order
//	of a codec that has Grown: see growth
type Codec struct {
	Types []types.Type
	slots []slotForm
	fixed int // bytes before those of the ClassBytes columns
	texts int // ClassBytes columns
	keys  bool
	grown []growth // columns behind those with slots
}

type slotForm struct {
	form form
	at   int // offset of the slot
}

type form uint8

const (
	formInt form = iota
	formFloat
	formNarrow // decimal
	formWide
	formBytes
)

func formOf(t types.Type) form {
	switch t.Class() {
	case types.ClassFloat:
		return formFloat
	case types.ClassBytes:
		return formBytes
	case types.ClassDecimal:
		if t.Prec <= 18 {
			return formNarrow
		}
		return formWide
	default:
		return formInt
	}
}

// NewCodec makes the codec of rows of the types ts.
func NewCodec(ts []types.Type) *Codec {
	c := &Codec{Types: ts, slots: make([]slotForm, len(ts)), fixed: (len(ts) + 7) / 8}
	for i, t := range ts {
		c.slots[i] = slotForm{formOf(t), c.fixed}
		switch c.slots[i].form {
		case formWide:
			c.fixed += 32
		case formBytes:
			c.fixed += 4
			c.texts++
		default:
			c.fixed += 8
		}
	}
	return c
}

// NewKeyCodec makes the codec of keys: what SQL holds equal, though it is not the
// same, is encoded as one of its forms: text without the spaces at its end. Of
// values that Fold only their keys are kept: decoded, such a column is VARBINARY.
func NewKeyCodec(ts []types.Type) *Codec {
	c := NewCodec(slices.Clone(ts))
	c.keys = true
	for k, t := range ts {
		if t.Folds() {
			c.Types[k] = types.Type{Kind: types.VarBinary, NotNull: t.NotNull, Len: types.LongTextLen, Collation: types.BinaryCollation}
		}
	}
	return c
}

// Fixed returns the length of a row, without that of its ClassBytes columns.
func (c *Codec) Fixed() int { return c.fixed }

// HasBytes reports a ClassBytes column: rows differ in length.
func (c *Codec) HasBytes() bool { return c.texts > 0 }

// Append appends the encoding of row i of cols to dst.
func (c *Codec) Append(dst []byte, cols []*vector.Vector, i int) []byte {
	base := len(dst)
	dst = slices.Grow(dst, c.fixed)[:base+c.fixed]
	clear(dst[base:])
	for k, s := range c.slots {
		v := cols[k]
		if v.IsNull(i) {
			dst[base+k>>3] |= 1 << (k & 7)
			continue
		}
		slot := dst[base+s.at:]
		switch s.form {
		case formInt:
			binary.LittleEndian.PutUint64(slot, uint64(v.I[i]))
		case formFloat:
			binary.LittleEndian.PutUint64(slot, floatBits(v.F[i]))
		case formNarrow:
			if v.IsWide() {
				binary.LittleEndian.PutUint64(slot, v.W[i][0])
			} else {
				binary.LittleEndian.PutUint64(slot, uint64(v.I[i]))
			}
		case formWide:
			PutWide(slot, v.Wide(i))
		case formBytes:
			b, start := v.Bytes(i), len(dst)
			switch {
			case !c.keys:
				dst = append(dst, b...)
			case v.Type.Folds():
				dst = collate.AppendKeyOf(dst, v.Type, b)
			default:
				dst = append(dst, keyText(v.Type, b)...)
			}
			binary.LittleEndian.PutUint32(dst[base+s.at:], uint32(len(dst)-start))
		}
	}
	if c.grown != nil {
		return c.appendGrown(dst, cols, i)
	}
	return dst
}

// Is reports that b begins with the encoding of row i of cols. A row's length
// stands in its beginning: as a prefix it is whole. c is not Grown.
func (c *Codec) Is(b []byte, cols []*vector.Vector, i int) bool {
	at := c.fixed
	for k, s := range c.slots {
		v := cols[k]
		if null := v.IsNull(i); null != (b[k>>3]>>(k&7)&1 != 0) {
			return false
		} else if null {
			continue
		}
		slot := b[s.at:]
		same := true
		switch s.form {
		case formInt:
			same = getInt(slot) == v.I[i]
		case formFloat:
			same = binary.LittleEndian.Uint64(slot) == floatBits(v.F[i])
		case formNarrow:
			if v.IsWide() {
				same = binary.LittleEndian.Uint64(slot) == v.W[i][0]
			} else {
				same = getInt(slot) == v.I[i]
			}
		case formWide:
			same = GetWide(slot) == v.Wide(i)
		case formBytes:
			text := v.Bytes(i)
			if c.keys && v.Type.Folds() {
				text = collate.AppendKeyOf(nil, v.Type, text)
			} else if c.keys {
				text = keyText(v.Type, text)
			}
			same = int(binary.LittleEndian.Uint32(slot)) == len(text) && string(b[at:at+len(text)]) == string(text)
			at += len(text)
		}
		if !same {
			return false
		}
	}
	return true
}

// Rows are encoded rows one after the other.
type Rows struct {
	Buf []byte
	Off []int // len = rows+1
}

// At returns row i.
func (r *Rows) At(i int) []byte { return r.Buf[r.Off[i]:r.Off[i+1]] }

// Len returns the number of rows.
func (r *Rows) Len() int { return max(len(r.Off)-1, 0) }

// Encode encodes the rows lo to hi (exclusive) of cols into r, over what was there.
func (c *Codec) Encode(r *Rows, cols []*vector.Vector, lo, hi int) {
	r.Buf, r.Off = r.Buf[:0], append(r.Off[:0], 0)
	for i := lo; i < hi; i++ {
		r.Buf = c.Append(r.Buf, cols, i)
		r.Off = append(r.Off, len(r.Buf))
	}
}

// Decode appends the rows to cols, one column after the other. A column that is
// nil is left out.
func (c *Codec) Decode(rows [][]byte, cols []*vector.Vector) {
	var at []int32 // of each row: where its next text begins
	texts := 0     // that are behind it
	for k, s := range c.slots {
		if v := cols[k]; v != nil {
			switch {
			case s.form == formBytes:
				at = c.skipTexts(rows, at, k, texts)
				decodeTexts(rows, at, k, s.at, v)
			case s.form == formInt && v.W == nil:
				decodeInts(rows, k, s.at, v)
			default:
				decodeValues(rows, k, s, v)
			}
			if s.form == formBytes {
				texts = k + 1
			}
		}
	}
	if c.grown != nil {
		c.decodeGrown(rows, cols)
	}
}

// skipTexts moves at on from behind the texts of the columns before from to behind
// those before upto.
func (c *Codec) skipTexts(rows [][]byte, at []int32, upto, from int) []int32 {
	if at == nil {
		at = make([]int32, len(rows))
		for i := range at {
			at[i] = int32(c.fixed)
		}
	}
	for j := from; j < upto; j++ {
		if c.slots[j].form != formBytes {
			continue
		}
		for i, row := range rows {
			at[i] += int32(binary.LittleEndian.Uint32(row[c.slots[j].at:]))
		}
	}
	return at
}

// decodeTexts appends the texts of column k, which begin at at, and moves at
// behind them.
func decodeTexts(rows [][]byte, at []int32, k, slot int, v *vector.Vector) {
	size := 0
	for _, row := range rows {
		size += int(binary.LittleEndian.Uint32(row[slot:]))
	}
	v.Buf = slices.Grow(v.Buf, size)
	for i, row := range rows {
		if row[k>>3]>>(k&7)&1 != 0 {
			v.AppendNull()
			continue
		}
		end := at[i] + int32(binary.LittleEndian.Uint32(row[slot:]))
		v.AppendBytes(row[at[i]:end])
		at[i] = end
	}
}

// decodeInts appends the values of an int column.
func decodeInts(rows [][]byte, k, slot int, v *vector.Vector) {
	for i, row := range rows {
		if row[k>>3]>>(k&7)&1 != 0 || v.Valid != nil {
			for _, row := range rows[i:] {
				if row[k>>3]>>(k&7)&1 != 0 {
					v.AppendNull()
				} else {
					v.AppendInt(getInt(row[slot:]))
				}
			}
			return
		}
		v.I = append(v.I, getInt(row[slot:]))
		v.N++
	}
}

// decodeValues appends the values of column k, which is no text.
func decodeValues(rows [][]byte, k int, s slotForm, v *vector.Vector) {
	for _, row := range rows {
		if row[k>>3]>>(k&7)&1 != 0 {
			v.AppendNull()
			continue
		}
		switch slot := row[s.at:]; s.form {
		case formFloat:
			v.AppendFloat(math.Float64frombits(binary.LittleEndian.Uint64(slot)))
		case formWide:
			v.AppendWide(GetWide(slot))
		default:
			v.AppendInt(getInt(slot))
		}
	}
}

// Len returns the length of the encoded row that b begins with; of a Grown codec b is
// that row.
func (c *Codec) Len(b []byte) int {
	if c.grown != nil {
		return len(b)
	}
	return c.baseLen(b)
}

// baseLen is the length of the columns with slots.
func (c *Codec) baseLen(b []byte) int {
	n := c.fixed
	if c.texts > 0 {
		for _, s := range c.slots {
			if s.form == formBytes {
				n += int(binary.LittleEndian.Uint32(b[s.at:]))
			}
		}
	}
	return n
}

// PutWide writes w in 32 bytes, GetWide reads it.
func PutWide(b []byte, w decimal.Wide) {
	_ = b[31]
	binary.LittleEndian.PutUint64(b, w[0])
	binary.LittleEndian.PutUint64(b[8:], w[1])
	binary.LittleEndian.PutUint64(b[16:], w[2])
	binary.LittleEndian.PutUint64(b[24:], w[3])
}

// GetWide reads what PutWide wrote.
func GetWide(b []byte) decimal.Wide {
	_ = b[31]
	return decimal.Wide{
		binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
}

// Int is the value of the ClassInt column k of an encoded row; false: NULL.
func (c *Codec) Int(row []byte, k int) (int64, bool) {
	return getInt(row[c.slots[k].at:]), row[k>>3]>>(k&7)&1 == 0
}

// EqualAt says whether SQL holds the columns cols of two encoded rows equal, NULL
// equal to NULL. None of them is one that c has Grown by.
func (c *Codec) EqualAt(a, b []byte, cols []int) bool {
	for _, k := range cols {
		nullA, nullB := a[k>>3]>>(k&7)&1, b[k>>3]>>(k&7)&1
		if nullA != nullB {
			return false
		}
		x, y := c.column(a, k), c.column(b, k)
		if t := c.Types[k]; bytes.Equal(x, y) {
			continue
		} else if t.Class() != types.ClassBytes || !equalTexts(t, x, y) {
			return false
		}
	}
	return true
}

// equalTexts says whether two values of ClassBytes are equal that are not the same.
func equalTexts(t types.Type, a, b []byte) bool {
	return collate.CompareAs(t, a, b) == 0
}

// column returns the bytes of column k: its slot, or the text itself.
func (c *Codec) column(row []byte, k int) []byte {
	s := c.slots[k]
	switch s.form {
	case formWide:
		return row[s.at : s.at+32]
	case formBytes:
		at := c.fixed
		for _, t := range c.slots[:k] {
			if t.form == formBytes {
				at += int(binary.LittleEndian.Uint32(row[t.at:]))
			}
		}
		return row[at : at+int(binary.LittleEndian.Uint32(row[s.at:]))]
	default:
		return row[s.at : s.at+8]
	}
}
