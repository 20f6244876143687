package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/connector/nexmark"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

// systemPlan reads columns of a stream, system columns among them.
func (h *harness) systemPlan(name string, columns ...int) *physical.Plan {
	h.t.Helper()
	t, ok := h.e.Catalog().Table("d", name)
	if !ok {
		h.t.Fatalf("no table %s", name)
	}
	var fields []physical.Field
	for _, c := range columns {
		f := physical.Field{Name: fmt.Sprintf("c%d", c)}
		switch c {
		case catalog.WatermarkColumn:
			f.Type = t.Columns[t.EventTime.Column].Type
			f.Type.NotNull = false
		case catalog.ArrivalColumn:
			f.Type = types.MakeBigInt()
			f.Type.Unsigned, f.Type.NotNull = true, true
		default:
			f.Type = t.Columns[c].Type
		}
		fields = append(fields, f)
	}
	n := &physical.Node{Kind: physical.Source, Fields: fields, Source: &physical.SourceSpec{Table: uint64(t.ID), Name: name, Columns: columns}}
	n.Props.AppendOnly = !t.Upsert()
	physical.Number(n)
	return &physical.Plan{Version: physical.Version, Root: n, Output: fields}
}

// view makes a materialized view of a plan.
func (h *harness) view(name string, plan *physical.Plan) {
	h.t.Helper()
	e := h.e
	e.ddlMu.Lock()
	defer e.ddlMu.Unlock()
	encoded, err := physical.Encode(plan)
	if err != nil {
		h.t.Fatal(err)
	}
	t := &catalog.Table{ID: e.nextID(), Database: "d", Name: name, Kind: catalog.MaterializedView, Plan: encoded, Session: testSession}
	for _, f := range plan.Output {
		t.Columns = append(t.Columns, catalog.Column{Name: f.Name, Type: f.Type})
	}
	for _, id := range plan.Tables() {
		t.Reads = append(t.Reads, catalog.ID(id))
	}
	next, err := e.cat.Load().WithTable(t)
	if err != nil {
		h.t.Fatal(err)
	}
	start, err := e.prepare(h.t.Context(), t, plan)
	if err == nil {
		err = e.logDDL(h.t.Context(), next, store.Entry{Tables: []*catalog.Table{t}})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	start(true)
}

// once runs a one-off plan and prints its rows, sorted as batch.Chunk prints them.
func (h *harness) once(plan *physical.Plan) string {
	h.t.Helper()
	tx := h.tx
	if tx == nil {
		var err error
		if tx, err = h.e.Begin(); err != nil {
			h.t.Fatal(err)
		}
		defer tx.Rollback()
	}
	rows, err := tx.Query(h.t.Context(), plan, ReadOptions{After: h.pos, Eval: EvalOptions{Location: time.UTC}})
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	var ts []types.Type
	for _, f := range plan.Output {
		ts = append(ts, f.Type)
	}
	all := batch.New(ts, 0)
	for {
		c, err := rows.Next(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		if c == nil {
			return sortedText(all)
		}
		for i := range c.N {
			all.AppendFrom(c, i, c.Weight(i))
		}
	}
}

func sortedText(c *batch.Chunk) string {
	lines := strings.Split(strings.TrimSpace(c.String()), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// viewText is a view's content, to be compared with once.
func (h *harness) viewText(name string) string {
	h.t.Helper()
	t, _ := h.e.Catalog().Table("d", name)
	var columns []int
	for i := range t.Columns {
		columns = append(columns, i)
	}
	return h.once(h.systemPlan(name, columns...))
}

const events = `
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT, ts DATETIME(3), WATERMARK FOR ts AS ts - INTERVAL 2 SECOND) WITH (partitions = 2);
`

func TestSystemColumns(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(events)
	plan := h.systemPlan("s", 0, catalog.WatermarkColumn, catalog.ArrivalColumn)
	h.view("live", plan)
	// Blocks go to partitions 0, 1, 0, 1 …
	h.exec(`
INSERT INTO s VALUES (1, '2024-01-01 00:00:10'), (2, '2024-01-01 00:00:05'), (3, NULL), (4, '2024-01-01 00:00:20'), (5, '2024-01-01 00:00:01');
INSERT INTO s VALUES (6, NULL), (7, '2024-01-01 00:00:03'), (8, '2024-01-01 00:00:03');
INSERT INTO s VALUES (9, '2024-01-01 00:00:30');
INSERT INTO s VALUES (10, '2024-01-01 00:00:30')`)
	h.want(`SELECT c0, `+"`c-1`"+` FROM live`, strings.Join([]string{
		"1 NULL", "10 2024-01-01 00:00:01.000", "2 2024-01-01 00:00:08.000", "3 2024-01-01 00:00:08.000", "4 2024-01-01 00:00:08.000",
		"5 2024-01-01 00:00:18.000", "6 NULL", "7 NULL", "8 2024-01-01 00:00:01.000", "9 2024-01-01 00:00:18.000"}, "; "))
	first := h.once(plan)
	same := func(when string) {
		t.Helper()
		if got := h.once(plan); got != first {
			t.Errorf("%s, one-off:\n%s\nwant\n%s", when, got, first)
		}
		if got := h.viewText("live"); got != first {
			t.Errorf("%s, view:\n%s\nwant\n%s", when, got, first)
		}
	}
	same("live")
	h.crash()
	same("after a crash without a checkpoint")
	h.round()
	h.view("late", plan)
	if got := h.viewText("late"); got != first {
		t.Errorf("filled from history:\n%s\nwant\n%s", got, first)
	}
	h.crash()
	same("after a crash behind a checkpoint")
	h.exec(`INSERT INTO s VALUES (11, '2024-01-01 00:00:40'); INSERT INTO s VALUES (12, '2024-01-01 00:00:40')`)
	h.want(`SELECT c0, `+"`c-1`"+` FROM live WHERE c0 > 10`, "11 2024-01-01 00:00:28.000; 12 2024-01-01 00:00:28.000")
	first = h.once(plan)
	h.crash()
	same("after rows behind the checkpoint were replayed")
}

// TestOwnRowsHaveSystemColumns: a transaction reads what it has not committed yet
// behind everything else.
func TestOwnRowsHaveSystemColumns(t *testing.T) {
	h := open(t, Config{})
	h.exec(events + `INSERT INTO s VALUES (1, '2024-01-01 00:00:10'); INSERT INTO s VALUES (2, '2024-01-01 00:00:12')`)
	var err error
	if h.tx, err = h.e.Begin(); err != nil {
		t.Fatal(err)
	}
	h.exec(`INSERT INTO s VALUES (3, '2024-01-01 00:00:11'), (4, '2024-01-01 00:00:50'); INSERT INTO s VALUES (5, NULL)`)
	got := h.once(h.systemPlan("s", 0, catalog.WatermarkColumn))
	want := "+ 1 NULL\n+ 2 NULL\n+ 3 '2024-01-01 00:00:08.000'\n+ 4 '2024-01-01 00:00:09.000'\n+ 5 '2024-01-01 00:00:08.000'"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	h.tx.Rollback()
	h.tx = nil
}

// probe stands before an operator and notes what its batches say.
type probe struct {
	operators.Operator
	seen *seen
	own  struct {
		sync.Mutex
		due int64
	}
}

// seen is what the probes of a view have noted.
type seen struct {
	sync.Mutex
	stream  uint64
	notes   []string
	batches map[uint64]string
	due     func(now int64) int64 // nil: never
}

func (p *probe) Begin(b *operators.Batch) {
	p.seen.Lock()
	w := "none"
	if at, ok := b.Watermarks[p.seen.stream]; ok {
		w = time.UnixMicro(at).UTC().Format("15:04:05")
	}
	note := fmt.Sprintf("%s at %d", w, b.Now)
	if old, ok := p.seen.batches[b.ID]; !ok {
		p.seen.batches[b.ID] = note
		p.seen.notes = append(p.seen.notes, w)
	} else if old != note {
		p.seen.notes = append(p.seen.notes, fmt.Sprintf("batch %d was %q, is %q", b.ID, old, note))
	}
	due := operators.Never
	if p.seen.due != nil {
		due = p.seen.due(b.Now)
	}
	p.seen.Unlock()
	p.own.Lock()
	p.own.due = due
	p.own.Unlock()
	p.Operator.Begin(b)
}

func (p *probe) Due() int64 {
	p.own.Lock()
	defer p.own.Unlock()
	return p.own.due
}

// probing makes every view called name tell s what its batches say, and know the
// watermark of its stream.
func probing(name string, s *seen) func(*job) {
	s.batches = map[uint64]string{}
	return func(j *job) {
		if j.table.Name != name {
			return
		}
		s.Lock()
		s.stream = j.flow.Sources[0].Table
		s.Unlock()
		j.knows = []uint64{s.stream}
		for _, task := range j.flow.Stages[0] {
			n := &task.Frag.Nodes[0]
			p := &probe{Operator: n.Op, seen: s}
			p.own.due = operators.Never
			n.Op = p
		}
	}
}

// take returns the notes since the last time, once there are n of them.
func (s *seen) take(t *testing.T, n int) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		s.Lock()
		if len(s.notes) >= n || time.Now().After(deadline) {
			notes := strings.Join(s.notes, " ")
			s.notes = nil
			s.Unlock()
			return notes
		}
		s.Unlock()
	}
}

func TestWatermarkOfABatch(t *testing.T) {
	s := &seen{}
	h := open(t, Config{CheckpointEvery: byHand, made: probing("v", s)})
	h.exec(events)
	h.view("v", h.systemPlan("s", 0))
	s.take(t, 1) // history
	step := func(sql, want string) {
		t.Helper()
		h.exec(sql)
		h.query(`SELECT * FROM v`)
		if got := s.take(t, 1); got != want {
			t.Errorf("%s: watermark %s, want %s", sql, got, want)
		}
	}
	step(`INSERT INTO s VALUES (1, '2024-01-01 00:00:10')`, "none") // partition 1 has no row yet
	step(`INSERT INTO s VALUES (2, '2024-01-01 00:00:20')`, "00:00:08")
	step(`INSERT INTO s VALUES (3, '2024-01-01 00:00:40')`, "00:00:18")
	step(`INSERT INTO s VALUES (4, '2024-01-01 00:00:01')`, "00:00:18")
	h.crash() // without a checkpoint it is filled anew
	h.query(`SELECT * FROM v`)
	if got := s.take(t, 0); got != "" {
		t.Errorf("filled at the same batch as before, but %s", got)
	}
	step(`INSERT INTO s VALUES (5, NULL)`, "00:00:18")
	step(`INSERT INTO s VALUES (6, '2024-01-01 00:01:00')`, "00:00:38")
	h.round()
	step(`INSERT INTO s VALUES (7, '2024-01-01 00:01:10')`, "00:00:58")
	h.crash()
	h.query(`SELECT * FROM v`)
	if got := s.take(t, 0); got != "" {
		t.Errorf("replayed batches differ: %s", got)
	}
	step(`INSERT INTO s VALUES (8, '2024-01-01 00:02:00')`, "00:00:58") // turns begin anew
	step(`INSERT INTO s VALUES (9, '2024-01-01 00:02:10')`, "00:01:58")
}

// TestIdlePartition: a partition without rows lets the watermark go after the
// timeout, adopts it, and wakes with it.
func TestIdlePartition(t *testing.T) {
	s := &seen{}
	h := open(t, Config{CheckpointEvery: byHand, made: probing("v", s)})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE s (k INT, ts DATETIME(3), WATERMARK FOR ts AS ts) WITH (partitions = 2, idle_timeout = '150 ms')`)
	plan := h.systemPlan("s", 0, catalog.WatermarkColumn)
	h.view("v", plan)
	s.take(t, 1)
	time.Sleep(200 * time.Millisecond) // both are idle
	h.exec(`INSERT INTO s VALUES (1, '2024-01-01 00:00:10')`)
	if got := s.take(t, 1); got != "00:00:10" {
		t.Errorf("with the other partition idle: %s", got)
	}
	h.round()
	h.crash()
	h.exec(`INSERT INTO s VALUES (2, '2024-01-01 00:00:05')`) // partition 0 again: turns begin anew
	h.exec(`INSERT INTO s VALUES (3, '2024-01-01 00:00:07'), (4, '2024-01-01 00:00:20')`)
	h.want(`SELECT c0, `+"`c-1`"+` FROM v`, "1 NULL; 2 2024-01-01 00:00:10.000; 3 2024-01-01 00:00:10.000; 4 2024-01-01 00:00:10.000")
	first := h.once(plan)
	h.crash()
	if got := h.once(plan); got != first {
		t.Errorf("after a crash:\n%s\nwant\n%s", got, first)
	}
	if got := h.viewText("v"); got != first {
		t.Errorf("the view after a crash:\n%s\nwant\n%s", got, first)
	}
}

// TestIdleTimeoutSet: ALTER … SET (idle_timeout) holds for what is running, and after a
// crash.
func TestIdleTimeoutSet(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE s (k INT, ts DATETIME, WATERMARK FOR ts AS ts) WITH (partitions = 2, idle_timeout = '0');
CREATE MATERIALIZED VIEW w AS SELECT window_start, COUNT(*) AS n FROM TUMBLE(s, ts, INTERVAL 5 SECOND) GROUP BY window_start, window_end EMIT ON WINDOW CLOSE`)
	h.exec(`INSERT INTO s VALUES (1, '2024-01-01 00:00:01'), (2, '2024-01-01 00:00:06')`)
	h.want(`SELECT * FROM w`, "") // the other partition has no row, and none says that it is idle
	h.exec(`ALTER STREAM TABLE s SET (idle_timeout = '1 ms')`)
	for i := 0; h.query(`SELECT * FROM w`) == ""; i++ {
		if i == 2000 {
			t.Fatal("the window is open still")
		}
		time.Sleep(5 * time.Millisecond)
	}
	h.want(`SELECT * FROM w`, "2024-01-01 00:00:00 1")
	h.exec(`ALTER STREAM TABLE s SET (idle_timeout = '0')`)
	h.exec(`INSERT INTO s VALUES (3, '2024-01-01 00:00:06')`) // the other partition's turn: it wakes
	h.crash()
	h.exec(`INSERT INTO s VALUES (4, '2024-01-01 00:00:11')`)
	time.Sleep(20 * time.Millisecond)
	h.exec(`INSERT INTO s VALUES (5, '2024-01-01 00:00:06')`)
	h.want(`SELECT * FROM w`, "2024-01-01 00:00:00 1")
}

// TestDueTimer: when an operator asks for a time, a cut without rows comes then,
// and a replay makes the same one.
func TestDueTimer(t *testing.T) {
	s := &seen{}
	h := open(t, Config{CheckpointEvery: byHand, made: probing("v", s)})
	h.exec(events)
	h.view("v", h.systemPlan("s", 0))
	s.take(t, 1)
	h.round()
	var asked int64
	s.Lock()
	s.due = func(now int64) int64 {
		if asked == 0 {
			asked = now + 120_000
			return asked
		}
		if now < asked {
			return asked
		}
		return operators.Never
	}
	s.Unlock()
	h.exec(`INSERT INTO s VALUES (1, '2024-01-01 00:00:10')`)
	s.take(t, 2)
	last := func() (id uint64, now int64) {
		h.e.mu.Lock()
		defer h.e.mu.Unlock()
		c := h.e.timeline.Last()
		return c.ID, c.Time
	}
	id, now := last()
	if now < asked || now > asked+10_000_000 {
		t.Errorf("the cut came at %d, asked for was %d", now, asked)
	}
	time.Sleep(300 * time.Millisecond)
	if again, _ := last(); again != id {
		t.Errorf("%d cuts in an idle engine", again-id)
	}
	asked = 0
	h.crash()
	h.query(`SELECT * FROM v`)
	if got := s.take(t, 0); got != "" {
		t.Errorf("replayed batches differ: %s", got)
	}
	s.Lock()
	n := len(s.batches)
	s.Unlock()
	if n != 3 {
		t.Errorf("%d batches, want history, the row, the timer", n)
	}
}

// TestExternalEventTime: the partitions of a connector have watermarks too, which
// go on where they were after a crash.
func TestExternalEventTime(t *testing.T) {
	s := &seen{}
	h := open(t, Config{CheckpointEvery: byHand, Connectors: connector.NewRegistry(nexmark.Kind()), made: probing("late", s)})
	h.exec(`CREATE DATABASE d;
CREATE STREAM TABLE b (auction BIGINT, dateTime DATETIME(3), WATERMARK FOR dateTime AS dateTime - INTERVAL 1 SECOND)
  WITH (connector = 'nexmark', table = 'bid', events = '326100', pace = '326100', partitions = '2', idle_timeout = '0')`)
	plan := h.systemPlan("b", 0, catalog.WatermarkColumn, catalog.ArrivalColumn)
	h.view("late", plan)
	rows := func() int {
		h.e.mu.Lock()
		defer h.e.mu.Unlock()
		n := 0
		for _, x := range h.e.externals {
			for _, o := range x.offsets {
				n += int(o)
			}
		}
		return n
	}
	wait := func(n int) {
		t.Helper()
		for deadline := time.Now().Add(60 * time.Second); rows() < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%d rows, want %d", rows(), n)
			}
		}
	}
	wait(20_000)
	h.round()
	wait(min(rows()+20_000, 300_012))
	h.crash()
	wait(min(rows()+20_000, 300_012))
	h.crash()
	wait(300_012)
	// The rows are nobody's writes, which a reading would wait for.
	for deadline := time.Now().Add(60 * time.Second); h.query("SELECT COUNT(*) FROM late") != h.query("SELECT COUNT(*) FROM b"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the view does not come up to its stream")
		}
	}
	if got, want := h.viewText("late"), h.once(plan); got != want {
		t.Error("what came in batches has other system columns than what is read at once")
	}
	s.Lock()
	defer s.Unlock()
	for _, n := range s.notes {
		if strings.Contains(n, "batch") {
			t.Error(n)
		}
	}
}
