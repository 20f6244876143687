package arrowipc

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The limits of what a stream may claim.
const (
	maxColumns = 4096
	maxRows    = 1 << 24 // of a record batch
)

// errMalformed is in the chain of every error about bytes that are no stream.
var errMalformed = errors.New("malformed Arrow stream")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errMalformed, fmt.Sprintf(format, args...))
}

// check walks over all messages of a stream, and over every count, offset and
// length in their metadata. The library that decodes them afterwards believes
// these: a wrong one makes it panic, or allocate until the process dies.
//
// A message is 0xffffffff, the length of its metadata (0: the end), the metadata
// (a flatbuffer) and its body; see "Encapsulated message format" in Arrow's
// specification.
func check(stream []byte) error {
	schema := false
	for rest := stream; ; {
		if len(rest) == 0 {
			break // the mark of the end may be missing
		}
		if len(rest) < 8 || binary.LittleEndian.Uint32(rest) != 0xffffffff {
			return malformed("a message does not begin with its mark")
		}
		size := binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		if size == 0 {
			if len(rest) > 0 {
				return malformed("%d bytes follow the end", len(rest))
			}
			break
		}
		if uint64(size) > uint64(len(rest)) {
			return malformed("metadata of %d bytes, of which %d are there", size, len(rest))
		}
		body, isSchema, err := checkMessage(rest[:size])
		if err != nil {
			return err
		}
		if isSchema == schema {
			return malformed("a stream has one schema, before all else")
		}
		schema = true
		rest = rest[size:]
		if body < 0 || body > int64(len(rest)) {
			return malformed("a body of %d bytes, of which %d are there", body, len(rest))
		}
		rest = rest[body:]
	}
	if !schema {
		return malformed("there is no schema")
	}
	return nil
}

// The kinds of a message.
const (
	headerSchema      = 1
	headerDictionary  = 2
	headerRecordBatch = 3
)

// checkMessage checks the metadata of a message and returns the length of its body.
func checkMessage(meta []byte) (body int64, schema bool, err error) {
	defer func() {
		if p := recover(); p != nil { // an access that is out of bounds
			err = malformed("the metadata points beyond its end")
		}
	}()
	b := flat(meta)
	m := b.table(int(b.u32(0)))
	if v := m.i16(0); v != 3 && v != 4 {
		return 0, false, malformed("metadata of version V%d, where V4 and V5 are known", v+1)
	}
	body = m.i64(3)
	header := m.child(2)
	m.pairs(4)
	switch kind := m.u8(1); kind {
	case headerSchema:
		return body, true, checkSchema(header)
	case headerRecordBatch:
		return body, false, checkBatch(header, body)
	case headerDictionary:
		return 0, false, malformed("columns encoded by a dictionary are not read")
	default:
		return 0, false, malformed("a message of kind %d", kind)
	}
}

func checkSchema(s table) error {
	if s.i16(0) != 0 {
		return malformed("the numbers are big-endian")
	}
	n, at := s.vector(1, 4)
	if n > maxColumns {
		return malformed("%d columns", n)
	}
	s.pairs(2)
	s.vector(3, 8)
	for i := range n {
		f := s.b.table(s.b.follow(at + 4*i))
		f.text(0)
		if children, _ := f.vector(5, 4); children > 0 {
			return malformed("a column of a nested type")
		}
		if f.field(4) != 0 {
			return malformed("columns encoded by a dictionary are not read")
		}
		f.pairs(6)
		if f.field(3) != 0 {
			t := f.child(3)
			if f.u8(2) == typeTimestamp {
				t.text(1)
			}
		}
	}
	return nil
}

// typeTimestamp is the type that has a text: its zone.
const typeTimestamp = 10

func checkBatch(r table, body int64) error {
	rows := r.i64(0)
	if rows < 0 || rows > maxRows {
		return malformed("a batch of %d rows", rows)
	}
	if r.field(3) != 0 {
		return malformed("the buffers are compressed; compress the request instead")
	}
	if n, _ := r.vector(4, 8); n > 0 {
		return malformed("columns of a view type are not read")
	}
	nodes, at := r.vector(1, 16)
	for i := range nodes {
		length, nulls := r.b.i64(at+16*i), r.b.i64(at+16*i+8)
		if length != rows || nulls < 0 || nulls > length {
			return malformed("a column of %d rows, %d of them NULL, in a batch of %d", length, nulls, rows)
		}
	}
	buffers, at := r.vector(2, 16)
	for i := range buffers {
		offset, length := r.b.i64(at+16*i), r.b.i64(at+16*i+8)
		if offset < 0 || length < 0 || offset > body || length > body-offset {
			return malformed("a buffer of %d bytes at %d in a body of %d", length, offset, body)
		}
	}
	return nil
}

// flat is a flatbuffer. Its methods panic where something lies out of bounds.
type flat []byte

func (b flat) u16(at int) uint16 { return binary.LittleEndian.Uint16(b[at : at+2]) }
func (b flat) u32(at int) uint32 { return binary.LittleEndian.Uint32(b[at : at+4]) }
func (b flat) i64(at int) int64  { return int64(binary.LittleEndian.Uint64(b[at : at+8])) }

// follow is where the offset at a place leads.
func (b flat) follow(at int) int { return at + int(b.u32(at)) }

// table is a table of a flatbuffer.
type table struct {
	b      flat
	at     int
	vtable int
	size   int // of the vtable
	whole  int // of the table
}

func (b flat) table(at int) table {
	t := table{b: b, at: at, vtable: at - int(int32(b.u32(at)))}
	t.size, t.whole = int(b.u16(t.vtable)), int(b.u16(t.vtable+2))
	if t.size%2 != 0 || t.size < 4 {
		panic("half an entry") // which others may read otherwise
	}
	_ = b[t.vtable : t.vtable+t.size]
	_ = b[at : at+t.whole]
	return t
}

// field is where field i lies, 0: it is not there.
func (t table) field(i int) int {
	if 4+2*i+2 > t.size {
		return 0
	}
	if o := int(t.b.u16(t.vtable + 4 + 2*i)); o != 0 {
		return t.at + o
	}
	return 0
}

func (t table) u8(i int) uint8 {
	if at := t.field(i); at != 0 {
		return t.b[at]
	}
	return 0
}

func (t table) i16(i int) int16 {
	if at := t.field(i); at != 0 {
		return int16(t.b.u16(at))
	}
	return 0
}

func (t table) i64(i int) int64 {
	if at := t.field(i); at != 0 {
		return t.b.i64(at)
	}
	return 0
}

// child is the table in field i, which must be there.
func (t table) child(i int) table {
	at := t.field(i)
	if at == 0 {
		panic("no table")
	}
	return t.b.table(t.b.follow(at))
}

// vector is the number of elements of the vector in field i and where the first
// lies; all of them, of so many bytes each, lie within the buffer.
func (t table) vector(i, size int) (n, at int) {
	if at = t.field(i); at == 0 {
		return 0, 0
	}
	at = t.b.follow(at)
	n = int(t.b.u32(at))
	at += 4
	if n > len(t.b)/size {
		panic("a vector beyond the end")
	}
	_ = t.b[at : at+n*size]
	return n, at
}

// text checks the text in field i.
func (t table) text(i int) { t.vector(i, 1) }

// pairs checks the key and value texts in field i.
func (t table) pairs(i int) {
	n, at := t.vector(i, 4)
	for k := range n {
		p := t.b.table(t.b.follow(at + 4*k))
		p.text(0)
		p.text(1)
	}
}
