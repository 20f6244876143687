package bench

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// runFreshness measures how long after an INSERT's OK a SELECT of the same session
// shows the row in a view: with nothing else going on, and while another client
// writes into the same stream half as much as it takes.
func runFreshness(ctx context.Context, o *options) ([]Result, error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	err = n.exec(ctx, "CREATE STREAM TABLE s (k BIGINT NOT NULL, t VARCHAR(20) NOT NULL, v BIGINT NOT NULL)",
		"CREATE MATERIALIZED VIEW v AS SELECT k, SUM(v) AS s, COUNT(*) AS n FROM s GROUP BY k")
	if err != nil {
		return nil, err
	}
	o.progress.say("freshness, idle")
	idle, err := n.probe(ctx, o.length, -1)
	if err != nil {
		return nil, err
	}
	r := Result{Name: "idle"}
	r.less("p50", "ms", idle.p(0.5)).atMost(5)
	r.less("p99", "ms", idle.p(0.99))
	out := []Result{r}

	o.progress.say("how much the stream takes")
	full, err := n.write(ctx, o.length/2, 0)
	if err != nil {
		return out, err
	}
	half := full.perSecond() * bulkRows / 2
	o.progress.say("freshness, with %.0f rows/s beside", half)
	beside := make(chan error, 1)
	writing, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, err := n.write(writing, time.Hour, half)
		beside <- err
	}()
	loaded, err := n.probe(ctx, o.length, -2)
	stop()
	if werr := <-beside; werr != nil && writing.Err() == nil {
		err = werr
	}
	if err != nil {
		return out, err
	}
	r = Result{Name: "half load", Notes: []string{fmt.Sprintf("%.0f rows/s in INSERTs of %d from %d clients", half, bulkRows, writers)}}
	r.less("p50", "ms", loaded.p(0.5)).atMost(20)
	r.less("p99", "ms", loaded.p(0.99)).atMost(100)
	return append(out, r), nil
}

// probe inserts rows with a key one by one, and times from each OK to the row in the view.
func (n *node) probe(ctx context.Context, length time.Duration, key int) (l load, err error) {
	c, err := n.db.Conn(ctx)
	if err != nil {
		return l, err
	}
	defer c.Close()
	read, err := c.PrepareContext(ctx, fmt.Sprintf("SELECT n FROM v WHERE k = %d", key))
	if err != nil {
		return l, err
	}
	defer read.Close()
	insert := fmt.Sprintf("INSERT INTO s VALUES (%d, 'probe', 1)", key)
	var waits []time.Duration
	_, err = hammer(ctx, 1, length, func(ctx context.Context, _, k int) error {
		if _, err := c.ExecContext(ctx, insert); err != nil {
			return err
		}
		t := time.Now()
		var got int
		if err := read.QueryRowContext(ctx).Scan(&got); err != nil {
			return err
		}
		waits = append(waits, time.Since(t))
		if got != k+1 {
			return fmt.Errorf("after %d rows the view shows %d", k+1, got)
		}
		return nil
	})
	return sorted(waits), err
}

// writers is how many clients write beside a probe.
const writers = 2

// write inserts rows from some clients, at most so many in a second; 0: as many as
// are taken.
func (n *node) write(ctx context.Context, length time.Duration, rate float64) (load, error) {
	cs, done, err := conns(ctx, n.db, writers)
	if err != nil {
		return load{}, err
	}
	defer done()
	begin := time.Now()
	return hammer(ctx, writers, length, func(ctx context.Context, client, k int) error {
		if rate > 0 {
			due := begin.Add(time.Duration(float64(k) * bulkRows * writers / rate * float64(time.Second)))
			select {
			case <-time.After(time.Until(due)):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return insertKeys(ctx, cs[client], client, k)
	})
}

// insertKeys inserts rows over a hundred thousand keys.
func insertKeys(ctx context.Context, c *sql.Conn, client, k int) error {
	b := []byte("INSERT INTO s VALUES ")
	for i := range bulkRows {
		if i > 0 {
			b = append(b, ',')
		}
		key := (k*bulkRows + i*97 + client*31) % 100_000
		b = fmt.Appendf(b, "(%d,'%s',1)", key, "x")
	}
	_, err := c.ExecContext(ctx, string(b))
	return err
}
