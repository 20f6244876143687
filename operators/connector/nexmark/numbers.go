package nexmark

import "math"

// run is a run of rows: of each the number of its event, and the epoch it lies in.
type run struct {
	event []uint64
	epoch []uint64
}

// fill sets a run to the n rows first, first+step, … of a table.
func (w *run) fill(q *sequence, t *table, first, step uint64, n int) {
	if cap(w.event) < n {
		w.event, w.epoch = make([]uint64, n), make([]uint64, n)
	}
	w.event, w.epoch = w.event[:n], w.epoch[:n]
	if q.group > 0 {
		for i := range w.event {
			e := q.event(t, first+uint64(i)*step)
			w.event[i], w.epoch[i] = e, e/epochEvents
		}
		return
	}
	epoch, place := first/t.share, first%t.share
	epochs, places := step/t.share, step%t.share
	for i := range w.event {
		w.event[i], w.epoch[i] = epoch*epochEvents+t.first+place, epoch
		epoch, place = epoch+epochs, place+places
		if place >= t.share {
			epoch, place = epoch+1, place-t.share
		}
	}
}

// Every column draws its own numbers, so that it is the same whichever others are read.
const (
	seedAuction = 0x1111111111111111 * (iota + 1)
	seedBidder
	seedPrice
	seedSeller
	seedCategory
	seedInitial
	seedReserve
	seedLength
	seedTexts
)

func times(q *sequence, rows *run, out []int64) {
	for i, n := range rows.event {
		out[i] = q.start + int64(q.millis(n))*1000
	}
}

func personIDs(_ *sequence, rows *run, out []int64) {
	for i, k := range rows.epoch {
		out[i] = int64(k*personShare) + firstPerson
	}
}

func auctionIDs(_ *sequence, rows *run, out []int64) {
	for i, k := range rows.epoch {
		out[i] = int64(k*auctionShare+auctionPlace(rows.event[i], k)) + firstAuction
	}
}

// auctionPlace is the place of an auction among those of its epoch.
func auctionPlace(event, epoch uint64) uint64 { return event - epoch*epochEvents - personShare }

// person is a random one of those active at an epoch, or one that is yet to come.
func (q *sequence) person(epoch, x uint64) uint64 {
	people := epoch*personShare + 1
	active := min(people, q.active)
	k, _ := below(x, active+lead)
	return people - active + k
}

// sellers are for the most part the first person of the newest block.
func sellers(q *sequence, rows *run, out []int64) {
	seed := q.seed ^ seedSeller
	for i, k := range rows.epoch {
		hot, rest := below(draw(seed, rows.event[i]), q.hotSellers)
		who, hotOne := q.person(k, rest), k*personShare/hotBlock*hotBlock
		if hot > 0 { // both are known: that costs less than a branch that is guessed wrong
			who = hotOne
		}
		out[i] = int64(who) + firstPerson
	}
}

// bidders are for the most part the second person of the newest block.
func bidders(q *sequence, rows *run, out []int64) {
	seed := q.seed ^ seedBidder
	for i, k := range rows.epoch {
		hot, rest := below(draw(seed, rows.event[i]), q.hotBidders)
		who, hotOne := q.person(k, rest), k*personShare/hotBlock*hotBlock+1
		if hot > 0 {
			who = hotOne
		}
		out[i] = int64(who) + firstPerson
	}
}

// auctionsOf are, of bids, often the first auction of the newest block, else one of
// those that may still be open, or one that is yet to come.
func auctionsOf(q *sequence, rows *run, out []int64) {
	seed := q.seed ^ seedAuction
	for i, k := range rows.epoch {
		last := lastAuction(k)
		hot, rest := below(draw(seed, rows.event[i]), q.hotAuctions)
		low := last - min(last, q.inFlight)
		n, _ := below(rest, last-low+1+lead)
		which, hotOne := low+n, last/hotBlock*hotBlock
		if hot > 0 {
			which = hotOne
		}
		out[i] = int64(which) + firstAuction
	}
}

func categoriesOf(q *sequence, rows *run, out []int64) {
	for i, n := range rows.event {
		k, _ := below(draw(q.seed^seedCategory, n), categories)
		out[i] = int64(k) + firstCategory
	}
}

// expiries are after dateTime by as long as it takes until in_flight_auctions more
// have been opened, on the average.
func expiries(q *sequence, rows *run, out []int64) {
	ahead := q.inFlight * epochEvents / auctionShare
	for i, n := range rows.event {
		now := q.millis(n)
		horizon := q.millis(n+ahead) - now
		length, _ := below(draw(q.seed^seedLength, n), max(horizon*2, 1))
		out[i] = q.start + int64(now+1+length)*1000
	}
}

func bidPrices(q *sequence, rows *run, out []int64) { q.prices(seedPrice, rows, out) }

func initialBids(q *sequence, rows *run, out []int64) { q.prices(seedInitial, rows, out) }

// reserves are the initial bids and another price.
func reserves(q *sequence, rows *run, out []int64) {
	initialBids(q, rows, out)
	for i, n := range rows.event {
		out[i] += price(draw(q.seed^seedReserve, n))
	}
}

func (q *sequence) prices(column uint64, rows *run, out []int64) {
	seed := q.seed ^ column
	for i, n := range rows.event {
		out[i] = price(draw(seed, n))
	}
}

// price is a price in cents: 100·10^(6u) for a random u in [0, 1), between whose
// values at steps of 2^−10 it is a straight line, which is right to 1 in 40 000.
func price(x uint64) int64 {
	k := x >> (64 - priceBits)
	low, high := priceSteps[k], priceSteps[k+1]
	part := int64(x >> (64 - priceBits - 20) & (1<<20 - 1))
	return (low + (high-low)*part>>20 + 1<<9) >> 10
}

const priceBits = 10

// priceSteps are in cents · 2^10: integers, so that they are the same on every machine.
var priceSteps = func() (steps [1<<priceBits + 1]int64) {
	for k := range steps {
		steps[k] = int64(math.Round(math.Pow(10, 6*float64(k)/(1<<priceBits)) * 100 * 1024))
	}
	return steps
}()
