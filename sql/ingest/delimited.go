package ingest

import (
	"errors"
	"io"

	"streamsql/sql/sqlerr"
)

// Layout is how rows lie in a text whose fields are delimited: the options of LOAD
// DATA, or CSV.
type Layout struct {
	Terminated string // behind each field but a line's last; at least a byte
	Enclosed   byte   // around a field, perhaps; 0: none
	Escaped    byte   // before a byte that stands for itself, or for another; 0: none
	Starting   string // before the first field of a line, with all that precedes it
	Line       string // behind each line; at least a byte
	// CSV is RFC 4180's: a field without quotes and bytes is NULL, a line without
	// bytes is none, and a line may end with \r as well.
	CSV bool
}

// CSVLayout is RFC 4180's, with another delimiter than ',' if that is wanted.
func CSVLayout(delimiter byte) Layout {
	return Layout{Terminated: string(rune(delimiter)), Enclosed: '"', Line: "\n", CSV: true}
}

// maxField bounds a field, in bytes.
const maxField = 64 << 20

// Delimited reads lines into Rows, in memory that does not grow with their number.
type Delimited struct {
	Rows   *Rows
	Layout Layout
	// Fields are the columns that the fields of a line go into, −1: none.
	Fields []int
	// Skip is how many lines are passed over first.
	Skip uint64

	in       io.Reader
	buf      []byte
	pos, end int // what was read and not yet used lies between
	eof      bool
	stop     [256]bool // bytes that may end a plain run
	value    Value
	quoted   bool
	text     []byte // of a field with escapes
}

// ending is what a field ends with.
type ending uint8

const (
	endField ending = iota
	endLine
	endInput
)

// Begin makes d read in. To be called first.
func (d *Delimited) Begin(in io.Reader) {
	d.in = in
	d.buf = make([]byte, 256<<10)
	d.stop[d.Layout.Terminated[0]], d.stop[d.Layout.Line[0]] = true, true
	if d.Layout.Escaped != 0 {
		d.stop[d.Layout.Escaped] = true
	}
	d.value.Kind = Text
}

// Read reads all lines. What is wrong with a row is kept in Rows. An error means
// that reading ended before the end.
func (d *Delimited) Read() error {
	for ; d.Skip > 0; d.Skip-- {
		if more, err := d.atByte(); err != nil || !more {
			return err
		}
		if _, err := d.passLine(); err != nil {
			return err
		}
	}
	for {
		if more, err := d.startOfLine(); err != nil || !more {
			return err
		}
		d.Rows.Begin()
		if err := d.line(); err != nil {
			return err
		}
		if err := d.Rows.End(); err != nil {
			return err
		}
	}
}

// line reads one row.
func (d *Delimited) line() error {
	n := 0
	cut := false
	for end := endField; end == endField; n++ {
		if n == len(d.Fields) && !d.Layout.CSV {
			var err error
			if cut, err = d.passLine(); err != nil {
				return err
			}
			break
		}
		if n > 0 && !d.Layout.CSV { // behind the last delimiter of the text there is no field
			if more, err := d.atByte(); err != nil {
				return err
			} else if !more {
				break
			}
		}
		var err error
		if end, err = d.field(); err != nil {
			return err
		}
		if n < len(d.Fields) && d.Fields[n] >= 0 {
			d.Rows.Set(d.Fields[n], &d.value)
		}
	}
	switch row := d.Rows.Number(); {
	case n < len(d.Fields):
		d.Rows.Complain(sqlerr.WarnTooFewRecords, "Row %d doesn't contain data for all columns", row)
	case n > len(d.Fields) || cut:
		d.Rows.Complain(sqlerr.WarnTooManyRecords, "Row %d was truncated; it contained more data than there were input columns", row)
	}
	return nil
}

// Header reads a line of names; ok is false if there is no line.
func (d *Delimited) Header() (names []string, ok bool, err error) {
	if more, err := d.startOfLine(); err != nil || !more {
		return nil, false, err
	}
	for end := endField; end == endField; {
		if end, err = d.field(); err != nil {
			return nil, false, err
		}
		names = append(names, string(d.value.Bytes))
	}
	return names, true, nil
}

