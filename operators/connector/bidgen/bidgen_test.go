package bidgen

import (
	"context"
	"runtime"
	"testing"
	"time"

	"streamsql/operators/connector"
	"streamsql/operators/connector/conntest"
	"streamsql/operators/optest"
)

func TestConnector(t *testing.T) {
	conntest.Suite{Kind: Kind(), Columns: columns, With: map[string]string{"connector": "nexmark_bid", "rows": "4000"}}.Run(t)
}

func open(t testing.TB, cols []connector.Column, with map[string]string) *Source {
	t.Helper()
	o, err := Kind().Check(with)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(cols, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEndAndPace(t *testing.T) {
	ctx, now := context.Background(), time.Unix(1000, 0)
	s := open(t, columns[:1], map[string]string{"rows": "10", "partitions": "4"})
	total := 0
	for p := range 4 {
		c, next, err := s.ReadRange(ctx, p, 0, 100, []int{0}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o, end, _ := s.Latest(ctx, p, 0, now); !end || o != next {
			t.Errorf("partition %d ends at %d, read up to %d", p, o, next)
		}
		total += c.N
	}
	if total != 10 {
		t.Errorf("%d rows in all", total)
	}
	paced := open(t, columns[:1], map[string]string{"rows_per_second": "1000", "partitions": "2"})
	for _, c := range []struct {
		after time.Duration
		want  connector.Offset
	}{{0, 0}, {time.Second, 500}, {time.Hour, 1800000}} {
		if o, end, err := paced.Latest(ctx, 1, 0, now.Add(c.after)); o != c.want || end || err != nil {
			t.Errorf("after %v: %d, %v, %v", c.after, o, end, err)
		}
	}
}

// TestRows checks that keys lie in their range, all of them come, and times rise.
func TestRows(t *testing.T) {
	s := open(t, columns, map[string]string{"keys": "100", "partitions": "1"})
	c, _, err := s.ReadRange(context.Background(), 0, 0, 5000, []int{0, 1, 2, 3, 4, 5, 6}, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for i := range c.N {
		a, price := c.Cols[0].I[i], c.Cols[2].I[i]
		if a < 1 || a > 100 || price < 100 {
			t.Fatalf("row %d: auction %d, price %d", i, a, price)
		}
		seen[a] = true
		if i > 0 && c.Cols[5].I[i] <= c.Cols[5].I[i-1] {
			t.Fatal("time does not rise")
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 auctions", len(seen))
	}
}

// BenchmarkRead makes three columns: auction, price, ts.
func BenchmarkRead(b *testing.B) {
	cols := []connector.Column{columns[0], columns[2], columns[5]}
	s := open(b, cols, map[string]string{"keys": "1000000"})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, rows := optest.ThreadTime(), 0
	for k := range b.N {
		c, _, err := s.ReadRange(context.Background(), 0, connector.Offset(k)*4096, connector.Offset(k+1)*4096, []int{0, 1, 2}, nil)
		if err != nil {
			b.Fatal(err)
		}
		rows += c.N
	}
	if rows != b.N*4096 {
		b.Fatal("rows are missing")
	}
	b.ReportMetric(float64(optest.ThreadTime()-start)/float64(rows), "cpu-ns/row")
}
