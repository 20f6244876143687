package builtin

import (
	"bytes"
	"regexp"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/regex"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

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
			if from < 0 {
				return
			}
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
			option := f.optional(i, 4, 0)
			switch {
			case from < 0:
				return
			case option != 0 && option != 1:
				f.Fail(i, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to regexp_instr: return_option must be 1 or 0."))
				return
			}
			at, end, ok := nth(p, s[from:], f.optional(i, 3, 1))
			if !ok {
				f.Out.AppendInt(0)
				return
			}
			if option == 1 {
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

// searchFrom is the text and where in it the search starts; −1, with an error of
// the row, if the text has no such place.
func (f *Frame) searchFrom(i, k int) (s []byte, from int) {
	s = f.Args[0].Str(i)
	at := f.optional(i, k, 1)
	if at == 1 {
		return s, 0
	}
	if at > 1 && at <= int64(len(s)) {
		if from = f.offset(s, int(at-1)); from < len(s) {
			return s, from
		}
	}
	f.Fail(i, outOfBounds())
	return s, -1
}

func outOfBounds() error {
	return sqlerr.New(sqlerr.RegexpOutOfBounds, "Index out of bounds in regular expression search.")
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
	if from < 0 {
		return
	}
	occurrence := f.optional(i, 4, 0)
	start := len(f.Out.Buf)
	f.Out.Buf = append(f.Out.Buf, s[:from]...)
	rest, last := s[from:], 0
	for n, m := range re.FindAllSubmatchIndex(rest, -1) {
		if occurrence > 0 && int64(n+1) != occurrence {
			continue
		}
		f.Out.Buf = append(f.Out.Buf, rest[last:m[0]]...)
		var err error
		if f.Out.Buf, err = expand(f.Out.Buf, f.Args[2].Str(i), rest, m, re); err != nil {
			f.Out.Buf = f.Out.Buf[:start]
			f.Fail(i, err)
			return
		}
		last = m[1]
	}
	f.Out.AppendBytes(rest[last:])
}

// expand appends the replacement of a match, as ICU reads it: $1 is a group, with as
// many digits as there are groups; ${name} a named one; \x the character x.
func expand(dst, with, s []byte, match []int, re *regexp.Regexp) ([]byte, error) {
	group := func(n int) {
		if match[2*n] >= 0 {
			dst = append(dst, s[match[2*n]:match[2*n+1]]...)
		}
	}
	groups := len(match)/2 - 1
	for k := 0; k < len(with); k++ {
		switch c := with[k]; {
		case c == '\\' && k+1 < len(with):
			k++
			dst = append(dst, with[k])
		case c == '\\':
		case c != '$':
			dst = append(dst, c)
		case k+1 < len(with) && isDigit(with[k+1]):
			k++
			n := int(with[k] - '0')
			if n > groups {
				return dst, outOfBounds()
			}
			for k+1 < len(with) && isDigit(with[k+1]) && n*10+int(with[k+1]-'0') <= groups {
				k++
				n = n*10 + int(with[k]-'0')
			}
			group(n)
		default:
			name, n := bytes.CutPrefix(with[k:], []byte("${"))
			end := bytes.IndexByte(name, '}')
			if !n || end < 0 || re.SubexpIndex(string(name[:end])) < 0 {
				return dst, sqlerr.New(sqlerr.RegexpBadGroupName, "A capture group has an invalid name.")
			}
			group(re.SubexpIndex(string(name[:end])))
			k += 2 + end
		}
	}
	return dst, nil
}

// withPattern runs row with the pattern in argument 1, under the flags in argument
// mode if that is there; a constant pattern is compiled once.
func withPattern(e *expr.Expr, mode int, row func(f *Frame, i int, p *regex.Pattern)) Kernel {
	fold := textCollation(e.Args[:2]...) >= types.UTF8MB4GeneralCI
	matchOnly := !strings.HasPrefix(e.Fn, "regexp_") || e.Fn == "regexp_like"
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
		if re, fault = compilePattern(string(e.Args[1].Value.S), flags, fold, matchOnly); fault == nil {
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
			re, err = compilePattern(string(f.Args[1].Str(i)), flags, fold, matchOnly)
			p = regex.Once(re)
		}
		if err != nil {
			f.Fail(i, err)
			return
		}
		row(f, i, p)
	})
}
