package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"streamsql/sql/builtin"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// bid is Nexmark's, as a stream table has it.
func bid() []Spec {
	return []Spec{
		{Name: "auction", Type: types.Type{Kind: types.BigInt, NotNull: true}},
		{Name: "bidder", Type: types.Type{Kind: types.BigInt, NotNull: true}},
		{Name: "price", Type: types.Type{Kind: types.BigInt}},
		{Name: "channel", Type: types.MakeVarChar(32)},
		{Name: "url", Type: types.MakeVarChar(128)},
		{Name: "dateTime", Type: types.MakeDateTime(3)},
		{Name: "extra", Type: types.MakeVarChar(255)},
	}
}

const bidLine = `{"auction":%d,"bidder":%d,"price":%d,"channel":"channel-%d","url":"https://www.nexmark.com/item.htm?query=1&channel_id=%d","dateTime":"2024-01-02 03:04:05.%03d","extra":"mzqlbpvxkjtaoiuwehrnscydgfmzqlbpvxkjtaoiuw"}` + "\n"

func bids(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, bidLine, 1000+i, 2000+i*7%1000, 100+i*31, i%5000, i*7919%5000, i%1000)
	}
	return b.Bytes()
}

func null(t types.Type) *vector.Vector {
	v := vector.New(t.Nullable(), 1)
	v.AppendNull()
	return v
}

// reading is rows whose columns may be left out if they may be NULL.
func reading(specs []Spec, skip bool, emit func([]*vector.Vector, int) error) *Rows {
	for i := range specs {
		if !specs[i].Type.NotNull {
			specs[i].Default = null(specs[i].Type)
		}
	}
	return NewRows(Config{Columns: specs, Skip: skip, Emit: emit, Context: builtin.Context{Rules: builtin.Rules{Strict: true}}})
}