// atByte makes sure that there is a byte to read; false: the text has ended.
func (d *Delimited) atByte() (bool, error) {
	for d.pos == d.end && !d.eof {
		if err := d.more(); err != nil {
			return false, err
		}
	}
	return d.pos < d.end, nil
}

// startOfLine goes to the first field of the next line; false: there is none.
func (d *Delimited) startOfLine() (bool, error) {
	for {
		if more, err := d.atByte(); err != nil || !more {
			return false, err
		}
		switch {
		case d.Layout.CSV && (d.buf[d.pos] == '\n' || d.buf[d.pos] == '\r'):
			d.pos++ // an empty line
		case d.Layout.Starting != "":
			return d.passStart()
		default:
			return true, nil
		}
	}
}

// passStart goes behind the text that a line starts by; lines without it are none.
func (d *Delimited) passStart() (bool, error) {
	for {
		switch b := d.buf[d.pos:d.end]; match(b, d.Layout.Starting, d.eof) {
		case matches:
			d.pos += len(d.Layout.Starting)
			return d.atByte()
		case undecided:
			if err := d.more(); err != nil {
				return false, err
			}
			continue
		}
		d.pos++
		if more, err := d.atByte(); err != nil || !more {
			return false, err
		}
	}
}

// passLine passes over the rest of a line, without a look at quotes, and reports
// whether there was any.
func (d *Delimited) passLine() (any bool, err error) {
	for {
		if more, err := d.atByte(); err != nil || !more {
			return any, err
		}
		switch match(d.buf[d.pos:d.end], d.Layout.Line, d.eof) {
		case matches:
			d.pos += len(d.Layout.Line)
			return any, nil
		case undecided: // the same byte again, with more behind it
			if err := d.more(); err != nil {
				return any, err
			}
			continue
		}
		any = true
		escape := d.buf[d.pos] == d.Layout.Escaped && d.Layout.Escaped != 0
		d.pos++
		if escape {
			if more, err := d.atByte(); err != nil || !more {
				return true, err
			}
			d.pos++
		}
	}
}

// more reads further bytes behind those that are there. At the end of the input it
// sets eof.
func (d *Delimited) more() error {
	if d.eof {
		return nil
	}
	copy(d.buf, d.buf[d.pos:d.end])
	d.pos, d.end = 0, d.end-d.pos
	if d.end == len(d.buf) {
		if len(d.buf) >= maxField {
			return sqlerr.New(sqlerr.TooLongString, "A field is longer than %d bytes", maxField)
		}
		d.buf = append(make([]byte, 0, 2*len(d.buf)), d.buf...)[:2*len(d.buf)]
	}
	n, err := d.in.Read(d.buf[d.end:])
	d.end += n
	if errors.Is(err, io.EOF) {
		d.eof, err = true, nil
	}
	return err
}

// field reads the next field into value.
func (d *Delimited) field() (ending, error) {
	for {
		n, end, ok := d.scan(d.buf[d.pos:d.end])
		if ok {
			d.pos += n
			return end, nil
		}
		if err := d.more(); err != nil {
			return 0, err
		}
	}
}

// scan reads a field that begins with b. False: b does not hold all of it.
func (d *Delimited) scan(b []byte) (n int, end ending, ok bool) {
	if d.quoted = d.Layout.Enclosed != 0 && len(b) > 0 && b[0] == d.Layout.Enclosed; d.quoted {
		return d.scanQuoted(b)
	}
	i, escaped := 0, false
	d.text = d.text[:0]
	from := 0 // what lies before is in text, if there are escapes
	for {
		for i < len(b) && !d.stop[b[i]] {
			i++
		}
		if i == len(b) {
			if !d.eof {
				return 0, 0, false
			}
			d.plain(b, i, from, escaped)
			return i, endInput, true
		}
		if b[i] == d.Layout.Escaped && d.Layout.Escaped != 0 && (i+1 < len(b) || !d.eof) {
			if i+1 == len(b) {
				return 0, 0, false
			}
			d.text = append(append(d.text, b[from:i]...), unescaped(b[i+1]))
			escaped = true
			i += 2
			from = i
			continue
		}
		size, end, st := d.terminator(b[i:])
		switch st {
		case undecided:
			return 0, 0, false
		case matches:
			last := i
			if end == endLine && d.Layout.CSV && last > from && b[last-1] == '\r' {
				last--
			}
			d.plain(b, last, from, escaped)
			return i + size, end, true
		}
		i++
	}
}

