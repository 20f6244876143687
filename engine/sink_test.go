package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
)

// boxes are sinks whose content survives the engine: what each batch brought.
type boxes struct {
	mu    sync.Mutex
	of    map[string]*box
	fails func() bool // asked before and after a batch is taken
}

type box struct {
	boxes *boxes
	kind  connector.Changelog
	taken []uint64
	rows  map[string]int // how often each row is there
	fault string
}

func (b *boxes) kindOf() *connector.Kind {
	return &connector.Kind{
		Name: "box", Doc: "A box.", Example: "-", Options: []connector.Option{{Name: "name", Type: connector.Text, Required: true, Doc: "Which."}},
		Changelogs: []connector.Changelog{connector.Append, connector.Upsert, connector.Retract},
		Sink: func(s connector.SinkSpec) (connector.Sink, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			name := s.Options.Text("name")
			if b.of[name] == nil {
				b.of[name] = &box{boxes: b, kind: s.Changelog, rows: map[string]int{}}
			}
			return b.of[name], nil
		},
	}
}

var errFull = errors.New("the box is full")

func (x *box) Write(_ context.Context, id uint64, changes []*batch.Chunk) error {
	x.boxes.mu.Lock()
	defer x.boxes.mu.Unlock()
	if x.boxes.fails() {
		return errFull
	}
	if n := len(x.taken); n == 0 || x.taken[n-1] < id {
		x.taken = append(x.taken, id)
		for _, c := range changes {
			x.take(c)
		}
	}
	if x.boxes.fails() {
		return errFull // it is there, and comes again
	}
	return nil
}

// take keeps the rows that are there: of an upsert by their first column.
func (x *box) take(c *batch.Chunk) {
	for i := range c.N {
		row, n := string(c.AppendRow(nil, i)), int(c.Weight(i))
		if x.kind == connector.Append {
			x.rows[row] += n
			continue
		}
		op, row, _ := strings.Cut(row, " ")
		switch {
		case n < 1 || n > 1 && x.kind == connector.Upsert:
			x.fault = fmt.Sprintf("%s %s × %d", op, row, n)
		case x.kind == connector.Retract && (op == connector.OpInsert || op == connector.OpAfter):
			x.rows[row] += n
		case x.kind == connector.Retract:
			x.rows[row] -= n
		default:
			key, _, _ := strings.Cut(row, " ")
			for old := range x.rows {
				if k, _, _ := strings.Cut(old, " "); k == key {
					delete(x.rows, old)
				}
			}
			if op != connector.OpDelete {
				x.rows[row] = 1
			}
		}
		if x.rows[row] == 0 {
			delete(x.rows, row)
		}
	}
}

// Taken is the last batch that is safe.
func (x *box) Taken() uint64 {
	x.boxes.mu.Lock()
	defer x.boxes.mu.Unlock()
	if len(x.taken) == 0 {
		return 0
	}
	return x.taken[len(x.taken)-1]
}

func (x *box) Close() error { return nil }

const boxed = `
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT NOT NULL, v INT NOT NULL);
CREATE TABLE t (id INT PRIMARY KEY, k INT NOT NULL);
CREATE MATERIALIZED VIEW sums AS SELECT k, SUM(v) AS total FROM s GROUP BY k;
INSERT INTO s VALUES (1, 1), (2, 2);
CREATE SINK every WITH (connector = 'box', name = 'every') AS SELECT k, v FROM s WHERE v > 0;
CREATE SINK newest WITH (connector = 'box', name = 'newest', changelog = 'upsert') FROM sums;
CREATE SINK pairs WITH (connector = 'box', name = 'pairs', changelog = 'retract') AS SELECT t.k, sums.total FROM t JOIN sums ON t.k = sums.k;
`

// Whatever fails and whenever the engine crashes, what a sink has been told makes up
// the result, each change counted once.
func TestSinkExactlyOnce(t *testing.T) {
	for seed := range int64(3) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { sinkExactlyOnce(t, seed) })
	}
}

func sinkExactlyOnce(t *testing.T, seed int64) {
	rng := rand.New(rand.NewSource(seed))
	b := &boxes{of: map[string]*box{}, fails: func() bool { return rng.Intn(10) == 0 }}
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(b.kindOf())})
	h.exec(boxed)
	v := 2
	for range 40 {
		v++
		switch k := rand.New(rand.NewSource(int64(v))).Intn(5); {
		case v%10 == 4:
			h.crash()
		case v%5 == 2:
			h.round()
		case v%3 == 0:
			_ = h.try(fmt.Sprintf("INSERT INTO t VALUES (%d, %d)", v, k))
		case v%7 == 0:
			h.exec(fmt.Sprintf("DELETE FROM t WHERE k = %d", k))
		default:
			h.exec(fmt.Sprintf("INSERT INTO s VALUES (%d, %d)", k, v))
		}
	}
	h.filled()
	h.round() // without one, a sink that no checkpoint knows yet waits for it
	for end := time.Now().Add(20 * time.Second); ; {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := h.e.Flush(ctx, nil, time.Second)
		cancel()
		if b.same(h) {
			break
		}
		if time.Now().After(end) {
			var faults []string
			for _, st := range h.e.Status() {
				faults = append(faults, st.Reason+st.Error)
			}
			t.Fatalf("%v; faults %q; the boxes hold %v, must %s", err, faults, b.held(), b.wanted(h))
		}
	}
}

