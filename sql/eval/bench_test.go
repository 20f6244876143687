package eval

import (
	"syscall"
	"testing"
	"time"

	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// bids are columns like Nexmark's: auction, price (cents), channel, amount DECIMAL(18,2), ts.
func bids(n int) ([]*vector.Vector, scope) {
	s := scope{
		"auction": expr.NewColumn(0, "auction", types.MakeBigInt()),
		"price":   expr.NewColumn(1, "price", types.MakeBigInt()),
		"channel": expr.NewColumn(2, "channel", types.MakeVarChar(32)),
		"amount":  expr.NewColumn(3, "amount", types.MakeDecimal(18, 2)),
		"ts":      expr.NewColumn(4, "ts", types.MakeDateTime(3)),
		"url":     expr.NewColumn(5, "url", types.MakeVarChar(80)),
	}
	cols := make([]*vector.Vector, 6)
	for _, c := range s {
		cols[c.Col] = vector.New(c.Type, n)
	}
	for i := range n {
		cols[0].AppendInt(int64(i % 997))
		cols[1].AppendInt(int64(i*7919%10000 + 1))
		cols[2].AppendString([]string{"apple", "google", "baidu", "facebook"}[i*31%4])
		cols[3].AppendInt(int64(i*7919%1000000 + 1))
		cols[4].AppendInt(1714979289000000 + int64(i)*1000)
		cols[5].AppendString("https://www.nexmark.com/item.htm?query=1&channel_id=12345")
	}
	return cols, s
}

// cpuTime is the time that the process has run, which other processes of the
// machine do not lengthen.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkEval computes one expression over a chunk. Each checks its first value.
func BenchmarkEval(b *testing.B) {
	for _, c := range []struct{ src, first string }{
		{"price * 908", "908"},
		{"price * 908 DIV 1000", "0"},
		{"price * 908 / 1000", "0.9080"},
		{"auction % 123", "0"},
		{"price + auction", "1"},
		{"amount * 0.908", "0.00908"},
		{"amount + 1.5", "1.51"},
		{"amount / 3", "0.003333"},
		{"amount > 100", "0"},
		{"channel = 'apple' AND price > 100", "0"},
		{"CASE WHEN price > 5000 THEN price ELSE auction END", "0"},
		{"COALESCE(price, 0)", "1"},
		{"SUBSTRING(url, 9, 15)", "www.nexmark.com"},
		{"CONCAT(channel, '-', auction)", "apple-0"},
		{"channel LIKE 'app%'", "1"},
		{"DATE_FORMAT(ts, '%Y-%m-%d %H:%i')", "2024-05-06 07:08"},
		{"HOUR(ts)", "7"},
		{"ts + INTERVAL 1 DAY", "2024-05-07 07:08:09.000"},
	} {
		b.Run(c.src, func(b *testing.B) { benchEval(b, c.src, c.first, 1024) })
	}
}

func benchEval(b *testing.B, src, first string, n int) {
	cols, s := bids(n)
	e, err := s.build(src)
	if err != nil {
		b.Fatal(err)
	}
	p, err := Compile(e)
	if err != nil {
		b.Fatal(err)
	}
	ctx := &Context{Fail: func(row int, err error) { b.Fatal(row, err) }}
	v, err := p.Eval(ctx, cols, n)
	if err != nil || string(v.AppendText(nil, 0, nil)) != first || v.N != n {
		b.Fatalf("%s: %s, %v; want %s", src, v.AppendText(nil, 0, nil), err, first)
	}
	b.ReportAllocs()
	start := cpuTime()
	for b.Loop() {
		if _, err := p.Eval(ctx, cols, n); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/float64(n), "cpu-ns/row")
}

// BenchmarkFilter selects rows of a chunk.
func BenchmarkFilter(b *testing.B) {
	const n = 1024
	for _, src := range []string{
		"channel = 'apple' AND price > 100", "price > 100 AND channel = 'apple'", "auction % 123 = 0",
		"price > 5000 OR channel = 'baidu'", "amount > 100", "channel IN ('apple', 'baidu')",
	} {
		b.Run(src, func(b *testing.B) {
			cols, s := bids(n)
			e, err := s.build(src)
			if err != nil {
				b.Fatal(err)
			}
			f, err := CompileFilter([]*expr.Expr{e})
			if err != nil {
				b.Fatal(err)
			}
			p, err := Compile(e)
			if err != nil {
				b.Fatal(err)
			}
			ctx := &Context{}
			v, _ := p.Eval(ctx, cols, n)
			sel := f.Select(ctx, cols, n, nil)
			k := 0
			for i, x := range v.I {
				if x != 0 {
					if k >= len(sel) || sel[k] != int32(i) {
						b.Fatalf("row %d is true but not selected", i)
					}
					k++
				}
			}
			if k != len(sel) || k == 0 || k == n {
				b.Fatalf("%d rows true, %d selected", k, len(sel))
			}
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				sel = f.Select(ctx, cols, n, sel)
			}
			b.ReportMetric(float64(cpuTime()-start)/float64(b.N)/n, "cpu-ns/row")
		})
	}
}
