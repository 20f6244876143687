package answers

import "slices"

const second = int64(1_000_000)

// floor is the last multiple of step that is not after us.
func floor(us, step int64) int64 {
	r := us % step
	if r < 0 {
		r += step
	}
	return us - r
}

// q5 counts the bids of each auction in panes of two seconds. A window is five.
func q5(h *House, out *rows) {
	const pane, panes = 2 * second, 5
	counts := map[int64]map[int64]int64{} // by pane, then auction
	h.bids(func(b *bid) {
		at := floor(b.at, pane)
		if counts[at] == nil {
			counts[at] = map[int64]int64{}
		}
		counts[at][b.auction]++
	})
	starts := map[int64]bool{}
	for at := range counts {
		for k := range int64(panes) {
			starts[at-k*pane] = true
		}
	}
	for start := range starts {
		total := map[int64]int64{}
		for k := range int64(panes) {
			for a, n := range counts[start+k*pane] {
				total[a] += n
			}
		}
		most := int64(0)
		for _, n := range total {
			most = max(most, n)
		}
		for a, n := range total {
			if n == most {
				out.num(a).num(n).time(start).time(start + panes*pane).end()
			}
		}
	}
}

func q7(h *House, out *rows) {
	highest := map[int64]int64{}
	h.bids(func(b *bid) {
		w := floor(b.at, 10*second)
		highest[w] = max(highest[w], b.price)
	})
	h.bids(func(b *bid) {
		if b.price == highest[floor(b.at, 10*second)] {
			out.num(b.auction).num(b.price).num(b.bidder).time(b.at).text(b.extra).end()
		}
	})
}

func q8(h *House, out *rows) {
	type selling struct{ seller, window int64 }
	sold := map[selling]bool{}
	h.auctions(func(a *auction) { sold[selling{a.seller, floor(a.at, 10*second)}] = true })
	h.persons(func(p *person) {
		if w := floor(p.at, 10*second); sold[selling{p.id, w}] {
			out.num(p.id).text(p.name).time(w).end()
		}
	})
}

func q11(h *House, out *rows) {
	const gap = 10 * second
	times := map[int64][]int64{} // by bidder
	h.bids(func(b *bid) { times[b.bidder] = append(times[b.bidder], b.at) })
	for bidder, list := range times {
		slices.Sort(list)
		first := 0
		for i := range list {
			if i+1 == len(list) || list[i+1]-list[i] > gap {
				out.num(bidder).num(int64(i + 1 - first)).time(list[first]).time(list[i] + gap).end()
				first = i + 1
			}
		}
	}
}

func q12(h *House, out *rows) {
	count := map[int64]int64{}
	h.bids(func(b *bid) { count[b.bidder]++ })
	for bidder, n := range count {
		out.num(bidder).num(n).end()
	}
}
