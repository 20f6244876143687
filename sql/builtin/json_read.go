package builtin

import (
	"encoding/json"
	"strconv"
	"strings"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

var (
	jsonType = types.Type{Kind: types.JSON}
	jsonText = types.Type{Kind: types.Text, Len: types.LongTextLen}
)

func init() {
	defineJSON("json_extract", "jp+p", jsonType, jsonExtract)
	defineJSON("json_value", "jp", types.MakeVarChar(512), jsonValueRow)
	defineJSON("json_unquote", "s", jsonText, jsonUnquote)
	defineJSON("json_quote", "s", jsonText, func(c *jsonCall, i int) {
		c.Out.Buf = AppendJSONString(c.Out.Buf, c.Args[0].Str(i))
		c.endText()
	})
	register(function{min: 1, max: 1, flags: total,
		resolve: func(c *call) (*expr.Expr, error) { return c.result(types.Type{Kind: types.Int}), nil },
		kernel:  func(*expr.Expr) Kernel { return strict(jsonValid) }}, "json_valid")
	defineJSON("json_type", "j", types.MakeVarChar(51), jsonTypeRow)
	defineJSON("json_length", "j?p", types.Type{Kind: types.Int}, jsonLength)
	defineJSON("json_depth", "j", types.Type{Kind: types.Int}, func(c *jsonCall, i int) {
		if v, ok := c.doc(0, i); ok {
			c.Out.AppendInt(jsonDepth(v))
		}
	})
	defineJSON("json_keys", "j?p", jsonType, jsonKeys)
	defineJSON("json_contains", "jj?p", types.MakeBool(), jsonContainsRow)
	defineJSON("json_contains_path", "jsp+p", types.MakeBool(), jsonContainsPath)
	defineJSON("json_overlaps", "jj", types.MakeBool(), jsonOverlapsRow)
	defineJSON("json_memberof", "vj", types.MakeBool(), jsonMemberOf)
	defineJSON("json_search", "jss?vp", jsonType, jsonSearch)
}

func jsonExtract(c *jsonCall, i int) {
	if len(c.Args) == 2 {
		p, ok := c.path(1, i)
		if !ok {
			return
		}
		if p.plain() {
			if doc, ok := c.text(0, i); !ok {
				return
			} else if v := p.rawFind(doc); v != nil {
				c.Out.AppendBytes(v)
			} else {
				c.Out.AppendNull()
			}
			return
		}
	}
	doc, ok := c.doc(0, i)
	if !ok {
		return
	}
	found := []any{}
	for k := 1; k < len(c.Args); k++ {
		p, ok := c.path(k, i)
		if !ok {
			return
		}
		p.find(doc, func(v any) bool {
			found = append(found, v)
			return true
		})
	}
	if len(found) == 0 {
		c.Out.AppendNull()
		return
	}
	c.give(found)
}

// at is the value of document 0 at the path k, the document itself without one;
// false: NULL was given, or it failed.
func (c *jsonCall) at(k, i int) (any, bool) {
	v, ok := c.doc(0, i)
	if !ok || len(c.Args) <= k {
		return v, ok
	}
	p, ok := c.plainPath(k, i)
	if !ok {
		return nil, false
	}
	found := false
	p.find(v, func(e any) bool {
		v, found = e, true
		return false
	})
	if !found {
		c.Out.AppendNull()
	}
	return v, found
}

func jsonValueRow(c *jsonCall, i int) {
	v, ok := c.at(1, i)
	if !ok {
		return
	}
	switch v := v.(type) {
	case string:
		c.Out.AppendString(v)
	case nil, []any, *jsonObject: // MySQL: NULL ON ERROR is the default
		c.Out.AppendNull()
	default:
		c.give(v)
	}
}

func jsonUnquote(c *jsonCall, i int) {
	s := c.Args[0].Str(i)
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		c.Out.AppendBytes(s)
		return
	}
	v, err := parseJSON(s)
	text, ok := v.(string)
	if err == nil && !ok {
		err = jsonFault("Invalid value.")
	}
	if err != nil {
		c.badText(0, i, err)
		return
	}
	c.Out.AppendString(text)
}

