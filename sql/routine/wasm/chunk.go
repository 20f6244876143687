package wasm

import (
	"encoding/binary"
	"math"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// A chunk in the module's memory. All numbers are little endian, all addresses are
// 32 bits, everything begins at a multiple of 8:
//
//	0   rows
//	4   how many argument columns
//	8   address of the columns, 16 bytes each
//	12  address of the result's column (call, finish); else 0
//	16  address of one byte for each row: the module puts 1 where it has no value
//	20  address of, for each row, the address of its state (accumulate, retract, merge, finish); else 0
//	24  address of, for each row, the address of the state to be merged into that (merge); else 0
//	28  0
//
// A column:
//
//	0   address of the values: rows × 8 bytes, int64 or float64; of text its bytes
//	4   address of a bitmap, bit i of byte i/8 set where row i is not NULL; 0: no row is
//	8   text: address of rows + 1 offsets of 4 bytes into the bytes; else 0
//	12  text: how many bytes there are; else 0
//
// The result's column has room for numbers, and a bitmap of ones. For text it has
// room for the offsets; the module keeps the bytes where it likes, until it is
// called again, and puts their address and number into the column.
const (
	chunkHeader = 32
	columnSize  = 16
)

// layout places the parts of a chunk one behind another.
type layout struct {
	size int
}

// take is room for n bytes.
func (l *layout) take(n int) int {
	at := l.size
	l.size = (at + n + 7) &^ 7
	return at
}

// chunk is where the parts of a chunk lie, from its beginning on.
type chunk struct {
	layout
	rows    int
	columns []column
	heads   int
	result  column
	failed  int
	slots   int
	others  int
	states  int
}

// column is where a column lies.
type column struct {
	head, values, valid, offsets, bytes int
	text, nulls                         bool
}

func (c *chunk) reset(rows int) {
	*c = chunk{rows: rows, columns: c.columns[:0], layout: layout{size: chunkHeader}}
}

// place makes room for the rows (numbers of rows in v) of an argument.
func (c *chunk) place(v *vector.Vector, rows []int32) {
	col := column{nulls: v.Valid != nil, text: v.Type.Class() == types.ClassBytes}
	if col.text {
		for _, i := range rows {
			col.bytes += int(v.Off[i+1] - v.Off[i])
		}
		col.values = c.take(col.bytes)
		col.offsets = c.take(4 * (c.rows + 1))
	} else {
		col.values = c.take(8 * c.rows)
	}
	if col.nulls {
		col.valid = c.take((c.rows + 7) / 8)
	}
	c.columns = append(c.columns, col)
}

// placeHeads makes room for the columns' heads and the marks of failed rows.
func (c *chunk) placeHeads() {
	c.heads = c.take(columnSize * len(c.columns))
	c.failed = c.take(c.rows)
}

// placeResult makes room for the result of type t.
func (c *chunk) placeResult(t types.Type) {
	r := &c.result
	*r = column{text: t.Class() == types.ClassBytes, nulls: true}
	r.head = c.take(columnSize)
	if r.text {
		r.offsets = c.take(4 * (c.rows + 1))
	} else {
		r.values = c.take(8 * c.rows)
	}
	r.valid = c.take((c.rows + 7) / 8)
}

// write puts a chunk's heads into b, which lies at the address base.
func (c *chunk) write(b []byte, base uint32) {
	put := binary.LittleEndian.PutUint32
	at := func(offset int) uint32 {
		if offset == 0 {
			return 0
		}
		return base + uint32(offset)
	}
	put(b, uint32(c.rows))
	put(b[4:], uint32(len(c.columns)))
	put(b[8:], at(c.heads))
	put(b[12:], at(c.result.head))
	put(b[16:], at(c.failed))
	put(b[20:], at(c.slots))
	put(b[24:], at(c.others))
	put(b[28:], 0)
	head := func(h []byte, col *column) {
		put(h, at(col.values))
		put(h[4:], at(col.valid))
		put(h[8:], at(col.offsets))
		put(h[12:], uint32(col.bytes))
	}
	for k := range c.columns {
		head(b[c.heads+k*columnSize:], &c.columns[k])
	}
	clear(b[c.failed : c.failed+c.rows])
	if r := &c.result; r.head != 0 {
		head(b[r.head:], r)
		valid := b[r.valid : r.valid+(c.rows+7)/8]
		for i := range valid {
			valid[i] = 0xFF
		}
	}
}

// fill writes the rows of an argument.
func (col *column) fill(b []byte, v *vector.Vector, rows []int32) {
	values := b[col.values:]
	switch {
	case col.text:
		n := uint32(0)
		offsets := b[col.offsets:]
		binary.LittleEndian.PutUint32(offsets, 0)
		for k, i := range rows {
			n += uint32(copy(values[n:], v.Bytes(int(i))))
			binary.LittleEndian.PutUint32(offsets[4*k+4:], n)
		}
	case v.Type.Class() == types.ClassFloat:
		values = values[:8*len(rows)]
		for k, i := range rows {
			binary.LittleEndian.PutUint64(values[8*k:], math.Float64bits(v.F[i]))
		}
	default:
		values = values[:8*len(rows)]
		for k, i := range rows {
			binary.LittleEndian.PutUint64(values[8*k:], uint64(v.I[i]))
		}
	}
	if !col.nulls {
		return
	}
	valid := b[col.valid : col.valid+(len(rows)+7)/8]
	clear(valid)
	for k, i := range rows {
		if !v.IsNull(int(i)) {
			valid[k/8] |= 1 << (k % 8)
		}
	}
}
