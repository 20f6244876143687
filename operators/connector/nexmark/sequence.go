package nexmark

import (
	"math/bits"

	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// An epoch is 50 events: a person, then auctions, then bids.
const (
	personShare  = 1
	auctionShare = 3
	bidShare     = 46
	epochEvents  = personShare + auctionShare + bidShare
)

// Numbers begin at these.
const (
	firstPerson   = 1000
	firstAuction  = 1000
	firstCategory = 10
	categories    = 5
)

// hotBlock is how many auctions or persons pass before another one is hot. lead is
// how many that do not exist yet may be named.
const (
	hotBlock = 100
	lead     = 10
)

// sequence is the events that underlie the three tables.
type sequence struct {
	seed       uint64
	events     uint64 // 0: without end
	rate       uint64 // events in a second of event time
	rateFactor uint64 // 2^64 / rate, rounded down
	start      int64  // event time of the first event, µs
	group      uint64 // events of a group without order; 0: in order

	hotAuctions, hotBidders, hotSellers uint64
	inFlight, active                    uint64
	bytes                               [3]int // average sizes of a person, an auction, a bid
}

func newSequence(o connector.Values) (*sequence, error) {
	q := &sequence{
		seed: uint64(o.Integer("seed")), events: uint64(o.Integer("events")), rate: uint64(o.Integer("rate")), group: uint64(o.Integer("out_of_order")),
		hotAuctions: uint64(o.Integer("hot_auctions")), hotBidders: uint64(o.Integer("hot_bidders")), hotSellers: uint64(o.Integer("hot_sellers")),
		inFlight: uint64(o.Integer("in_flight_auctions")), active: uint64(o.Integer("active_people")),
		bytes: [3]int{int(o.Integer("person_bytes")), int(o.Integer("auction_bytes")), int(o.Integer("bid_bytes"))},
	}
	start, ok := readMoment(o.Text("start"))
	if !ok {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'start' of connector '%s': '%s' is not a moment like '2024-01-01 00:00:00'", name, o.Text("start"))
	}
	q.start = start - start%1000
	for _, c := range []struct {
		option   string
		low, top int64
	}{
		{"rate", 1, 1e9}, {"events", 0, 1e15}, {"hot_auctions", 1, 1e6}, {"hot_bidders", 1, 1e6}, {"hot_sellers", 1, 1e6},
		{"in_flight_auctions", 1, 1e9}, {"active_people", 1, 1e9}, {"person_bytes", 0, maxBytes}, {"auction_bytes", 0, maxBytes}, {"bid_bytes", 0, maxBytes},
		{"out_of_order", 0, 1e6},
	} {
		if n := o.Integer(c.option); n < c.low || n > c.top {
			return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option '%s' of connector '%s' is a number from %d to %d", c.option, name, c.low, c.top)
		}
	}
	if q.group%epochEvents != 0 || q.group/epochEvents%stride == 0 && q.group > 0 {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'out_of_order' of connector '%s' is a multiple of %d, and not of %d", name, epochEvents, epochEvents*stride)
	}
	q.rateFactor = ^uint64(0) / q.rate
	return q, nil
}

// readMoment reads a time that an option names, in µs since 1970.
func readMoment(text string) (int64, bool) {
	p := types.ParseDateTime([]byte(text))
	return p.US, p.OK && !p.Cut
}

// stride permutes the rows of a group. It is a prime, so that it does so for
// groups of any size but its multiples.
const stride = 953

// rows is how many rows of a table the sequence has; 0 with false: no end.
func (q *sequence) rows(t *table) (uint64, bool) {
	if q.events == 0 {
		return 0, false
	}
	whole, rest := q.events/epochEvents, q.events%epochEvents
	return whole*t.share + min(max(rest, t.first)-t.first, t.share), true
}

// event is the number of the event that is row r of a table.
func (q *sequence) event(t *table, r uint64) uint64 {
	if q.group > 0 {
		size := q.group / epochEvents * t.share
		base := r / size * size
		if all, ends := q.rows(t); !ends || base+size <= all { // else the last group, which stays in order
			r = base + (r*stride)%size
		}
	}
	return r/t.share*epochEvents + t.first + r%t.share
}

// millis is the event time of event n, in ms after the start.
func (q *sequence) millis(n uint64) uint64 {
	x := n * 1000
	ms, _ := bits.Mul64(x, q.rateFactor) // one or two too small at most
	for x-ms*q.rate >= q.rate {
		ms++
	}
	return ms
}

// lastAuction is the newest auction, from 0, that there is in an epoch once its
// auctions have come, or at one of these themselves.
func lastAuction(epoch uint64) uint64 { return epoch*auctionShare + auctionShare - 1 }

// draw is a random number for event n (the finaliser of SplitMix64, Steele et al. 2014).
func draw(seed, n uint64) uint64 {
	x := seed + n*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// below maps a random number to 0 … n−1; rest is a random number that is left.
func below(x, n uint64) (k, rest uint64) { return bits.Mul64(x, n) }
