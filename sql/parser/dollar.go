package parser

import "strings"

// dollarQuoted reads $$ … $$ and $tag$ … $tag$, where nothing inside means
// anything; false: no such string begins here. (MySQL has them since 8.0.32.)
func (l *lexer) dollarQuoted(t *token) bool {
	end := dollarEnd(l.text[l.pos:])
	if end == 0 {
		return false
	}
	t.kind = tokDollar
	l.pos += end
	return true
}

// dollarEnd is the length of the dollar-quoted string that s begins with; 0: it
// does not, or the string is not closed.
func dollarEnd(s string) int {
	n := dollarMark(s)
	if n == 0 {
		return 0
	}
	end := strings.Index(s[n:], s[:n])
	if end < 0 {
		return 0
	}
	return n + end + n
}

// dollarMark is the length of the $tag$ that s begins with; 0: with none.
func dollarMark(s string) int {
	if s == "" || s[0] != '$' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '$':
			return i + 1
		case !isNameByte(s[i]):
			return 0
		}
	}
	return 0
}

// undollar is what a dollar-quoted string stands for.
func undollar(s string) string {
	n := dollarMark(s)
	return s[n : len(s)-n]
}
