package bench

import (
	"context"
	"fmt"
	"time"
)

// batchesFor is how long batches of a size are written.
var batchesFor = 1500 * time.Millisecond

// batchKeys is how many keys the rows of a batch are spread over.
const batchKeys = 1000

// measureBatches measures an INSERT of so many rows, up to the moment in which a
// view shows them. There is one client, which waits for that: so each statement is a
// batch of its own.
func measureBatches(ctx context.Context, o *options, size int) (r Result, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return r, err
	}
	defer n.stop()
	err = n.exec(ctx, "CREATE STREAM TABLE s (k BIGINT NOT NULL, v BIGINT NOT NULL)",
		"CREATE MATERIALIZED VIEW v AS SELECT k, COUNT(*) AS n, SUM(v) AS s FROM s GROUP BY k")
	if err != nil {
		return r, err
	}
	c, err := n.db.Conn(ctx)
	if err != nil {
		return r, err
	}
	defer c.Close()
	text := []byte("INSERT INTO s VALUES ")
	for i := range size {
		if i > 0 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "(%d,%d)", i%batchKeys, i)
	}
	insert := string(text)
	batch := func(ctx context.Context, _, k int) error {
		if _, err := c.ExecContext(ctx, insert); err != nil {
			return err
		}
		var got int64 // rows of key 0
		if err := c.QueryRowContext(ctx, "SELECT n FROM v WHERE k = 0").Scan(&got); err != nil {
			return err
		}
		if want := int64(k+1) * int64((size+batchKeys-1)/batchKeys); got != want {
			return fmt.Errorf("after %d batches the view counts %d rows of a key, must count %d", k+1, got, want)
		}
		return nil
	}
	before, viewBefore, err := n.viewCPU(ctx)
	if err != nil {
		return r, err
	}
	profile := n.profileFor(ctx, o, fmt.Sprint("growth-batches-", size), 1)
	l, err := hammer(ctx, 1, batchesFor, batch)
	if err != nil {
		return r, err
	}
	after, viewAfter, err := n.viewCPU(ctx)
	if err != nil {
		return r, err
	}
	rows := float64(l.count) * float64(size)
	var sum int64
	if err := n.db.QueryRowContext(ctx, "SELECT SUM(s) FROM v").Scan(&sum); err != nil {
		return r, err
	}
	if want := l.count * int64(size) * int64(size-1) / 2; sum != want {
		return r, fmt.Errorf("the sums are %d, must be %d", sum, want)
	}
	r.add("batches", "", float64(l.count))
	r.more("rows/s", "K", rows/l.took.Seconds()/1e3)
	r.less("cpu", "µs/row", 1e6*(after-before).Seconds()/rows)
	r.less("view", "µs/row", 1e6*(viewAfter-viewBefore).Seconds()/rows)
	r.less("p50", "ms", l.p(0.5))
	return r, <-profile
}

// viewCPU is the CPU time of the process, and of what the view took of it.
func (n *node) viewCPU(ctx context.Context) (all, view time.Duration, err error) {
	var us int64
	if err := n.db.QueryRowContext(ctx, "SELECT cpu_us FROM streamsql.jobs WHERE database_name = 'b' AND name = 'v'").Scan(&us); err != nil {
		return 0, 0, err
	}
	u, err := n.usage(ctx)
	return u.CPU, time.Duration(us) * time.Microsecond, err
}
