package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/connector/nexmark"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// numbers is a connector whose only column counts; it knows how often it was read.
type numbers struct {
	read   atomic.Int64 // rows
	rows   atomic.Int64 // that there are, in each of the partitions
	closed atomic.Int64
}

const numbersPartitions = 2

func (s *numbers) kind() *connector.Kind {
	return &connector.Kind{
		Name: "numbers", Columns: []connector.Column{{Name: "n", Type: types.MakeBigInt()}},
		Source: func([]connector.Column, connector.Values) (connector.Source, error) { return s, nil },
	}
}

func (s *numbers) Partitions() int { return numbersPartitions }

func (s *numbers) ReadRange(_ context.Context, part int, from, to connector.Offset, _ []int, _ *batch.Chunk) (*batch.Chunk, connector.Offset, error) {
	s.read.Add(int64(to - from))
	c := batch.New([]types.Type{types.MakeBigInt()}, int(to-from))
	for n := from; n < to; n++ {
		c.Cols[0].AppendInt(int64(n)*numbersPartitions + int64(part))
	}
	c.N = int(to - from)
	return c, to, nil
}

func (s *numbers) Latest(context.Context, int, connector.Offset, time.Time) (connector.Offset, bool, error) {
	return connector.Offset(s.rows.Load()), false, nil
}

func (s *numbers) Close() error { s.closed.Add(1); return nil }

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never happened: " + what)
		}
	}
}

// TestOneReading: however many views read a connector's stream, and some of them
// twice, its rows are read once; DROP closes it.
func TestOneReading(t *testing.T) {
	src := &numbers{}
	h := open(t, Config{Connectors: connector.NewRegistry(src.kind())})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (n BIGINT NOT NULL) WITH (connector = 'numbers');
		CREATE MATERIALIZED VIEW a AS SELECT COUNT(*) AS c, SUM(n) AS s FROM s;
		CREATE MATERIALIZED VIEW b AS SELECT n DIV 1000 AS k, COUNT(*) AS c FROM s GROUP BY n DIV 1000;
		CREATE MATERIALIZED VIEW twice AS SELECT COUNT(*) AS c FROM s AS x JOIN s AS y ON x.n = y.n`)
	h.query("SELECT a.c FROM a, b, twice") // they have their history, which is empty
	for _, rows := range []int64{10, 5_000, 40_000} {
		src.rows.Store(rows)
		n := rows * numbersPartitions
		eventually(t, "all rows in all views", func() bool {
			for _, v := range []string{"a", "twice"} {
				if h.query("SELECT c FROM "+v) != fmt.Sprint(n) {
					return false
				}
			}
			return h.query("SELECT SUM(c) FROM b") == fmt.Sprint(n)
		})
	}
	if got, want := src.read.Load(), int64(40_000*numbersPartitions); got != want {
		t.Errorf("%d rows were read, there are %d", got, want)
	}
	h.exec("CREATE MATERIALIZED VIEW late AS SELECT COUNT(*) AS c FROM s")
	eventually(t, "the late view", func() bool { return h.query("SELECT c FROM late") == "80000" })
	h.exec("DROP STREAM TABLE s CASCADE")
	eventually(t, "the source is closed", func() bool { return src.closed.Load() == 1 })
}

// TestPiecesAreBounded: what one of three readers never takes does not stay.
func TestPiecesAreBounded(t *testing.T) {
	const rows, limit = 4096, 4 << 20
	src, x, read := &numbers{}, newPieces(nil, limit), 0
	for from := uint64(0); from < 3*limit/8; from += rows {
		for range 2 {
			kept, shared := x.take(place{0, from}, from+rows, sharers{3, []int{0}}, func() pieceRows {
				read++
				c, _, _ := src.ReadRange(t.Context(), 0, connector.Offset(from), connector.Offset(from+rows), nil, nil)
				return pieceRows{chunk: c}
			})
			if c := kept.chunk; c.Cols[0].I[0] != int64(from)*numbersPartitions || !shared {
				t.Fatalf("%d at %d, shared: %v", c.Cols[0].I[0], from, shared)
			}
		}
	}
	if want := 3 * limit / 8 / rows; read != want {
		t.Errorf("%d pieces were read, there are %d", read, want)
	}
	if x.bytes > limit || x.bytes < limit/2 || len(x.at) != len(x.order) {
		t.Errorf("%d bytes are kept, %d pieces, %d in order", x.bytes, len(x.at), len(x.order))
	}
	again := func() pieceRows { read = -1; return pieceRows{chunk: batch.New(nil, 0)} }
	if x.take(place{0, 0}, rows, sharers{3, []int{0}}, again); read != -1 {
		t.Error("a reader that is far behind reads again")
	}
	read = 0
	if x.take(place{0, 0}, rows, sharers{3, []int{0, 1}}, again); read != -1 {
		t.Error("a reader that needs another column reads again")
	}
	if x.close(); x.bytes != 0 || len(x.at) != 0 {
		t.Errorf("%d bytes, %d pieces after all", x.bytes, len(x.at))
	}
}

// TestReadersApart: two readers share a piece and then read on by themselves, as those do whom
// the pieces were dropped before. What one of them gives back is not the other's.
func TestReadersApart(t *testing.T) {
	src := &numbers{}
	x := &external{source: src, pieces: newPieces(nil, 1<<20), reading: make([]atomic.Int64, numbersPartitions)}
	var readers [2]*reading
	for i := range readers {
		readers[i] = &reading{x: x, to: 300, with: sharers{2, []int{0}}, origin: &task.Origin{First: 1000, Time: -1}}
		if c, _ := readers[i].rows(100); c.N != 100 {
			t.Fatalf("%d rows", c.N)
		}
		readers[i].reuse()
		readers[i].with.n = 1
	}
	var arrivals [2]*vector.Vector // of the rows from 100 on
	for i, r := range readers {
		c, o := r.rows(100)
		arrivals[i] = o.Column(catalog.ArrivalColumn, c.N, nil)
	}
	readers[0].reuse()
	if v := arrivals[1]; v.N != 100 || v.I[0] != 1100 || v.I[99] != 1199 {
		t.Errorf("%d arrivals: %v", v.N, v.I)
	}
}

// A source whose rows come one by one is not read one by one: there is at most one
// batch in pollEvery.
func TestFewRowsAreReadNowAndThen(t *testing.T) {
	for _, times := range []string{"", ", WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND"} {
		h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(nexmark.Kind())})
		begin := time.Now()
		h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE b (auction BIGINT, dateTime DATETIME(3)` + times + `) WITH (connector = 'nexmark', table = 'bid', pace = '20000');
CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS n FROM b`)
		read := func() (rows uint64, batches int64) {
			h.e.mu.Lock()
			defer h.e.mu.Unlock()
			for _, x := range h.e.externals {
				for _, o := range x.offsets {
					rows += o
				}
			}
			return rows, int64(h.e.timeline.Last().ID)
		}
		rows, batches := read()
		for ; rows < 2000; rows, batches = read() {
			if time.Since(begin) > time.Minute {
				t.Fatalf("%d rows in a minute", rows)
			}
			time.Sleep(time.Millisecond)
		}
		if most := int64(time.Since(begin)/pollEvery) + 10; batches > most {
			t.Errorf("%q: %d batches of %d rows in %v, want at most %d", times, batches, rows, time.Since(begin), most)
		}
	}
}
