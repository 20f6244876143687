package main

import (
	"fmt"
	"time"
)

// run starts a server with the stream and a view, lets it run, then stops the
// stream and checks the view with verify. It returns events per second of CPU.
func run(o options, workers, keys int, views []string, verify string, want func(a answer) string) (perCore, perSecond float64, report []string, err error) {
	cost, err := generatorCost(keys)
	if err != nil {
		return 0, 0, nil, err
	}
	n, err := start(workers)
	if err != nil {
		return 0, 0, nil, err
	}
	defer n.stop()
	if err := n.exec(fmt.Sprintf(bids, keys)); err != nil {
		return 0, 0, nil, err
	}
	for _, v := range views {
		if err := n.exec(v); err != nil {
			return 0, 0, nil, err
		}
	}
	time.Sleep(time.Second) // the state's first growth is not what is measured
	before, err := n.rowsIn("v")
	if err != nil {
		return 0, 0, nil, err
	}
	cpu0, t0 := cpu(), time.Now()
	time.Sleep(o.length)
	after, err := n.rowsIn("v")
	if err != nil {
		return 0, 0, nil, err
	}
	used, took := cpu()-cpu0, time.Since(t0)
	events := after - before

	offsets := n.eng.StopSources()
	var got string
	if err := n.db.QueryRow(verify).Scan(&got); err != nil {
		return 0, 0, nil, fmt.Errorf("%s: %w", verify, err)
	}
	a, err := expect(keys, offsets["b.bids"])
	if err != nil {
		return 0, 0, nil, err
	}
	if w := want(a); got != w {
		return 0, 0, nil, fmt.Errorf("%s gives %s after %d rows, must be %s", verify, got, a.rows, w)
	}
	own := used - time.Duration(events)*cost
	perCore = float64(events) / own.Seconds()
	perSecond = float64(events) / took.Seconds()
	report = append(report, fmt.Sprintf("%d workers, %d keys: %6.2f M events/s per core, %6.2f M events/s, %.3f CPU s per M events (generator %d ns/event off), peak RSS %d MB; %d M rows checked",
		workers, keys, perCore/1e6, perSecond/1e6, own.Seconds()/float64(events)*1e6, cost.Nanoseconds(), peakRSS(), a.rows/1e6))
	return perCore, perSecond, report, nil
}

func filterMap(o options) ([]string, error) {
	_, _, r, err := run(o, 2, 10_000,
		[]string{`CREATE MATERIALIZED VIEW v AS SELECT SUM(price * 2) AS s, COUNT(*) AS n FROM bids WHERE auction % 4 = 0`},
		`SELECT n FROM v`, func(a answer) string { return fmt.Sprint(a.passed) })
	return r, err
}

const grouped = `CREATE MATERIALIZED VIEW v AS SELECT auction, COUNT(*) AS n, SUM(price) AS s FROM bids GROUP BY auction`

func groupBy(o options, keys int) ([]string, error) {
	verify := `SELECT CONCAT(COUNT(*), ' ', SUM(n), ' ', SUM(s), ' ', SUM(n * n)) FROM v`
	want := func(a answer) string { return fmt.Sprint(a.groups, " ", a.rows, " ", a.sum, " ", a.spread) }
	_, one, r1, err := run(o, 1, keys, []string{grouped}, verify, want)
	if err != nil {
		return nil, err
	}
	_, two, r2, err := run(o, 2, keys, []string{grouped}, verify, want)
	if err != nil {
		return nil, err
	}
	return append(append(r1, r2...), fmt.Sprintf("two workers do %.2f × one", two/one)), nil
}

func twoLevel(o options) ([]string, error) {
	_, _, r, err := run(o, 2, 10_000, []string{
		`CREATE MATERIALIZED VIEW v AS SELECT auction, COUNT(*) AS n FROM bids GROUP BY auction`,
		`CREATE MATERIALIZED VIEW w AS SELECT n DIV 1000 AS thousands, COUNT(*) AS auctions, SUM(n) AS bids FROM v GROUP BY n DIV 1000`,
	}, `SELECT CONCAT(SUM(auctions), ' ', SUM(bids)) FROM w`, func(a answer) string { return fmt.Sprint(a.groups, " ", a.rows) })
	return r, err
}
