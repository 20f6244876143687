package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// stallRows is how many rows come, and go, at once; a multiple of a thousand.
var stallRows = 3_000_000

// kept are views that keep the rows of a join in some order: one row of table lever
// brings all rows of stream big, and takes them away. expect says how many rows the view
// has then, and the sum of column sum.
var kept = []struct {
	name, view, sum string
	expect          func(rows int) (count, sum int64)
}{
	{"MAX", "SELECT x.g % 1000 AS k, MAX(x.v) AS m FROM big x JOIN lever y ON x.one = y.one GROUP BY x.g % 1000", "m", greatest},
	{"top 100", "SELECT g, v FROM (SELECT x.g, x.v, ROW_NUMBER() OVER (ORDER BY x.v DESC, x.g) AS r FROM big x JOIN lever y ON x.one = y.one) t WHERE r <= 100", "v", topHundred},
	{"one window", "SELECT x.g, SUM(x.v) OVER (ORDER BY x.g ROWS BETWEEN 10 PRECEDING AND CURRENT ROW) AS s FROM big x JOIN lever y ON x.one = y.one", "s", rolling},
}

// bigValue is v of the row of stream big with g = i.
func bigValue(i int) int64 { return int64(i % 1_000_000 * 7919 % 1_000_003) }

func greatest(rows int) (count, sum int64) {
	most := make([]int64, 1000)
	for i := range rows {
		most[i%1000] = max(most[i%1000], bigValue(i))
	}
	for _, m := range most {
		sum += m
	}
	return 1000, sum
}

func topHundred(rows int) (count, sum int64) {
	all := make([]int64, rows)
	for i := range all {
		all[i] = bigValue(i)
	}
	slices.Sort(all)
	for _, v := range all[rows-100:] {
		sum += v
	}
	return 100, sum
}

func rolling(rows int) (count, sum int64) {
	for i := range rows {
		sum += bigValue(i) * int64(min(11, rows-i)) // it is in its own window, and in those of ten more
	}
	return int64(rows), sum
}

// runStall measures what a change of millions of rows does to others: how long a row
// takes at most from its INSERT until another view shows it, and how long a worker
// was held at most.
func runStall(ctx context.Context, o *options) ([]Result, error) {
	var out []Result
	for k, view := range kept {
		o.progress.say("%d rows at once into %s", stallRows, view.name)
		n, err := startNode(ctx, o)
		if err != nil {
			return out, err
		}
		results, err := n.stall(ctx, o, k)
		n.stop()
		if err != nil {
			return append(out, Result{Name: view.name, Wrong: err.Error()}), fmt.Errorf("%s: %w", view.name, err)
		}
		out = append(out, results...)
	}
	return out, nil
}

// stall lets all rows come, and go.
func (n *node) stall(ctx context.Context, o *options, k int) (out []Result, err error) {
	view := kept[k]
	err = n.exec(ctx, "CREATE STREAM TABLE big (one BIGINT NOT NULL, g BIGINT NOT NULL, v BIGINT NOT NULL)",
		"CREATE TABLE lever (one BIGINT NOT NULL PRIMARY KEY)",
		"CREATE STREAM TABLE small (k BIGINT NOT NULL)",
		"CREATE MATERIALIZED VIEW other AS SELECT k, COUNT(*) AS n FROM small GROUP BY k",
		"CREATE MATERIALIZED VIEW w AS "+view.view, fillBig(stallRows), "FLUSH STREAMS WITH TIMEOUT 120")
	if err != nil {
		return nil, err
	}
	count, sum := view.expect(stallRows)
	for _, c := range []struct {
		name, text string
		count, sum int64
	}{
		{view.name + " comes", "INSERT INTO lever VALUES (1)", count, sum},
		{view.name + " goes", "DELETE FROM lever", 0, 0},
	} {
		profile := n.profileFor(ctx, o, "stall-"+strings.ReplaceAll(c.name, " ", "-"), profileSeconds)
		r, err := n.stalled(ctx, c.text)
		if err == nil {
			err = <-profile
		}
		if err != nil {
			return out, err
		}
		var got, gotSum int64
		if err := n.db.QueryRowContext(ctx, "SELECT COUNT(*), COALESCE(SUM("+view.sum+"), 0) FROM w").Scan(&got, &gotSum); err != nil {
			return out, err
		}
		if got != c.count || gotSum != c.sum {
			return out, fmt.Errorf("after %s the view has %d rows with the sum %d, must have %d with %d", c.text, got, gotSum, c.count, c.sum)
		}
		r.Name = c.name
		out = append(out, r)
	}
	return out, nil
}

// fillBig is the statement that gives stream big so many rows.
func fillBig(rows int) string {
	millions, thousands := 1, rows/1000
	if rows > 1_000_000 {
		millions, thousands = rows/1_000_000, 1000
	}
	return fmt.Sprintf("INSERT INTO big WITH RECURSIVE d (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 999) "+
		"SELECT 1, c.i * 1000000 + a.i * 1000 + b.i, (a.i * 1000 + b.i) * 7919 %% 1000003 FROM d a, d b, d c WHERE c.i < %d AND a.i < %d", millions, thousands)
}

// stalled makes a change and watches others until views have taken it in.
func (n *node) stalled(ctx context.Context, change string) (r Result, err error) {
	if _, err := n.usage(ctx); err != nil { // the longest quantum counts from here
		return r, err
	}
	var done atomic.Bool
	changed := make(chan error, 1)
	begin := time.Now()
	go func() {
		err := n.exec(ctx, change)
		if err == nil {
			err = n.exec(ctx, "FLUSH STREAMS w WITH TIMEOUT 300")
		}
		done.Store(true)
		changed <- err
	}()
	var others []time.Duration
	for k := 0; !done.Load(); k++ {
		t := time.Now()
		if err := n.exec(ctx, fmt.Sprintf("INSERT INTO small VALUES (%d)", k)); err != nil {
			return r, err
		}
		var got int
		if err := n.db.QueryRowContext(ctx, fmt.Sprintf("SELECT n FROM other WHERE k = %d", k)).Scan(&got); err != nil {
			return r, err
		}
		others = append(others, time.Since(t))
		time.Sleep(2 * time.Millisecond)
	}
	if err := <-changed; err != nil {
		return r, err
	}
	took := time.Since(begin)
	u, err := n.usage(ctx)
	if err != nil {
		return r, err
	}
	l := sorted(others)
	r.less("change", "s", took.Seconds())
	r.add("others", "", float64(l.count))
	r.less("p50", "ms", l.p(0.5))
	r.less("p99", "ms", l.p(0.99))
	r.less("longest wait", "ms", l.p(1)).atMost(250)
	r.less("longest quantum", "ms", 1e3*u.LongestQuantum.Seconds()).atMost(20)
	r.less("RSS", "MiB", float64(u.PeakRSS)/(1<<20))
	return r, nil
}
