package answers

import (
	"cmp"
	"slices"
)

func q3(h *House, out *rows) {
	near := map[int64]person{}
	h.persons(func(p *person) {
		if s := string(p.state); s == "OR" || s == "ID" || s == "CA" {
			near[p.id] = *p
		}
	})
	h.auctions(func(a *auction) {
		if p, ok := near[a.seller]; ok && a.category == 10 {
			out.text(p.name).text(p.city).text(p.state).num(a.id).end()
		}
	})
}

// closed is an auction and its winning bid.
type closed struct {
	auction
	bids bool // there is one
	bid
}

// closing finds the winning bid of each auction that has one: the highest of those
// in time, of these the first.
func (h *House) closing() []closed {
	at := map[int64]int{}
	var list []closed
	h.auctions(func(a *auction) {
		at[a.id] = len(list)
		list = append(list, closed{auction: *a})
	})
	h.bids(func(b *bid) {
		k, ok := at[b.auction]
		if !ok || b.at < list[k].auction.at || b.at > list[k].expires {
			return
		}
		best := &list[k].bid
		if !list[k].bids || cmp.Or(-cmp.Compare(b.price, best.price), cmp.Compare(b.at, best.at), b.compare(best)) < 0 {
			list[k].bids, list[k].bid = true, *b
		}
	})
	return slices.DeleteFunc(list, func(c closed) bool { return !c.bids })
}

func q4(h *House, out *rows) {
	sum, n := map[int64]uint64{}, map[int64]uint64{}
	for _, c := range h.closing() {
		sum[c.category] += uint64(c.price)
		n[c.category]++
	}
	for category := range n {
		out.num(category).average(sum[category], n[category]).end()
	}
}

func q6(h *House, out *rows) {
	of := map[int64][]closed{}
	for _, c := range h.closing() {
		of[c.seller] = append(of[c.seller], c)
	}
	for seller, list := range of {
		slices.SortFunc(list, func(a, b closed) int {
			return cmp.Or(cmp.Compare(a.bid.at, b.bid.at), cmp.Compare(a.id, b.id))
		})
		for i, c := range list {
			sum, from := uint64(0), max(0, i-10)
			for _, x := range list[from : i+1] {
				sum += uint64(x.price)
			}
			out.num(seller).time(c.bid.at).average(sum, uint64(i+1-from)).end()
		}
	}
}

func q9(h *House, out *rows) {
	for _, c := range h.closing() {
		a, b := &c.auction, &c.bid
		out.num(a.id).text(a.item).text(a.description).num(a.initial).num(a.reserve).time(a.at).time(a.expires).num(a.seller).num(a.category).text(a.extra)
		out.num(b.auction).num(b.bidder).num(b.price).time(b.at).text(b.extra).end()
	}
}

func q20(h *House, out *rows) {
	in := map[int64]auction{}
	h.auctions(func(a *auction) {
		if a.category == 10 {
			in[a.id] = *a
		}
	})
	h.bids(func(b *bid) {
		a, ok := in[b.auction]
		if !ok {
			return
		}
		out.num(b.auction).num(b.bidder).num(b.price).text(b.channel).text(b.url).time(b.at).text(b.extra)
		out.text(a.item).text(a.description).num(a.initial).num(a.reserve).time(a.at).time(a.expires).num(a.seller).num(a.category).text(a.extra).end()
	})
}
