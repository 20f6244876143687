package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// quantile returns the p-quantile of times, which it sorts.
func quantile(times []time.Duration, p float64) time.Duration {
	slices.Sort(times)
	return times[min(len(times)-1, int(p*float64(len(times))))]
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
	for _, q := range []string{
		`CREATE STREAM TABLE bid (auction BIGINT, price BIGINT) WITH (connector = 'nexmark', table = 'bid')`,
		`CREATE MATERIALIZED VIEW v AS SELECT auction, COUNT(*) AS n, SUM(price) AS s FROM bid GROUP BY auction`,
	} {
		if err := n.exec(q); err != nil {
			return nil, err
		}
	}
	time.Sleep(time.Second)
	busy, err := probe()
	if err != nil {
		return nil, err
	}
	return []string{fmt.Sprintf("SELECT 1: p99 idle %v, with all workers busy %v", idle, busy)}, nil
}
