package answers

import (
	"database/sql"
	"encoding/csv"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/bench/nexmark"
	"streamsql/engine"
	"streamsql/operators/connector"
	generator "streamsql/operators/connector/nexmark"
	"streamsql/server"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// record is a line of a CSV file, by column.
type record map[string]string

func (r record) num(name string) int64 {
	n, err := strconv.ParseInt(r[name], 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func (r record) time(name string) int64 { return types.ParseDateTime([]byte(r[name])).US }

func (r record) text(name string) []byte {
	if r[name] == `\N` {
		return nil
	}
	return []byte(r[name])
}

// records read a file of the small set of events.
func records(t *testing.T, name string) []record {
	t.Helper()
	f, err := os.Open("../small/" + name + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []record
	for _, l := range lines[1:] {
		r := record{}
		for k, name := range lines[0] {
			r[name] = l[k]
		}
		out = append(out, r)
	}
	return out
}

// sideTable is what q13 looks up in.
func sideTable() map[int64]string {
	side := map[int64]string{}
	for id := int64(1001); id < 1600; id += 4 {
		side[id] = fmt.Sprint("item ", id%7)
	}
	return side
}

// small is the auction house of the small set of events.
func small(t *testing.T) *House {
	h := &House{Side: sideTable()}
	persons, auctions, bids := records(t, "person"), records(t, "auction"), records(t, "bid")
	h.persons = func(yield func(*person)) {
		for _, r := range persons {
			yield(&person{id: r.num("id"), name: r.text("name"), city: r.text("city"), state: r.text("state"), at: r.time("dateTime")})
		}
	}
	h.auctions = func(yield func(*auction)) {
		for _, r := range auctions {
			yield(&auction{id: r.num("id"), initial: r.num("initialBid"), reserve: r.num("reserve"), at: r.time("dateTime"), expires: r.time("expires"),
				seller: r.num("seller"), category: r.num("category"), item: r.text("itemName"), description: r.text("description"), extra: r.text("extra")})
		}
	}
	h.bids = func(yield func(*bid)) {
		for _, r := range bids {
			yield(&bid{auction: r.num("auction"), bidder: r.num("bidder"), price: r.num("price"), at: r.time("dateTime"),
				channel: r.text("channel"), url: r.text("url"), extra: r.text("extra")})
		}
	}
	return h
}

// TestSmallSet: the rows are those that were computed in three other ways.
func TestSmallSet(t *testing.T) {
	h := small(t)
	for q := range queries {
		t.Run(nexmark.Name(q), func(t *testing.T) {
			var got, want []string
			out := &rows{keep: func(line string) { got = append(got, line) }}
			queries[q].run(h, out)
			for _, line := range nexmark.Expected(q) {
				want = append(want, strings.ReplaceAll(line, "\t", "|"))
			}
			slices.Sort(got)
			slices.Sort(want)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("row %d of %d is %q, want %q of %d", i, len(got), got[min(i, len(got)-1)], want[min(i, len(want)-1)], len(want))
				}
			}
		})
	}
}

// house is a server with the generator's streams.
type house struct {
	t   *testing.T
	eng *engine.Engine
	db  *sql.DB
}

const schema = `CREATE DATABASE d;
CREATE STREAM TABLE d.person (id BIGINT, name VARCHAR(64), emailAddress VARCHAR(64), creditCard VARCHAR(32), city VARCHAR(32), state VARCHAR(8),
  dateTime DATETIME(3), extra VARCHAR(512), WATERMARK FOR dateTime AS dateTime - INTERVAL 4 SECOND) WITH (connector = 'nexmark', table = 'person', %[1]s);
CREATE STREAM TABLE d.auction (id BIGINT, itemName VARCHAR(64), description VARCHAR(128), initialBid BIGINT, reserve BIGINT, dateTime DATETIME(3),
  expires DATETIME(3), seller BIGINT, category BIGINT, extra VARCHAR(1024), WATERMARK FOR dateTime AS dateTime - INTERVAL 4 SECOND) WITH (connector = 'nexmark', table = 'auction', %[1]s);
CREATE STREAM TABLE d.bid (auction BIGINT, bidder BIGINT, price BIGINT, channel VARCHAR(32), url VARCHAR(128), dateTime DATETIME(3), extra VARCHAR(512),
  WATERMARK FOR dateTime AS dateTime - INTERVAL 4 SECOND) WITH (connector = 'nexmark', table = 'bid', %[1]s);
CREATE TABLE d.side_input (id BIGINT PRIMARY KEY, value VARCHAR(32))`

func open(t *testing.T, options map[string]string) *house {
	eng, err := engine.Open(engine.Config{Dir: t.TempDir(), Workers: 2, Connectors: connector.NewRegistry(generator.Kind())})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	front := server.New(l, eng, server.Options{})
	go front.Serve()
	h := &house{t: t, eng: eng}
	if h.db, err = sql.Open("mysql", "root@tcp("+l.Addr().String()+")/?multiStatements=true"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.db.Close()
		_ = front.Shutdown(t.Context())
		_ = eng.Close()
	})
	var with []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		with = append(with, name+" = '"+options[name]+"'")
	}
	for text := range strings.SplitSeq(fmt.Sprintf(schema, strings.Join(with, ", ")), ";\n") {
		h.exec(text)
	}
	h.db.Close()
	if h.db, err = sql.Open("mysql", "root@tcp("+l.Addr().String()+")/d"); err != nil {
		t.Fatal(err)
	}
	var side []string
	for id, value := range sideTable() {
		side = append(side, fmt.Sprintf("(%d, '%s')", id, value))
	}
	h.exec("INSERT INTO side_input VALUES " + strings.Join(side, ", "))
	return h
}

