// Package regex finds regular expressions in text by deterministic automata that
// are built beforehand, which takes a nanosecond or less a byte where package
// regexp takes tens. Meaning and result are those of package regexp, which does the
// work itself where an automaton would be too large, or the expression asks for
// line ends or word borders.
//
// The method is RE2's (Cox, Regular Expression Matching in the Wild, 2010): one
// automaton runs forward and knows where the leftmost-first match ends; another, of
// the expression turned round, runs back from there to where it begins.
package regex

import (
	"regexp"
	"regexp/syntax"
)

// Pattern is a regular expression. It is immutable.
type Pattern struct {
	re       *regexp.Regexp
	forward  *automaton // nil: re does it all
	backward *automaton
}

// New makes a Pattern of an expression, which must not have been set to Longest.
func New(re *regexp.Regexp) *Pattern {
	p := &Pattern{re: re}
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return p // it is what regexp itself has parsed: this cannot be
	}
	forward, back := build(tree.Simplify(), true), build(turned(tree).Simplify(), false)
	if forward != nil && back != nil {
		p.forward, p.backward = forward, back
	}
	return p
}

// Once is a Pattern that is not worth an automaton, since it is used for few texts.
func Once(re *regexp.Regexp) *Pattern { return &Pattern{re: re} }

// Regexp is the expression.
func (p *Pattern) Regexp() *regexp.Regexp { return p.re }

// Match reports whether s contains a match.
func (p *Pattern) Match(s []byte) bool {
	if p.forward == nil || len(s) == 0 {
		return p.re.Match(s)
	}
	return p.forward.end(s, true) >= 0
}

// Find is the leftmost match in s, s[start:end].
func (p *Pattern) Find(s []byte) (start, end int, ok bool) {
	if p.forward == nil || len(s) == 0 {
		at := p.re.FindIndex(s)
		if at == nil {
			return 0, 0, false
		}
		return at[0], at[1], true
	}
	if end = p.forward.end(s, false); end < 0 {
		return 0, 0, false
	}
	return p.backward.begin(s, end), end, true
}

// turned is an expression that matches what re matches, read backward.
func turned(re *syntax.Regexp) *syntax.Regexp {
	out := *re
	out.Rune = nil
	switch re.Op {
	case syntax.OpBeginText:
		out.Op = syntax.OpEndText
	case syntax.OpEndText:
		out.Op = syntax.OpBeginText
	case syntax.OpLiteral:
		for i := len(re.Rune) - 1; i >= 0; i-- {
			out.Rune = append(out.Rune, re.Rune[i])
		}
	default:
		out.Rune = re.Rune
	}
	out.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		at := i
		if re.Op == syntax.OpConcat {
			at = len(re.Sub) - 1 - i
		}
		out.Sub[at] = turned(sub)
	}
	return &out
}
