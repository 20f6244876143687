package ingest

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// JSON reads objects into Rows: one behind the other with white space between
// them (JSON lines), or in one array. A row is read in one pass over its bytes.
// The keys of a row are expected in the order of the row before.
type JSON struct {
	Rows *Rows
	// IgnoreUnknown skips keys that are no column; else they are error 1054.
	IgnoreUnknown bool

	scanner
	names  []quotedName
	order  []int // the column of the k-th key of the row before, −1: none
	value  Value
	buffer []byte // of a text with escapes
	key    []byte // of a key with escapes
	// line is how many lines end before the position counted.
	line, counted int
}

// quotedName is a column's name as it stands in an object, with the colon.
type quotedName struct {
	name   string
	quoted string
	closed bool
	raw    bool // a JSON column: a text is a document as well
}

// NewJSON makes a decoder of objects.
func NewJSON(r *Rows) *JSON {
	d := &JSON{Rows: r}
	for _, c := range r.columns {
		d.names = append(d.names, quotedName{c.Name, `"` + c.Name + `":`, c.Closed, c.Type.Kind == types.JSON})
	}
	return d
}

// Decode reads all of data. What is wrong with a row is kept in Rows. An error
// means that reading ended before the end of data.
func (d *JSON) Decode(data []byte) error {
	d.scanner, d.line, d.counted = scanner{data: data}, 0, 0
	d.space()
	if d.peek() == '[' {
		return d.array()
	}
	for d.pos < len(d.data) {
		d.Rows.Begin()
		start := d.pos
		if !d.object() {
			d.Rows.Fail("", d.fault())
			d.nextLine(start)
		}
		if err := d.Rows.End(); err != nil {
			return err
		}
		d.space()
	}
	return nil
}

// array reads objects between brackets. There is no going on behind what is no JSON.
func (d *JSON) array() error {
	d.pos++
	for first := true; ; first = false {
		d.space()
		if first && d.take(']') {
			break
		}
		d.Rows.Begin()
		if !d.object() {
			return d.fault()
		}
		if err := d.Rows.End(); err != nil {
			return err
		}
		d.space()
		if d.take(']') {
			break
		}
		if !d.take(',') {
			d.wrong("',' or ']' is missing")
			return d.fault()
		}
	}
	d.space()
	if d.pos < len(d.data) {
		d.wrong("something follows the array")
		return d.fault()
	}
	return nil
}

// nextLine goes on with the line behind the one that a wrong row began on.
func (d *JSON) nextLine(start int) {
	d.reason = ""
	if n := bytes.IndexByte(d.data[start:], '\n'); n >= 0 {
		d.pos = start + n
	} else {
		d.pos = len(d.data)
	}
}

// fault is what the scanner stumbled over.
func (d *JSON) fault() error {
	d.pos = min(d.pos, len(d.data))
	if d.pos >= d.counted {
		d.line += bytes.Count(d.data[d.counted:d.pos], []byte{'\n'})
	} else {
		d.line -= bytes.Count(d.data[d.pos:d.counted], []byte{'\n'})
	}
	d.counted = d.pos
	return sqlerr.New(sqlerr.InvalidJSONText, "Invalid JSON text: \"%s\" at position %d, line %d", d.reason, d.pos, d.line+1)
}

// object reads one row.
func (d *JSON) object() bool {
	if !d.take('{') {
		return d.wrong("an object is wanted")
	}
	d.space()
	if d.take('}') {
		return true
	}
	for k := 0; ; k++ {
		c, ok := d.member(k)
		start := d.pos
		if !ok || !d.readValue() {
			return false
		}
		if c >= 0 {
			if d.names[c].raw && d.value.Kind != Null {
				d.value.Kind, d.value.Bytes = Document, d.data[start:d.pos]
				if !utf8.Valid(d.value.Bytes) {
					return d.wrong("The bytes are no UTF-8.")
				}
			}
			d.Rows.Set(c, &d.value)
		}
		d.space()
		if d.pos < len(d.data) {
			switch d.data[d.pos] {
			case ',':
				d.pos++
				d.space()
				continue
			case '}':
				d.pos++
				return true
			}
		}
		return d.wrong("',' or '}' is missing")
	}
}

// member reads the k-th key with its colon and says which column it is, −1 for none.
func (d *JSON) member(k int) (column int, ok bool) {
	if k < len(d.order) {
		if c := d.order[k]; c >= 0 {
			name := d.names[c].quoted
			if rest := d.data[d.pos:]; len(rest) > len(name) && string(rest[:len(name)]) == name {
				d.pos += len(name)
				d.space()
				return c, true
			}
		}
	}
	if d.peek() != '"' {
		return 0, d.wrong("a key in quotes is wanted")
	}
	key, plain, ok := d.text()
	if !ok {
		return 0, false
	}
	if !plain {
		if d.key, ok = d.unescape(d.key[:0], key); !ok {
			return 0, false
		}
		key = d.key
	}
	d.space()
	if !d.take(':') {
		return 0, d.wrong("':' is missing")
	}
	d.space()
	c := d.column(key)
	switch {
	case c >= 0 && d.names[c].closed || c < 0 && !d.IgnoreUnknown:
		d.Rows.Fail(string(key), sqlerr.New(sqlerr.BadField, "Unknown column '%.64s' in 'field list'", key))
		c = -1
	case c >= 0 && k < len(d.order):
		d.order[k] = c
	case k == len(d.order) && k < len(d.names):
		d.order = append(d.order, c)
	}
	return c, true
}

// column finds a column by name, as MySQL does whatever the case.
func (d *JSON) column(key []byte) int {
	for i, n := range d.names {
		if n.name == string(key) {
			return i
		}
	}
	for i, n := range d.names {
		if strings.EqualFold(n.name, string(key)) {
			return i
		}
	}
	return -1
}

// readValue reads a value into d.value.
func (d *JSON) readValue() bool {
	v := &d.value
	switch c := d.peek(); {
	case c == '"':
		s, plain, ok := d.text()
		if !ok {
			return false
		}
		if !plain {
			if d.buffer, ok = d.unescape(d.buffer[:0], s); !ok {
				return false
			}
			s = d.buffer
		}
		v.Kind, v.Bytes = Text, s
		return true
	case c == '-' || c-'0' <= 9:
		return d.number(v)
	case c == '{' || c == '[':
		start := d.pos
		v.Kind = Document
		ok := d.skip(1)
		v.Bytes = d.data[start:d.pos]
		return ok
	}
	v.Bytes = nil
	switch {
	case d.word("null"):
		v.Kind = Null
	case d.word("true"):
		v.Kind = True
	case d.word("false"):
		v.Kind = False
	default:
		return d.wrong("Invalid value.")
	}
	return true
}
