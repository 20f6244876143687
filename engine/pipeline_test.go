package engine

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// stages remembers which batches began and ended in which stage of a view, in order.
type stages struct {
	mu      sync.Mutex
	changed chan struct{}
	last    int               // the greatest stage seen
	first   map[string]uint64 // "begin 0": the newest batch
}

func (s *stages) note(stage int, batch uint64, event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, stage)
	key := fmt.Sprint(event, " ", stage)
	s.first[key] = max(s.first[key], batch)
	close(s.changed)
	s.changed = make(chan struct{})
}

// await waits until a batch has come so far.
func (s *stages) await(event string, stage int, batch uint64, limit <-chan time.Time) bool {
	for {
		s.mu.Lock()
		ok, changed := s.first[fmt.Sprint(event, " ", stage)] >= batch, s.changed
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-limit:
			return false
		}
	}
}

// TestBatchesArePipelined: while the last stage of a view is held at batch k, its
// first stage takes in, and is done with, batches k+1 and k+2; the result is right.
func TestBatchesArePipelined(t *testing.T) {
	s := &stages{changed: make(chan struct{}), first: map[string]uint64{}}
	var held uint64 // the batch that the last stage is held at
	overlapped := make(chan bool, 1)
	h := open(t, Config{Workers: 4, CheckpointEvery: byHand, Trace: func(view string, stage, task int, batch uint64, event string) {
		if view != "v" {
			return
		}
		s.note(stage, batch, event)
		s.mu.Lock()
		hold := event == "begin" && stage == s.last && stage > 0 && held == 0 && s.first["end 0"] > 1
		if hold {
			held = batch
		}
		s.mu.Unlock()
		if hold {
			overlapped <- s.await("end", 0, batch+2, time.After(10*time.Second))
		}
	}})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (a INT NOT NULL, b INT NOT NULL)`)
	h.exec(`CREATE MATERIALIZED VIEW v AS SELECT n, COUNT(*) AS c FROM (SELECT a, COUNT(*) AS n FROM s GROUP BY a) AS x GROUP BY n`)
	h.want(`SELECT n, c FROM v`, "")
	for i := range 4 {
		h.exec(fmt.Sprintf(`INSERT INTO s VALUES (%d, 0), (7, 0)`, i))
	}
	went := <-overlapped
	s.mu.Lock()
	last, at := s.last, held
	s.mu.Unlock()
	if !went {
		t.Errorf("the first stage did not go on while stage %d was held at batch %d", last, at)
	}
	if last < 2 {
		t.Errorf("the view has %d stages, too few to show it", last+1)
	}
	h.want(`SELECT n, c FROM v`, "1 4; 4 1")
}
