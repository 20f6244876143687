package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// startKeys is how many keys the state of a start has, startTimes how often the server
// is started.
var startKeys, startTimes = 1_000_000, 5

// runStart measures how long a start takes until the server takes connections: the
// first one, on an empty directory, and those after a SIGKILL with state to restore.
func runStart(ctx context.Context, o *options) ([]Result, error) {
	var empty []time.Duration
	o.progress.say("starts on an empty directory")
	for range startTimes {
		begin := time.Now()
		n, err := startNode(ctx, o)
		if err != nil {
			return nil, err
		}
		empty = append(empty, time.Since(begin))
		n.stop()
	}
	r := Result{Name: "empty"}
	slices.Sort(empty)
	r.less("start", "s", quantile(empty, 0.5).Seconds()).atMost(0.5)
	out := []Result{r}

	n, err := startNode(ctx, o)
	if err != nil {
		return out, err
	}
	defer n.stop()
	err = n.exec(ctx, "CREATE STREAM TABLE s (k BIGINT NOT NULL, t VARCHAR(20) NOT NULL, v BIGINT NOT NULL)",
		"CREATE MATERIALIZED VIEW v AS SELECT k, COUNT(*) AS n, SUM(v) AS s FROM s GROUP BY k")
	if err != nil {
		return out, err
	}
	o.progress.say("a view of %d keys", startKeys)
	if err := n.fillKeys(ctx, startKeys); err != nil {
		return out, err
	}
	var full []time.Duration
	for range startTimes {
		time.Sleep(2 * time.Second) // for a checkpoint of what the last start left
		took, err := n.restart(ctx)
		if err != nil {
			return out, err
		}
		full = append(full, took)
		var keys, sum int64
		if err := n.db.QueryRowContext(ctx, "SELECT COUNT(*), SUM(s) FROM v").Scan(&keys, &sum); err != nil {
			return out, err
		}
		if want := int64(startKeys) * int64(startKeys-1) / 2 * 3; keys != int64(startKeys) || sum != want {
			return out, fmt.Errorf("after a start the view has %d keys with the sum %d, must be %d and %d", keys, sum, startKeys, want)
		}
	}
	u, err := n.usage(ctx)
	if err != nil {
		return out, err
	}
	slices.Sort(full)
	r = Result{Name: fmt.Sprintf("%d keys", startKeys)}
	r.less("start", "s", quantile(full, 0.5).Seconds()).atMost(5)
	r.less("RSS", "MiB", float64(u.PeakRSS)/(1<<20))
	return append(out, r), nil
}
