package builtin

import (
	"slices"
	"strings"

	"streamsql/sql/sqlerr"
)

func init() {
	defineJSON("json_array", "+v", jsonType, func(c *jsonCall, i int) {
		list := make([]any, len(c.Args))
		for k := range c.Args {
			list[k] = c.value(k, i)
		}
		c.give(list)
	})
	defineJSON("json_object", "+vv", jsonType, jsonObjectRow)
	defineJSON("json_set", "jpv+pv", jsonType, changes(true, true))
	defineJSON("json_insert", "jpv+pv", jsonType, changes(true, false))
	defineJSON("json_replace", "jpv+pv", jsonType, changes(false, true))
	defineJSON("json_array_append,json_append", "jpv+pv", jsonType, jsonArrayAppend)
	defineJSON("json_array_insert", "jpv+pv", jsonType, jsonArrayInsert)
	defineJSON("json_remove", "jp+p", jsonType, jsonRemove)
	defineJSON("json_merge_patch", "jj+j", jsonType, merges(mergePatch))
	defineJSON("json_merge_preserve,json_merge", "jj+j", jsonType, merges(mergePreserve))
	defineJSON("json_pretty", "j", jsonText, func(c *jsonCall, i int) {
		if v, ok := c.doc(0, i); ok {
			c.Out.Buf = appendPretty(c.Out.Buf, v, 0)
			c.endText()
		}
	})
}

func jsonObjectRow(c *jsonCall, i int) {
	o := &jsonObject{}
	for k := 0; k < len(c.Args); k += 2 {
		if c.Args[k].NullAt(i) {
			c.Fail(i, sqlerr.New(sqlerr.JSONNullKey, "JSON documents may not contain NULL member names."))
			return
		}
		o.set(string(c.Args[k].AppendTextAt(nil, i, c.Location)), c.value(k+1, i))
	}
	c.give(o)
}

// changes is JSON_SET (both), JSON_INSERT (what is not there) or JSON_REPLACE
// (what is there).
func changes(insert, replace bool) func(*jsonCall, int) {
	return func(c *jsonCall, i int) {
		doc, ok := c.doc(0, i)
		for k := 1; ok && k < len(c.Args); k += 2 {
			var p jsonPath
			if p, ok = c.plainPath(k, i); ok {
				doc = changeAt(doc, p, c.value(k+1, i), insert, replace)
			}
		}
		if ok {
			c.give(doc)
		}
	}
}

// changeAt is the document with value at the path, if that is there and replace,
// or not there, its parent being so, and insert.
func changeAt(doc any, p jsonPath, value any, insert, replace bool) any {
	if len(p) == 0 {
		if replace {
			return value
		}
		return doc
	}
	l, last := p[0], len(p) == 1
	if l.kind == legMember {
		o, ok := doc.(*jsonObject)
		if !ok {
			return doc
		}
		if v, there := o.get(l.key); there {
			o.set(l.key, changeAt(v, p[1:], value, insert, replace))
		} else if last && insert {
			o.set(l.key, value)
		}
		return doc
	}
	list, isArray := doc.([]any)
	if !isArray {
		switch k := l.from.in(1); {
		case k == 0:
			return changeAt(doc, p[1:], value, insert, replace)
		case last && insert && k > 0:
			return []any{doc, value}
		case last && insert:
			return []any{value, doc}
		}
		return doc
	}
	switch k := l.from.in(len(list)); {
	case k >= 0 && k < len(list):
		list[k] = changeAt(list[k], p[1:], value, insert, replace)
	case last && insert && k < 0:
		return slices.Insert(list, 0, value)
	case last && insert:
		return append(list, value)
	}
	return list
}

// update is the document with f's answer at a path; false: there is nothing.
func update(doc any, p jsonPath, f func(any) any) (any, bool) {
	there := false
	p.find(doc, func(any) bool {
		there = true
		return false
	})
	if !there {
		return doc, false
	}
	var old any
	p.find(doc, func(v any) bool {
		old = v
		return false
	})
	return changeAt(doc, p, f(old), false, true), true
}

func jsonArrayAppend(c *jsonCall, i int) {
	doc, ok := c.doc(0, i)
	for k := 1; ok && k < len(c.Args); k += 2 {
		var p jsonPath
		if p, ok = c.plainPath(k, i); ok {
			value := c.value(k+1, i)
			doc, _ = update(doc, p, func(v any) any { return append(slices.Clip(asList(v)), value) })
		}
	}
	if ok {
		c.give(doc)
	}
}

