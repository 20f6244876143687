package builtin

import (
	"encoding/json"
	"strconv"

	"streamsql/sql/types"
)

func init() {
	defineJSON("json_storage_size", "j", types.MakeBigInt(), func(c *jsonCall, i int) {
		if doc, ok := c.doc(0, i); ok {
			c.Out.AppendInt(int64(1 + storedSize(doc)))
		}
	})
	defineJSON("json_storage_free", "j", types.MakeBigInt(), func(c *jsonCall, i int) {
		if _, ok := c.doc(0, i); ok {
			c.Out.AppendInt(0) // nothing is ever updated in place
		}
	})
}

// storedSize is how many bytes a value takes in MySQL's binary form of JSON
// (described in sql-common/json_binary.h of MySQL 8.0), without the byte of its type.
func storedSize(v any) int {
	switch v := v.(type) {
	case string:
		n := len(v)
		return n + varintSize(n)
	case json.Number:
		return numberSize(string(v))
	case jsonLiteral:
		return numberSize(string(v))
	case []any:
		if n, ok := containerSize(nil, v, 2); ok {
			return n
		}
		n, _ := containerSize(nil, v, 4)
		return n
	case *jsonObject:
		if n, ok := containerSize(v.keys, v.values, 2); ok {
			return n
		}
		n, _ := containerSize(v.keys, v.values, 4)
		return n
	}
	return 1 // true, false, null
}

// containerSize is the size of an object (keys not nil) or array whose offsets have
// width bytes; not ok: they need to be wider.
func containerSize(keys []string, values []any, width int) (int, bool) {
	n := 2*width + len(keys)*(width+2) + len(values)*(1+width)
	for _, k := range keys {
		n += len(k)
	}
	for _, v := range values {
		if !inlined(v, width) {
			n += storedSize(v)
		}
	}
	return n, width > 2 || n <= 65535
}

// inlined reports a value that stands in place of its offset.
func inlined(v any, width int) bool {
	switch v := v.(type) {
	case json.Number:
		return numberSize(string(v)) <= width
	case bool, nil:
		return true
	}
	return false
}

// numberSize: whole numbers take 2, 4 or 8 bytes, others are doubles.
func numberSize(s string) int {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err == nil && n >= -32768 && n <= 65535:
		return 2
	case err == nil && n >= -1<<31 && n < 1<<32:
		return 4
	}
	return 8
}

func varintSize(n int) int {
	size := 1
	for ; n >= 128; n >>= 7 {
		size++
	}
	return size
}
