package parser

import (
	"strings"
	"unicode/utf8"
)

// Mode is the part of sql_mode that changes how a text is read. The zero value
// is MySQL 8.0's default.
type Mode uint8

// The flags.
const (
	ANSIQuotes         Mode = 1 << iota // "x" is a name
	NoBackslashEscapes                  // \ in a string is an ordinary character
	PipesAsConcat                       // || joins strings; without it, it is OR
	HighNotPrecedence                   // NOT binds like !
	RealAsFloat                         // REAL is FLOAT; without it, DOUBLE
)

// tokenKind says what a token is.
type tokenKind uint8

const (
	tokEnd      tokenKind = iota
	tokWord               // a keyword or a name, unquoted
	tokQuoted             // `name`, or "name" with ANSIQuotes
	tokString             // 'text', or "text" without ANSIQuotes
	tokNumber             // 1, 1.5, .5, 1e5, 0x1F, 0b1, x'1F', b'1'
	tokVariable           // @x, @'x', @@x, @@global.x
	tokParam              // ?
	tokOp                 // an operator or punctuation, one token each
	tokDollar             // $$text$$, $tag$text$tag$
	tokBad                // an unterminated string, name or comment, a stray byte
)

// token is a piece of the text: text[pos:end].
type token struct {
	kind     tokenKind
	word     keyword // of a tokWord that the pre-pass knows, else 0
	op       byte    // of a tokOp: its first byte
	pos, end int
}

// serverVersion decides which version comments are executed: /*!NNNNN … */ is
// when NNNNN is not above it. It is the version that the server reports.
const serverVersion = 80036

// lexer cuts a text into tokens as MySQL 8.0 does. Comments are passed over;
// blank, when set, is told of each stretch that is not SQL: comments, and the
// opening and closing marks of version comments that are executed.
type lexer struct {
	text      string
	mode      Mode
	pos       int
	inVersion bool // inside an executed /*! … */
	opened    int  // where the last one begins
	closed    int  // where its closing mark is; 0: there is none
	afterDot  bool // the token before was a dot behind a name: digits begin a name
	lastName  bool // the token before was a name
	blank     func(from, to int)
}

// next returns the next token; at the end of the text one of kind tokEnd.
func (l *lexer) next() token {
	if !l.skip() {
		pos := l.pos
		l.pos = len(l.text)
		return token{kind: tokBad, pos: pos, end: len(l.text)}
	}
	t := token{pos: l.pos}
	if l.pos == len(l.text) {
		if l.inVersion { // never closed
			l.inVersion = false
			t.kind = tokBad
		}
		t.end = l.pos
		return t
	}
	l.scan(&t)
	t.end = l.pos
	l.afterDot = l.lastName && t.kind == tokOp && t.op == '.'
	l.lastName = t.kind == tokWord || t.kind == tokQuoted
	return t
}

func (l *lexer) scan(t *token) {
	c := l.text[l.pos]
	switch {
	case c == '\'' || c == '"':
		t.kind = tokString
		if c == '"' && l.mode&ANSIQuotes != 0 {
			t.kind = tokQuoted
		}
		if !l.quoted(c, t.kind == tokString && l.mode&NoBackslashEscapes == 0) {
			t.kind = tokBad
		}
	case c == '`':
		t.kind = tokQuoted
		if !l.quoted(c, false) {
			t.kind = tokBad
		}
	case (c == 'x' || c == 'X' || c == 'b' || c == 'B') && l.at(1) == '\'':
		l.radixString(t, c|0x20 == 'x')
	case isDigit(c) && !l.afterDot || c == '.' && isDigit(l.at(1)) && !l.lastName:
		l.number(t)
	case c == '$' && l.dollarQuoted(t):
	case isNameByte(c):
		l.word(t)
	case c == '@':
		l.variable(t)
	case c == '?':
		t.kind = tokParam
		l.pos++
	default:
		l.operator(t, c)
	}
}

// at returns the byte n places on, 0 beyond the end.
func (l *lexer) at(n int) byte {
	if l.pos+n < len(l.text) {
		return l.text[l.pos+n]
	}
	return 0
}

// skip passes over white space and comments; false: one is not closed, or a
// closing mark came without its opening.
func (l *lexer) skip() bool {
	for l.pos < len(l.text) {
		from := l.pos
		switch c := l.text[l.pos]; {
		case isSpace(c):
			l.pos++
			continue
		case c == '#', c == '-' && l.at(1) == '-' && (l.pos+2 == len(l.text) || isSpaceOrControl(l.at(2))):
			if n := strings.IndexByte(l.text[l.pos:], '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.text)
			}
		case c == '/' && l.at(1) == '*':
			if !l.comment() {
				l.pos = from
				return false
			}
			continue
		case c == '*' && l.at(1) == '/' && l.inVersion:
			l.inVersion, l.closed = false, l.pos
			l.pos += 2
		default:
			return true
		}
		l.drop(from)
	}
	return true
}

func (l *lexer) drop(from int) {
	if l.blank != nil {
		l.blank(from, l.pos)
	}
}

