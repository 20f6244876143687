package ingest

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// lines reads a text with a layout, and prints rows and errors.
func lines(l Layout, in io.Reader, columns int) string {
	var specs []Spec
	var fields []int
	for i := range columns {
		specs = append(specs, Spec{Name: fmt.Sprint("c", i), Type: types.MakeVarChar(1000)})
		fields = append(fields, i)
	}
	var out strings.Builder
	r := reading(specs, true, func(columns []*vector.Vector, n int) error {
		out.WriteString(text(columns, n))
		return nil
	})
	d := &Delimited{Rows: r, Layout: l, Fields: fields}
	d.Begin(in)
	err := d.Read()
	if err == nil {
		err = r.Flush()
	}
	for _, e := range r.Errors() {
		fmt.Fprintln(&out, e)
	}
	return out.String() + fmt.Sprint(err)
}

// TestDelimitedInPieces reads the same rows however the bytes come.
func TestDelimitedInPieces(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "b", "NULL", ",", ";;", "\n", "\r\n", `"`, `""`, `\`, `\N`, "é"})
	rapid.Check(t, func(t *rapid.T) {
		l := Layout{
			Terminated: rapid.SampledFrom([]string{",", ";;", "\t"}).Draw(t, "terminated"),
			Enclosed:   rapid.SampledFrom([]byte{0, '"'}).Draw(t, "enclosed"),
			Escaped:    rapid.SampledFrom([]byte{0, '\\'}).Draw(t, "escaped"),
			Starting:   rapid.SampledFrom([]string{"", "ab"}).Draw(t, "starting"),
			Line:       rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line"),
		}
		if rapid.Bool().Draw(t, "csv") {
			l = CSVLayout(',')
		}
		in := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		whole := lines(l, strings.NewReader(in), 2)
		if got := lines(l, iotest.OneByteReader(strings.NewReader(in)), 2); got != whole {
			t.Fatalf("%q, byte by byte:\n%s\nat once:\n%s", in, got, whole)
		}
		if got := lines(l, iotest.DataErrReader(strings.NewReader(in)), 2); got != whole {
			t.Fatalf("%q, with the end:\n%s\nat once:\n%s", in, got, whole)
		}
	})
}

// TestLineEndInPieces reads a line whose end arrives in two reads, behind its last
// column's delimiter: nothing was cut off there.
func TestLineEndInPieces(t *testing.T) {
	l := Layout{Terminated: ",", Line: "\r\n"}
	if got, want := lines(l, iotest.OneByteReader(strings.NewReader("a,b,\r\nc,d,\r\n")), 2), "a\tb\nc\td\n<nil>"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestCSV(t *testing.T) {
	for in, want := range map[string]string{
		"a,b\nc,d\n":                     "a\tb\nc\td\n<nil>",
		"a,b\r\nc,\r\n\r\n":              "a\tb\nc\tNULL\n<nil>",
		"\"a \"\"q\"\", \r\nx\",\"\"\n,": "a \"q\", \r\nx\t\nNULL\tNULL\n<nil>",
		"a,b,c\nd\n":                     "row 1: Row 1 was truncated; it contained more data than there were input columns\nrow 2: Row 2 doesn't contain data for all columns\n<nil>",
		"":                               "<nil>",
	} {
		if got := lines(CSVLayout(','), strings.NewReader(in), 2); got != want {
			t.Errorf("%q:\ngot  %q\nwant %q", in, got, want)
		}
	}
}

func TestLongFields(t *testing.T) {
	long := strings.Repeat("x", 600<<10)
	r := reading([]Spec{{Name: "a", Type: types.Type{Kind: types.Text, Len: 1 << 24}}}, false, func(c []*vector.Vector, n int) error {
		if n != 2 || len(c[0].Bytes(0)) != len(long) || string(c[0].Bytes(1)) != "y" {
			t.Error("the rows are not those of the text")
		}
		return nil
	})
	d := &Delimited{Rows: r, Layout: Layout{Terminated: ",", Line: "\n"}, Fields: []int{0}}
	d.Begin(strings.NewReader(long + "\ny\n"))
	if err := d.Read(); err != nil || r.Flush() != nil || r.Accepted() != 2 {
		t.Fatal(err, r.Accepted(), r.Errors())
	}
	if err := (&Delimited{Rows: r, Layout: Layout{Terminated: ",", Line: "\n"}, Fields: []int{0}}).endless(); err == nil {
		t.Error("a field without end is read for ever")
	}
}

// endless reads a field that never ends.
func (d *Delimited) endless() error {
	d.Begin(zeros{})
	return d.Read()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func BenchmarkCSV(b *testing.B) {
	const n = 20000
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "%d,%d,%d,channel-%d,https://www.nexmark.com/item.htm?query=1&channel_id=%d,2024-01-02 03:04:05.%03d,mzqlbpvxkjtaoiuwehrnscydgfmzqlbpvxkjtaoiuw\n",
			1000+i, 2000+i*7%1000, 100+i*31, i%5000, i*7919%5000, i%1000)
	}
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r := reading(bid(), false, func([]*vector.Vector, int) error { return nil })
		d := &Delimited{Rows: r, Layout: CSVLayout(','), Fields: []int{0, 1, 2, 3, 4, 5, 6}}
		d.Begin(strings.NewReader(in.String()))
		if err := d.Read(); err != nil || r.Rejected() > 0 {
			b.Fatal(err, r.Errors())
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}
