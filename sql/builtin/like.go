package builtin

import (
	"bytes"
	"unicode/utf8"

	"streamsql/sql/collate"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 2, max: 3, flags: total, resolve: resolveLike, kernel: likeKernel}, "like", "not like")
}

func resolveLike(c *call) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(c.args))
	for i, a := range c.args {
		if a.Type.Kind == types.Null {
			args[i] = expr.NewConst(expr.Value{Null: true}, types.MakeVarChar(0))
			continue
		}
		args[i] = c.env.toText(a)
	}
	texts, err := together(args[:2], c.fn)
	if err != nil {
		return nil, err
	}
	args = append(texts, args[2:]...)
	if len(args) == 3 {
		if args[2].Op != expr.OpConst || utf8.RuneCount(args[2].Value.S) > 1 {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to ESCAPE")
		}
	}
	c.args = args
	return c.result(types.MakeBool()), nil
}

func likeKernel(e *expr.Expr) Kernel {
	escape := '\\'
	if len(e.Args) == 3 && !e.Args[2].Value.Null {
		escape = -1
		if s := e.Args[2].Value.S; len(s) > 0 {
			escape, _ = utf8.DecodeRune(s)
		}
	}
	c := textCollation(e.Args[:2]...)
	yes := e.Fn == "like"
	var fixed *pattern
	if p := e.Args[1]; p.Op == expr.OpConst && !p.Value.Null {
		fixed = newPattern(p.Value.S, escape, c)
	}
	return func(f *Frame) {
		f.Args = f.Args[:2]
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		for i := range out {
			out[i] = 0
			p := fixed
			if p == nil {
				if f.AnyNull(i) {
					continue
				}
				p = newPattern(f.Args[1].Str(i), escape, c)
			}
			out[i] = bit(p.match(f.Args[0].Str(i)) == yes)
		}
	}
}

// pattern is a LIKE pattern: texts of literal characters and `_`, between `%`s.
type pattern struct {
	c     types.Collation
	parts []part // never empty
}

// part is what stands between two `%`; any[k] marks a `_` at text[k].
type part struct {
	text []byte
	any  []bool // nil: no `_`
}

func newPattern(s []byte, escape rune, c types.Collation) *pattern {
	p := &pattern{c: c, parts: make([]part, 1)}
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		char := s[:n]
		s = s[n:]
		k := len(p.parts) - 1
		switch {
		case r == escape && len(s) > 0:
			_, n = utf8.DecodeRune(s)
			char, s = s[:n], s[n:]
		case r == '%':
			p.parts = append(p.parts, part{})
			continue
		case r == '_':
			p.parts[k].any = append(p.parts[k].any, make([]bool, len(p.parts[k].text)+1-len(p.parts[k].any))...)
			p.parts[k].any[len(p.parts[k].text)] = true
		}
		p.parts[k].text = append(p.parts[k].text, collate.Fold(c, char)...)
	}
	for k := range p.parts {
		if a := p.parts[k].any; a != nil {
			p.parts[k].any = append(a, make([]bool, len(p.parts[k].text)-len(a))...)
		}
	}
	return p
}

// match reports whether all of s matches: the first part at the start, the last
// at the end, each other one at the earliest place after the one before.
func (p *pattern) match(s []byte) bool {
	s = collate.Fold(p.c, s)
	n, ok := p.parts[0].at(s)
	if !ok {
		return false
	}
	s = s[n:]
	if len(p.parts) == 1 {
		return len(s) == 0
	}
	for _, q := range p.parts[1 : len(p.parts)-1] {
		i, n := q.find(s)
		if i < 0 {
			return false
		}
		s = s[i+n:]
	}
	return p.parts[len(p.parts)-1].ends(s)
}

// at reports whether s starts with q, and how many bytes that takes.
func (q *part) at(s []byte) (int, bool) {
	if q.any == nil {
		return len(q.text), bytes.HasPrefix(s, q.text)
	}
	i := 0
	for k, c := range q.text {
		switch {
		case i == len(s):
			return 0, false
		case q.any[k]:
			_, n := utf8.DecodeRune(s[i:])
			i += n
		case s[i] != c:
			return 0, false
		default:
			i++
		}
	}
	return i, true
}

// find is the first place of q in s and its length there; −1 if there is none.
func (q *part) find(s []byte) (at, n int) {
	if q.any == nil {
		return bytes.Index(s, q.text), len(q.text)
	}
	for i := 0; i <= len(s); {
		if n, ok := q.at(s[i:]); ok {
			return i, n
		}
		if i == len(s) {
			break
		}
		_, w := utf8.DecodeRune(s[i:])
		i += w
	}
	return -1, 0
}

// ends reports whether s ends with q.
func (q *part) ends(s []byte) bool {
	if q.any == nil {
		return bytes.HasSuffix(s, q.text)
	}
	for i := 0; i <= len(s); i++ {
		if i == len(s) || utf8.RuneStart(s[i]) {
			if n, ok := q.at(s[i:]); ok && i+n == len(s) {
				return true
			}
		}
	}
	return false
}
