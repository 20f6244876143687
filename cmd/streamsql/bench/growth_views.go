package bench

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// firstCounted is the first of the auctions that views count the bids for, each view
// those of another one.
const firstCounted = 1000

// hundredViews is what a hundred views must cost less than, as a multiple of one.
const hundredViews = 10

// storedBids is how many bids are posted to see what views cost those who store them.
var storedBids = 400_000

// measureViews measures cheap views over one stream: over bids that cost next to
// nothing to make, where there is next to nothing to share, and over bids that come as
// JSON and are stored. What making or storing them costs is a part of both.
func measureViews(ctx context.Context, o *options, d *dimension) (out []Result, err error) {
	made, stored := 0.0, 0.0 // by one view
	for _, size := range d.sizes {
		r, views := Result{}, int(size)
		cpu, err := o.viewsOverMade(ctx, views, &r)
		if err != nil {
			return out, fmt.Errorf("%d views: %w", views, err)
		}
		whole, err := o.viewsOverStored(ctx, views)
		if err != nil {
			return out, fmt.Errorf("%d views of what is stored: %w", views, err)
		}
		if len(out) == 0 {
			made, stored = cpu, whole
		}
		r.less("of one", "×", cpu/made)
		r.less("stored", "s/M", whole)
		if times := r.less("stored, of one", "×", whole/stored); views == 100 {
			times.atMost(hundredViews)
		}
		out = append(out, d.result(size, r))
	}
	return out, nil
}

// counting are the definitions of so many views.
func counting(views int) (texts []string) {
	for v := range views {
		texts = append(texts, fmt.Sprintf("v%d AS SELECT COUNT(*) AS n FROM bid WHERE auction = %d", v, firstCounted+v))
	}
	return texts
}

// sameCounts holds what the views show against what they must.
func (n *node) sameCounts(ctx context.Context, want []int64) error {
	for v, w := range want {
		var got int64
		if err := n.db.QueryRowContext(ctx, fmt.Sprintf("SELECT n FROM v%d", v)).Scan(&got); err != nil {
			return err
		}
		if got != w {
			return fmt.Errorf("view %d counts %d, must count %d", v, got, w)
		}
	}
	return nil
}

// viewsOverMade is the CPU time for a million bids of a connector.
func (o *options) viewsOverMade(ctx context.Context, views int, r *Result) (cpu float64, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return 0, err
	}
	defer n.stop()
	b := bids{growthEvents, 4}
	m, err := n.read(ctx, o, b, fmt.Sprint("growth-views-", views), counting(views)...)
	if err != nil {
		return 0, err
	}
	want := make([]int64, views)
	err = b.each(ctx, func(auction, _, _ []int64) {
		for _, a := range auction {
			if a -= firstCounted; a < int64(views) {
				want[a]++
			}
		}
	})
	if err != nil {
		return 0, err
	}
	if err := n.sameCounts(ctx, want); err != nil {
		return 0, err
	}
	m.generator = 0
	m.figures(r)
	return m.cpu.Seconds() / float64(m.rows) * 1e6, nil
}

// viewsOverStored is the CPU time for a million bids that are posted.
func (o *options) viewsOverStored(ctx context.Context, views int) (cpu float64, err error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return 0, err
	}
	defer n.stop()
	texts := []string{ingestTable}
	for _, v := range counting(views) {
		texts = append(texts, "CREATE MATERIALIZED VIEW "+v)
	}
	if err := n.exec(ctx, texts...); err != nil {
		return 0, err
	}
	before, err := n.usage(ctx)
	if err != nil {
		return 0, err
	}
	write, done, err := openHTTP(ctx, n)
	if err != nil {
		return 0, err
	}
	defer done()
	var next atomic.Int64
	_, err = hammer(ctx, 4, time.Hour, func(ctx context.Context, client, _ int) error {
		first := next.Add(bulkRows) - bulkRows
		if first >= int64(storedBids) {
			return errEnough
		}
		return write(ctx, client, first)
	})
	if err == nil {
		err = n.exec(ctx, "FLUSH STREAMS WITH TIMEOUT 120")
	}
	if err != nil {
		return 0, err
	}
	after, err := n.usage(ctx)
	if err != nil {
		return 0, err
	}
	want := make([]int64, views)
	for i := range int64(storedBids) {
		if a := auctionOf(i) - firstCounted; a < int64(views) {
			want[a]++
		}
	}
	return (after.CPU - before.CPU).Seconds() / float64(storedBids) * 1e6, n.sameCounts(ctx, want)
}
