package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// A JSON document is a tree of: nil, bool, json.Number, string, []any, *jsonObject,
// and jsonLiteral for what a function was given.

// jsonObject is an object, its members in MySQL's order: by the length of the
// key, then by its bytes.
type jsonObject struct {
	keys   []string
	values []any
}

func (o *jsonObject) search(key string) (int, bool) {
	return sort.Find(len(o.keys), func(i int) int { return compareKeys(key, o.keys[i]) })
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func (o *jsonObject) get(key string) (any, bool) {
	if i, ok := o.search(key); ok {
		return o.values[i], true
	}
	return nil, false
}

func (o *jsonObject) set(key string, v any) {
	i, ok := o.search(key)
	if ok {
		o.values[i] = v
		return
	}
	o.keys, o.values = slices.Insert(o.keys, i, key), slices.Insert(o.values, i, v)
}

func (o *jsonObject) remove(key string) {
	if i, ok := o.search(key); ok {
		o.keys, o.values = slices.Delete(o.keys, i, i+1), slices.Delete(o.values, i, i+1)
	}
}

// maxJSONDepth is how deep MySQL lets documents nest.
const maxJSONDepth = 100

// jsonFault says what is wrong with a JSON text, in MySQL's words.
type jsonFault string

// Error is the words.
func (f jsonFault) Error() string { return string(f) }

// parseJSON reads a document. Of members with one key the last counts.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := readJSON(d, 1)
	if err != nil {
		var fault jsonFault
		switch {
		case errors.As(err, &fault):
			return nil, fault
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(text)) == 0:
			return nil, jsonFault("The document is empty.")
		}
		return nil, jsonFault("Invalid value.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, jsonFault("The document root must not be followed by other values.")
	}
	return v, nil
}

func readJSON(d *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, jsonFault("The JSON document exceeds the maximum depth.")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			e, err := readJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, e)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		o := &jsonObject{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			e, err := readJSON(d, depth+1)
			if err != nil {
				return nil, err
			}
			o.set(key.(string), e)
		}
		_, err := d.Token()
		return o, err
	}
	return t, nil
}

// normalJSON appends a JSON text in MySQL's form: a space after `,` and `:`, the
// members of an object by length of their key, then by its bytes; of members with
// one key the last.
func normalJSON(dst, text []byte) ([]byte, error) {
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	return appendJSON(dst, v), nil
}

func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	case *jsonObject:
		dst = append(dst, '{')
		for i, k := range v.keys {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = append(AppendJSONString(dst, k), ": "...)
			dst = appendJSON(dst, v.values[i])
		}
		return append(dst, '}')
	case json.Number:
		return appendJSONNumber(dst, string(v))
	case string:
		return AppendJSONString(dst, v)
	case jsonLiteral:
		return append(dst, v...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

// appendJSONDouble appends a DOUBLE, which shows that it is none of the integers.
func appendJSONDouble(dst []byte, x float64) []byte {
	v := vector.New(types.MakeDouble(), 1)
	v.AppendFloat(x)
	start := len(dst)
	dst = v.AppendText(dst, 0, nil)
	if !bytes.ContainsAny(dst[start:], ".eE") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendJSONString quotes s, leaving all characters but quotes, backslashes and
// controls as they are.
func AppendJSONString[S string | []byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			if c < 0x20 {
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			} else {
				dst = append(dst, c)
			}
		}
	}
	return append(dst, '"')
}