func (h *house) exec(text string) {
	h.t.Helper()
	if _, err := h.db.Exec(text); err != nil {
		h.t.Fatalf("%.100s: %v", text, err)
	}
}

func (h *house) view(q int) {
	h.exec("CREATE MATERIALIZED VIEW " + nexmark.Name(q) + " AS " + nexmark.Text(q))
}

// check compares views with the answers up to some offsets.
func (h *house) check(options map[string]string, offsets map[string][]uint64, list ...int) {
	known, err := Open(options, offsets)
	if err != nil {
		h.t.Fatal(err)
	}
	known.Side = sideTable()
	for _, q := range list {
		var got Answer
		if err := h.db.QueryRow(Check(q, nexmark.Name(q))).Scan(&got.Rows, &got.Sum); err != nil {
			h.t.Fatalf("%s: %v", nexmark.Name(q), err)
		}
		want := known.Answer(q)
		if got != want || want.Rows == 0 {
			h.t.Errorf("%s: %+v, want %+v", nexmark.Name(q), got, want)
		}
		if n := known.Count(q); n != want.Rows {
			h.t.Errorf("%s: %d rows counted, of %d", nexmark.Name(q), n, want.Rows)
		}
	}
}

// TestEngine: the engine's views over the generator's events are what the answers say,
// whether memory that was given back is used again or spoiled.
func TestEngine(t *testing.T) {
	for i, options := range []map[string]string{
		{"events": "100000"},
		{"events": "40000", "out_of_order": "500", "partitions": "3", "rate": "1500", "start": "2024-02-28 23:59:50", "seed": "5"},
	} {
		vector.PoisonSpares(i == 1)
		h := open(t, options)
		var all []int
		for q := range queries {
			h.view(q)
			all = append(all, q)
		}
		var events int
		for deadline := time.Now().Add(2 * time.Minute); fmt.Sprint(events) != options["events"]; time.Sleep(20 * time.Millisecond) {
			row := h.db.QueryRow("SELECT (SELECT COUNT(*) FROM person) + (SELECT COUNT(*) FROM auction) + (SELECT COUNT(*) FROM bid)")
			if err := row.Scan(&events); err != nil {
				t.Fatal(err)
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d events have come", events)
			}
		}
		h.eng.StopSources()
		h.check(options, nil, all...)
	}
}

// TestOffsets: the answers hold for streams that were stopped anywhere.
func TestOffsets(t *testing.T) {
	options := map[string]string{"rate": "20000", "pace": "300000"}
	h := open(t, options)
	some := []int{1, 4, 5, 17}
	for _, q := range some {
		h.view(q)
	}
	for bids := 0; bids < 20_000; time.Sleep(10 * time.Millisecond) { // then it is somewhere
		if err := h.db.QueryRow("SELECT COUNT(*) FROM bid").Scan(&bids); err != nil {
			t.Fatal(err)
		}
	}
	offsets := map[string][]uint64{}
	for name, to := range h.eng.StopSources() {
		offsets[strings.TrimPrefix(name, "d.")] = to
	}
	h.check(options, offsets, some...)
}