// wanted is what the queries give.
func (b *boxes) wanted(h *harness) map[string]string {
	return map[string]string{
		"every":  h.query("SELECT k, v FROM s WHERE v > 0"),
		"newest": h.query("SELECT * FROM sums"),
		"pairs":  h.query("SELECT t.k, sums.total FROM t JOIN sums ON t.k = sums.k"),
	}
}

// held is what the boxes hold, and which batches they took.
func (b *boxes) held() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out strings.Builder
	for name, x := range b.of {
		fmt.Fprintf(&out, "%s: %v of batches %v\n", name, x.rows, x.taken)
	}
	return out.String()
}

// same compares the boxes with what the queries give.
func (b *boxes) same(h *harness) bool {
	want := b.wanted(h)
	b.mu.Lock()
	defer b.mu.Unlock()
	for name, text := range want {
		x := b.of[name]
		if x == nil {
			return false
		}
		if x.fault != "" {
			h.t.Fatalf("%s was told %s", name, x.fault)
		}
		rows := map[string]int{}
		for r := range strings.SplitSeq(text, "; ") {
			if r != "" {
				rows[r]++
			}
		}
		if fmt.Sprint(rows) != fmt.Sprint(x.rows) {
			return false
		}
	}
	return true
}

// filled waits until every query has its history.
func (h *harness) filled() {
	h.t.Helper()
	err := h.e.await(h.t.Context(), func() bool {
		for _, j := range h.e.jobs {
			if j.filling {
				return false
			}
		}
		return true
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// A connector that takes nothing holds up its sink only, which says why, and what
// waits for it survives a restart.
func TestSinkThatTakesNothing(t *testing.T) {
	full := true
	b := &boxes{of: map[string]*box{}}
	b.fails = func() bool { return full }
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(b.kindOf())})
	h.exec(boxed)
	h.filled()
	h.round()
	h.exec("INSERT INTO s VALUES (1, 10)")
	h.want("SELECT total FROM sums WHERE k = 1", "11")
	fault := func() string {
		for _, s := range h.e.Status() {
			if s.View == h.named("every").ID {
				return s.Reason
			}
		}
		return ""
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(fault(), errFull.Error()); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the reason is %q", fault())
		}
	}
	h.round()
	h.reopen()
	b.mu.Lock()
	full = false
	b.mu.Unlock()
	for end := time.Now().Add(20 * time.Second); !b.same(h); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the box holds %v", b.of["every"].rows)
		}
	}
}

// A sink that has failed is not begun anew over what it has delivered.
func TestFailedSinkStays(t *testing.T) {
	b := &boxes{of: map[string]*box{}, fails: func() bool { return false }}
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(b.kindOf())})
	h.exec(boxed + `CREATE SINK bad WITH (connector = 'box', name = 'bad', on_error = 'fail') AS SELECT k, v * 9223372036854775807 AS big FROM s WHERE k = 7 OR v = 1`)
	h.filled()
	h.round()
	for end := time.Now().Add(10 * time.Second); b.of["bad"].Taken() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was delivered")
		}
	}
	h.exec("INSERT INTO s VALUES (7, 2)")
	failure := func() string {
		for _, s := range h.e.Status() {
			if s.View == h.named("bad").ID {
				return s.Error
			}
		}
		return ""
	}
	wait := func(text string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); !strings.Contains(failure(), text); time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the reason is %q", failure())
			}
		}
	}
	wait("out of range")
	h.round()
	h.reopen()
	wait("deliver that twice")
	if err := h.try("RESTART CONTINUOUS QUERY sums"); sqlerr.From(err).Code != sqlerr.NotSupportedYet {
		t.Errorf("a view that a sink reads was begun anew: %v", err)
	}
	h.exec("DROP SINK bad")
}

// TestSinkOptionsSet: what a sink's log keeps stays as it is when an option changes.
func TestSinkOptionsSet(t *testing.T) {
	b := &boxes{of: map[string]*box{}, fails: func() bool { return false }}
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(b.kindOf())})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE s (n BIGINT);
CREATE SINK nowhere WITH (connector = 'box', name = 'nowhere', changelog = 'retract') AS SELECT n FROM s;
CREATE MATERIALIZED VIEW v WITH (history = '1 hour') AS SELECT n FROM s;
ALTER SINK nowhere SET (on_error = 'fail');
ALTER MATERIALIZED VIEW v SET (history = DEFAULT)`)
	h.e.mu.Lock()
	defer h.e.mu.Unlock()
	for name, want := range map[string]retention{"nowhere": {batches: 1}, "v": {batches: defaultBatches, bytes: hotBytes}} {
		if got := h.e.jobs[h.named(name).ID].log.keep; got != want {
			t.Errorf("the log of %s keeps %+v, not %+v", name, got, want)
		}
	}
}
