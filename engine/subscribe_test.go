package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/operators/batch"
)

// follower reads a subscription, and keeps what it was told.
type follower struct {
	h     *harness
	rows  Rows
	state map[string]int64    // the view, as its changes make it
	lines map[uint64][]string // "op columns" by batch
	done  uint64              // all batches up to this one were told
}

func (h *harness) named(name string) *catalog.Table {
	h.t.Helper()
	t, ok := h.e.Catalog().Table("d", name)
	if !ok {
		h.t.Fatalf("there is no %s", name)
	}
	return t
}

func (h *harness) follow(view string, o SubscribeOptions) *follower {
	h.t.Helper()
	o.Progress, o.After = true, h.pos
	rows, err := h.e.Subscribe(h.t.Context(), h.named(view), o)
	if err != nil {
		h.t.Fatal(err)
	}
	return &follower{h: h, rows: rows, state: map[string]int64{}, lines: map[uint64][]string{}}
}

// now is the batch that holds what the harness has written.
func (h *harness) now(views ...string) uint64 {
	h.t.Helper()
	var ts []*catalog.Table
	for _, v := range views {
		ts = append(ts, h.named(v))
	}
	s, err := h.e.acquire(h.t.Context(), ts, h.pos, 20*time.Second, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	defer s.release()
	return s.cut.ID
}

// until reads until all batches up to one were told.
func (f *follower) until(id uint64) {
	f.h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for f.done < id {
		c, err := f.rows.Next(ctx)
		if err != nil {
			f.h.t.Fatalf("at batch %d of %d: %v", f.done, id, err)
		}
		f.take(c)
	}
}

func (f *follower) take(c *batch.Chunk) {
	f.h.t.Helper()
	for i := range c.N {
		op, id := string(c.Cols[0].Bytes(i)), uint64(c.Cols[1].I[i])
		var cells []string
		for _, v := range c.Cols[2:] {
			if v.IsNull(i) {
				cells = append(cells, "NULL")
			} else {
				cells = append(cells, string(v.AppendText(nil, i, time.UTC)))
			}
		}
		row := strings.Join(cells, " ")
		switch op {
		case opInsert, opAfter:
			f.state[row] += c.Weight(i)
		case opDelete, opBefore:
			if f.state[row] -= c.Weight(i); f.state[row] < 0 {
				f.h.t.Fatalf("batch %d takes back %q, which was not there", id, row)
			}
		case opProgress:
			if id < f.done {
				f.h.t.Fatalf("progress goes back from %d to %d", f.done, id)
			}
			f.done = id
			continue
		}
		if f.state[row] == 0 {
			delete(f.state, row)
		}
		if id < f.done {
			f.h.t.Fatalf("a row of batch %d after batch %d was finished", id, f.done)
		}
		f.lines[id] = append(f.lines[id], op+" "+row)
	}
}

// all is what was told in all batches, in order.
func (f *follower) all() string {
	var out []string
	for id := range f.done + 1 {
		out = append(out, f.lines[id]...)
	}
	return strings.Join(out, "; ")
}

const sums = `
CREATE DATABASE d;
CREATE STREAM TABLE s (k INT NOT NULL, v INT);
CREATE MATERIALIZED VIEW sums AS SELECT k, SUM(v) AS total FROM s GROUP BY k;
CREATE MATERIALIZED VIEW bag AS SELECT v FROM s WHERE v > 0;
`

func TestSubscribeTellsWhatChanged(t *testing.T) {
	h := open(t, Config{})
	h.exec(sums)
	h.exec("INSERT INTO s VALUES (1, 10), (2, 20)")
	h.now("sums")
	f, b := h.follow("sums", SubscribeOptions{Snapshot: true}), h.follow("bag", SubscribeOptions{})
	for _, rows := range []string{"(1, 5), (3, 30)", "(2, -20)", "(1, 1), (1, -1)", "(3, NULL), (1, 7)"} {
		h.exec("INSERT INTO s VALUES " + rows)
		f.until(h.now("sums"))
	}
	if got, want := f.all(), "+I 1 10; +I 2 20; -U 1 10; +U 1 15; +I 3 30; -U 2 20; +U 2 0; -U 1 15; +U 1 22"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b.until(h.now("bag"))
	if got, want := b.all(), "+I 5; +I 30; +I 1; +I 7"; got != want {
		t.Errorf("a view without a key: got %s, want %s", got, want)
	}
	f.rows.Close()
	b.rows.Close()
	if n := len(h.e.subscribed); n != 0 {
		t.Errorf("%d subscriptions are left", n)
	}
}

// A reader that comes back after a crash finds the same changes in the same
// batches, and goes on behind the one that it has.
func TestSubscribeGoesOnAfterCrash(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(sums)
	r := rand.New(rand.NewPCG(1, 2))
	zero := uint64(0)
	f := h.follow("sums", SubscribeOptions{From: &zero})
	for step := range 12 {
		for range 20 {
			h.exec(fmt.Sprintf("INSERT INTO s VALUES (%d, %d)", r.IntN(5), r.IntN(9)-4))
		}
		f.until(h.now("sums"))
		if step%3 == 1 {
			h.round()
		}
		if step%4 != 3 {
			continue
		}
		f.rows.Close()
		h.crash()
		again := h.follow("sums", SubscribeOptions{From: &zero})
		again.until(f.done)
		if got, want := again.all(), f.all(); got != want {
			t.Fatalf("after a restart the changes are others:\ngot  %s\nwant %s", got, want)
		}
		again.rows.Close()
		at := f.done
		next := h.follow("sums", SubscribeOptions{From: &at})
		next.state, next.done = f.state, f.done
		next.lines = f.lines
		f = next
	}
	f.until(h.now("sums"))
	s := h.follow("sums", SubscribeOptions{Snapshot: true})
	s.until(h.now("sums"))
	if got, want := fmt.Sprint(s.state), fmt.Sprint(f.state); got != want {
		t.Errorf("the changes make %s, the view is %s", got, want)
	}
}

// What is beyond the retention is gone: a reader that wants it gets an error with
// the oldest batch, one that had not taken it in yet is cut off and hears why.
func TestSubscribeCutsWhoFallsBehind(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(sums)
	cut := make(chan error, 1)
	slow, err := h.e.Subscribe(t.Context(), h.named("sums"), SubscribeOptions{Cut: func(err error) { cut <- err }})
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	h.e.mu.Lock()
	h.e.jobs[h.named("sums").ID].log.keep.batches = 3
	h.e.mu.Unlock()
	for i := range 6 {
		h.exec(fmt.Sprintf("INSERT INTO s VALUES (1, %d)", i+1))
		h.now("sums")
	}
	for _, err := range []error{<-cut, nextError(t, slow)} {
		if err == nil || !strings.Contains(err.Error(), "was cut off") || !strings.Contains(err.Error(), "history") {
			t.Errorf("the reason is %v", err)
		}
	}
	zero := uint64(0)
	_, err = h.e.Subscribe(t.Context(), h.named("sums"), SubscribeOptions{From: &zero})
	oldest := h.e.jobs[h.named("sums").ID].log.from
	if err == nil || !strings.HasSuffix(err.Error(), fmt.Sprintf("the oldest that can be asked for is %d", oldest)) {
		t.Errorf("from batch 0: %v", err)
	}
	f := h.follow("sums", SubscribeOptions{From: &oldest})
	f.state["1 "+fmt.Sprint(1+2+3)] = 1
	f.until(h.now("sums"))
	if got, want := fmt.Sprint(f.state), "map[1 21:1]"; got != want {
		t.Errorf("from the oldest batch on: %s, want %s", got, want)
	}
}

func nextError(t *testing.T, r Rows) error {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		if _, err := r.Next(ctx); err != nil {
			return err
		}
	}
}