func jsonValid(f *Frame, i int) {
	ok := f.Args[0].Type.Kind == types.JSON
	if f.Args[0].Type.IsText() {
		_, err := parseJSON(f.Args[0].Str(i))
		ok = err == nil
	}
	n := int64(0)
	if ok {
		n = 1
	}
	f.Out.AppendInt(n)
}

func jsonTypeRow(c *jsonCall, i int) {
	v, ok := c.doc(0, i)
	if !ok {
		return
	}
	switch v := v.(type) {
	case nil:
		c.Out.AppendString("NULL")
	case bool:
		c.Out.AppendString("BOOLEAN")
	case string:
		c.Out.AppendString("STRING")
	case []any:
		c.Out.AppendString("ARRAY")
	case *jsonObject:
		c.Out.AppendString("OBJECT")
	case json.Number:
		kind := "DOUBLE"
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			kind = "INTEGER"
		} else if _, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			kind = "UNSIGNED INTEGER"
		}
		c.Out.AppendString(kind)
	}
}

func jsonLength(c *jsonCall, i int) {
	if v, ok := c.at(1, i); ok {
		n, _ := asContainer(v)
		c.Out.AppendInt(int64(n))
	}
}

func jsonDepth(v any) int64 {
	deepest := int64(0)
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			deepest = max(deepest, jsonDepth(e))
		}
	case *jsonObject:
		for _, e := range v.values {
			deepest = max(deepest, jsonDepth(e))
		}
	}
	return deepest + 1
}

func jsonKeys(c *jsonCall, i int) {
	v, ok := c.at(1, i)
	if !ok {
		return
	}
	o, ok := v.(*jsonObject)
	if !ok {
		c.Out.AppendNull()
		return
	}
	keys := []any{}
	for _, k := range o.keys {
		keys = append(keys, k)
	}
	c.give(keys)
}

func jsonContainsRow(c *jsonCall, i int) {
	v, ok := c.at(2, i)
	if !ok {
		return
	}
	if candidate, ok := c.doc(1, i); ok {
		c.giveBool(jsonContains(v, candidate))
	}
}

// jsonContains reports that a holds b: an array each element of b or b itself, an
// object each member, a scalar only its equal.
func jsonContains(a, b any) bool {
	switch a := a.(type) {
	case []any:
		list, ok := b.([]any)
		if !ok {
			list = []any{b}
		}
		for _, e := range list {
			held := false
			for _, x := range a {
				held = held || jsonContains(x, e)
			}
			if !held {
				return false
			}
		}
		return true
	case *jsonObject:
		o, ok := b.(*jsonObject)
		if !ok {
			return false
		}
		for k, key := range o.keys {
			if v, ok := a.get(key); !ok || !jsonContains(v, o.values[k]) {
				return false
			}
		}
		return true
	}
	return jsonEqual(a, b)
}

