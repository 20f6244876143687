package builtin

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"streamsql/sql/sqlerr"
)

// MySQL's regular expressions are ICU's; ours are Go's (RE2), which are linear in
// the text. A pattern is written anew where both mean different things by the same
// letters. What RE2 cannot do is refused: look-around, back-references, possessive
// and atomic groups.

// lineEnds are ICU's, as members of a set.
const lineEnds = `\n\x0B\f\r\x{85}\x{2028}\x{2029}`

// Sets of ICU by the letter after a backslash, and their members.
var sets = map[byte]string{
	'd': `\p{Nd}`,
	'w': `\pL\pM\p{Nd}\p{Pc}\x{200C}\x{200D}`,
	's': `\t\n\f\r\pZ`,
	'h': `\t\p{Zs}`,
	'v': lineEnds,
}

// posixSets are the names in [[:name:]] that mean more in ICU than in Go.
var posixSets = map[string]string{
	"alpha": `\pL\pM`, "digit": `\p{Nd}`, "alnum": `\pL\pM\p{Nd}`, "upper": `\p{Lu}`, "lower": `\p{Ll}`,
	"punct": `\pP`, "space": `\t\n\x0B\f\r\pZ\x{85}`, "blank": `\t\p{Zs}`,
}

// escapes are those that Go has not.
var escapes = map[byte]string{
	'e': `\x1B`, 'R': `(?:\r\n|[` + lineEnds + `])`, 'Z': `(?:\r\n|[` + lineEnds + `])?\z`,
	'D': `[^\p{Nd}]`, 'W': `[^` + `\pL\pM\p{Nd}\p{Pc}\x{200C}\x{200D}` + `]`, 'S': `[^\t\n\f\r\pZ]`, 'H': `[^\t\p{Zs}]`, 'V': `[^` + lineEnds + `]`,
}

// patternWriter writes a pattern anew.
type patternWriter struct {
	in     string
	at     int
	out    strings.Builder
	ends   bool // $ may stand before a line end that ends the text
	dotAll bool
	inSet  bool
}

// goPattern is an ICU pattern as Go writes it. matchOnly: where a match ends does
// not count.
func goPattern(p string, multi, dotAll, matchOnly bool) (string, error) {
	w := patternWriter{in: p, ends: matchOnly && !multi, dotAll: dotAll}
	for w.at < len(w.in) {
		if err := w.next(); err != nil {
			return "", err
		}
	}
	return w.out.String(), nil
}

func (w *patternWriter) next() error {
	c := w.in[w.at]
	rest := w.in[w.at:]
	switch {
	case c == '\\':
		return w.escape()
	case w.inSet && strings.HasPrefix(rest, "[:"):
		if end := strings.Index(rest, ":]"); end > 0 {
			if set, ok := posixSets[rest[2:end]]; ok {
				w.put(set, end+2)
				return nil
			}
			w.put(rest[:end+2], end+2)
			return nil
		}
	case w.inSet:
		if c == ']' {
			w.inSet = false
		}
	case c == '[':
		w.inSet = true
		n := 1
		if strings.HasPrefix(rest, "[^") {
			n = 2
		}
		if strings.HasPrefix(rest[n:], "]") { // a first ] is a member
			n++
		}
		w.put(rest[:n], n)
		return nil
	case c == '.' && !w.dotAll:
		w.put("[^"+lineEnds+"]", 1)
		return nil
	case c == '$' && w.ends:
		w.put(`(?:(?:\r\n|[`+lineEnds+`])?\z)`, 1)
		return nil
	case strings.HasPrefix(rest, "(?#"):
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return sqlerr.New(sqlerr.RegexpMismatchedParen, "Mismatched parenthesis in regular expression.")
		}
		w.at += end + 1
		return nil
	case strings.HasPrefix(rest, "(?=") || strings.HasPrefix(rest, "(?!") || strings.HasPrefix(rest, "(?<=") || strings.HasPrefix(rest, "(?<!"):
		return sqlerr.Unsupported("look-around in regular expressions")
	case strings.HasPrefix(rest, "(?>"):
		return sqlerr.Unsupported("atomic groups in regular expressions")
	}
	_, n := utf8.DecodeRuneInString(rest)
	w.put(rest[:n], n)
	return nil
}

// put writes text for the next n bytes of the pattern.
func (w *patternWriter) put(text string, n int) {
	w.out.WriteString(text)
	w.at += n
}