// comment passes over a comment, or over the opening mark of a version comment
// that is executed. Optimizer hints are passed over too, but not dropped:
// TiDB's parser reads them.
func (l *lexer) comment() bool {
	from, nested := l.pos, false
	if l.at(2) == '!' {
		digits := 0
		version := 0
		for digits < 6 && isDigit(l.at(3+digits)) {
			version = version*10 + int(l.at(3+digits)-'0')
			digits++
		}
		if digits < 5 {
			digits, version = 0, 0
		}
		if version <= serverVersion {
			l.inVersion, l.opened = true, from
			l.pos += 3 + digits
			l.drop(from)
			return true
		}
		nested = true // a skipped version comment may hold one level of comments
	}
	hint := l.at(2) == '+'
	for i := l.pos + 2; ; {
		n := strings.IndexByte(l.text[i:], '/')
		if n < 0 {
			return false
		}
		i += n
		switch {
		case i > l.pos+2 && l.text[i-1] == '*':
			l.pos = i + 1
			if !hint {
				l.drop(from)
			}
			return true
		case nested && i+1 < len(l.text) && l.text[i+1] == '*':
			end := strings.Index(l.text[i+2:], "*/")
			if end < 0 {
				return false
			}
			i += end + 4
		default:
			i++
		}
	}
}

// quoted passes over a quoted piece whose quote is doubled inside.
func (l *lexer) quoted(quote byte, escapes bool) bool {
	i := l.pos + 1
	for i < len(l.text) {
		switch c := l.text[i]; {
		case c == quote:
			if i+1 == len(l.text) || l.text[i+1] != quote {
				l.pos = i + 1
				return true
			}
			i += 2
		case c == '\\' && escapes:
			i += 2
		default:
			i++
		}
	}
	l.pos = len(l.text)
	return false
}

// radixString reads x'1F' and b'01'.
func (l *lexer) radixString(t *token, isHex bool) {
	t.kind = tokNumber
	i := l.pos + 2
	for i < len(l.text) && (l.text[i] == '0' || l.text[i] == '1' || isHex && isHexDigit(l.text[i])) {
		i++
	}
	if i == len(l.text) || l.text[i] != '\'' {
		t.kind = tokBad
		l.pos = i
		return
	}
	l.pos = i + 1
}

// number reads a number, or a name that begins with a digit.
func (l *lexer) number(t *token) {
	t.kind = tokNumber
	start := l.pos
	if l.text[start] == '0' && (l.at(1) == 'x' || l.at(1) == 'X' || l.at(1) == 'b') {
		isHex := l.at(1) != 'b'
		i := start + 2
		for i < len(l.text) && (isHex && isHexDigit(l.text[i]) || l.text[i] == '0' || l.text[i] == '1') {
			i++
		}
		if i > start+2 && (i == len(l.text) || !isNameByte(l.text[i])) {
			l.pos = i
			return
		}
	}
	l.digits()
	dot := l.at(0) == '.'
	if dot {
		l.pos++
		l.digits()
	}
	if c := l.at(0); c == 'e' || c == 'E' {
		n := 1
		if s := l.at(1); s == '+' || s == '-' {
			n = 2
		}
		if isDigit(l.at(n)) {
			l.pos += n
			l.digits()
			return
		}
	}
	if !dot && isNameByte(l.at(0)) {
		l.pos = start
		l.word(t)
	}
}

func (l *lexer) digits() {
	for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
		l.pos++
	}
}

func (l *lexer) word(t *token) {
	t.kind = tokWord
	start := l.pos
	for l.pos < len(l.text) && isNameByte(l.text[l.pos]) {
		l.pos++
	}
	t.word = lookupWord(l.text[start:l.pos])
}

// variable reads @name, @'name', @@name and @@scope.name.
func (l *lexer) variable(t *token) {
	t.kind = tokVariable
	l.pos++
	if l.at(0) == '@' {
		l.pos++
	}
	switch c := l.at(0); c {
	case '\'', '"', '`':
		if !l.quoted(c, c != '`' && l.mode&NoBackslashEscapes == 0) {
			t.kind = tokBad
		}
	default:
		for l.pos < len(l.text) && (isNameByte(l.text[l.pos]) || l.text[l.pos] == '.') {
			l.pos++
		}
		if l.at(0) == '`' && l.text[l.pos-1] == '.' && !l.quoted('`', false) { // @@global.`x`
			t.kind = tokBad
		}
	}
}

// operators of more than one byte, the longest first.
var operators = []string{"<=>", "->>", "->", ":=", "<=", ">=", "<>", "!=", "<<", ">>", "||", "&&"}

func (l *lexer) operator(t *token, c byte) {
	t.kind, t.op = tokOp, c
	if strings.IndexByte("<-:>!|&", c) >= 0 {
		rest := l.text[l.pos:]
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				l.pos += len(op)
				return
			}
		}
	}
	if strings.IndexByte(`+-*/%<>=!~^&|(),.;:{}[]\`, c) < 0 {
		t.kind = tokBad
	}
	_, n := utf8.DecodeRuneInString(l.text[l.pos:])
	l.pos += n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHexDigit(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// isSpaceOrControl says what may follow `--` for it to begin a comment.
func isSpaceOrControl(c byte) bool { return c <= ' ' || c == 0x7f }

// isNameByte reports the bytes of an unquoted name; all of UTF-8 beyond ASCII.
func isNameByte(c byte) bool { return nameBytes[c] }

var nameBytes = func() (t [256]bool) {
	for c := range t {
		b := byte(c)
		t[c] = isDigit(b) || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' || b == '$' || b >= 0x80
	}
	return t
}()
