package builtin

import (
	"encoding/json"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// defineJSON registers a JSON function (names, with commas between them). sig has
// a letter an argument: j a document, p a path, v a value that becomes JSON, s
// text; `?` before the optional ones, `+` before the last ones that may be
// there any number of times, together. It is NULL when an argument but a value is.
func defineJSON(names, sig string, t types.Type, row func(c *jsonCall, i int)) {
	s := jsonSig{}
	for _, l := range sig {
		switch l {
		case '?':
			s.min, s.optional = len(s.letters), true
		case '+':
			s.repeat = len(s.letters)
			s.repeats = true
		default:
			s.letters += string(l)
		}
	}
	f := function{min: len(s.letters), max: len(s.letters)}
	switch {
	case s.repeats:
		f.min, f.max = s.repeat, -1
	case s.optional:
		f.min = s.min
	}
	f.resolve = func(c *call) (*expr.Expr, error) { return s.resolve(c, t) }
	f.flags = contextual
	if s.repeats && s.repeat == 0 {
		f.flags |= nonNull
	}
	f.kernel = func(e *expr.Expr) Kernel { return s.kernel(e, row) }
	register(f, strings.Split(names, ",")...)
}

// jsonSig is what a JSON function takes.
type jsonSig struct {
	letters           string
	min, repeat       int
	optional, repeats bool
}

func (s *jsonSig) letter(k int) byte {
	if k < len(s.letters) {
		return s.letters[k]
	}
	n := len(s.letters) - s.repeat
	return s.letters[s.repeat+(k-s.repeat)%n]
}

func (s *jsonSig) resolve(c *call, t types.Type) (*expr.Expr, error) {
	if n := len(c.args); s.repeats && (n-s.repeat)%(len(s.letters)-s.repeat) != 0 {
		return nil, sqlerr.New(sqlerr.WrongParamCountNative,
			"Incorrect parameter count in the call to native function '%s'", strings.ToUpper(c.fn))
	}
	args := make([]*expr.Expr, len(c.args))
	for k, a := range c.args {
		switch args[k] = a; s.letter(k) {
		case 'j':
			if !a.Type.IsText() && a.Type.Kind != types.JSON && a.Type.Kind != types.Null {
				return nil, sqlerr.New(sqlerr.InvalidCastToJSON,
					"Invalid data type for JSON data in argument %d to function %s; a JSON string or JSON type is required.", k+1, c.fn)
			}
		case 'p', 's':
			args[k] = c.env.toText(a)
		}
	}
	c.args = args
	return c.result(t), nil
}

// jsonCall is a call at work on one chunk.
type jsonCall struct {
	*Frame
	sig   *jsonSig
	paths []jsonPath // of constant arguments; nil: to be read row by row
	wrong []error
}

func (s *jsonSig) kernel(e *expr.Expr, row func(c *jsonCall, i int)) Kernel {
	paths, wrong := make([]jsonPath, len(e.Args)), make([]error, len(e.Args))
	for k, a := range e.Args {
		if s.letter(k) == 'p' && a.Op == expr.OpConst && !a.Value.Null {
			if paths[k], wrong[k] = parsePath(string(a.Value.S)); paths[k] == nil {
				paths[k] = jsonPath{}
			}
		}
	}
	return each(func(f *Frame, i int) {
		for k := range f.Args {
			if s.letter(k) != 'v' && f.Args[k].NullAt(i) {
				f.Out.AppendNull()
				return
			}
		}
		row(&jsonCall{Frame: f, sig: s, paths: paths, wrong: wrong}, i)
	})
}

// doc is the document that argument k is.
func (c *jsonCall) doc(k, i int) (any, bool) {
	v, err := parseJSON(c.Args[k].Str(i))
	if err != nil {
		c.badText(k, i, err)
		return nil, false
	}
	return v, true
}

// text is doc in normal form, unread.
func (c *jsonCall) text(k, i int) ([]byte, bool) {
	text := c.Args[k].Str(i)
	if c.Args[k].Type.Kind == types.JSON {
		return text, true
	}
	out, err := normalJSON(nil, text)
	if err != nil {
		c.badText(k, i, err)
		return nil, false
	}
	return out, true
}

func (c *jsonCall) badText(k, i int, err error) {
	c.Fail(i, sqlerr.New(sqlerr.InvalidJSONTextInArg, "Invalid JSON text in argument %d to function %s: \"%s\" at position 0.", k+1, c.Call.Fn, err))
}

// path is the path that argument k is.
func (c *jsonCall) path(k, i int) (jsonPath, bool) {
	p, err := c.paths[k], c.wrong[k]
	if p == nil {
		p, err = parsePath(string(c.Args[k].Str(i)))
	}
	if err != nil {
		c.Fail(i, err)
		return nil, false
	}
	return p, true
}

// plainPath is a path to one place; error 3149 for another.
func (c *jsonCall) plainPath(k, i int) (jsonPath, bool) {
	p, ok := c.path(k, i)
	if ok && !p.plain() {
		c.Fail(i, sqlerr.New(sqlerr.JSONPathWildcard, "In this situation, path expressions may not contain the * and ** tokens or an array range."))
		return nil, false
	}
	return p, ok
}

// jsonLiteral is a value that prints as it is.
type jsonLiteral string

// value is argument k as JSON.
func (c *jsonCall) value(k, i int) any {
	a := c.Args[k]
	t := a.Type
	switch {
	case a.NullAt(i) || t.Kind == types.JSON || t.IsTemporal() || t.IsBinary():
		v, _ := parseJSON(appendJSONOf(nil, a, i, false, c.Location))
		return v
	case t.IsText() || t.Kind == types.Enum:
		return string(a.AppendTextAt(nil, i, c.Location))
	case t.IsInteger() && !isTruth(c.Call.Args[k]):
		return json.Number(a.AppendTextAt(nil, i, c.Location))
	}
	return jsonLiteral(appendJSONOf(nil, a, i, isTruth(c.Call.Args[k]), c.Location))
}

// give makes a document the result.
func (c *jsonCall) give(v any) {
	c.Out.Buf = appendJSON(c.Out.Buf, v)
	c.endText()
}

// giveBool makes a truth value the result.
func (c *jsonCall) giveBool(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	c.Out.AppendInt(n)
}
