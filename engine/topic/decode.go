package topic

import (
	"encoding/binary"
	"hash/crc32"

	"streamsql/sql/types"
)

// DecodeBlock verifies the block at the start of data (CRC, lengths, bounds)
// and returns it with the number of bytes it takes. Columns are decoded later;
// the block keeps data, which must not change. It never allocates more than the
// directory needs.
func DecodeBlock(data []byte) (*Block, int, error) {
	le := binary.LittleEndian
	if len(data) < headerSize+dirSize+crcSize || le.Uint32(data) != blockMagic {
		return nil, 0, corrupt("no block here")
	}
	if v := le.Uint16(data[4:]); v != blockVersion {
		return nil, 0, corrupt("format version %d is not known, only %d", v, blockVersion)
	}
	columns, rows := int(le.Uint16(data[50:])), le.Uint32(data[52:])
	size, names := le.Uint32(data[56:]), le.Uint32(data[60:])
	body := headerSize + dirSize*(columns+1)
	if int64(size) > int64(len(data)) || int64(size) < int64(body)+int64(names)+crcSize {
		return nil, 0, corrupt("size %d of %d", size, len(data))
	}
	if columns > maxBlockColumns || rows > maxBlockRows {
		return nil, 0, corrupt("%d rows of %d columns", rows, columns)
	}
	data = data[:size:size]
	end := len(data) - crcSize
	if got, want := crc32.Checksum(data[:end], castagnoli), le.Uint32(data[end:]); got != want {
		return nil, 0, corrupt("CRC %08x, expected %08x", got, want)
	}
	b := &Block{
		Header: Header{
			Flags:     le.Uint16(data[6:]),
			Table:     le.Uint64(data[8:]),
			Seq:       le.Uint64(data[16:]),
			Watermark: int64(le.Uint64(data[24:])),
			IdleMark:  int64(le.Uint64(data[32:])),
			Epoch:     le.Uint64(data[40:]),
			Partition: le.Uint16(data[48:]),
			Query:     le.Uint64(data[64:]),
		},
		rows: int(rows),
		data: data,
		cols: make([]column, columns+1),
	}
	text := data[body : body+int(names)]
	for i := range b.cols {
		n, err := b.readDir(i, data[headerSize+i*dirSize:][:dirSize], text, body+int(names), end)
		if err != nil {
			return nil, 0, err
		}
		text = text[n:]
	}
	return b, int(size), nil
}

// readDir takes in directory entry i. text is what is left of the names;
// segments lie between lo and hi. It returns the bytes of names it took.
func (b *Block) readDir(i int, e, text []byte, lo, hi int) (int, error) {
	le := binary.LittleEndian
	c := &b.cols[i]
	enum := int(le.Uint32(e[12:]))
	if enum > len(text) || e[0] > byte(types.Time) || e[2] > byte(formBytes) || e[3] > 1 {
		return 0, corrupt("column %d: bad entry", i)
	}
	c.typ = types.Type{
		Kind:      types.Kind(e[0]),
		Unsigned:  e[1]&typeUnsigned != 0,
		NotNull:   e[1]&typeNotNull != 0,
		Bool:      e[1]&typeBool != 0,
		Collation: types.Collation(e[4]),
		Prec:      int(e[5]),
		Scale:     int(e[6]),
		Len:       int(le.Uint32(e[8:])),
		Enum:      string(text[:enum]),
	}
	c.form, c.validity = form(e[2]), e[3] == 1
	c.off, c.stored, c.size = int(le.Uint32(e[16:])), int(le.Uint32(e[20:])), int(le.Uint32(e[24:]))
	weights := i == len(b.cols)-1
	if c.form == formNone {
		if !weights || c.stored != 0 || c.size != 0 {
			return 0, corrupt("column %d: no values", i)
		}
		return enum, nil
	}
	if c.off < lo || c.stored > c.size || c.off+c.stored > hi || c.size > maxSegment {
		return 0, corrupt("column %d: segment out of bounds", i)
	}
	if !b.fits(c) || (weights && (c.form != formInt || c.validity)) {
		return 0, corrupt("column %d: segment of %d bytes for %d rows", i, c.size, b.rows)
	}
	return enum, nil
}

// ratioBits: a segment decodes to less than 2^ratioBits times its size. One byte
// after the other, S2 makes 5 bytes of 16 MiB.
const ratioBits = 23

// fits reports that the form suits the type and the size the rows, and that the
// segment does not claim to decode to more than the compressor can make so small.
func (b *Block) fits(c *column) bool {
	need := 0
	if c.validity {
		need = 8 * ((b.rows + 63) >> 6)
	}
	ok := false
	switch c.form {
	case formInt:
		need += 8 * b.rows
		ok = c.typ.Class() == types.ClassInt || c.typ.Class() == types.ClassDecimal
	case formFloat:
		need += 8 * b.rows
		ok = c.typ.Class() == types.ClassFloat
	case formWide:
		need += 32 * b.rows
		ok = c.typ.Class() == types.ClassDecimal
	case formBytes:
		need += 4 * (b.rows + 1)
		return c.typ.Class() == types.ClassBytes && c.size >= need && c.size>>ratioBits <= c.stored
	}
	return ok && c.size == need && c.size>>ratioBits <= c.stored
}
