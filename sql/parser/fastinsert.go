package parser

import (
	"math"
	"strings"
	"unicode/utf8"
)

// InsertValues is an INSERT or REPLACE of plain literals, read without a tree.
type InsertValues struct {
	DB, Table string
	Columns   []string // the column list; nil if there is none
	Replace   bool
	Rows      int
	Lits      []Lit // row-major: row r, column c is Lits[r*len(Lits)/Rows+c]

	text string
	mode Mode
}

// LitKind is the kind of a Lit.
type LitKind uint8

// The kinds. Numbers are told apart as MySQL does: LitInt has digits only
// (possibly more than fit 64 bits), LitDecimal a point, LitFloat an exponent.
const (
	LitNull LitKind = iota
	LitDefault
	LitTrue
	LitFalse
	LitInt
	LitDecimal
	LitFloat
	LitString
)

// Lit is one literal: a kind and where it lies in the statement.
type Lit struct {
	Kind    LitKind
	Neg     bool // a number behind a minus sign
	Escaped bool // a string that holds doubled quotes or backslashes: see AppendText
	off     uint32
	len     uint32
}

// Raw returns the digits of a number, without its sign, or what stands between
// the quotes of a string; it shares the statement's memory.
func (v *InsertValues) Raw(l Lit) string { return v.text[l.off : l.off+l.len] }

// Signed is Raw with the sign of a number below zero.
func (v *InsertValues) Signed(l Lit) string {
	if l.Neg {
		return v.text[l.off-1 : l.off+l.len]
	}
	return v.Raw(l)
}

// AppendText appends a string's value, unescaped, or a number with its sign.
func (v *InsertValues) AppendText(dst []byte, l Lit) []byte {
	if l.Escaped {
		return appendUnquoted(dst, v.text[l.off-1:l.off+l.len+1], v.mode)
	}
	if l.Neg {
		dst = append(dst, '-')
	}
	return append(dst, v.Raw(l)...)
}

// FastInsert reads INSERT|REPLACE [INTO] [db.]t [(columns)] VALUES (literal, …),
// … where each literal is a number, with or without a sign, a string, NULL,
// TRUE, FALSE or DEFAULT. False means: not a statement of that form, or one
// that is wrong; Parse says which. What it accepts, it reads as Parse does.
func FastInsert(text string, m Mode) (*InsertValues, bool) {
	v := &InsertValues{}
	ok := v.Read(text, m)
	return v, ok
}

// Read is FastInsert into v, whose memory is used again.
func (v *InsertValues) Read(text string, m Mode) bool {
	*v = InsertValues{text: text, mode: m, Columns: v.Columns[:0], Lits: v.Lits[:0]}
	if len(text) > math.MaxUint32 || !utf8.ValidString(text) {
		return false
	}
	r := insertReader{v: v, text: text}
	return r.head() && r.rows()
}

// insertReader is a position in the statement. Whatever it does not know, it
// gives up on.
type insertReader struct {
	v    *InsertValues
	text string
	pos  int
}

func (r *insertReader) space() {
	for r.pos < len(r.text) && isSpace(r.text[r.pos]) {
		r.pos++
	}
}

