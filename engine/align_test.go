package engine

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"streamsql/operators/connector"
	"streamsql/operators/connector/nexmark"
)

// auctionHouse are the three streams of the generator, of that many events.
func auctionHouse(events int) string {
	stream := func(table, columns string) string {
		return fmt.Sprintf(`CREATE STREAM TABLE %s (%s, dateTime DATETIME(3), WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND)
  WITH (connector = 'nexmark', table = '%s', events = '%d', idle_timeout = '0');`, table, columns, table, events)
	}
	return "CREATE DATABASE d;" + stream("person", "id BIGINT, state VARCHAR(2)") + stream("auction", "id BIGINT, seller BIGINT, category BIGINT") +
		stream("bid", "auction BIGINT, price BIGINT")
}

// TestReadSideBySide: what a batch takes of streams that one view reads ends at one
// moment of event time in all of them, also after crashes, and all comes in the end.
func TestReadSideBySide(t *testing.T) {
	const events = 3_000_000
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(nexmark.Kind())})
	h.exec(auctionHouse(events))
	h.exec(`CREATE MATERIALIZED VIEW all_of_them AS SELECT k, COUNT(*) AS n, MAX(id) AS last FROM (
  SELECT 'p' AS k, id FROM person UNION ALL SELECT 'a', id FROM auction UNION ALL SELECT 'b', auction FROM bid) AS u GROUP BY k`)
	read := func() (n uint64) {
		h.e.mu.Lock()
		defer h.e.mu.Unlock()
		for _, offsets := range h.e.externalOffsets() {
			n += sum(offsets)
		}
		return n
	}
	for _, until := range []uint64{events / 4, events / 2, events} {
		for deadline := time.Now().Add(60 * time.Second); read() < until; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d rows of %d are read", read(), until)
			}
		}
		if until == events/4 {
			h.round()
		}
		if until < events {
			h.crash()
		}
	}
	cuts := h.e.timeline.Recent()
	if len(cuts) < 8 {
		t.Fatalf("only %d cuts", len(cuts))
	}
	for _, c := range cuts {
		var reached []int // events of the sequence that have passed, as each stream has it
		for id, x := range h.e.externals {
			share := map[string]uint64{"person": 1, "auction": 3, "bid": 46}[x.table.Name]
			reached = append(reached, int(sum(c.Offsets[uint64(id)])*50/share))
		}
		// Ten events share a millisecond; the last ones are some of an epoch's.
		if low, high := slices.Min(reached), slices.Max(reached); high-low > 300 {
			t.Errorf("batch %d: the streams are at events %v", c.ID, reached)
		}
	}
	rows := fmt.Sprintf("a %d %d; b %d 18100.; p %d %d", events*3/50, 999+events*3/50, events*46/50, events/50, 999+events/50)
	for deadline := time.Now().Add(60 * time.Second); ; time.Sleep(time.Millisecond) {
		got := h.query("SELECT k, n, last FROM all_of_them")
		if ok, _ := regexp.MatchString(rows, got); ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s, want %s", got, rows)
		}
	}
}

func sum(offsets []uint64) (n uint64) {
	for _, o := range offsets {
		n += o
	}
	return n
}

// TestAlignedStreams: streams are in one group while a view depends on both,
// directly or through views.
func TestAlignedStreams(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(nexmark.Kind())})
	h.exec(auctionHouse(50))
	h.exec("CREATE STREAM TABLE timeless (id BIGINT) WITH (connector = 'nexmark', table = 'person', events = '50')")
	check := func(why string, want ...int) {
		t.Helper()
		h.e.mu.Lock()
		defer h.e.mu.Unlock()
		var sizes []int
		for _, g := range h.e.alignment() {
			sizes = append(sizes, len(g))
		}
		slices.Sort(sizes)
		if !slices.Equal(sizes, want) {
			t.Errorf("%s: groups of %v streams, want %v", why, sizes, want)
		}
	}
	check("no views", 1, 1, 1)
	h.exec(`CREATE MATERIALIZED VIEW a AS SELECT category, COUNT(*) AS n FROM auction GROUP BY category;
CREATE MATERIALIZED VIEW b AS SELECT auction, COUNT(*) AS n FROM bid GROUP BY auction;
CREATE MATERIALIZED VIEW t AS SELECT COUNT(*) AS n FROM timeless`)
	check("a view of each", 1, 1, 1)
	h.exec(`CREATE MATERIALIZED VIEW ab AS SELECT a.n FROM a JOIN b ON a.n = b.n`)
	check("a view of views", 1, 2)
	h.exec(`CREATE MATERIALIZED VIEW pb AS SELECT p.id FROM person AS p JOIN bid AS b ON p.id = b.auction`)
	check("and one that links a third", 3)
	h.crash()
	check("after a crash", 3)
	h.exec(`DROP MATERIALIZED VIEW ab`)
	check("one is dropped", 1, 2)
	h.exec(`DROP MATERIALIZED VIEW pb`)
	check("and the other", 1, 1, 1)
}