// plain sets the value to a field without quotes, which ends at i.
func (d *Delimited) plain(b []byte, i, from int, escaped bool) {
	d.value.Kind, d.value.Bytes = Text, b[:i]
	if escaped {
		if i == 2 && b[1] == 'N' { // \N
			d.value.Kind = Null
			return
		}
		d.text = append(d.text, b[from:i]...)
		d.value.Bytes = d.text
	}
	if d.Layout.CSV && i == 0 || !d.Layout.CSV && d.Layout.Enclosed != 0 && string(d.value.Bytes) == "NULL" {
		d.value.Kind = Null
	}
}

// scanQuoted is scan for a field in quotes. A quote that neither is doubled nor
// stands before a terminator is a byte of the field.
func (d *Delimited) scanQuoted(b []byte) (n int, end ending, ok bool) {
	quote := d.Layout.Enclosed
	d.text = d.text[:0]
	from := 1
	for i := 1; ; i++ {
		for i < len(b) && b[i] != quote && (b[i] != d.Layout.Escaped || d.Layout.Escaped == 0) {
			i++
		}
		if i+1 >= len(b) && !d.eof {
			return 0, 0, false
		}
		if i >= len(b) { // without the second quote the first is a byte of the field
			d.text = append([]byte{quote}, append(d.text, b[from:]...)...)
			d.value.Kind, d.value.Bytes = Text, d.text
			return len(b), endInput, true
		}
		if b[i] != quote {
			if i+1 < len(b) { // an escape
				d.text = append(append(d.text, b[from:i]...), unescaped(b[i+1]))
				i++
				from = i + 1
			}
			continue
		}
		if i+1 == len(b) {
			d.closed(b, i, from)
			return len(b), endInput, true
		}
		if b[i+1] == quote {
			d.text = append(d.text, b[from:i+1]...)
			i++
			from = i + 1
			continue
		}
		rest := i + 1
		if d.Layout.CSV && b[rest] == '\r' {
			rest++
		}
		size, end, st := d.terminator(b[rest:])
		switch {
		case st == undecided || rest == len(b) && !d.eof:
			return 0, 0, false
		case st == matches:
			d.closed(b, i, from)
			return rest + size, end, true
		}
	}
}

// closed sets the value to a field in quotes, which ends at i.
func (d *Delimited) closed(b []byte, i, from int) {
	d.value.Kind, d.value.Bytes = Text, b[from:i]
	if from > 1 {
		d.text = append(d.text, b[from:i]...)
		d.value.Bytes = d.text
	}
}

// terminator says what stands at the beginning of b: of two that begin alike the longer.
func (d *Delimited) terminator(b []byte) (n int, end ending, st matching) {
	first, second := d.Layout.Line, d.Layout.Terminated
	ends := [2]ending{endLine, endField}
	if len(second) > len(first) {
		first, second = second, first
		ends[0], ends[1] = endField, endLine
	}
	if st := match(b, first, d.eof); st != differs {
		return len(first), ends[0], st
	}
	return len(second), ends[1], match(b, second, d.eof)
}

// matching says whether a text begins with another.
type matching uint8

const (
	differs matching = iota
	matches
	undecided // it is too short to say
)

func match(b []byte, text string, eof bool) matching {
	switch {
	case len(b) >= len(text):
		if string(b[:len(text)]) == text {
			return matches
		}
	case !eof && string(b) == text[:len(b)]:
		return undecided
	}
	return differs
}

// unescaped is what a byte behind the escape character stands for.
func unescaped(c byte) byte {
	switch c {
	case '0':
		return 0
	case 'b':
		return '\b'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'Z':
		return 26
	}
	return c
}
