package builtin

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
)

// jsonFault says what is wrong with a JSON text, in MySQL's words.
type jsonFault string

// Error is the words.
func (f jsonFault) Error() string { return string(f) }

// normalJSON appends a JSON text in MySQL's form: a space after `,` and `:`, the
// members of an object by length of their key, then by its bytes; of members with
// one key the last.
func normalJSON(dst, text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, jsonFault("The document is empty.")
		}
		return nil, jsonFault("Invalid value.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, jsonFault("The document root must not be followed by other values.")
	}
	return appendJSON(dst, v)
}

func appendJSON(dst []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if dst, err = appendJSON(dst, e); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		return appendObject(dst, v)
	case json.Number:
		return append(dst, v...), nil
	case string:
		return AppendJSONString(dst, v), nil
	}
	b, err := json.Marshal(v)
	return append(dst, b...), err
}

func appendObject(dst []byte, v map[string]any) ([]byte, error) {
	keys := make([]string, 0, len(v))
	for k := range v {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if len(keys[i]) != len(keys[j]) {
			return len(keys[i]) < len(keys[j])
		}
		return keys[i] < keys[j]
	})
	dst = append(dst, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(AppendJSONString(dst, k), ": "...)
		if dst, err = appendJSON(dst, v[k]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
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
