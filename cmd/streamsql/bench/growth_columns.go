package bench

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// wideRows is how many rows of 32 columns are read; of fewer columns more are written.
var wideRows = 1_000_000

const wideColumns = 32

// measureColumns measures rows that come as JSON over HTTP with so many columns, and
// a view that reads so many columns of a stream of 32.
func measureColumns(ctx context.Context, o *options, d *dimension) (out []Result, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return nil, err
	}
	defer n.stop()
	if err := n.exec(ctx, wide("wide", wideColumns), fillWide(wideRows)); err != nil {
		return nil, err
	}
	for _, size := range d.sizes {
		var r Result
		if err := o.writeColumns(ctx, int(size), &r); err != nil {
			return out, fmt.Errorf("%.0f columns written: %w", size, err)
		}
		if err := n.readColumns(ctx, o, int(size), &r); err != nil {
			return out, fmt.Errorf("%.0f columns read: %w", size, err)
		}
		out = append(out, d.result(size, r))
	}
	return out, nil
}

// wide is the statement for a stream of so many columns c0, c1, …
func wide(name string, columns int) string {
	text := "CREATE STREAM TABLE " + name + " ("
	for c := range columns {
		if c > 0 {
			text += ", "
		}
		text += fmt.Sprintf("c%d BIGINT NOT NULL", c)
	}
	return text + ")"
}

// cell is the value of a column in row i.
func cell(i int64, column int) int64 {
	return (i*(int64(column)+3) + int64(column)*1_000_003) % 1_000_000_007
}

// fillWide puts rows 0 to rows - 1 into stream wide.
func fillWide(rows int) string {
	text := "INSERT INTO wide WITH RECURSIVE d (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM d WHERE i < 999) SELECT "
	for c := range wideColumns {
		if c > 0 {
			text += ", "
		}
		text += fmt.Sprintf("(r.i * %d + %d) %% 1000000007", c+3, c*1_000_003)
	}
	return text + fmt.Sprintf(" FROM (SELECT a.i * 1000 + b.i AS i FROM d a, d b WHERE a.i < %d) r", rows/1000)
}

// readColumns makes a view that sums the first columns of stream wide, which is
// filled from the log.
func (n *node) readColumns(ctx context.Context, o *options, columns int, r *Result) error {
	name, sums := fmt.Sprint("read", columns), ""
	for c := range columns {
		if c > 0 {
			sums += ", "
		}
		sums += fmt.Sprintf("SUM(c%d) AS s%d", c, c)
	}
	before, err := n.usage(ctx)
	if err != nil {
		return err
	}
	profile := n.profileFor(ctx, o, fmt.Sprint("growth-columns-read-", columns), 1)
	begin := time.Now()
	if err := n.exec(ctx, "CREATE MATERIALIZED VIEW "+name+" AS SELECT "+sums+" FROM wide"); err != nil {
		return err
	}
	got, err := n.rows(ctx, "SELECT * FROM "+name)
	if err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := n.usage(ctx)
	if err != nil {
		return err
	}
	want := ""
	for c := range columns {
		sum := int64(0)
		for i := range int64(wideRows) {
			sum += cell(i, c)
		}
		if c > 0 {
			want += "\t"
		}
		want += fmt.Sprint(sum)
	}
	if err := sameLines(got, []string{want}); err != nil {
		return err
	}
	r.more("read/s", "M", float64(wideRows)/1e6/took.Seconds())
	r.less("read of 32", "s/M", (after.CPU-before.CPU).Seconds()/float64(wideRows)*1e6)
	if err := <-profile; err != nil {
		return err
	}
	return n.exec(ctx, "DROP MATERIALIZED VIEW "+name)
}

// writeColumns posts rows of so many columns to a server of their own.
func (o *options) writeColumns(ctx context.Context, columns int, r *Result) error {
	n, err := startNode(ctx, o)
	if err != nil {
		return err
	}
	defer n.stop()
	if err := n.exec(ctx, wide("wide", columns)); err != nil {
		return err
	}
	const clients, atOnce = 2, 5000
	total := int64(max(wideRows*4/(columns+4), atOnce) / atOnce * atOnce)
	before, err := n.usage(ctx)
	if err != nil {
		return err
	}
	profile := n.profileFor(ctx, o, fmt.Sprint("growth-columns-written-", columns), 1)
	var next atomic.Int64
	bodies := make([][]byte, clients)
	l, err := hammer(ctx, clients, time.Hour, func(ctx context.Context, client, _ int) error {
		from := next.Add(atOnce) - atOnce
		if from >= total {
			return errEnough
		}
		b := bodies[client][:0]
		for i := from; i < from+atOnce; i++ {
			for c := range columns {
				b = append(b, "{,"[min(c, 1)])
				b = fmt.Appendf(b, `"c%d":%d`, c, cell(i, c))
			}
			b = append(b, "}\n"...)
		}
		bodies[client] = b
		return n.post(ctx, "wide", b, "")
	})
	if err != nil {
		return err
	}
	after, err := n.usage(ctx)
	if err != nil {
		return err
	}
	if err := n.checkWritten(ctx, columns, total); err != nil {
		return err
	}
	r.more("written/s", "M", float64(total)/1e6/l.took.Seconds())
	r.less("written", "s/M", (after.CPU-before.CPU).Seconds()/float64(total)*1e6)
	return <-profile
}

// checkWritten holds the last column of all rows against what was sent. A session
// sees what was written before its own last row, which is of zeros.
func (n *node) checkWritten(ctx context.Context, columns int, rows int64) error {
	c, err := n.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, "INSERT INTO wide VALUES ("+strings.Repeat("0,", columns-1)+"0)"); err != nil {
		return err
	}
	var want, count, sum int64
	for i := range rows {
		want += cell(i, columns-1)
	}
	err = c.QueryRowContext(ctx, fmt.Sprintf("SELECT COUNT(*) - 1, SUM(c%d) FROM wide", columns-1)).Scan(&count, &sum)
	if err == nil && (count != rows || sum != want) {
		err = fmt.Errorf("%d rows with the sum %d, must be %d with %d", count, sum, rows, want)
	}
	return err
}
