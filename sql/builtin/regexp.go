package builtin

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"streamsql/sql/expr"
	"streamsql/sql/regex"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Regular expressions are Go's (RE2): linear in the text, without back-references
// and look-around, which MySQL's have; such a pattern is refused.

func init() {
	for _, name := range []string{"regexp", "rlike", "not regexp", "regexp_like"} {
		defineBy(name, "ss?s", total, returns(types.MakeBool()), func(e *expr.Expr) Kernel {
			return withPattern(e, 2, func(f *Frame, i int, p *regex.Pattern) {
				f.Out.AppendInt(bit(p.Match(f.Args[0].Str(i)) == (e.Fn != "not regexp")))
			})
		})
	}
	defineBy("regexp_replace", "sss?iis", 0, textResult(func(*call) int { return maxVarChar }), func(e *expr.Expr) Kernel {
		return withPattern(e, 5, regexpReplace)
	})
	defineBy("regexp_substr", "ss?iis", 0, textResult(firstLen), func(e *expr.Expr) Kernel {
		return withPattern(e, 4, func(f *Frame, i int, p *regex.Pattern) {
			s, from := f.searchFrom(i, 2)
			if start, end, ok := nth(p, s[from:], f.optional(i, 3, 1)); ok {
				f.Out.AppendBytes(s[from+start : from+end])
			} else {
				f.Out.AppendNull()
			}
		})
	})
	defineBy("regexp_instr", "ss?iiis", 0, returns(types.Type{Kind: types.BigInt}), func(e *expr.Expr) Kernel {
		return withPattern(e, 5, func(f *Frame, i int, p *regex.Pattern) {
			s, from := f.searchFrom(i, 2)
			at, end, ok := nth(p, s[from:], f.optional(i, 3, 1))
			if !ok {
				f.Out.AppendInt(0)
				return
			}
			if f.optional(i, 4, 0) > 0 {
				at = end
			}
			f.Out.AppendInt(int64(f.chars(s[:from+at])) + 1)
		})
	})
}

// optional is the k-th argument, or d if it is not there.
func (f *Frame) optional(i, k int, d int64) int64 {
	if len(f.Args) <= k || !f.Args[k].Type.IsInteger() {
		return d
	}
	return f.Args[k].Int(i)
}

// searchFrom is the text and where in it the search starts.
func (f *Frame) searchFrom(i, k int) (s []byte, from int) {
	s = f.Args[0].Str(i)
	return s, f.offset(s, int(min(max(f.optional(i, k, 1)-1, 0), 1<<31)))
}

// nth is the n-th match in s, from 1.
func nth(p *regex.Pattern, s []byte, n int64) (start, end int, ok bool) {
	if n <= 1 {
		return p.Find(s)
	}
	all := p.Regexp().FindAllIndex(s, int(min(n, 1<<30)))
	if int64(len(all)) < n {
		return 0, 0, false
	}
	at := all[len(all)-1]
	return at[0], at[1], true
}

func regexpReplace(f *Frame, i int, p *regex.Pattern) {
	re := p.Regexp()
	s, from := f.searchFrom(i, 3)
	occurrence := f.optional(i, 4, 0)
	f.Out.Buf = append(f.Out.Buf, s[:from]...)
	rest, last := s[from:], 0
	for n, m := range re.FindAllSubmatchIndex(rest, -1) {
		if occurrence > 0 && int64(n+1) != occurrence {
			continue
		}
		f.Out.Buf = append(f.Out.Buf, rest[last:m[0]]...)
		f.Out.Buf = re.Expand(f.Out.Buf, f.Args[2].Str(i), rest, m)
		last = m[1]
	}
	f.Out.AppendBytes(rest[last:])
}

// withPattern runs row with the pattern in argument 1, under the flags in argument
// mode if that is there; a constant pattern is compiled once.
func withPattern(e *expr.Expr, mode int, row func(f *Frame, i int, p *regex.Pattern)) Kernel {
	fold := textCollation(e.Args[:2]...) >= types.UTF8MB4GeneralCI
	constant := e.Args[1].Op == expr.OpConst && !e.Args[1].Value.Null &&
		(len(e.Args) <= mode || e.Args[mode].Op == expr.OpConst && !e.Args[mode].Value.Null)
	var fixed *regex.Pattern
	var fault error
	if constant {
		flags := ""
		if len(e.Args) > mode {
			flags = string(e.Args[mode].Value.S)
		}
		var re *regexp.Regexp
		if re, fault = compilePattern(string(e.Args[1].Value.S), flags, fold); fault == nil {
			fixed = regex.New(re)
		}
	}
	return strict(func(f *Frame, i int) {
		p, err := fixed, fault
		if !constant {
			flags := ""
			if len(f.Args) > mode {
				flags = string(f.Args[mode].Str(i))
			}
			var re *regexp.Regexp
			re, err = compilePattern(string(f.Args[1].Str(i)), flags, fold)
			p = regex.Once(re)
		}
		if err != nil {
			f.Fail(i, err)
			return
		}
		row(f, i, p)
	})
}

// compilePattern compiles under MySQL's match_type: c, i, m, n, u.
func compilePattern(p, flags string, fold bool) (*regexp.Regexp, error) {
	multi, dot := false, false
	for _, c := range flags {
		switch c {
		case 'c':
			fold = false
		case 'i':
			fold = true
		case 'm':
			multi = true
		case 'n':
			dot = true
		case 'u':
		default:
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to regexp_like")
		}
	}
	var prefix strings.Builder
	for _, x := range []struct {
		on   bool
		flag byte
	}{{fold, 'i'}, {multi, 'm'}, {dot, 's'}} {
		if x.on {
			prefix.WriteByte(x.flag)
		}
	}
	if prefix.Len() > 0 {
		p = "(?" + prefix.String() + ")" + p
	}
	if p == "" || !utf8.ValidString(p) {
		return nil, sqlerr.New(sqlerr.RegexpError, "Illegal argument to a regular expression.")
	}
	re, err := regexp.Compile(p)
	if err != nil {
		if strings.Contains(p, "(?=") || strings.Contains(p, "(?!") || strings.Contains(p, "(?<") {
			return nil, sqlerr.Unsupported("look-around in regular expressions")
		}
		return nil, sqlerr.New(3691, "Syntax error in regular expression on line 1, character 1: %s.", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}
