package parser

import "strings"

// quoting are the modes that say what quotes and backslashes mean.
const quoting = ANSIQuotes | NoBackslashEscapes

// Requote is a text that is read in the mode to as the given one is in from: its
// strings and quoted names are written otherwise where that is needed.
func Requote(text string, from, to Mode) string {
	if from&quoting == to&quoting {
		return text
	}
	var out strings.Builder
	l := lexer{text: text, mode: from}
	done := 0
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		typed := text[t.pos:t.end]
		out.WriteString(text[done:t.pos])
		done = t.end
		switch {
		case t.kind == tokBad:
			return text
		case t.kind == tokString:
			out.WriteString(quotedString(string(appendUnquoted(nil, typed, from)), to))
		case t.kind == tokQuoted && typed[0] == '"':
			name := strings.ReplaceAll(typed[1:len(typed)-1], `""`, `"`)
			out.WriteString("`" + strings.ReplaceAll(name, "`", "``") + "`")
		default:
			out.WriteString(typed)
		}
	}
	out.WriteString(text[done:])
	return out.String()
}

// quotedString is a string as a literal.
func quotedString(s string, mode Mode) string {
	if mode&NoBackslashEscapes == 0 {
		s = strings.ReplaceAll(s, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}
