package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"streamsql/operators/connector"
	"streamsql/operators/connector/bidgen"
	"streamsql/sql/types"
)

// The stream that the queries read: what they need of a bid.
const bids = `CREATE STREAM TABLE bids (auction BIGINT, bidder BIGINT, price BIGINT)
	WITH (connector = 'nexmark_bid', keys = '%d', partitions = '4')`

// all are the columns of bids.
var all = []int{0, 1, 2}

func source(keys int) (*bidgen.Source, error) {
	kind := bidgen.Kind()
	v, err := kind.Check(map[string]string{"connector": kind.Name, "keys": fmt.Sprint(keys), "partitions": "4"})
	if err != nil {
		return nil, err
	}
	big := types.MakeBigInt()
	return bidgen.New([]connector.Column{{Name: "auction", Type: big}, {Name: "bidder", Type: big}, {Name: "price", Type: big}}, v)
}

// generatorCost measures what making one row costs.
func generatorCost(keys int) (time.Duration, error) {
	s, err := source(keys)
	if err != nil {
		return 0, err
	}
	const rows = 4_000_000
	least := time.Hour
	for range 8 { // the least: what disturbs it is not the generator's
		before := cpu()
		for from := connector.Offset(0); from < rows; from += 4096 {
			if _, _, err := s.ReadRange(context.Background(), 0, from, from+4096, all, nil); err != nil {
				return 0, err
			}
		}
		least = min(least, (cpu()-before)/rows)
	}
	return least, nil
}

// answer is what a query over the first rows of the stream must give.
type answer struct{ rows, sum, passed, groups, spread uint64 }

// expect reads the stream again up to the offsets at which the engine stopped.
func expect(keys int, offsets []uint64) (a answer, err error) {
	s, err := source(keys)
	if err != nil {
		return a, err
	}
	count := map[int64]uint64{}
	for p, to := range offsets {
		for from := uint64(0); from < to; from += 4096 {
			upto := min(to, from+4096)
			c, _, err := s.ReadRange(context.Background(), p, connector.Offset(from), connector.Offset(upto), all, nil)
			if err != nil {
				return a, err
			}
			if c.N != int(upto-from) {
				return a, errors.New("the generator gives fewer rows")
			}
			for i := range c.N {
				auction, price := c.Cols[0].I[i], c.Cols[2].I[i]
				a.rows++
				a.sum += uint64(price)
				if auction%4 == 0 {
					a.passed++
				}
				count[auction]++
			}
		}
	}
	a.groups = uint64(len(count))
	for _, n := range count {
		a.spread += n * n // tells wrong groups from right ones with the same total
	}
	return a, nil
}
