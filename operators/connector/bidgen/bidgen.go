// Package bidgen is the connector nexmark_bid: bids of an auction house after
// the Nexmark benchmark, made up as they are read. A row is a function of seed,
// partition and offset alone, so any range can be read again, in any order. Its keys
// are uniform over a fixed range, which connector nexmark's are not: it is for
// measurements that need a number of groups known beforehand, and no server offers it.
package bidgen

import (
	"context"
	"fmt"
	"math/bits"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Kind returns the connector.
func Kind() *connector.Kind {
	return &connector.Kind{
		Name:    "nexmark_bid",
		Doc:     "Bids of an auction house, made up: for trying things out and for measuring.",
		Example: "CREATE STREAM TABLE bids (auction BIGINT, bidder BIGINT, price BIGINT, ts DATETIME(3)) WITH (connector = 'nexmark_bid', rows = '1000000')",
		Options: []connector.Option{
			{Name: "rows", Type: connector.Integer, Default: "0", Doc: "How many rows there are in all, 0: without end."},
			{Name: "rows_per_second", Type: connector.Integer, Default: "0", Doc: "How fast they come, all partitions together, 0: as fast as they are read."},
			{Name: "keys", Type: connector.Integer, Default: "10000", Doc: "How many different auctions there are; bidders are as many."},
			{Name: "partitions", Type: connector.Integer, Default: "4", Doc: "How many partitions."},
			{Name: "seed", Type: connector.Integer, Default: "1", Doc: "Another seed gives other rows."},
		},
		Columns: columns,
		Source:  func(cols []connector.Column, o connector.Values) (connector.Source, error) { return New(cols, o) },
	}
}

// first is the time of offset 0: 2024-01-01 00:00:00 in microseconds. Rows are
// a millisecond apart.
const first = 1704067200_000000

var columns = []connector.Column{
	{Name: "auction", Type: types.MakeBigInt()},
	{Name: "bidder", Type: types.MakeBigInt()},
	{Name: "price", Type: types.MakeBigInt()},
	{Name: "channel", Type: types.MakeVarChar(16)},
	{Name: "url", Type: types.MakeVarChar(64)},
	{Name: "ts", Type: types.MakeDateTime(3)},
	{Name: "extra", Type: types.MakeVarChar(64)},
}

var channels = []string{"apple", "google", "facebook", "baidu", "amazon", "ebay", "direct", "email"}

// Source makes bids.
type Source struct {
	cols       []connector.Column
	rows       uint64 // per partition, rounded down; the first rows % partitions have one more
	extra      uint64
	rate       uint64
	keys       uint64
	partitions int
	seed       uint64
	start      time.Time // of the pace: when Latest was first asked
	paced      chan struct{}
}

// New makes a Source with the columns cols, each known by its name and of a type
// of the same class as the generator's.
func New(cols []connector.Column, o connector.Values) (*Source, error) {
	s := &Source{
		cols: cols, rate: uint64(o.Integer("rows_per_second")), keys: uint64(o.Integer("keys")),
		partitions: int(o.Integer("partitions")), seed: uint64(o.Integer("seed")), paced: make(chan struct{}, 1),
	}
	if s.partitions < 1 || s.partitions > 1024 || s.keys < 1 {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Connector 'nexmark_bid' takes 1 to 1024 partitions, and at least 1 key")
	}
	rows := uint64(o.Integer("rows"))
	s.rows, s.extra = rows/uint64(s.partitions), rows%uint64(s.partitions)
	for _, c := range cols {
		if err := check(c); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func check(c connector.Column) error {
	for _, known := range columns {
		if known.Name != c.Name {
			continue
		}
		if c.Type.Class() != known.Type.Class() && !(c.Type.Class() == types.ClassDecimal && known.Type.Class() == types.ClassInt && c.Name == "price") {
			return sqlerr.New(sqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s': connector 'nexmark_bid' gives another type", c.Name)
		}
		return nil
	}
	return sqlerr.New(sqlerr.BadField, "Connector 'nexmark_bid' has no column '%s'", c.Name)
}

// Partitions is how many there are.
func (s *Source) Partitions() int { return s.partitions }

// Close does nothing.
func (s *Source) Close() error { return nil }

// end is where a partition ends, if it does.
func (s *Source) end(partition int) (connector.Offset, bool) {
	if s.rows+s.extra == 0 {
		return 0, false
	}
	if uint64(partition) < s.extra {
		return connector.Offset(s.rows + 1), true
	}
	return connector.Offset(s.rows), true
}

// Latest is the end, or what the pace allows by now.
func (s *Source) Latest(_ context.Context, partition int, _ connector.Offset, now time.Time) (connector.Offset, bool, error) {
	end, ends := s.end(partition)
	if s.rate == 0 {
		if !ends {
			return 1 << 62, false, nil
		}
		return end, true, nil
	}
	s.paced <- struct{}{}
	if s.start.IsZero() {
		s.start = now
	}
	passed := uint64(max(now.Sub(s.start), 0))
	<-s.paced
	hi, lo := bits.Mul64(passed, s.rate)
	all, _ := bits.Div64(hi, lo, uint64(time.Second)) // hi is small for some centuries
	o := connector.Offset(all / uint64(s.partitions))
	if ends && o >= end {
		return end, true, nil
	}
	return o, false, nil
}

// ReadRange makes the rows of a range.
func (s *Source) ReadRange(_ context.Context, partition int, from, to connector.Offset, want []int, _ *batch.Chunk) (*batch.Chunk, connector.Offset, error) {
	if partition < 0 || partition >= s.partitions {
		return nil, from, fmt.Errorf("nexmark_bid has no partition %d", partition)
	}
	if end, ends := s.end(partition); ends {
		to = min(to, end)
	}
	if to <= from {
		c := &batch.Chunk{Cols: make([]*vector.Vector, len(s.cols))}
		for k, col := range s.cols {
			c.Cols[k] = vector.New(col.Type, 0)
		}
		return c, from, nil
	}
	n := int(to - from)
	c := &batch.Chunk{Cols: make([]*vector.Vector, len(s.cols)), N: n}
	g := generator{seed: s.seed*0x9E3779B97F4A7C15 + uint64(partition)*0xBF58476D1CE4E5B9, from: uint64(from), keys: s.keys,
		partition: uint64(partition), partitions: uint64(s.partitions)}
	for _, k := range want {
		c.Cols[k] = g.column(s.cols[k], n)
	}
	return c, to, nil
}
