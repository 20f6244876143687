// Package nexmark is the connector of the Nexmark benchmark's auction house: its
// persons, auctions and bids, made up as they are read.
//
// All three tables of one seed are cut from one sequence of events. Of 50 events
// the first is a person, the next three are auctions, and 46 are bids. A bid names
// an auction that was opened a little before (or will be a little later), an
// auction a person, so that joins find partners. Event n has the event time
// start + n/rate. Proportions, numbers, hot keys and the lengths of texts are as in
// Apache Beam's definition of the benchmark and Flink's, which added channel and url.
//
// A row is a function of the options, its partition and its offset alone: any
// range can be read again, in any order. Row r of a table is in partition
// r mod partitions.
package nexmark

import (
	"time"

	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

const name = "nexmark"

// Kind returns the connector.
func Kind() *connector.Kind {
	return &connector.Kind{
		Name: name,
		Doc:  "Persons, auctions and bids of the Nexmark benchmark, made up: for trying things out and for measuring.",
		Example: "CREATE STREAM TABLE bid (auction BIGINT, price BIGINT, dateTime DATETIME(3), WATERMARK FOR dateTime AS dateTime - INTERVAL 4 SECOND) " +
			"WITH (connector = 'nexmark', table = 'bid', events = '1000000')",
		Options: []connector.Option{
			{Name: "table", Type: connector.Text, Required: true, Doc: "'person', 'auction' or 'bid'."},
			{Name: "seed", Type: connector.Integer, Default: "1", Doc: "Another seed gives other events."},
			{Name: "events", Type: connector.Integer, Default: "0", Doc: "How many events there are in all three tables, 0: without end."},
			{Name: "rate", Type: connector.Integer, Default: "10000", Doc: "Events of all three tables in a second of event time."},
			{Name: "start", Type: connector.Text, Default: "2024-01-01 00:00:00", Doc: "The event time of the first event."},
			{Name: "pace", Type: connector.Integer, Default: "0", Doc: "Events of all three tables that come in a second by the clock, 0: as fast as they are read."},
			{Name: "opens", Type: connector.Text, Doc: "The moment by the clock, in UTC, before which no event comes: views that are made before it begin together."},
			{Name: "partitions", Type: connector.Integer, Default: "4", Doc: "How many partitions, up to 64."},
			{Name: "out_of_order", Type: connector.Integer, Default: "0", Doc: "Events come out of order within groups of so many, a multiple of 50; 0: in order."},
			{Name: "hot_auctions", Type: connector.Integer, Default: "2", Doc: "All but one of so many bids are for the hot auction."},
			{Name: "hot_bidders", Type: connector.Integer, Default: "4", Doc: "All but one of so many bids are of the hot bidder."},
			{Name: "hot_sellers", Type: connector.Integer, Default: "4", Doc: "All but one of so many auctions are of the hot seller."},
			{Name: "in_flight_auctions", Type: connector.Integer, Default: "100", Doc: "Other bids are for one of so many newest auctions."},
			{Name: "active_people", Type: connector.Integer, Default: "1000", Doc: "Other bidders and sellers are among so many newest persons."},
			{Name: "person_bytes", Type: connector.Integer, Default: "200", Doc: "Average size of a person; the column extra makes it up."},
			{Name: "auction_bytes", Type: connector.Integer, Default: "500", Doc: "Average size of an auction; the column extra makes it up."},
			{Name: "bid_bytes", Type: connector.Integer, Default: "100", Doc: "Average size of a bid; the column extra makes it up."},
		},
		Columns: allColumns(),
		Source:  func(cols []connector.Column, o connector.Values) (connector.Source, error) { return New(cols, o) },
	}
}

// allColumns are the columns of the three tables, each name once.
func allColumns() []connector.Column {
	var all []connector.Column
	seen := map[string]bool{}
	for _, t := range tables {
		for _, c := range t.columns {
			if !seen[c.name] {
				seen[c.name] = true
				all = append(all, connector.Column{Name: c.name, Type: c.declared})
			}
		}
	}
	return all
}

// New makes a Source with the columns cols, each known by its name.
func New(cols []connector.Column, o connector.Values) (*Source, error) {
	t := tables[o.Text("table")]
	if t == nil {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'table' of connector '%s' is 'person', 'auction' or 'bid', not '%s'", name, o.Text("table"))
	}
	seq, err := newSequence(o)
	if err != nil {
		return nil, err
	}
	s := &Source{table: t, seq: seq, pace: uint64(o.Integer("pace")), partitions: int(o.Integer("partitions"))}
	if s.partitions < 1 || s.partitions > maxPartitions {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Connector '%s' takes 1 to %d partitions", name, maxPartitions)
	}
	if text := o.Text("opens"); text != "" {
		at, ok := readMoment(text)
		if !ok {
			return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'opens' of connector '%s': '%s' is not a moment like '2024-01-01 00:00:00'", name, text)
		}
		s.opens = time.UnixMicro(at)
	}
	s.texts = newTexts(t, seq, s.partitions)
	for _, c := range cols {
		k := t.column(c.Name)
		if k < 0 {
			return nil, sqlerr.New(sqlerr.BadField, "Table '%s' of connector '%s' has no column '%s'; it has %s", o.Text("table"), name, c.Name, t.names())
		}
		if err := s.check(c, &t.columns[k]); err != nil {
			return nil, err
		}
		s.columns = append(s.columns, sourceColumn{&t.columns[k], c.Type})
	}
	return s, nil
}

// check refuses a declaration that cannot hold what the column gives.
func (s *Source) check(c connector.Column, known *column) error {
	fits := false
	switch known.declared.Kind {
	case types.BigInt:
		fits = c.Type.Kind == types.BigInt || c.Type.Kind == types.Int
	case types.DateTime:
		fits = (c.Type.Kind == types.DateTime || c.Type.Kind == types.Timestamp) && c.Type.Scale >= 3
	default:
		if fits = c.Type.Class() == types.ClassBytes && (c.Type.Kind == types.VarChar || c.Type.Kind == types.Text); fits && c.Type.Kind == types.VarChar {
			if n := s.texts.longest(known); n > c.Type.Len {
				return sqlerr.New(sqlerr.WrongFieldSpec, "Column '%s' is too short: connector '%s' gives up to %d characters", c.Name, name, n)
			}
		}
	}
	if !fits {
		return sqlerr.New(sqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s': connector '%s' gives %s", c.Name, name, known.declared)
	}
	return nil
}
