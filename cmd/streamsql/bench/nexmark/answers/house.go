package answers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/connector/nexmark"
	"streamsql/sql/types"
)

// House is an auction house: its events up to somewhere. Times are in µs since 1970.
type House struct {
	// Side is the table that q13 looks up in.
	Side map[int64]string

	persons  func(yield func(*person))
	auctions func(yield func(*auction))
	bids     func(yield func(*bid))
}

type person struct {
	id                int64
	name, city, state []byte
	at                int64
}

type auction struct {
	id, initial, reserve, at, expires, seller, category int64
	item, description, extra                            []byte
}

type bid struct {
	auction, bidder, price, at int64
	channel, url, extra        []byte
}

// compare is the order of bids by their columns, in which they stand where a query
// does not say another.
func (b *bid) compare(o *bid) int {
	return cmp.Or(cmp.Compare(b.auction, o.auction), cmp.Compare(b.bidder, o.bidder), cmp.Compare(b.price, o.price),
		bytes.Compare(b.channel, o.channel), bytes.Compare(b.url, o.url), cmp.Compare(b.at, o.at), bytes.Compare(b.extra, o.extra))
}

// Open is what streams with these options of connector 'nexmark' have given up to
// the offsets, by table and partition. A table without offsets has given all.
func Open(options map[string]string, offsets map[string][]uint64) (*House, error) {
	h := &House{}
	person, err := openTable(options, "person", "id name city state dateTime", offsets)
	if err != nil {
		return nil, err
	}
	auction, err := openTable(options, "auction", "id initialBid reserve dateTime expires seller category itemName description extra", offsets)
	if err != nil {
		return nil, err
	}
	bid, err := openTable(options, "bid", "auction bidder price dateTime channel url extra", offsets)
	if err != nil {
		return nil, err
	}
	h.persons, h.auctions, h.bids = person.persons, auction.auctions, bid.bids
	return h, nil
}

// table reads one of the three tables.
type table struct {
	source connector.Source
	want   []int
	to     []uint64
}

func openTable(options map[string]string, name, columns string, offsets map[string][]uint64) (*table, error) {
	with := map[string]string{"connector": "nexmark"}
	maps.Copy(with, options)
	with["table"] = name
	kind := nexmark.Kind()
	values, err := kind.Check(with, "idle_timeout")
	if err != nil {
		return nil, err
	}
	t := &table{to: offsets[name]}
	var cols []connector.Column
	for k, c := range declared(columns) {
		cols, t.want = append(cols, c), append(t.want, k)
	}
	if t.source, err = kind.Source(cols, values); err != nil {
		return nil, err
	}
	if t.to == nil {
		if values.Integer("events") == 0 {
			return nil, fmt.Errorf("the stream of %ss has no end", name)
		}
		t.to = make([]uint64, t.source.Partitions())
		for p := range t.to {
			t.to[p] = 1 << 48
		}
	}
	if len(t.to) != t.source.Partitions() {
		return nil, fmt.Errorf("offsets of %d partitions, the stream of %ss has %d", len(t.to), name, t.source.Partitions())
	}
	return t, nil
}

// chunks reads all rows.
func (t *table) chunks(yield func(c *batch.Chunk)) {
	for p, to := range t.to {
		for from := connector.Offset(0); from < connector.Offset(to); {
			c, next, err := t.source.ReadRange(context.Background(), p, from, connector.Offset(to), t.want, nil)
			if err != nil {
				panic(err) // it cannot fail
			}
			if next == from {
				break
			}
			yield(c)
			from = next
		}
	}
}

func (t *table) persons(yield func(*person)) {
	t.chunks(func(c *batch.Chunk) {
		v := c.Cols
		for i := range c.N {
			yield(&person{id: v[0].I[i], name: v[1].Bytes(i), city: v[2].Bytes(i), state: v[3].Bytes(i), at: v[4].I[i]})
		}
	})
}

func (t *table) auctions(yield func(*auction)) {
	t.chunks(func(c *batch.Chunk) {
		v := c.Cols
		for i := range c.N {
			yield(&auction{id: v[0].I[i], initial: v[1].I[i], reserve: v[2].I[i], at: v[3].I[i], expires: v[4].I[i], seller: v[5].I[i], category: v[6].I[i],
				item: v[7].Bytes(i), description: v[8].Bytes(i), extra: v[9].Bytes(i)})
		}
	})
}

func (t *table) bids(yield func(*bid)) {
	var b bid
	t.chunks(func(c *batch.Chunk) {
		v := c.Cols
		for i := range c.N {
			b = bid{auction: v[0].I[i], bidder: v[1].I[i], price: v[2].I[i], at: v[3].I[i], channel: v[4].Bytes(i), url: v[5].Bytes(i), extra: v[6].Bytes(i)}
			yield(&b)
		}
	})
}

// declared are columns of the generator by name.
func declared(names string) []connector.Column {
	var cols []connector.Column
	for name := range strings.FieldsSeq(names) {
		t := types.MakeBigInt()
		switch name {
		case "dateTime", "expires":
			t = types.MakeDateTime(3)
		case "name", "city", "state", "itemName", "description", "channel", "url", "extra":
			t = types.Type{Kind: types.Text, Len: 65535}
		}
		cols = append(cols, connector.Column{Name: name, Type: t})
	}
	return cols
}