func jsonArrayInsert(c *jsonCall, i int) {
	doc, ok := c.doc(0, i)
	for k := 1; ok && k < len(c.Args); k += 2 {
		var p jsonPath
		if p, ok = c.plainPath(k, i); !ok {
			return
		}
		if len(p) == 0 || p[len(p)-1].kind != legCell {
			c.Fail(i, sqlerr.New(sqlerr.JSONArrayCell, "A path expression is not a path to a cell in an array."))
			return
		}
		value, at := c.value(k+1, i), p[len(p)-1].from
		doc, _ = update(doc, p[:len(p)-1], func(v any) any {
			list, isArray := v.([]any)
			if !isArray {
				return v
			}
			return slices.Insert(slices.Clip(list), min(max(at.in(len(list)), 0), len(list)), value)
		})
	}
	if ok {
		c.give(doc)
	}
}

func jsonRemove(c *jsonCall, i int) {
	doc, ok := c.doc(0, i)
	for k := 1; ok && k < len(c.Args); k++ {
		var p jsonPath
		if p, ok = c.plainPath(k, i); !ok {
			return
		}
		if len(p) == 0 {
			c.Fail(i, sqlerr.New(sqlerr.JSONPathToRoot, "The path expression '$' is not allowed in this context."))
			return
		}
		l := p[len(p)-1]
		doc, _ = update(doc, p[:len(p)-1], func(v any) any {
			switch v := v.(type) {
			case *jsonObject:
				if l.kind == legMember {
					v.remove(l.key)
				}
			case []any:
				if at := l.from.in(len(v)); l.kind == legCell && at >= 0 && at < len(v) {
					return slices.Delete(v, at, at+1)
				}
			}
			return v
		})
	}
	if ok {
		c.give(doc)
	}
}

// merges merges all documents from left to right.
func merges(merge func(a, b any) any) func(*jsonCall, int) {
	return func(c *jsonCall, i int) {
		doc, ok := c.doc(0, i)
		for k := 1; ok && k < len(c.Args); k++ {
			var next any
			if next, ok = c.doc(k, i); ok {
				doc = merge(doc, next)
			}
		}
		if ok {
			c.give(doc)
		}
	}
}

// mergePatch is RFC 7396: members of b replace those of a, null takes them out.
func mergePatch(a, b any) any {
	patch, ok := b.(*jsonObject)
	if !ok {
		return b
	}
	o, ok := a.(*jsonObject)
	if !ok {
		o = &jsonObject{}
	}
	for k, key := range patch.keys {
		if patch.values[k] == nil {
			o.remove(key)
			continue
		}
		old, _ := o.get(key)
		o.set(key, mergePatch(old, patch.values[k]))
	}
	return o
}

// mergePreserve keeps all values: objects join, everything else becomes an array.
func mergePreserve(a, b any) any {
	x, ok := a.(*jsonObject)
	if y, both := b.(*jsonObject); ok && both {
		for k, key := range y.keys {
			if old, ok := x.get(key); ok {
				x.set(key, mergePreserve(old, y.values[k]))
			} else {
				x.set(key, y.values[k])
			}
		}
		return x
	}
	return append(slices.Clip(asList(a)), asList(b)...)
}

func appendPretty(dst []byte, v any, depth int) []byte {
	line := func() { dst = append(dst, "\n"+strings.Repeat("  ", depth+1)...) }
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return append(dst, "[]"...)
		}
		dst = append(dst, '[')
		for k, e := range v {
			if k > 0 {
				dst = append(dst, ',')
			}
			line()
			dst = appendPretty(dst, e, depth+1)
		}
		return append(dst, "\n"+strings.Repeat("  ", depth)+"]"...)
	case *jsonObject:
		if len(v.keys) == 0 {
			return append(dst, "{}"...)
		}
		dst = append(dst, '{')
		for k, key := range v.keys {
			if k > 0 {
				dst = append(dst, ',')
			}
			line()
			dst = append(AppendJSONString(dst, key), ": "...)
			dst = appendPretty(dst, v.values[k], depth+1)
		}
		return append(dst, "\n"+strings.Repeat("  ", depth)+"}"...)
	}
	return appendJSON(dst, v)
}
