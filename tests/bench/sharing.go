package main

import (
	"fmt"
	"time"
)

// wholeBids has all columns of a bid, as a stream has that many read.
const wholeBids = `CREATE STREAM TABLE bids (auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR(16), url VARCHAR(64), ts DATETIME(3), extra VARCHAR(64))
	WITH (connector = 'nexmark_bid', keys = '10000', partitions = '4')`

// manyViews measures what 1, 10 and 100 cheap views over one stream cost, for each
// event of the stream: its reading and decoding is done once, whoever needs it.
// Nothing is taken off for the generator, since reading is what is measured.
func manyViews(o options) ([]string, error) {
	var lines []string
	var one float64
	for _, views := range []int{1, 10, 100} {
		cost, err := costOfViews(o, views)
		if err != nil {
			return nil, err
		}
		if views == 1 {
			one = cost
		}
		lines = append(lines, fmt.Sprintf("%3d cheap views over one stream: %6.3f CPU s per M events of the stream, %5.2f × one view", views, cost, cost/one))
	}
	return lines, nil
}

// costOfViews is CPU seconds per million events with so many views, each of which
// keeps another small part of the stream.
func costOfViews(o options, views int) (float64, error) {
	n, err := start(2)
	if err != nil {
		return 0, err
	}
	defer n.stop()
	if err := n.exec(wholeBids); err != nil {
		return 0, err
	}
	n.eng.StopSources() // all views begin at its beginning
	for v := range views {
		if err := n.exec(fmt.Sprintf("CREATE MATERIALIZED VIEW %s AS SELECT COUNT(*) AS n FROM bids WHERE auction = %d", cheap(v), v)); err != nil {
			return 0, err
		}
	}
	n.eng.StartSources()
	time.Sleep(time.Second)
	before, err := n.rowsIn("v")
	if err != nil {
		return 0, err
	}
	cpu0 := cpu()
	time.Sleep(o.length)
	after, err := n.rowsIn("v")
	if err != nil {
		return 0, err
	}
	used := cpu() - cpu0
	n.eng.StopSources()
	for _, v := range []int{0, views - 1} {
		var got, want int64
		if err := n.db.QueryRow("SELECT n FROM " + cheap(v)).Scan(&got); err != nil {
			return 0, err
		}
		if err := n.db.QueryRow(fmt.Sprintf("SELECT COUNT(*) FROM bids WHERE auction = %d", v)).Scan(&want); err != nil {
			return 0, err
		}
		if got != want {
			return 0, fmt.Errorf("%s says %d, the stream has %d", cheap(v), got, want)
		}
	}
	return used.Seconds() / float64(after-before) * 1e6, nil
}

// cheap is the name of a view: the first is the one whose figures are looked at.
func cheap(v int) string {
	if v == 0 {
		return "v"
	}
	return fmt.Sprintf("v%d", v)
}
