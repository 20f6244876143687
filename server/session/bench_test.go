package session

import (
	"context"
	"strings"
	"testing"
)

func discard(ctx context.Context, r *Result, _ bool) error {
	if r.Rows == nil {
		return nil
	}
	for {
		if c, err := r.Rows.Next(ctx); c == nil || err != nil {
			return err
		}
	}
}

func benchQuery(b *testing.B, text string) {
	_, _, s := newTest(b)
	mustDo(b, s, "CREATE TABLE t (id BIGINT, name VARCHAR(20))")
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Query(context.Background(), text, false, discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCachedSelectOne(b *testing.B) { benchQuery(b, "SELECT 1") }
func BenchmarkUncachedSelect(b *testing.B)  { benchQuery(b, "SELECT @@autocommit") }

// BenchmarkFastInsert inserts 1,000 rows a statement; the fake engine's own
// copying is in the figure.
func BenchmarkFastInsert(b *testing.B) {
	e, _, s := newTest(b)
	mustDo(b, s, "CREATE TABLE t (id BIGINT, name VARCHAR(20))")
	id := e.lastID
	text := "INSERT INTO t VALUES " + strings.Repeat("(12345,'some text'),", 999) + "(1,'x')"
	for b.Loop() {
		if err := s.Query(context.Background(), text, false, discard); err != nil {
			b.Fatal(err)
		}
		e.rows[id].N = 0
		for _, v := range e.rows[id].Cols {
			v.Reset()
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
