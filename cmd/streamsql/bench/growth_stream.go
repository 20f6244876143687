package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"streamsql/operators/connector"
	source "streamsql/operators/connector/nexmark"
	"streamsql/sql/types"
)

// growthEvents is how many events a stream of bids is cut from; 46 of 50 are bids.
var growthEvents int64 = 40_000_000

// bids is a stream of bids whose auctions and bidders are spread evenly, so that an
// expression of both gives any number of keys.
type bids struct {
	events     int64
	partitions int
}

const bidColumns = "auction BIGINT, bidder BIGINT, price BIGINT"

// options are those of the connector.
func (b bids) options() map[string]string {
	return map[string]string{
		"table": "bid", "events": fmt.Sprint(b.events), "partitions": fmt.Sprint(b.partitions),
		"hot_auctions": "1", "hot_bidders": "1", "in_flight_auctions": "1000000", "active_people": "1000000",
	}
}

// keyExpression is the key of a bid among so many, in SQL and here.
func keyExpression(keys int) string { return fmt.Sprintf("(auction * 7919 + bidder) %% %d", keys) }

func keyOf(auction, bidder int64, keys int) int64 { return (auction*7919 + bidder) % int64(keys) }

// rows is how many bids there are.
func (b bids) rows() int64 { return b.events / 50 * 46 }

// each reads the bids again.
func (b bids) each(ctx context.Context, do func(auction, bidder, price []int64)) error {
	kind := source.Kind()
	values, err := kind.Check(b.options())
	if err != nil {
		return err
	}
	big := types.MakeBigInt()
	s, err := kind.Source([]connector.Column{{Name: "auction", Type: big}, {Name: "bidder", Type: big}, {Name: "price", Type: big}}, values)
	if err != nil {
		return err
	}
	defer s.Close()
	for p := range s.Partitions() {
		for at := connector.Offset(0); ; {
			c, next, err := s.ReadRange(ctx, p, at, 1<<48, []int{0, 1, 2}, nil)
			if err != nil {
				return err
			}
			if next == at {
				break
			}
			do(c.Cols[0].I[:c.N], c.Cols[1].I[:c.N], c.Cols[2].I[:c.N])
			at = next
		}
	}
	return nil
}

// reading is what views over a stream of bids took for it.
type reading struct {
	rows      int64
	took      time.Duration
	cpu       time.Duration // of the process, making the bids included
	generator time.Duration // CPU that making them took
	state     int64         // bytes that the views account for
	peak      int64         // bytes resident
}

// makeBefore makes the stream and the views over it, each "name AS SELECT …", and
// returns when the stream opens: all views begin with its first row. Where making them
// takes longer than was thought, they are made again with more time.
func (n *node) makeBefore(ctx context.Context, b bids, views []string) (opens time.Time, err error) {
	for within := 300*time.Millisecond + time.Duration(len(views))*10*time.Millisecond; ; within *= 3 {
		opens = time.Now().Add(within)
		with := b.options()
		with["connector"], with["opens"] = "nexmark", opens.UTC().Format("2006-01-02 15:04:05.000000")
		var list []string
		for k, v := range with {
			list = append(list, fmt.Sprintf("%s = '%s'", k, v))
		}
		slices.Sort(list)
		texts := []string{"CREATE STREAM TABLE bid (" + bidColumns + ") WITH (" + strings.Join(list, ", ") + ")"}
		var drops []string
		for _, v := range views {
			name, _, _ := strings.Cut(v, " ")
			texts, drops = append(texts, "CREATE MATERIALIZED VIEW "+v), append(drops, "DROP MATERIALIZED VIEW "+name)
		}
		if err := n.exec(ctx, texts...); err != nil {
			return opens, err
		}
		if time.Now().Before(opens) {
			return opens, nil
		}
		if err := n.exec(ctx, append(drops, "DROP STREAM TABLE bid")...); err != nil {
			return opens, err
		}
	}
}

// read makes the views over the stream, and measures from the moment in which it
// opens until they have all of it.
func (n *node) read(ctx context.Context, o *options, b bids, name string, views ...string) (m reading, err error) {
	opens, err := n.makeBefore(ctx, b, views)
	if err != nil {
		return m, err
	}
	before, err := n.usage(ctx)
	if err != nil {
		return m, err
	}
	time.Sleep(time.Until(opens))
	profile := n.profileFor(ctx, o, name, profileSeconds)
	m.rows = b.rows()
	for {
		done, err := n.readBy(ctx, &m)
		if err != nil {
			return m, err
		}
		if m.took = time.Since(opens); done {
			break
		}
		o.progress.show("%s: %.1f M bids", name, float64(m.rows)/1e6)
		select {
		case <-time.After(lookEvery / 2):
		case <-ctx.Done():
			return m, context.Cause(ctx)
		}
	}
	after, err := n.usage(ctx)
	if err != nil {
		return m, err
	}
	m.cpu, m.peak = after.CPU-before.CPU, after.PeakRSS
	return m, <-profile
}

