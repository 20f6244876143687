package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// freshness measures from an INSERT's OK to its row in a view, as its own session
// sees it: of an idle server, and while others insert half of what they can.
func freshness(o options) ([]string, error) {
	n, err := start(2)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	for _, q := range []string{
		`CREATE STREAM TABLE s (k BIGINT, v BIGINT)`,
		`CREATE MATERIALIZED VIEW v AS SELECT k, SUM(v) AS s, COUNT(*) AS n FROM s GROUP BY k`,
	} {
		if err := n.exec(q); err != nil {
			return nil, err
		}
	}
	seen := 0
	idle, err := n.seen(&seen, func() bool { return seen < 1000 })
	if err != nil {
		return nil, err
	}
	most, err := n.load(o.length/4, 0)
	if err != nil {
		return nil, err
	}
	// The load takes its time; what is measured ends a little before it.
	var given float64
	loaded := make(chan error, 1)
	go func() {
		var err error
		given, err = n.load(o.length/2, most/2)
		loaded <- err
	}()
	until := time.Now().Add(o.length / 2 * 9 / 10)
	half, err := n.seen(&seen, func() bool { return time.Now().Before(until) })
	if err != nil {
		return nil, err
	}
	if err := <-loaded; err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("idle: p50 %v, p99 %v from OK to the row in the view", quantile(idle, 0.5), quantile(idle, 0.99)),
		fmt.Sprintf("half load, %.0f K rows/s of %.0f K: p50 %v, p99 %v", given/1e3, most/1e3, quantile(half, 0.5), quantile(half, 0.99)),
	}, nil
}

// seen inserts rows of key 1 while more says so, and looks each up in the view;
// seen counts them. It returns how long each look-up took.
func (n *node) seen(seen *int, more func() bool) (times []time.Duration, err error) {
	ctx := context.Background()
	conn, err := n.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for more() {
		if _, err := conn.ExecContext(ctx, "INSERT INTO s VALUES (1, 1)"); err != nil {
			return nil, err
		}
		*seen++
		t := time.Now()
		var got int
		if err := conn.QueryRowContext(ctx, "SELECT n FROM v WHERE k = 1").Scan(&got); err != nil {
			return nil, err
		}
		times = append(times, time.Since(t))
		if got != *seen {
			return nil, fmt.Errorf("after %d rows the view shows %d", *seen, got)
		}
	}
	return times, nil
}

// load inserts from four connections, 1000 rows of other keys an INSERT, at a rate (0: as
// fast as it goes) for a while. It returns the rate that it reached.
func (n *node) load(length time.Duration, rate float64) (float64, error) {
	const connections, rows = 4, 1000
	var sent atomic.Int64
	begin := time.Now()
	var group sync.WaitGroup
	var failed [connections]error
	for w := range connections {
		group.Go(func() {
			var b strings.Builder
			for k := 0; time.Since(begin) < length; k++ {
				b.Reset()
				b.WriteString("INSERT INTO s VALUES ")
				for i := range rows {
					if i > 0 {
						b.WriteByte(',')
					}
					fmt.Fprintf(&b, "(%d,%d)", 2+(w*7919+k*rows+i)%100_000, i)
				}
				if rate > 0 {
					time.Sleep(time.Duration(float64(k*connections*rows)/rate*float64(time.Second)) - time.Since(begin))
				}
				if _, err := n.db.Exec(b.String()); err != nil {
					failed[w] = err
					return
				}
				sent.Add(rows)
			}
		})
	}
	group.Wait()
	return float64(sent.Load()) / time.Since(begin).Seconds(), errors.Join(failed[:]...)
}