func (r *insertReader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

// take passes over c, and white space before it.
func (r *insertReader) take(c byte) bool {
	r.space()
	if r.peek() == c {
		r.pos++
		return true
	}
	return false
}

// word reads letters, digits and underscores; "" if there are none.
func (r *insertReader) word() string {
	r.space()
	start := r.pos
	for r.pos < len(r.text) && isNameByte(r.text[r.pos]) {
		r.pos++
	}
	return r.text[start:r.pos]
}

// name reads a name, bare or in backticks.
func (r *insertReader) name() (string, bool) {
	if r.take('`') {
		n := strings.IndexByte(r.text[r.pos:], '`')
		if n <= 0 || strings.HasPrefix(r.text[r.pos+n+1:], "`") {
			return "", false
		}
		s := r.text[r.pos : r.pos+n]
		r.pos += n + 1
		return s, true
	}
	s := r.word()
	return s, s != "" && !isDigit(s[0]) && !isReserved(s)
}

// head reads up to and including VALUES.
func (r *insertReader) head() bool {
	switch lookupWord(r.word()) {
	case kwInsert:
	case kwReplace:
		r.v.Replace = true
	default:
		return false
	}
	at := r.pos
	if lookupWord(r.word()) != kwInto {
		r.pos = at
		switch w := r.word(); strings.ToLower(w) { // modifiers, for Parse
		case "low_priority", "high_priority", "delayed", "ignore":
			return false
		}
		r.pos = at
	}
	table, ok := r.name()
	if !ok {
		return false
	}
	if r.peek() == '.' {
		r.pos++
		if c := r.peek(); isSpace(c) || isDigit(c) {
			return false
		}
		r.v.DB = table
		if table, ok = r.name(); !ok {
			return false
		}
	}
	r.v.Table = table
	if r.take('(') && !r.columns() {
		return false
	}
	w := lookupWord(r.word())
	return w == kwValues || w == kwValue
}

func (r *insertReader) columns() bool {
	for {
		name, ok := r.name()
		if !ok {
			return false
		}
		r.v.Columns = append(r.v.Columns, name)
		if r.take(')') {
			return true
		}
		if !r.take(',') {
			return false
		}
	}
}

// rows reads the rows, up to the end of the statement.
func (r *insertReader) rows() bool {
	width := len(r.v.Columns)
	for {
		if !r.take('(') {
			return false
		}
		n := 0
		for {
			if !r.literal() {
				return false
			}
			n++
			r.space()
			c := r.peek()
			r.pos++
			if c == ')' {
				break
			}
			if c != ',' {
				return false
			}
		}
		if width == 0 {
			width = n
		}
		if n != width {
			return false
		}
		r.v.Rows++
		if !r.take(',') {
			break
		}
	}
	if r.take(';') {
		r.space()
	}
	r.space()
	return r.pos == len(r.text)
}

func (r *insertReader) literal() bool {
	r.space()
	neg := false
	c := r.peek()
	if c == '-' || c == '+' {
		neg = c == '-'
		r.pos++
		if c = r.peek(); !isDigit(c) && c != '.' {
			return false
		}
	}
	switch {
	case isDigit(c) || c == '.':
		return r.number(neg)
	case c == '\'' || c == '"' && r.v.mode&ANSIQuotes == 0:
		return r.string(c)
	}
	var l Lit
	switch w := r.word(); {
	case strings.EqualFold(w, "null"):
		l.Kind = LitNull
	case strings.EqualFold(w, "default"):
		l.Kind = LitDefault
	case strings.EqualFold(w, "true"):
		l.Kind = LitTrue
	case strings.EqualFold(w, "false"):
		l.Kind = LitFalse
	default:
		return false
	}
	r.v.Lits = append(r.v.Lits, l)
	return true
}

// number reads digits, a point, digits, and an exponent of up to two digits: a
// larger one may not fit a DOUBLE, which Parse knows about.
func (r *insertReader) number(neg bool) bool {
	l := Lit{Kind: LitInt, Neg: neg, off: uint32(r.pos)}
	n := r.digits()
	if r.peek() == '.' {
		l.Kind = LitDecimal
		r.pos++
		n += r.digits()
	}
	if n == 0 {
		return false
	}
	if c := r.peek(); c == 'e' || c == 'E' {
		l.Kind = LitFloat
		r.pos++
		if c := r.peek(); c == '+' || c == '-' {
			r.pos++
		}
		if n := r.digits(); n == 0 || n > 2 || r.pos-int(l.off) > 200 {
			return false
		}
	}
	if isNameByte(r.peek()) {
		return false
	}
	l.len = uint32(r.pos) - l.off
	r.v.Lits = append(r.v.Lits, l)
	return true
}

func (r *insertReader) digits() int {
	start := r.pos
	for r.pos < len(r.text) && isDigit(r.text[r.pos]) {
		r.pos++
	}
	return r.pos - start
}

func (r *insertReader) string(quote byte) bool {
	l := Lit{Kind: LitString, off: uint32(r.pos + 1)}
	escapes := r.v.mode&NoBackslashEscapes == 0
	for i := r.pos + 1; i < len(r.text); i++ {
		switch c := r.text[i]; {
		case c == quote:
			if i+1 < len(r.text) && r.text[i+1] == quote {
				l.Escaped = true
				i++
				continue
			}
			l.len = uint32(i) - l.off
			r.pos = i + 1
			r.v.Lits = append(r.v.Lits, l)
			return true
		case c == '\\' && escapes:
			l.Escaped = true
			i++
		}
	}
	return false
}
