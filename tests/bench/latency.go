package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// quantile returns the p-quantile of times, which it sorts.
func quantile(times []time.Duration, p float64) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, int(p*float64(len(times))))]
}

// rawSync measures an append of 64 KiB with fsync on the bench's own disk.
func rawSync(dir string) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "raw"))
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	var times []time.Duration
	for range 200 {
		t := time.Now()
		if _, err := f.Write(buf); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(t))
	}
	return quantile(times, 0.5), nil
}

// ingest writes INSERTs of 1000 rows from four connections.
func ingest(o options) ([]string, error) {
	n, err := start(2)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	sync50, err := rawSync(n.dir)
	if err != nil {
		return nil, err
	}
	if err := n.exec(`CREATE STREAM TABLE s (id BIGINT NOT NULL, name VARCHAR(20), amount DECIMAL(12,2), ts DATETIME(3))`); err != nil {
		return nil, err
	}
	var rows atomic.Int64
	var first sync.Once
	var failed error
	ctx, cancel := context.WithTimeout(context.Background(), o.length)
	defer cancel()
	cpu0, t0 := cpu(), time.Now()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := 0; ctx.Err() == nil; k++ {
				var b strings.Builder
				b.WriteString("INSERT INTO s VALUES ")
				for i := range 1000 {
					if i > 0 {
						b.WriteByte(',')
					}
					fmt.Fprintf(&b, "(%d,'name %d',%d.%02d,'2026-01-02 03:04:05.678')", (w*1_000_000_000)+k*1000+i, i, k, i%100)
				}
				if _, err := n.db.Exec(b.String()); err != nil {
					first.Do(func() { failed = err })
					return
				}
				rows.Add(1000)
			}
		}()
	}
	wg.Wait()
	took, used := time.Since(t0), cpu()-cpu0
	if failed != nil {
		return nil, failed
	}
	var count, distinct int64
	if err := n.db.QueryRow("SELECT COUNT(*), COUNT(DISTINCT id) FROM s").Scan(&count, &distinct); err != nil {
		return nil, err
	}
	if count != rows.Load() || distinct != count {
		return nil, fmt.Errorf("%d rows were acknowledged, %d are there, %d different", rows.Load(), count, distinct)
	}
	return []string{fmt.Sprintf("%.0f K rows/s with fsync before OK (4 connections, 1000 rows an INSERT), %.2f CPU s per M rows, client included; raw fsync of 64 KiB p50 %v",
		float64(count)/took.Seconds()/1e3, used.Seconds()/float64(count)*1e6, sync50)}, nil
}

// oneRow measures the CPU of a one-row change, cut to frontier, at 10 K and 1 M rows of state.
func oneRow(o options) ([]string, error) {
	var costs [2]time.Duration
	var lines []string
	for k, keys := range []int{10_000, 1_000_000} {
		all, cut, err := oneRowAt(keys)
		if err != nil {
			return nil, err
		}
		costs[k] = cut
		lines = append(lines, fmt.Sprintf("%d rows of state: a one-row change takes %v of CPU from cut to frontier, %v from INSERT to SELECT with commit and client", keys, cut, all))
	}
	return append(lines, fmt.Sprintf("1 M rows cost %.2f × 10 K", float64(costs[1])/float64(costs[0]))), nil
}

// oneRowAt returns the CPU of the whole process, and that of the workers alone: from
// the cut to the frontier.
func oneRowAt(keys int) (all, cut time.Duration, err error) {
	n, err := start(2)
	if err != nil {
		return 0, 0, err
	}
	defer n.stop()
	for _, q := range []string{
		`CREATE STREAM TABLE s (k BIGINT, v BIGINT)`,
		`CREATE MATERIALIZED VIEW v AS SELECT k, SUM(v) AS s, COUNT(*) AS n FROM s GROUP BY k`,
	} {
		if err := n.exec(q); err != nil {
			return 0, 0, err
		}
	}
	conn, err := n.db.Conn(context.Background())
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	for from := 0; from < keys; from += 5000 {
		var b strings.Builder
		b.WriteString("INSERT INTO s VALUES ")
		for i := range 5000 {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "(%d,1)", from+i)
		}
		if _, err := conn.ExecContext(context.Background(), b.String()); err != nil {
			return 0, 0, err
		}
	}
	read := func() (groups, rows int, err error) {
		err = conn.QueryRowContext(context.Background(), "SELECT COUNT(*), SUM(n) FROM v").Scan(&groups, &rows)
		return
	}
	if _, _, err := read(); err != nil {
		return 0, 0, err
	}
	seen := map[int]int{}
	time.Sleep(3 * time.Second) // checkpoints of the load
	const changes = 500
	before, cut0 := cpu(), n.eng.WorkerCPU()
	for range changes {
		k, got := rand.IntN(keys), 0
		seen[k]++
		if _, err := conn.ExecContext(context.Background(), fmt.Sprintf("INSERT INTO s VALUES (%d, 1)", k)); err != nil {
			return 0, 0, err
		}
		if err := conn.QueryRowContext(context.Background(), fmt.Sprintf("SELECT n FROM v WHERE k = %d", k)).Scan(&got); err != nil {
			return 0, 0, err
		}
		if got != 1+seen[k] {
			return 0, 0, fmt.Errorf("key %d has %d rows, must be %d", k, got, 1+seen[k])
		}
	}
	used, cut := cpu()-before, n.eng.WorkerCPU()-cut0
	groups, rows, err := read()
	if err == nil && (groups != keys || rows != keys+changes) {
		err = fmt.Errorf("%d groups and %d rows, must be %d and %d", groups, rows, keys, keys+changes)
	}
	return used / changes, cut / changes, err
}

// selectOne measures SELECT 1 while idle, and while all workers are busy.
func selectOne(o options) ([]string, error) {
	n, err := start(2)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	conn, err := n.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	probe := func() (time.Duration, error) {
		var times []time.Duration
		for end := time.Now().Add(o.length / 4); time.Now().Before(end); {
			t := time.Now()
			var one int
			if err := conn.QueryRowContext(context.Background(), "SELECT 1").Scan(&one); err != nil || one != 1 {
				return 0, fmt.Errorf("SELECT 1 gives %d, %v", one, err)
			}
			times = append(times, time.Since(t))
			time.Sleep(time.Millisecond)
		}
		return quantile(times, 0.99), nil
	}
	idle, err := probe()
	if err != nil {
		return nil, err
	}
	if err := n.exec(fmt.Sprintf(bids, 10_000)); err != nil {
		return nil, err
	}
	if err := n.exec(grouped); err != nil {
		return nil, err
	}
	time.Sleep(time.Second)
	busy, err := probe()
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("SELECT 1: p99 idle %v, with all workers busy %v", idle, busy)}, nil
}