// jsonEqual compares documents; numbers by their value.
func jsonEqual(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		if !ok || x == y {
			return ok
		}
		f, _ := x.Float64()
		g, _ := y.Float64()
		return f == g
	}
	switch a := a.(type) {
	case []any:
		list, ok := b.([]any)
		if !ok || len(list) != len(a) {
			return false
		}
		for k := range a {
			if !jsonEqual(a[k], list[k]) {
				return false
			}
		}
		return true
	case *jsonObject:
		o, ok := b.(*jsonObject)
		if !ok || len(o.keys) != len(a.keys) {
			return false
		}
		for k := range a.keys {
			if a.keys[k] != o.keys[k] || !jsonEqual(a.values[k], o.values[k]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, *jsonObject:
		return false
	}
	return a == b
}

// all reads ONE or ALL; error 3154 for another word.
func (c *jsonCall) all(k, i int) (all, ok bool) {
	switch s := string(c.Args[k].Str(i)); strings.ToLower(s) {
	case "all":
		return true, true
	case "one":
		return false, true
	}
	c.Fail(i, sqlerr.New(sqlerr.JSONBadOneOrAll, "The oneOrAll argument to %s may take these values: 'one' or 'all'.", c.Call.Fn))
	return false, false
}

func jsonContainsPath(c *jsonCall, i int) {
	doc, ok := c.doc(0, i)
	if !ok {
		return
	}
	all, ok := c.all(1, i)
	if !ok {
		return
	}
	result := all
	for k := 2; k < len(c.Args); k++ {
		p, ok := c.path(k, i)
		if !ok {
			return
		}
		if there := !p.find(doc, func(any) bool { return false }); there != all {
			result = !all
		}
	}
	c.giveBool(result)
}

func jsonOverlapsRow(c *jsonCall, i int) {
	a, ok := c.doc(0, i)
	if !ok {
		return
	}
	if b, ok := c.doc(1, i); ok {
		c.giveBool(jsonOverlaps(a, b))
	}
}

func jsonOverlaps(a, b any) bool {
	x, isObject := a.(*jsonObject)
	if y, ok := b.(*jsonObject); ok && isObject {
		for k, key := range x.keys {
			if v, ok := y.get(key); ok && jsonEqual(v, x.values[k]) {
				return true
			}
		}
		return false
	}
	for _, v := range asList(a) {
		for _, w := range asList(b) {
			if jsonEqual(v, w) {
				return true
			}
		}
	}
	return false
}

// asList is an array's elements, or the value itself.
func asList(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func jsonMemberOf(c *jsonCall, i int) {
	if c.Args[0].NullAt(i) {
		c.Out.AppendNull()
		return
	}
	doc, ok := c.doc(1, i)
	if !ok {
		return
	}
	value, held := c.value(0, i), false
	if l, ok := value.(jsonLiteral); ok {
		value, _ = parseJSON([]byte(l))
	}
	for _, e := range asList(doc) {
		held = held || jsonEqual(e, value)
	}
	c.giveBool(held)
}

// jsonSearch finds the paths to strings that are LIKE a pattern.
func jsonSearch(c *jsonCall, i int) {
	doc, ok := c.doc(0, i)
	if !ok {
		return
	}
	all, ok := c.all(1, i)
	if !ok {
		return
	}
	escape := '\\'
	if len(c.Args) > 3 && !c.Args[3].NullAt(i) {
		if s := []rune(string(c.Args[3].AppendTextAt(nil, i, c.Location))); len(s) > 0 {
			escape = s[0]
		}
	}
	like := newPattern(c.Args[2].Str(i), escape, types.UTF8MB4Bin)
	found := []any{}
	var look func(v any, at string) bool
	look = func(v any, at string) bool {
		switch v := v.(type) {
		case string:
			if like.match([]byte(v)) {
				found = append(found, at)
				return all
			}
		case []any:
			for k, e := range v {
				if !look(e, at+"["+strconv.Itoa(k)+"]") {
					return false
				}
			}
		case *jsonObject:
			for k, key := range v.keys {
				if !look(v.values[k], at+"."+pathKey(key)) {
					return false
				}
			}
		}
		return true
	}
	if len(c.Args) > 4 {
		p, ok := c.plainPath(4, i)
		if !ok {
			return
		}
		at := string(c.Args[4].Str(i))
		p.find(doc, func(v any) bool { return look(v, at) })
	} else {
		look(doc, "$")
	}
	switch {
	case len(found) == 0:
		c.Out.AppendNull()
	case len(found) == 1:
		c.give(found[0])
	default:
		c.give(found)
	}
}

// pathKey is a key as a leg of a path.
func pathKey(key string) string {
	if p, err := parsePath("$." + key); err == nil && len(p) == 1 && p[0].kind == legMember && p[0].key == key {
		return key
	}
	return string(AppendJSONString(nil, key))
}
