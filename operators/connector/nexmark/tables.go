package nexmark

import (
	"strings"

	"streamsql/sql/types"
)

// table is one of the three.
type table struct {
	first   uint64 // place of its first event in an epoch
	share   uint64 // events of an epoch
	size    int    // place of its average size in sequence.bytes
	texts   int    // different rows of texts
	columns []column
	// compose makes one row of texts, in the order of the columns that are text.
	compose func(t *texts, c *composer) []string
}

// column is a column that a table can give.
type column struct {
	name     string
	declared types.Type
	// numbers computes the values of a run of rows.
	numbers func(q *sequence, rows *run, out []int64)
	// text, without numbers: its place among the table's columns that are text, and a
	// length that no value of it exceeds; 0: as the options have it.
	text, longest int
}

func (t *table) column(name string) int {
	for k := range t.columns {
		if strings.EqualFold(t.columns[k].name, name) {
			return k
		}
	}
	return -1
}

func (t *table) names() string {
	names := make([]string, len(t.columns))
	for k := range t.columns {
		names[k] = t.columns[k].name
	}
	return strings.Join(names, ", ")
}

var (
	bigint = types.MakeBigInt()
	moment = types.MakeDateTime(3)
)

func number(name string, of func(q *sequence, rows *run, out []int64)) column {
	return column{name: name, declared: bigint, numbers: of}
}

func text(name string, place, longest int) column {
	declared := types.MakeVarChar(longest)
	if longest == 0 {
		declared = types.Type{Kind: types.Text, Len: 65535}
	}
	return column{name: name, declared: declared, text: place, longest: longest}
}

var dateTime = column{name: "dateTime", declared: moment, numbers: times}

var tables = map[string]*table{
	"person": {
		first: 0, share: personShare, size: 0, texts: 18480, compose: composePerson,
		columns: []column{
			number("id", personIDs), text("name", 0, 14), text("emailAddress", 1, 15), text("creditCard", 2, 19),
			text("city", 3, 13), text("state", 4, 2), dateTime, text("extra", 5, 0),
		},
	},
	"auction": {
		first: personShare, share: auctionShare, size: 1, texts: 18480, compose: composeAuction,
		columns: []column{
			number("id", auctionIDs), text("itemName", 0, 19), text("description", 1, 99), number("initialBid", initialBids),
			number("reserve", reserves), dateTime, {name: "expires", declared: moment, numbers: expiries},
			number("seller", sellers), number("category", categoriesOf), text("extra", 2, 0),
		},
	},
	"bid": {
		first: personShare + auctionShare, share: bidShare, size: 2, texts: 55440, compose: composeBid,
		columns: []column{
			number("auction", auctionsOf), number("bidder", bidders), number("price", bidPrices),
			text("channel", 0, 12), text("url", 1, 77), dateTime, text("extra", 2, 0),
		},
	},
}
