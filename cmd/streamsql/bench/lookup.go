package bench

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
)

// lookups are views with a row for each key, and what finds one.
var lookups = []struct{ name, view, query string }{
	{"integer key", "CREATE MATERIALIZED VIEW v AS SELECT k, COUNT(*) AS n, SUM(v) AS s FROM s GROUP BY k", "SELECT n, s FROM v WHERE k = ?"},
	{"text key", "CREATE MATERIALIZED VIEW v AS SELECT t, COUNT(*) AS n, SUM(v) AS s FROM s GROUP BY t", "SELECT n, s FROM v WHERE t = ?"},
	{"computed view", "CREATE MATERIALIZED VIEW v AS SELECT k, COUNT(*) AS n, SUM(v) + 0 AS s FROM s GROUP BY k", "SELECT n, s FROM v WHERE k = ?"},
}

// lookupKeys is how many rows the views have.
var lookupKeys = 100_000

// runLookup measures look-ups of random keys, each of which must find its row.
func runLookup(ctx context.Context, o *options) ([]Result, error) {
	var out []Result
	for _, l := range lookups {
		o.progress.say("%s, %d rows, %d clients", l.name, lookupKeys, connections)
		r, err := o.measureLookup(ctx, l.view, l.query, l.name)
		if r.Name = l.name; err != nil {
			return append(out, Result{Name: l.name, Wrong: err.Error()}), fmt.Errorf("%s: %w", l.name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

func (o *options) measureLookup(ctx context.Context, view, query, name string) (r Result, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return r, err
	}
	defer n.stop()
	if err := n.exec(ctx, "CREATE STREAM TABLE s (k BIGINT NOT NULL, t VARCHAR(20) NOT NULL, v BIGINT NOT NULL)", view); err != nil {
		return r, err
	}
	if err := n.fillKeys(ctx, lookupKeys); err != nil {
		return r, err
	}
	cs, done, err := conns(ctx, n.db, connections)
	if err != nil {
		return r, err
	}
	defer done()
	stmts := make([]*sql.Stmt, len(cs))
	for i, c := range cs {
		if stmts[i], err = c.PrepareContext(ctx, query); err != nil {
			return r, err
		}
		defer stmts[i].Close()
	}
	before, err := n.usage(ctx)
	if err != nil {
		return r, err
	}
	profile := n.profileFor(ctx, o, "lookup-"+strings.Fields(name)[0], max(int(o.length.Seconds())-1, 1))
	l, err := hammer(ctx, len(cs), o.length, func(ctx context.Context, client, _ int) error {
		k := rand.Int64N(int64(lookupKeys))
		var key any = k
		if strings.HasPrefix(name, "text") {
			key = keyText(k)
		}
		var count, sum int64
		if err := stmts[client].QueryRowContext(ctx, key).Scan(&count, &sum); err != nil {
			return fmt.Errorf("key %v: %w", key, err)
		}
		if count != 1 || sum != 3*k {
			return fmt.Errorf("key %v: %d rows with the sum %d, must be 1 and %d", key, count, sum, 3*k)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	after, err := n.usage(ctx)
	if err == nil {
		err = <-profile
	}
	r.more("look-ups/s", "K", l.perSecond()/1e3).atLeast(20)
	r.less("cpu", "µs", 1e6*(after.CPU-before.CPU).Seconds()/float64(l.count))
	r.less("alloc", "B", float64(after.Allocated-before.Allocated)/float64(l.count))
	r.less("p50", "ms", l.p(0.5))
	r.less("p99", "ms", l.p(0.99)).atMost(10)
	return r, err
}

func keyText(k int64) string { return fmt.Sprintf("key-%08d", k) }

// fillKeys puts a row for each of so many keys into stream s, and waits until the
// views have them.
func (n *node) fillKeys(ctx context.Context, keys int) error {
	const atOnce = 5000
	var b []byte
	for from := 0; from < keys; from += atOnce {
		b = append(b[:0], "INSERT INTO s VALUES "...)
		for k := from; k < min(from+atOnce, keys); k++ {
			if k > from {
				b = append(b, ',')
			}
			b = fmt.Appendf(b, "(%d,'%s',%d)", k, keyText(int64(k)), 3*k)
		}
		if err := n.exec(ctx, string(b)); err != nil {
			return err
		}
	}
	return n.exec(ctx, "FLUSH STREAMS WITH TIMEOUT 120")
}
