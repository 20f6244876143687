package shell

import (
	"bytes"
	"iter"
	"strings"
)

// piece is a statement, without what ends it, or a command of the shell.
type piece struct {
	text     string
	line     int  // where it begins, from 1
	vertical bool // it ended with \G
	command  byte // q, h, u, '.': text is the argument
}

// cutter cuts lines into statements as they come, so that a script of any
// length runs as it is read.
type cutter struct {
	noEscapes bool // sql_mode has NO_BACKSLASH_ESCAPES
	delimiter string

	buf   []byte // of the statement being read
	lines int    // read so far
	start int    // the line on which buf begins
	solid bool   // buf holds more than comments
	inside
	mark []byte // inside a dollar-quoted string: what ends it
}

// inside is what the end of a line lies in.
type inside byte

const (
	plain  inside = 0
	remark inside = '*' // /* … */
	dollar inside = '$' // $$ … $$, $tag$ … $tag$
	// or a quote: ' " `
)

func newCutter() *cutter { return &cutter{delimiter: ";"} }

// pending reports whether a statement has begun.
func (c *cutter) pending() bool { return len(bytes.TrimSpace(c.buf)) > 0 }

// clear drops the statement that has begun.
func (c *cutter) clear() { c.buf, c.inside, c.solid = c.buf[:0], plain, false }

// feed takes a line, without its end, and yields what it completes; with last
// set, also what is left without a delimiter.
func (c *cutter) feed(line []byte, last bool) iter.Seq[piece] {
	return func(yield func(piece) bool) {
		c.lines++
		if c.inside == plain && !c.pending() {
			c.clear()
			if p, ok := c.word(line); ok {
				if p.command != 0 {
					yield(p)
				}
				return
			}
		}
		for i := 0; i < len(line); {
			n, p, done := c.step(line[i:])
			i += n
			if done && !yield(p) {
				return
			}
		}
		if len(c.buf) > 0 {
			c.buf = append(c.buf, '\n')
		}
		if last && c.solid {
			yield(c.take())
		}
	}
}

// word recognises a line that is a command in words.
func (c *cutter) word(line []byte) (piece, bool) {
	name, argument, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	argument = strings.TrimSpace(argument)
	bare := strings.TrimSpace(strings.TrimSuffix(argument, ";"))
	p := piece{text: bare, line: c.lines}
	switch strings.ToLower(strings.TrimSuffix(name, ";")) {
	case "quit", "exit", `\q`:
		p.command = 'q'
	case "help", "?", `\h`, `\?`:
		p.command = 'h'
	case "source", `\.`:
		p.command = '.'
	case `\u`:
		p.command = 'u'
	case "clear", `\c`:
		return piece{}, bare == ""
	case "delimiter":
		if argument != "" {
			c.delimiter = argument
		}
		return piece{}, true
	default:
		return piece{}, false
	}
	needs := p.command == '.' || p.command == 'u'
	return p, needs == (bare != "")
}

// step takes the first piece of a line: a character, a comment, or what ends
// the statement, which is then returned.
func (c *cutter) step(s []byte) (n int, p piece, done bool) {
	switch {
	case c.inside == remark:
		if bytes.HasPrefix(s, []byte("*/")) {
			c.inside = plain
			return c.add(s[:2]), p, false
		}
	case c.inside == dollar:
		if bytes.HasPrefix(s, c.mark) {
			c.inside = plain
			return c.add(s[:len(c.mark)]), p, false
		}
	case c.inside != plain:
		if s[0] == '\\' && c.inside != '`' && !c.noEscapes && len(s) > 1 {
			return c.add(s[:2]), p, false
		}
		if s[0] == byte(c.inside) { // a doubled quote closes and opens again
			c.inside = plain
		}
	case bytes.HasPrefix(s, []byte(c.delimiter)):
		done = c.solid
		return len(c.delimiter), c.take(), done
	case s[0] == '\\' && len(s) > 1 && (s[1] == 'G' || s[1] == 'g'):
		done = c.solid
		p = c.take()
		p.vertical = s[1] == 'G'
		return 2, p, done
	case s[0] == '\\' && len(s) > 1 && s[1] == 'c':
		c.clear()
		return 2, p, false
	case s[0] == '#', bytes.HasPrefix(s, []byte("--")) && (len(s) == 2 || s[2] <= ' '):
		return c.comment(s), p, false
	case bytes.HasPrefix(s, []byte("/*")):
		c.inside = remark
		c.solid = c.solid || len(s) > 2 && s[2] == '!'
		return c.add(s[:2]), p, false
	case s[0] == '\'', s[0] == '"', s[0] == '`':
		c.inside = inside(s[0])
	case s[0] == '$':
		if c.mark = c.dollarMark(s); c.mark != nil {
			c.inside, c.solid = dollar, true
			return c.add(c.mark), p, false
		}
	}
	c.solid = c.solid || c.inside != remark && s[0] > ' '
	return c.add(s[:1]), p, false
}

// dollarMark is the $tag$ that a dollar-quoted string begins with here; nil: none does.
func (c *cutter) dollarMark(s []byte) []byte {
	if n := len(c.buf); n > 0 && nameByte(c.buf[n-1]) {
		return nil // of a name
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '$':
			return bytes.Clone(s[:i+1])
		case !nameByte(s[i]):
			return nil
		}
	}
	return nil
}

func nameByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z'
}

// comment passes over the rest of a line. Within a statement it is kept, so
// that the server's error positions are those of the file.
func (c *cutter) comment(s []byte) int {
	if !c.pending() {
		return len(s)
	}
	return c.add(s)
}

func (c *cutter) add(s []byte) int {
	if len(c.buf) == 0 {
		if s[0] == ' ' || s[0] == '\t' {
			return len(s)
		}
		c.start = c.lines
	}
	c.buf = append(c.buf, s...)
	return len(s)
}

// take returns the statement that was read and begins a new one.
func (c *cutter) take() piece {
	p := piece{text: string(bytes.TrimSpace(c.buf)), line: c.start}
	c.clear()
	return p
}
