// Package conntest is the suite that every kind of connector passes.
package conntest

import (
	"context"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/vector"
)

// Suite is a kind and a table for it.
type Suite struct {
	Kind    *connector.Kind
	Columns []connector.Column
	With    map[string]string // gives a source of at least 1000 rows a partition
}

// Run runs what the kind has.
func (s Suite) Run(t *testing.T) {
	t.Run("describes itself", s.described)
	t.Run("refuses options it does not know", func(t *testing.T) {
		if _, err := s.Kind.Check(map[string]string{"no_such_option": "1"}); err == nil {
			t.Error("taken")
		}
	})
	if s.Kind.Source != nil {
		t.Run("gives a range the same again", s.repeatable)
		t.Run("does not care how ranges are cut", s.cut)
		t.Run("does not care which columns are wanted", s.wanted)
		t.Run("refuses a partition that is not there", func(t *testing.T) {
			src := s.source(t)
			if _, _, err := src.ReadRange(context.Background(), src.Partitions(), 0, 10, s.all(), nil); err == nil {
				t.Error("read")
			}
		})
	}
}

func (s Suite) described(t *testing.T) {
	if s.Kind.Name == "" || s.Kind.Doc == "" || s.Kind.Example == "" {
		t.Error("name, doc or example is missing")
	}
	for _, o := range s.Kind.Options {
		if o.Name == "" || o.Doc == "" || o.Type == "" {
			t.Errorf("option %+v lacks name, type or doc", o)
		}
		if o.Required || o.Default == "" {
			continue
		}
		with := map[string]string{}
		for k, v := range s.With {
			with[k] = v
		}
		with[o.Name] = o.Default
		if _, err := s.Kind.Check(with); err != nil {
			t.Errorf("the default of %s is refused: %v", o.Name, err)
		}
	}
}

func (s Suite) source(t *testing.T) connector.Source {
	t.Helper()
	o, err := s.Kind.Check(s.With)
	if err != nil {
		t.Fatal(err)
	}
	src, err := s.Kind.Source(s.Columns, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	})
	return src
}

// read reads a range to its end, in pieces of at most n rows, as text row by row.
func read(t *testing.T, s connector.Source, all []int, partition int, from, to, n connector.Offset) string {
	t.Helper()
	text := ""
	var spare *batch.Chunk
	deadline := time.Now().Add(30 * time.Second)
	for from < to && time.Now().Before(deadline) {
		c, next, err := s.ReadRange(context.Background(), partition, from, min(to, from+n), all, spare)
		if err != nil {
			t.Fatal(err)
		}
		if connector.Offset(c.N) != next-from {
			t.Fatalf("%d rows from %d, but the next offset is %d", c.N, from, next)
		}
		text += checked(t, c)
		spare = c
		if next == from {
			if latest, end, err := s.Latest(context.Background(), partition, next, time.Now()); err != nil || end && latest <= next {
				return text
			}
		}
		from = next
	}
	return text
}

// checked is the chunk's text; its vectors must all have its length.
func checked(t *testing.T, c *batch.Chunk) string {
	t.Helper()
	for k, v := range c.Cols {
		if v.N != c.N {
			t.Fatalf("column %d has %d values in a chunk of %d rows", k, v.N, c.N)
		}
	}
	return c.String()
}

func (s Suite) repeatable(t *testing.T) {
	a, b := s.source(t), s.source(t)
	for p := range a.Partitions() {
		if x, y := read(t, a, s.all(), p, 100, 300, 200), read(t, b, s.all(), p, 100, 300, 200); x != y || x == "" {
			t.Fatalf("partition %d: a second source gives other rows", p)
		}
		if p > 0 && read(t, a, s.all(), p, 100, 300, 200) == read(t, a, s.all(), p-1, 100, 300, 200) {
			t.Fatalf("partitions %d and %d are the same", p-1, p)
		}
	}
}

func (s Suite) cut(t *testing.T) {
	src := s.source(t)
	want := read(t, src, s.all(), 0, 0, 500, 500)
	for _, n := range []connector.Offset{1, 7, 64, 333} {
		if got := read(t, src, s.all(), 0, 0, 500, n); got != want {
			t.Fatalf("in pieces of %d: other rows", n)
		}
	}
}

// all are the positions of all columns.
func (s Suite) all() []int {
	all := make([]int, len(s.Columns))
	for k := range all {
		all[k] = k
	}
	return all
}

func (s Suite) wanted(t *testing.T) {
	src := s.source(t)
	rows := func(want []int) *batch.Chunk {
		c, _, err := src.ReadRange(context.Background(), 0, 100, 300, want, nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	whole := rows(s.all())
	for k := range s.Columns {
		one := rows([]int{k})
		n := min(one.N, whole.N)
		got := &batch.Chunk{N: n, Cols: []*vector.Vector{one.Cols[k].Slice(0, n)}}
		if want := (&batch.Chunk{N: n, Cols: []*vector.Vector{whole.Cols[k].Slice(0, n)}}); got.String() != want.String() || n == 0 {
			t.Errorf("column %s alone has other values than among all", s.Columns[k].Name)
		}
	}
}
