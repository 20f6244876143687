package answers

import (
	"cmp"
	"slices"
)

// bands are the columns of q15 and q16: counts of all bids and of those in each of
// three bands of price.
const bands = "total_bids rank1_bids rank2_bids rank3_bids total_bidders rank1_bidders rank2_bidders rank3_bidders " +
	"total_auctions rank1_auctions rank2_auctions rank3_auctions"

// band is that of a price: 0, 1 or 2.
func band(price int64) int {
	switch {
	case price < 10_000:
		return 0
	case price < 1_000_000:
		return 1
	}
	return 2
}

// figures are the counts of a group: of all bids and by band.
type figures struct{ bids, bidders, auctions [4]int64 }

func (f *figures) put(out *rows) {
	for _, counts := range [...][4]int64{f.bids, f.bidders, f.auctions} {
		for _, n := range counts {
			out.num(n)
		}
	}
}

// member is a bidder or an auction of a group: the first bid of each band counts.
type member struct {
	group int
	id    int64
}

// count counts a bid by its band; seen are the bits of the bands that its member had.
func count(counts *[4]int64, seen map[member]uint8, m member, band int) {
	had := seen[m]
	if had == 0 {
		counts[0]++
	}
	if had>>band&1 == 0 {
		counts[1+band]++
		seen[m] = had | 1<<band
	}
}

// bandsBy counts bids by group, whose key and text are given; each is given out.
func (h *House) bandsBy(key func(b *bid) string, in func(b *bid) bool, each func(key string, f *figures, last []byte)) {
	at := map[string]int{}
	var list []figures
	var keys []string
	var last [][]byte
	bidders, auctions := map[member]uint8{}, map[member]uint8{}
	h.bids(func(b *bid) {
		if !in(b) {
			return
		}
		k := key(b)
		g, ok := at[k]
		if !ok {
			g = len(list)
			at[k] = g
			list, keys, last = append(list, figures{}), append(keys, k), append(last, nil)
		}
		f, p := &list[g], band(b.price)
		f.bids[0]++
		f.bids[1+p]++
		count(&f.bidders, bidders, member{g, b.bidder}, p)
		count(&f.auctions, auctions, member{g, b.auction}, p)
		if m := minute(b.at); string(m) > string(last[g]) {
			last[g] = m
		}
	})
	for g := range list {
		each(keys[g], &list[g], last[g])
	}
}

func q15(h *House, out *rows) {
	h.bandsBy(func(b *bid) string { return string(day(b.at)) }, func(*bid) bool { return true }, func(key string, f *figures, _ []byte) {
		out.text([]byte(key))
		f.put(out)
		out.end()
	})
}

// shards is in how many parts the queries are computed whose state is large: each
// part reads the events again and takes some keys.
const shards = 8

func q16(h *House, out *rows) {
	key := func(b *bid) string { return string(b.channel) + "|" + string(day(b.at)) }
	for shard := range shards {
		h.bandsBy(key, func(b *bid) bool { return int(b.channel[len(b.channel)-1])%shards == shard }, func(key string, f *figures, last []byte) {
			out.text([]byte(key)).text(last)
			f.put(out)
			out.end()
		})
	}
}

func q17(h *House, out *rows) {
	type group struct {
		auction, day int64
	}
	type sums struct {
		bids      [4]int64
		low, high int64
		sum       uint64
	}
	of := map[group]*sums{}
	h.bids(func(b *bid) {
		g := group{b.auction, floor(b.at, 24*3600*second)}
		s := of[g]
		if s == nil {
			s = &sums{low: b.price, high: b.price}
			of[g] = s
		}
		s.bids[0]++
		s.bids[1+band(b.price)]++
		s.low, s.high, s.sum = min(s.low, b.price), max(s.high, b.price), s.sum+uint64(b.price)
	})
	for g, s := range of {
		out.num(g.auction).text(day(g.day))
		for _, n := range s.bids {
			out.num(n)
		}
		out.num(s.low).num(s.high).average(s.sum, uint64(s.bids[0])).num(int64(s.sum)).end()
	}
}

func (r *rows) bid(b *bid) *rows {
	return r.num(b.auction).num(b.bidder).num(b.price).text(b.channel).text(b.url).time(b.at).text(b.extra)
}

func q18(h *House, out *rows) {
	type pair struct{ bidder, auction int64 }
	for shard := range int64(shards) {
		last := map[pair]bid{}
		h.bids(func(b *bid) {
			if b.auction%shards != shard {
				return
			}
			old, ok := last[pair{b.bidder, b.auction}]
			if !ok || cmp.Or(-cmp.Compare(b.at, old.at), b.compare(&old)) < 0 {
				last[pair{b.bidder, b.auction}] = *b
			}
		})
		for _, b := range last {
			out.bid(&b).end()
		}
	}
}

func q19(h *House, out *rows) {
	const places = 10
	before := func(a, b bid) int { return cmp.Or(-cmp.Compare(a.price, b.price), a.compare(&b)) }
	for shard := range int64(shards) {
		best := map[int64][]bid{}
		h.bids(func(b *bid) {
			list := best[b.auction]
			if b.auction%shards != shard || len(list) == places && before(list[places-1], *b) <= 0 {
				return
			}
			at, _ := slices.BinarySearchFunc(list, *b, before)
			list = slices.Insert(list, at, *b)
			best[b.auction] = list[:min(len(list), places)]
		})
		for _, list := range best {
			for k, b := range list {
				out.bid(&b).num(int64(k + 1)).end()
			}
		}
	}
}
