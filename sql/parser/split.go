package parser

// Splitter cuts a text of several statements at its semicolons, one statement
// at a time: what is wrong with a later statement does not touch an earlier
// one, and a change of sql_mode by one counts for the next.
type Splitter struct {
	// Mode is how the rest is read. It may be changed between calls of Next.
	Mode Mode

	text string
	pos  int
	any  bool // a statement was returned
}

// Split returns the splitter of a text.
func Split(sql string) *Splitter { return &Splitter{text: sql} }

// Next returns the next statement, without its semicolon and the white space
// around it, and its byte offset in the whole text. Pieces that hold nothing
// but white space and comments are passed over; a text that holds nothing else
// at all is returned once, for the parser to say that the query is empty. The
// rest behind an unclosed quote or comment is one statement.
func (s *Splitter) Next() (text string, offset int, ok bool) {
	for s.pos < len(s.text) {
		l := lexer{text: s.text, pos: s.pos, mode: s.Mode}
		begin, empty := s.pos, true
		end := -1
		for end < 0 {
			for l.pos < len(s.text) && (!telling[s.text[l.pos]] || l.insideName()) {
				empty = empty && isSpace(s.text[l.pos])
				l.pos++
			}
			switch t := l.next(); {
			case t.kind == tokEnd:
				end, s.pos = t.pos, len(s.text)
			case t.kind == tokOp && t.op == ';':
				end, s.pos = t.pos, t.end
			default:
				empty = false
				if t.kind == tokBad && t.end == len(s.text) {
					end, s.pos = len(s.text), len(s.text)
				}
			}
		}
		if empty {
			continue
		}
		s.any = true
		begin, end = trim(s.text, begin, end)
		return s.text[begin:end], begin, true
	}
	if !s.any {
		s.any = true
		return s.text, 0, true
	}
	return "", len(s.text), false
}

// telling marks the bytes that can begin what a statement's end depends on:
// quotes, comments, the semicolon itself. Everything else is passed over.
// (A dollar sign in a name, which is none of them, see insideName.)
var telling = func() (t [256]bool) {
	for _, c := range []byte("'\"`;#-/*@$") {
		t[c] = true
	}
	return t
}()

// insideName reports a dollar sign that goes on with a name.
func (l *lexer) insideName() bool {
	return l.text[l.pos] == '$' && l.pos > 0 && isNameByte(l.text[l.pos-1])
}

// trim narrows text[from:to] by the white space at both ends.
func trim(text string, from, to int) (int, int) {
	for from < to && isSpace(text[from]) {
		from++
	}
	for to > from && isSpace(text[to-1]) {
		to--
	}
	return from, to
}