// Changes leave memory once they are on disk; readers, other views among them,
// are given them from there.
func TestChangesAreReadFromDisk(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(sums)
	h.exec("CREATE MATERIALIZED VIEW kept WITH (history = '1 hour') AS SELECT k, SUM(v) AS total FROM s GROUP BY k")
	h.exec("CREATE MATERIALIZED VIEW second AS SELECT total, COUNT(*) AS n FROM kept GROUP BY total")
	for round := range 5 {
		for i := range 10 {
			h.exec(fmt.Sprintf("INSERT INTO s VALUES (%d, %d)", i%3, round+i))
		}
		h.now("kept")
		h.round()
		h.e.mu.Lock()
		j := h.e.jobs[h.named("kept").ID]
		for len(j.log.list) > 0 && j.log.list[0].id <= j.log.saved {
			j.log.hot = j.log.list[0].id
			j.log.drop()
		}
		left := len(j.log.list)
		h.e.mu.Unlock()
		if left > 0 {
			t.Fatalf("%d batches are not on disk after a round", left)
		}
	}
	zero := uint64(0)
	f := h.follow("kept", SubscribeOptions{From: &zero})
	h.exec("INSERT INTO s VALUES (9, 9)")
	f.until(h.now("kept"))
	s := h.follow("kept", SubscribeOptions{Snapshot: true})
	s.until(h.now("kept"))
	if got, want := fmt.Sprint(f.state), fmt.Sprint(s.state); got != want {
		t.Errorf("the changes make %s, the view is %s", got, want)
	}
	// The reading view is put back to where it was before the rounds.
	h.crash()
	h.want("SELECT SUM(n) FROM second", "4")
	h.want("SELECT a.total FROM second AS a JOIN kept AS b ON a.total = b.total WHERE b.k = 9", "9")
}

// What is forgotten leaves nothing on disk, and what is kept is kept over a crash.
func TestForgottenSegmentsGo(t *testing.T) {
	h := open(t, Config{CheckpointEvery: byHand})
	h.exec(sums)
	j := h.e.jobs[h.named("sums").ID]
	h.e.mu.Lock()
	j.log.keep.bytes = 3000 // of few batches
	h.e.mu.Unlock()
	for round := range 8 {
		for i := range 3 {
			h.exec(fmt.Sprintf("INSERT INTO s VALUES (%d, %d)", i, round+1))
			h.now("sums")
		}
		h.round()
	}
	h.e.mu.Lock()
	from, kept := j.log.from, map[string]bool{}
	for _, s := range j.log.stored {
		kept[s.blob()] = true
	}
	h.e.mu.Unlock()
	if from == 0 {
		t.Error("nothing was forgotten")
	}
	err := h.e.checkpoint.LoadBlobs(h.e.round, uint64(j.id), func(name string, _ []byte) error {
		if !kept[name] {
			t.Errorf("%s is on disk, and nobody knows it", name)
		}
		delete(kept, name)
		return nil
	})
	if err != nil || len(kept) > 0 {
		t.Errorf("not on disk: %v, %v", kept, err)
	}
	h.crash()
	if got := h.e.jobs[j.id].log.from; got != from {
		t.Errorf("after a restart changes are kept after batch %d, not %d", got, from)
	}
}
