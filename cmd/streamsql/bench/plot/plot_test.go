package plot

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// elements reads a picture as XML, and counts its elements by name and class.
func elements(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	count := map[string]int{}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			name := e.Name.Local
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					name += "." + strings.Fields(a.Value)[0]
				}
			}
			count[name]++
		}
	}
}

func TestChart(t *testing.T) {
	c := &Chart{Title: "a < b & c", X: "keys", Y: "s", Lines: []Line{
		{"one", []Point{{1, 0.2, 0.1, 0.3}, {10, 2, 0, 0}, {100, 20, 0, 0}}},
		{"two", []Point{{1, 0.3, 0, 0}, {1000, 3, 0, 0}}},
	}}
	var out bytes.Buffer
	if err := c.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	got := elements(t, out.Bytes())
	for name, want := range map[string]int{"svg": 1, "polyline.line": 2, "circle.d0": 3, "circle.d1": 2, "line.spread": 1, "text.title": 1, "text.name": 4, "line.line": 2} {
		if got[name] != want {
			t.Errorf("%d of %s, want %d\n%s", got[name], name, want, &out)
		}
	}
	if !strings.Contains(out.String(), "a &lt; b &amp; c") {
		t.Error("the title is not there")
	}
}

// A place is where its logarithm is, the ends at the ends.
func TestAxis(t *testing.T) {
	a := axis{span{1, 100}, 50, 250}
	for v, want := range map[float64]float64{1: 50, 10: 150, 100: 250} {
		if got := a.at(v); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%v is at %v, want %v", v, got, want)
		}
	}
	if got := len(a.ticks()); got != 7 { // 1 2 5 10 20 50 100
		t.Errorf("ticks %v", a.ticks())
	}
	if got := (axis{span{1, 1e6}, 0, 1}).ticks(); len(got) != 7 {
		t.Errorf("ticks %v", got)
	}
}

func TestRefusals(t *testing.T) {
	line := Line{"l", []Point{{1, 1, 0, 0}}}
	for _, lines := range [][]Line{{}, {{"l", nil}}, {{"l", []Point{{0, 1, 0, 0}}}}, {{"l", []Point{{1, -1, 0, 0}}}}, {line, line, line, line}} {
		if err := (&Chart{Title: "t", Lines: lines}).WriteSVG(io.Discard); err == nil {
			t.Errorf("%v is drawn", lines)
		}
	}
}

func TestLabel(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 0.05: "0.05", 0.0123456: "0.0123", 12.34: "12.3", 1000: "1000", 10_000: "10 K", 123_456: "123 K", 10_000_000: "10 M", 2.5e9: "2.5 G", 200: "200"} {
		if got := Label(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}