// text is all rows, a line each.
func text(columns []*vector.Vector, n int) string {
	var b strings.Builder
	for i := range n {
		for k, c := range columns {
			if k > 0 {
				b.WriteByte('\t')
			}
			if c.IsNull(i) {
				b.WriteString("NULL")
			} else {
				b.Write(c.AppendText(nil, i, nil))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestChunks(t *testing.T) {
	var got []int
	r := reading(bid(), false, func(_ []*vector.Vector, n int) error { got = append(got, n); return nil })
	if err := NewJSON(r).Decode(bids(ChunkRows + 5)); err != nil {
		t.Fatal(err)
	}
	if err := r.Flush(); err != nil || fmt.Sprint(got) != fmt.Sprint([]int{ChunkRows, 5}) || r.Accepted() != ChunkRows+5 || len(r.Errors()) > 0 {
		t.Fatal(got, err, r.Errors())
	}
}

// FuzzJSON compares rows of four columns with what encoding/json makes of the
// same bytes: the same texts are JSON, and the same values come out.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":"x","c":1.5}`, "{\"a\":1}\n{\"b\":\"\\u00e9\\n\\\"\"}", `[{"a":1},{"a":2,"b":null}]`, `{"a":1,"a":2}`, `{"b":"😀 \ud83d\ude00"}`,
		`{"d":{"x":[1,2,{"y":null}]}}`, `{"a":-0}`, `{"c":1e5}`, `{"c":-1.5E-3}`, `{"a":01}`, `{"a":1.}`, `{"a":tru}`, `{`, `{}`, `[]`, `[{}]`, `[{},]`, "{\"b\":\"\t\"}",
		`{"a":1}{"a":2}`, ` {"a" : 1 , "b" : "y" } `, `{"b":"\ud800"}`, `{"d":[[[[]]]]}`, `{"d":{"":""}}`, `{"a":123456789012345678}`, `{"a":1234567890123456789}`, `{"\u0061":5}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !utf8.Valid(data) || bytes.Contains(data, []byte(`\u`)) && bytes.ContainsAny(data, "dD") {
			t.Skip() // encoding/json takes what is no text, and half a surrogate pair
		}
		want, wrong, twice := oracle(data)
		if twice {
			t.Skip() // of two spellings of one key the last counts, which a map has lost
		}
		var got []map[string]any
		r := reading([]Spec{
			{Name: "a", Type: types.MakeBigInt()}, {Name: "b", Type: types.MakeVarChar(1 << 20)},
			{Name: "c", Type: types.MakeDouble()}, {Name: "d", Type: types.Type{Kind: types.JSON}},
		}, false, func(columns []*vector.Vector, n int) error {
			for i := range n {
				got = append(got, rowOf(columns, i))
			}
			return nil
		})
		d := NewJSON(r)
		d.IgnoreUnknown = true
		err := d.Decode(data)
		if err == nil {
			err = r.Flush()
		}
		for _, e := range r.Errors() {
			if e.Column == "" {
				err = e
			} else if err == nil {
				t.Skip() // a value that the column does not take
			}
		}
		if (err != nil) != wrong {
			t.Fatalf("%q: %v, encoding/json: wrong is %v", data, err, wrong)
		}
		if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q:\n got %v\nwant %v", data, got, want)
		}
	})
}

func rowOf(columns []*vector.Vector, i int) map[string]any {
	m := map[string]any{}
	for k, name := range []string{"a", "b", "c", "d"} {
		if !columns[k].IsNull(i) {
			m[name] = string(columns[k].AppendText(nil, i, nil))
		}
	}
	return m
}

// oracle reads objects with encoding/json; wrong is that they are none.
func oracle(data []byte) (rows []map[string]any, wrong, twice bool) {
	var raws []map[string]json.RawMessage
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] == '[' {
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			return nil, true, false
		}
		for _, e := range list {
			m, ok := object(e)
			if !ok {
				return nil, true, false
			}
			raws = append(raws, m)
		}
	} else {
		d := json.NewDecoder(bytes.NewReader(data))
		for {
			var e json.RawMessage
			if err := d.Decode(&e); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, true, false
			}
			m, ok := object(e)
			if !ok {
				return nil, true, false
			}
			raws = append(raws, m)
		}
	}
	for _, raw := range raws {
		spelled := map[string]bool{}
		for key := range raw {
			twice = twice || spelled[strings.ToLower(key)]
			spelled[strings.ToLower(key)] = true
		}
		rows = append(rows, stored(raw))
	}
	return rows, false, twice
}

func object(raw json.RawMessage) (m map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(raw, &m)
	return m, err == nil && m != nil
}

// stored is what columns hold of an object, by the conversions of the columns,
// which have tests of their own.
func stored(raw map[string]json.RawMessage) map[string]any {
	specs := map[string]types.Type{"a": types.MakeBigInt(), "b": types.MakeVarChar(1 << 20), "c": types.MakeDouble(), "d": {Kind: types.JSON}}
	m := map[string]any{}
	for key, text := range raw {
		name := strings.ToLower(key)
		t, known := specs[name]
		if !known || string(text) == "null" {
			continue
		}
		v := Value{Kind: Document, Bytes: text}
		var s string
		switch {
		case t.Kind == types.JSON:
		case text[0] == '"':
			_ = json.Unmarshal(text, &s)
			v = Value{Kind: Text, Bytes: []byte(s)}
		case string(text) == "true":
			v = Value{Kind: True}
		case string(text) == "false":
			v = Value{Kind: False}
		case text[0] == '-' || text[0] >= '0' && text[0] <= '9':
			switch {
			case bytes.ContainsAny(text, "eE"):
				v.Kind = Float
			case bytes.Contains(text, []byte{'.'}):
				v.Kind = Decimal
			default:
				v.Kind = Int
			}
		}
		c := NewColumn(Spec{Name: name, Type: t}, &builtin.Context{Rules: builtin.Rules{Strict: true}}, 1)
		if c.Append(&v) == nil {
			m[name] = string(c.Values.AppendText(nil, 0, nil))
		}
	}
	return m
}

func BenchmarkJSON(b *testing.B) {
	const n = 20000
	data := bids(n)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := reading(bid(), false, func([]*vector.Vector, int) error { return nil })
		if err := NewJSON(r).Decode(data); err != nil || r.Rejected() > 0 {
			b.Fatal(err, r.Errors())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
