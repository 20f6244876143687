// Package jsonl writes rows as lines of JSON: an object a line.
package jsonl

import (
	"encoding/base64"
	"time"

	"streamsql/sql/builtin"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Writer writes rows with certain columns.
type Writer struct {
	heads []string // what stands before each value: brackets, commas, the quoted name
}

// New makes a Writer of columns with these names.
func New(names []string) *Writer {
	w := &Writer{}
	for i, n := range names {
		head := ","
		if i == 0 {
			head = "{"
		}
		w.heads = append(w.heads, string(builtin.AppendJSONString([]byte(head), n))+":")
	}
	return w
}

// Append appends row i and the end of the line. Numbers are numbers, JSON is itself,
// NULL is null, binary values are in base64, and all others are text as a client sees
// them, a TIMESTAMP in UTC.
func (w *Writer) Append(dst []byte, cols []*vector.Vector, i int) []byte {
	for k, head := range w.heads {
		dst = append(dst, head...)
		dst = appendValue(dst, cols[k], i)
	}
	if len(w.heads) == 0 {
		dst = append(dst, '{')
	}
	return append(dst, '}', '\n')
}

func appendValue(dst []byte, v *vector.Vector, i int) []byte {
	t := v.Type
	switch {
	case v.IsNull(i):
		return append(dst, "null"...)
	case t.IsNumeric():
		return v.AppendText(dst, i, time.UTC)
	case t.Kind == types.JSON:
		return append(dst, v.Bytes(i)...)
	case t.IsBinary():
		dst = append(dst, '"')
		return append(base64.StdEncoding.AppendEncode(dst, v.Bytes(i)), '"')
	case t.Class() == types.ClassBytes:
		return builtin.AppendJSONString(dst, v.Bytes(i))
	case t.Kind == types.Enum:
		return builtin.AppendJSONString(dst, v.AppendText(nil, i, time.UTC))
	default:
		dst = append(dst, '"')
		return append(v.AppendText(dst, i, time.UTC), '"')
	}
}