func (w *patternWriter) escape() error {
	rest := w.in[w.at:]
	if len(rest) == 1 {
		return sqlerr.New(sqlerr.RegexpBadEscape, "Unrecognized escape sequence in regular expression.")
	}
	c := rest[1]
	switch set, known := sets[c]; {
	case known && w.inSet:
		w.put(set, 2)
		return nil
	case known:
		w.put("["+set+"]", 2)
		return nil
	}
	if text, known := escapes[c]; known && !w.inSet {
		w.put(text, 2)
		return nil
	}
	switch {
	case c == 'Q':
		end := strings.Index(rest, `\E`)
		if end < 0 {
			w.put(rest+`\E`, len(rest))
			return nil
		}
		w.put(rest[:end+2], end+2)
	case c == 'u' && len(rest) >= 6:
		w.put(`\x{`+rest[2:6]+`}`, 6)
	case c == 'U' && len(rest) >= 10:
		w.put(`\x{`+rest[2:10]+`}`, 10)
	case c >= '1' && c <= '9' || c == 'k':
		return sqlerr.Unsupported("back-references in regular expressions")
	default:
		_, n := utf8.DecodeRuneInString(rest[1:])
		w.put(rest[:1+n], 1+n)
	}
	return nil
}

// compilePattern compiles under MySQL's match_type: c, i, m, n, u. matchOnly: only
// whether there is a match counts.
func compilePattern(p, flags string, fold, matchOnly bool) (*regexp.Regexp, error) {
	multi, dotAll := false, false
	for _, c := range flags {
		switch c {
		case 'c':
			fold = false
		case 'i':
			fold = true
		case 'm':
			multi = true
		case 'n':
			dotAll = true
		case 'u':
		default:
			return nil, sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to regexp_like")
		}
	}
	if p == "" || !utf8.ValidString(p) {
		return nil, sqlerr.New(sqlerr.RegexpError, "Illegal argument to a regular expression.")
	}
	p, err := goPattern(p, multi, dotAll, matchOnly)
	if err != nil {
		return nil, err
	}
	var prefix strings.Builder
	for _, x := range []struct {
		on   bool
		flag byte
	}{{fold, 'i'}, {multi, 'm'}, {dotAll, 's'}} {
		if x.on {
			prefix.WriteByte(x.flag)
		}
	}
	if prefix.Len() > 0 {
		p = "(?" + prefix.String() + ")" + p
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return nil, patternError(err)
	}
	return re, nil
}

// patternError says in MySQL's words what is wrong with a pattern.
func patternError(err error) error {
	var fault *syntax.Error
	if !errors.As(err, &fault) {
		return sqlerr.New(sqlerr.RegexpError, "Illegal argument to a regular expression.")
	}
	switch fault.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return sqlerr.New(sqlerr.RegexpMismatchedParen, "Mismatched parenthesis in regular expression.")
	case syntax.ErrMissingBracket:
		return sqlerr.New(sqlerr.RegexpMissingBracket, "The regular expression contains an unclosed bracket expression.")
	case syntax.ErrInvalidCharRange:
		if strings.HasPrefix(fault.Expr, "[:") || strings.HasPrefix(fault.Expr, `\p`) || strings.HasPrefix(fault.Expr, `\P`) {
			return sqlerr.New(sqlerr.RegexpError, "Illegal argument to a regular expression.")
		}
		return sqlerr.New(sqlerr.RegexpInvalidRange, "The regular expression contains an [x-y] character range where x comes after y.")
	case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
		return sqlerr.New(sqlerr.RegexpBadEscape, "Unrecognized escape sequence in regular expression.")
	case syntax.ErrInvalidRepeatSize:
		if low, high, ok := strings.Cut(strings.Trim(fault.Expr, "{}"), ","); ok && (len(high) < len(low) || len(high) == len(low) && high < low) {
			return sqlerr.New(sqlerr.RegexpMaxLessThanMin, "The maximum is less than the minimum in a {min,max} interval.")
		}
		return sqlerr.New(sqlerr.RegexpBadInterval, "Incorrect description of a {min,max} interval.")
	case syntax.ErrInvalidRepeatOp:
		if strings.HasSuffix(fault.Expr, "+") {
			return sqlerr.Unsupported("possessive quantifiers in regular expressions")
		}
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return sqlerr.New(sqlerr.RegexpTooBig, "The regular expression pattern exceeds limits on size or complexity.")
	}
	return sqlerr.New(sqlerr.RegexpSyntax, "Syntax error in regular expression on line 1, character 1.")
}