// readBy reports that all views have the whole stream.
func (n *node) readBy(ctx context.Context, m *reading) (bool, error) {
	var read, made, behind, failed int64
	err := n.db.QueryRowContext(ctx, "SELECT COALESCE(SUM(next_offset), 0), COALESCE(SUM(read_cpu_us), 0) FROM streamsql.partitions WHERE database_name = 'b' AND name = 'bid'").Scan(&read, &made)
	if err != nil || read < m.rows {
		return false, err
	}
	err = n.db.QueryRowContext(ctx, "SELECT SUM(behind_batches), SUM(memory_bytes), SUM(state = 'failed') FROM streamsql.jobs WHERE database_name = 'b'").Scan(&behind, &m.state, &failed)
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d views have failed", failed)
	}
	m.generator = time.Duration(made) * time.Microsecond
	return behind == 0, err
}

// figures of a stream that was read. What making the bids took is off.
func (m *reading) figures(r *Result) {
	own := (m.cpu - m.generator).Seconds()
	r.add("rows", "M", float64(m.rows)/1e6)
	r.more("events/s", "M", float64(m.rows)/1e6/m.took.Seconds())
	r.more("events/s/core", "M", float64(m.rows)/1e6/own)
	r.less("cpu", "s/M", own/float64(m.rows)*1e6)
	r.add("generator", "s/M", m.generator.Seconds()/float64(m.rows)*1e6)
	r.less("RSS", "MiB", float64(m.peak)/(1<<20))
}

// groups is what a GROUP BY over the bids must give.
type groups struct{ groups, rows, sum, spread int64 }

// expect computes it.
func (b bids) expect(ctx context.Context, keys int) (g groups, err error) {
	count := make([]int32, keys)
	err = b.each(ctx, func(auction, bidder, price []int64) {
		g.rows += int64(len(auction))
		for i := range auction {
			count[keyOf(auction[i], bidder[i], keys)]++
			g.sum += price[i]
		}
	})
	for _, c := range count {
		if c > 0 {
			g.groups++
			g.spread += int64(c) * int64(c) // tells wrong groups from right ones with the same total
		}
	}
	return g, err
}

// grouped measures a GROUP BY of three aggregates over so many keys.
func (o *options) grouped(ctx context.Context, b bids, keys int, name string) (m reading, g groups, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return m, g, err
	}
	defer n.stop()
	m, err = n.read(ctx, o, b, name, "v AS SELECT "+keyExpression(keys)+" AS k, COUNT(*) AS n, SUM(price) AS s, MAX(price) AS m FROM bid GROUP BY "+keyExpression(keys))
	if err != nil {
		return m, g, err
	}
	want, err := o.remember(b, keys, func() (groups, error) { return b.expect(ctx, keys) })
	if err != nil {
		return m, g, err
	}
	err = n.db.QueryRowContext(ctx, "SELECT COUNT(*), SUM(n), SUM(s), SUM(n * n) FROM v").Scan(&g.groups, &g.rows, &g.sum, &g.spread)
	if err == nil && g != want {
		err = fmt.Errorf("the view has %+v, must have %+v", g, want)
	}
	return m, g, err
}

// remember computes what a view must show once, however often it is measured.
func (o *options) remember(b bids, keys int, expect func() (groups, error)) (groups, error) {
	at := fmt.Sprint(b, keys)
	if g, ok := o.expected[at]; ok {
		return g, nil
	}
	g, err := expect()
	if o.expected == nil {
		o.expected = map[string]groups{}
	}
	o.expected[at] = g
	return g, err
}

// partitionKeys is how many keys there are where partitions are counted.
const partitionKeys = 100_000

func measurePartitions(ctx context.Context, o *options, partitions int) (r Result, err error) {
	m, _, err := o.grouped(ctx, bids{growthEvents, partitions}, partitionKeys, fmt.Sprint("growth-partitions-", partitions))
	m.figures(&r)
	return r, err
}

func measureKeys(ctx context.Context, o *options, keys int) (r Result, err error) {
	m, g, err := o.grouped(ctx, bids{growthEvents, 4}, keys, fmt.Sprint("growth-keys-", keys))
	if err != nil {
		return r, err
	}
	r.add("groups", "", float64(g.groups))
	m.figures(&r)
	r.less("state", "B/group", float64(m.state)/float64(g.groups))
	r.less("RSS/group", "B", float64(m.peak)/float64(g.groups))
	return r, nil
}
