package nexmark

import (
	"context"
	"fmt"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/connector/conntest"
	"streamsql/operators/optest"
	"streamsql/sql/types"
)

// columnsOf are all columns of a table, as one would declare them.
func columnsOf(table string) []connector.Column {
	var cols []connector.Column
	for _, c := range tables[table].columns {
		cols = append(cols, connector.Column{Name: c.name, Type: c.declared})
	}
	return cols
}

func positions(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

func open(t testing.TB, table string, with map[string]string) *Source {
	t.Helper()
	all := map[string]string{"connector": name, "table": table}
	maps.Copy(all, with)
	o, err := Kind().Check(all)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(columnsOf(table), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rowsOf reads the first n rows of each partition, in pieces of at most step.
func rowsOf(t testing.TB, s *Source, n, step connector.Offset) []*batch.Chunk {
	t.Helper()
	var all []*batch.Chunk
	for p := range s.Partitions() {
		for from := connector.Offset(0); from < n; {
			c, next, err := s.ReadRange(context.Background(), p, from, min(n, from+step), positions(len(s.columns)), nil)
			if err != nil {
				t.Fatal(err)
			}
			if next == from {
				break
			}
			all, from = append(all, c), next
		}
	}
	return all
}

func TestConnector(t *testing.T) {
	for table, more := range map[string]map[string]string{
		"person": nil, "auction": {"partitions": "3"}, "bid": {"out_of_order": "500"},
	} {
		t.Run(table, func(t *testing.T) {
			with := map[string]string{"connector": name, "table": table, "events": "250000"}
			maps.Copy(with, more)
			conntest.Suite{Kind: Kind(), Columns: columnsOf(table), With: with}.Run(t)
		})
	}
}

// TestSequence: with any number of partitions, whether out of order or not, the
// three tables have the same events, each once.
func TestSequence(t *testing.T) {
	const events = 12_345
	for _, c := range []struct{ partitions, group string }{{"1", "0"}, {"4", "0"}, {"7", "0"}, {"64", "0"}, {"4", "1000"}, {"1", "50"}} {
		seen := map[uint64]string{}
		late := false
		for table, places := range map[string][2]uint64{"person": {0, 1}, "auction": {1, 4}, "bid": {4, 50}} {
			s := open(t, table, map[string]string{"events": fmt.Sprint(events), "partitions": c.partitions, "out_of_order": c.group})
			var w run
			for p := range s.partitions {
				end, _ := s.end(p)
				w.fill(s.seq, s.table, uint64(p), uint64(s.partitions), int(end))
				for i, n := range w.event {
					if at := n % 50; at < places[0] || at >= places[1] || seen[n] != "" || n >= events || w.epoch[i] != n/50 {
						t.Fatalf("%v: event %d, of epoch %d, is a %s and %q", c, n, w.epoch[i], table, seen[n])
					}
					seen[n] = table
					late = late || i > 0 && n < w.event[i-1]
				}
			}
		}
		if len(seen) != events || late != (c.group != "0") {
			t.Errorf("%v: %d events, out of order: %v", c, len(seen), late)
		}
	}
}

// TestPartners: ids count up; a bid names an auction, and an auction a person, that
// is among the newest.
func TestPartners(t *testing.T) {
	const events = 200_000
	with := map[string]string{"events": fmt.Sprint(events), "partitions": "1"}
	read := func(table string) *batch.Chunk {
		all := batch.New(batchTypes(table), events)
		for _, c := range rowsOf(t, open(t, table, with), events, chunkRows) {
			for i := range c.N {
				all.AppendFrom(c, i, 1)
			}
		}
		return all
	}
	person, auction, bid := read("person"), read("auction"), read("bid")
	if person.N != events/50 || auction.N != 3*events/50 || bid.N != 46*events/50 {
		t.Fatalf("%d persons, %d auctions, %d bids", person.N, auction.N, bid.N)
	}
	for i := range person.N {
		if person.Cols[0].I[i] != int64(1000+i) {
			t.Fatalf("person %d has the number %d", i, person.Cols[0].I[i])
		}
	}
	hot := 0
	for i := range auction.N {
		seller, newest := auction.Cols[7].I[i]-1000, int64(i/3)
		if auction.Cols[0].I[i] != int64(1000+i) || seller < max(newest-1000, 0) || seller > newest+10 {
			t.Fatalf("auction %d has the number %d and the seller %d", i, auction.Cols[0].I[i], seller)
		}
		if seller == newest/100*100 {
			hot++
		}
		length := (auction.Cols[6].I[i] - auction.Cols[5].I[i]) / 1000
		if length < 1 || length > 334 || auction.Cols[4].I[i] <= auction.Cols[3].I[i] {
			t.Fatalf("auction %d is open for %d ms", i, length)
		}
	}
	near(t, "hot sellers", float64(hot)/float64(auction.N), 0.75)
	hot = 0
	hotBidders := 0
	for i := range bid.N {
		a, b, newest := bid.Cols[0].I[i]-1000, bid.Cols[1].I[i]-1000, int64(i/46)
		last := newest*3 + 2
		if a < max(last-100, 0)/100*100 || a > last+10 || b < max(newest-1000, 0) || b > newest+10 {
			t.Fatalf("bid %d is for auction %d of bidder %d", i, a, b)
		}
		if a == last/100*100 {
			hot++
		}
		if b == newest/100*100+1 {
			hotBidders++
		}
	}
	near(t, "hot auctions", float64(hot)/float64(bid.N), 0.5)
	near(t, "hot bidders", float64(hotBidders)/float64(bid.N), 0.75)
	hot = 0
	for i := range bid.N {
		if slices.Contains(hotNames[:], string(bid.Cols[3].Bytes(i))) {
			hot++
		}
	}
	near(t, "hot channels", float64(hot)/float64(bid.N), 0.5)
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.01 {
		t.Errorf("%s: %.3f, want %.3f", what, got, want)
	}
}

func batchTypes(table string) []types.Type {
	var ts []types.Type
	for _, c := range columnsOf(table) {
		ts = append(ts, c.Type)
	}
	return ts
}

// TestTimes: event n comes n/rate after the start, in whole milliseconds.
func TestTimes(t *testing.T) {
	for _, rate := range []string{"1", "7", "999", "10000", "333333", "1000000000"} {
		s := open(t, "bid", map[string]string{"rate": rate, "start": "2020-02-29 23:59:59"})
		for _, n := range []uint64{0, 4, 49, 1_000_003, 123_456_789_012} {
			if got, want := s.seq.millis(n), n*1000/s.seq.rate; got != want {
				t.Errorf("rate %s: event %d at %d ms, want %d", rate, n, got, want)
			}
		}
		c, _, err := s.ReadRange(context.Background(), 0, 0, 1, []int{5}, nil)
		if want := time.Date(2020, 2, 29, 23, 59, 59, 0, time.UTC).UnixMicro() + int64(4000/s.seq.rate)*1000; err != nil || c.Cols[5].I[0] != want {
			t.Errorf("rate %s: the first bid comes at %d, want %d", rate, c.Cols[5].I[0], want)
		}
	}
}

// TestPrices: their logarithms are spread evenly from 2 to 8.
func TestPrices(t *testing.T) {
	var decades [6]int
	const n = 600_000
	for k := range uint64(n) {
		p := price(draw(7, k))
		if p < 100 || p > 100_000_000 {
			t.Fatal(p)
		}
		decades[min(int(math.Log10(float64(p)))-2, 5)]++
	}
	for d, count := range decades {
		near(t, fmt.Sprintf("prices from 10^%d", d+2), float64(count)*6/n, 1)
	}
	for _, u := range []float64{0, 0.1, 0.2503, 0.7777, 0.99999} {
		got, want := float64(price(uint64(u*(1<<32))<<32)), math.Pow(10, 6*u)*100
		if math.Abs(got-want) > want/40_000+1 {
			t.Errorf("price at %v is %v, want %v", u, got, want)
		}
	}
}

// TestTexts: sizes are on the average what the options say, and the columns of a row
// belong together.
func TestTexts(t *testing.T) {
	for table, c := range map[string]struct{ fixed, want int }{"person": {8, 200}, "auction": {48, 500}} {
		size, rows := 0, 0
		for _, chunk := range rowsOf(t, open(t, table, nil), 4096, chunkRows) {
			rows += chunk.N
			size += c.fixed * chunk.N
			for _, v := range chunk.Cols {
				for i := range v.N {
					if v.Off != nil {
						size += len(v.Bytes(i))
					}
				}
			}
		}
		if avg := float64(size) / float64(rows); math.Abs(avg-float64(c.want)) > 3 {
			t.Errorf("a %s has %.1f bytes, want %d", table, avg, c.want)
		}
	}
	urls := map[string]string{}
	for _, chunk := range rowsOf(t, open(t, "bid", nil), 20_000, chunkRows) {
		for i := range chunk.N {
			ch, url := string(chunk.Cols[3].Bytes(i)), string(chunk.Cols[4].Bytes(i))
			if old, ok := urls[ch]; ok && old != url {
				t.Fatalf("channel %s has the urls %s and %s", ch, old, url)
			}
			urls[ch] = url
			if parts := strings.Split(url, "/"); len(parts) != 7 || parts[2] != "www.nexmark.com" || !strings.HasPrefix(parts[6], "item.htm?query=1") {
				t.Fatal(url)
			}
		}
	}
	if len(urls) < 9000 {
		t.Errorf("%d channels", len(urls))
	}
}

func TestPace(t *testing.T) {
	ctx, now := context.Background(), time.Unix(1000, 0)
	for _, c := range []struct {
		from  connector.Offset
		after time.Duration
		want  connector.Offset
		end   bool
	}{{0, 0, 0, false}, {0, time.Second, 460, false}, {920, 0, 919, false}, {920, time.Second, 1379, false}, {0, time.Hour, 4600, true}} {
		s := open(t, "bid", map[string]string{"pace": "1000", "partitions": "2", "events": "10000"})
		if _, _, err := s.Latest(ctx, 1, c.from, now); err != nil {
			t.Fatal(err)
		}
		o, end, err := s.Latest(ctx, 1, c.from, now.Add(c.after))
		if diff := int64(o) - int64(c.want); diff < -1 || diff > 1 || end != c.end || err != nil {
			t.Errorf("from %d after %v: %d, %v, %v, want %d", c.from, c.after, o, end, err, c.want)
		}
	}
}

func TestOpens(t *testing.T) {
	s := open(t, "bid", map[string]string{"opens": "2026-01-02 03:04:05.5", "partitions": "1", "events": "50"})
	at := time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC)
	if o, end, err := s.Latest(t.Context(), 0, 7, at.Add(-1)); o != 7 || end || err != nil {
		t.Errorf("before: %d, %v, %v", o, end, err)
	}
	if o, end, err := s.Latest(t.Context(), 0, 7, at); o != 46 || !end || err != nil {
		t.Errorf("then: %d, %v, %v", o, end, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		column connector.Column
		with   map[string]string
		want   string
	}{
		{connector.Column{Name: "id", Type: types.MakeBigInt()}, nil, "has no column 'id'; it has auction, bidder"},
		{connector.Column{Name: "price", Type: types.MakeVarChar(9)}, nil, "Incorrect column specifier for column 'price'"},
		{connector.Column{Name: "dateTime", Type: types.MakeDateTime(0)}, nil, "Incorrect column specifier for column 'dateTime'"},
		{connector.Column{Name: "url", Type: types.MakeVarChar(30)}, nil, "gives up to 77 characters"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"table": "bids"}, "'person', 'auction' or 'bid'"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"rate": "0"}, "'rate'"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"start": "soon"}, "'start'"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"opens": "soon"}, "'opens'"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"out_of_order": "75"}, "'out_of_order'"},
		{connector.Column{Name: "price", Type: types.MakeBigInt()}, map[string]string{"partitions": "65"}, "1 to 64 partitions"},
	} {
		all := map[string]string{"table": "bid"}
		maps.Copy(all, c.with)
		o, err := Kind().Check(all)
		if err == nil {
			_, err = New([]connector.Column{c.column}, o)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %v: %v", c.column.Name, c.with, err)
		}
	}
}

// BenchmarkRead makes columns of bids: by name, those that queries read.
func BenchmarkRead(b *testing.B) {
	all := positions(7)
	for _, c := range []struct {
		name string
		want []int
	}{{"auction", all[:1]}, {"bidder", all[1:2]}, {"price", all[2:3]}, {"texts", all[3:5]}, {"dateTime", all[5:6]}, {"numbers", []int{0, 1, 2, 5}}, {"all", all}} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, "bid", nil)
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			rows := 0
			var spare *batch.Chunk
			_, _, _ = s.ReadRange(context.Background(), 0, 0, chunkRows, c.want, nil)
			b.ReportAllocs()
			b.ResetTimer()
			start := optest.ThreadTime()
			for k := range b.N {
				chunk, _, err := s.ReadRange(context.Background(), 0, connector.Offset(k)*chunkRows, connector.Offset(k+1)*chunkRows, c.want, spare)
				if err != nil {
					b.Fatal(err)
				}
				rows += chunk.N
				spare = chunk
			}
			if rows != b.N*chunkRows {
				b.Fatal("rows are missing")
			}
			b.ReportMetric(float64(optest.ThreadTime()-start)/float64(rows), "cpu-ns/row")
		})
	}
}
