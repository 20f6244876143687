// Package answers computes what the queries of the Nexmark benchmark must give,
// plainly and apart from the engine: loops over the events, maps and sorting. With
// it the result of a run of any size is known before its time is believed.
//
// A result is compared by the number of its rows and the sum of their checksums,
// which does not depend on their order; Check is the SQL that asks a view for both.
package answers

import (
	"fmt"
	"hash/crc32"
	"math/bits"
	"strconv"
	"strings"

	"streamsql/sql/types"
)

// Answer is what a result is known by.
type Answer struct {
	Rows uint64
	Sum  uint64 // of the CRC-32 (IEEE) of each row's text, the values apart by '|'
}

// query is the result of one query.
type query struct {
	// columns of the view; those that may be NULL end in '?'.
	columns string
	from    string // instead of the view
	run     func(h *House, out *rows)
}

var queries = [...]query{
	0:  {columns: "auction bidder price dateTime extra?", run: q0},
	1:  {columns: "auction bidder price dateTime extra?", run: q1},
	2:  {columns: "auction price", run: q2},
	3:  {columns: "name city state id", run: q3},
	4:  {columns: "category average", run: q4},
	5:  {columns: "auction num starttime endtime", run: q5},
	6:  {columns: "seller dateTime average", run: q6},
	7:  {columns: "auction price bidder dateTime extra?", run: q7},
	8:  {columns: "id name starttime", run: q8},
	9:  {columns: "id itemName description initialBid reserve dateTime expires seller category extra? auction bidder price bid_dateTime bid_extra?", run: q9},
	10: {columns: "auction bidder price dateTime extra? dt hm", run: q10},
	11: {columns: "bidder bid_count starttime endtime", run: q11},
	12: {columns: "bidder n", from: "(SELECT bidder, SUM(bid_count) AS n FROM %s GROUP BY bidder) AS sums", run: q12},
	13: {columns: "auction bidder price dateTime value", run: q13},
	14: {columns: "auction bidder price bidTimeType dateTime extra? c_counts?", run: q14},
	15: {columns: "day " + bands, run: q15},
	16: {columns: "channel day minute " + bands, run: q16},
	17: {columns: "auction day total_bids rank1_bids rank2_bids rank3_bids min_price max_price avg_price sum_price", run: q17},
	18: {columns: "auction bidder price channel url dateTime extra?", run: q18},
	19: {columns: "auction bidder price channel url dateTime extra? rank_number", run: q19},
	20: {columns: "auction bidder price channel url bid_dateTime bid_extra? itemName description initialBid reserve auction_dateTime expires seller category auction_extra?", run: q20},
	21: {columns: "auction bidder price channel channel_id?", run: q21},
	22: {columns: "auction bidder price channel dir1 dir2 dir3", run: q22},
}

// Answer computes the answer of query q.
func (h *House) Answer(q int) Answer {
	out := &rows{}
	queries[q].run(h, out)
	return out.Answer
}

// Count computes how many rows the answer of query q has, in less time.
func (h *House) Count(q int) uint64 {
	out := &rows{counts: true}
	queries[q].run(h, out)
	return out.Rows
}

// Check is a SELECT of one row: the number of rows in a view of query q, and the sum
// of their checksums.
func Check(q int, view string) string {
	var cells []string
	for c := range strings.FieldsSeq(queries[q].columns) {
		if name, null := strings.CutSuffix(c, "?"); null {
			c = "IFNULL(" + name + ", 'NULL')"
		}
		cells = append(cells, c)
	}
	from := view
	if f := queries[q].from; f != "" {
		from = fmt.Sprintf(f, view)
	}
	return "SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('|', " + strings.Join(cells, ", ") + "))), 0) FROM " + from
}

// rows takes the rows of a result, value by value.
type rows struct {
	Answer
	line []byte
	keep func(line string) // if set, it hears of each row
	// counts: only how many rows there are is wanted.
	counts bool
}

func (r *rows) sep() {
	if len(r.line) > 0 {
		r.line = append(r.line, '|')
	}
}

func (r *rows) num(x int64) *rows {
	if r.counts {
		return r
	}
	r.sep()
	r.line = strconv.AppendInt(r.line, x, 10)
	return r
}

// text is a text; nil is NULL.
func (r *rows) text(b []byte) *rows {
	if r.counts {
		return r
	}
	r.sep()
	if b == nil {
		b = []byte("NULL")
	}
	r.line = append(r.line, b...)
	return r
}

// time is a DATETIME(3).
func (r *rows) time(us int64) *rows {
	if r.counts {
		return r
	}
	r.sep()
	r.line = types.AppendDateTime(r.line, us, 3)
	return r
}

// fixed is x divided by 10^scale.
func (r *rows) fixed(x uint64, scale int) *rows {
	if r.counts {
		return r
	}
	r.sep()
	unit := uint64(1)
	for range scale {
		unit *= 10
	}
	r.line = strconv.AppendUint(r.line, x/unit, 10)
	digits := strconv.FormatUint(unit+x%unit, 10)
	r.line = append(append(r.line, '.'), digits[1:]...)
	return r
}

// average is sum divided by n, with four decimals, rounded half up.
func (r *rows) average(sum, n uint64) *rows {
	hi, lo := bits.Mul64(sum, 2*10_000)
	lo, carry := bits.Add64(lo, n, 0)
	q, _ := bits.Div64(hi+carry, lo, 2*n)
	return r.fixed(q, 4)
}

// dollars are 0.908 · price, a DECIMAL of three digits after the point.
func (r *rows) dollars(price int64) *rows { return r.fixed(uint64(price)*908, 3) }

// end ends a row.
func (r *rows) end() {
	if r.Rows++; r.counts {
		return
	}
	r.Sum += uint64(crc32.ChecksumIEEE(r.line))
	if r.keep != nil {
		r.keep(string(r.line))
	}
	r.line = r.line[:0]
}
