package slt

import "strings"

// mariadbSetUp gives a MariaDB session the defaults that the cases assume.
var mariadbSetUp = []string{
	"SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
	"SET SESSION time_zone = '+00:00'",
}

// rewriter turns the stream dialect into what MariaDB understands.
type rewriter struct {
	upserts map[string]bool // stream tables with a primary key
}

func newRewriter() *rewriter { return &rewriter{upserts: map[string]bool{}} }

// A token is a word, a quoted text or a single character; depth counts the
// parentheses around it (that of the inside for both parentheses' content,
// that of the outside for the parentheses themselves).
type token struct {
	text       string
	start, end int
	depth      int
}

func (t token) is(word string) bool { return strings.EqualFold(t.text, word) }

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func tokenize(s string) []token {
	var out []token
	depth := 0
	for i := 0; i < len(s); {
		c := s[i]
		start := i
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case c == '#' || strings.HasPrefix(s[i:], "-- "):
			for i < len(s) && s[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(s[i:], "/*"):
			if k := strings.Index(s[i+2:], "*/"); k >= 0 {
				i += k + 4
			} else {
				i = len(s)
			}
			continue
		case c == '\'' || c == '"' || c == '`':
			i++
			for i < len(s) && s[i] != c {
				if s[i] == '\\' && c != '`' {
					i++
				}
				i++
			}
			i = min(i+1, len(s))
		case isWord(c):
			for i < len(s) && isWord(s[i]) {
				i++
			}
		default:
			i++
		}
		t := token{text: s[start:i], start: start, end: i, depth: depth}
		if t.text == "(" {
			depth++
		}
		if t.text == ")" {
			depth--
			t.depth = depth
		}
		out = append(out, t)
	}
	return out
}

func unquote(s string) string { return strings.ToLower(strings.Trim(s, "`")) }

type span struct{ from, to int }

func cut(s string, spans []span) string {
	var b strings.Builder
	at := 0
	for _, p := range spans {
		if p.from < at {
			continue
		}
		b.WriteString(s[at:p.from])
		at = p.to
	}
	b.WriteString(s[at:])
	return b.String()
}

// rewrite is s as MariaDB understands it.
func (w *rewriter) rewrite(s string) string { return w.dialect(collated(s)) }

// collated has MariaDB's name of the Unicode collation that does not pad.
func collated(s string) string {
	var b strings.Builder
	at := 0
	for _, t := range tokenize(s) {
		if t.is("utf8mb4_0900_ai_ci") {
			b.WriteString(s[at:t.start] + "utf8mb4_uca1400_nopad_ai_ci")
			at = t.end
		}
	}
	return b.String() + s[at:]
}

func (w *rewriter) dialect(s string) string {
	t := tokenize(s)
	at := func(i int) token {
		if i < len(t) {
			return t[i]
		}
		return token{}
	}
	drop := func(i int) span { return span{at(i).start, at(i + 1).start} }
	switch {
	case at(0).is("CREATE"):
		k := 1
		if at(1).is("OR") && at(2).is("REPLACE") {
			k = 3
		}
		switch {
		case at(k).is("STREAM") && at(k+1).is("TABLE"):
			return w.streamTable(s, t, k)
		case at(k).is("MATERIALIZED") && at(k+1).is("VIEW"):
			return cut(s, append([]span{drop(k)}, viewTail(t, len(s), k+2)...))
		case at(k).is("VIEW"):
			return cut(s, viewTail(t, len(s), k+1))
		}
	case at(0).is("DROP") && (at(1).is("STREAM") && at(2).is("TABLE") || at(1).is("MATERIALIZED") && at(2).is("VIEW")):
		return cut(s, []span{drop(1)})
	case at(0).is("INSERT"):
		k := 1
		if at(1).is("IGNORE") {
			return s
		}
		if at(k).is("INTO") {
			k++
		}
		if w.upserts[unquote(at(k).text)] {
			return "REPLACE" + s[at(0).end:]
		}
	}
	return s
}

func (w *rewriter) streamTable(s string, t []token, k int) string {
	spans := []span{{t[k].start, t[k+1].start}}
	i := k + 2
	if i+2 < len(t) && t[i].is("IF") {
		i += 3
	}
	name := ""
	if i < len(t) {
		name = unquote(t[i].text)
	}
	// Elements of the body that begin with WATERMARK go, with one comma.
	elem := -1 // index of the first token of the element
	prev := -1 // index of the comma before it
	closing := -1
	for j := i; j < len(t); j++ {
		switch {
		case elem < 0 && t[j].text == "(" && t[j].depth == 0:
			elem = j + 1
		case elem >= 0 && closing < 0 && (t[j].text == "," && t[j].depth == 1 || t[j].text == ")" && t[j].depth == 0):
			if t[elem].is("WATERMARK") {
				if prev >= 0 {
					spans = append(spans, span{t[prev].start, t[j].start})
				} else {
					spans = append(spans, span{t[elem].start, t[j].end})
				}
			} else if t[elem].is("PRIMARY") {
				w.upserts[name] = true
			}
			for x := elem; x+1 < j; x++ {
				if t[x].depth == 1 && t[x].is("PRIMARY") && t[x+1].is("KEY") {
					w.upserts[name] = true
				}
			}
			if t[j].text == ")" {
				closing = j
			}
			prev, elem = j, j+1
		case closing >= 0 && t[j].is("WITH") && t[j].depth == 0:
			spans = append(spans, span{t[j].start, len(s)})
			return cut(s, spans)
		}
	}
	return cut(s, spans)
}

// viewTail finds WITH (…) between a view's name and AS, and EMIT … at the end.
func viewTail(t []token, size, k int) []span {
	var spans []span
	for i := k; i < len(t); i++ {
		if t[i].depth > 0 {
			continue
		}
		if t[i].is("AS") {
			break
		}
		if t[i].is("WITH") && i+1 < len(t) && t[i+1].text == "(" {
			for j := i + 1; j < len(t); j++ {
				if t[j].text == ")" && t[j].depth == 0 {
					spans = append(spans, span{t[i].start, t[j].end})
					break
				}
			}
			break
		}
	}
	for i := len(t) - 1; i >= 0 && i >= len(t)-4; i-- {
		if t[i].depth == 0 && t[i].is("EMIT") {
			spans = append(spans, span{t[i].start, size})
		}
	}
	return spans
}
