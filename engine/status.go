package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

// ViewStatus is how far a materialized view got; a row of SHOW STREAM STATUS.
type ViewStatus struct {
	View        catalog.ID
	State       string        // "running", "filling", "failed"
	Batch       uint64        // the batch that readers see
	Behind      int           // batches that are cut but not applied
	Lag         time.Duration // between the newest cut and what readers see
	Rows        uint64        // of the result
	RowsIn      uint64        // taken in since the start
	RowErrors   int64         // rows that could not be computed: streamsql.errors
	LateRows    int64         // rows that came too late for all their windows: streamsql.late_rows
	FillDone    uint64        // rows of history taken in
	FillTotal   uint64        // of about so many
	FillLeft    time.Duration // about how long the rest takes; 0: not known
	BehindRows  uint64        // rows of the batches that are not applied
	Batches     uint64        // applied since the start
	CPU         time.Duration // used since the start
	Memory      int64         // bytes of its state and changes
	Watermark   *int64        // the lowest of the streams that it reads, in µs; nil: none
	Subscribers int
	KeepsAfter  uint64 // changes of batches after this one can be read
	Checkpoint  uint64 // the batch of its last checkpoint
	Reason      string // why it is behind; empty: it is not, or by its work only
	Error       string // why it does not run; empty: it does
	Sink        *SinkStatus
}

// Status lists the views, by id.
func (e *Engine) Status() []ViewStatus {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]ViewStatus, 0, len(e.jobs))
	for _, j := range e.jobs {
		out = append(out, e.statusOf(j))
	}
	slices.SortFunc(out, func(a, b ViewStatus) int { return cmp.Compare(a.View, b.View) })
	return out
}

func (e *Engine) statusOf(j *job) ViewStatus {
	last := e.timeline.Last()
	s := ViewStatus{
		View: j.id, State: "running", Batch: min(e.timeline.Durable(), j.next()-1),
		Behind: len(j.pending) + len(j.inFlight), RowsIn: j.rowsIn, RowErrors: j.errorsDropped,
		Checkpoint: j.checkpointed, Batches: j.batches, CPU: j.cpu(), Memory: j.account.Used(),
		Subscribers: len(j.subscribers), KeepsAfter: j.log.from, Sink: j.statusOfSink(),
	}
	s.FillDone, s.FillTotal, s.FillLeft = j.filled.estimate(time.Now())
	for _, p := range j.pending {
		s.BehindRows += uint64(p.all)
	}
	for _, f := range j.inFlight {
		s.BehindRows += uint64(f.rows)
	}
	if w, ok := e.watermarkOf(j); ok {
		s.Watermark = &w
	}
	if c, ok := e.timeline.Get(s.Batch); ok {
		s.Lag = time.Duration(last.Time-c.Time) * time.Microsecond
	}
	for _, n := range j.late.count {
		s.LateRows += n
	}
	for _, part := range e.partsOf(j) {
		for _, x := range part.rowErrors {
			s.RowErrors += x.Count
		}
		if part != j {
			s.RowErrors += part.errorsDropped
		}
	}
	switch p := e.stillBehind(j); {
	case j.filling:
		s.State = "filling"
	case p == j:
		s.State = "paused"
	case p != nil:
		s.Reason = fmt.Sprintf("it reads '%s.%s', which is paused", p.table.Database, p.table.Name)
	}
	if s.Sink != nil && s.Sink.Fault != "" {
		s.Reason = "its connector takes nothing: " + s.Sink.Fault
	}
	if j.failed != nil {
		s.State, s.Error, s.Batch = "failed", j.failed.Error(), 0
	}
	s.Rows = uint64(j.rows)
	return s
}

// Flush returns when the views (all, without names) have taken in everything
// that was acknowledged to anybody before. Views that cannot are passed over
// with a warning.
func (e *Engine) Flush(ctx context.Context, views []catalog.ID, timeout time.Duration) ([]Warning, error) {
	if timeout <= 0 {
		timeout = DefaultWait
	}
	if len(views) == 0 {
		for _, s := range e.Status() {
			views = append(views, s.View)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		written := e.queryWrites.Load()
		warnings, err := e.flush(ctx, views, timeout)
		if err == nil {
			err = e.settleLate(ctx, views)
		}
		if err == nil {
			err = e.settleSinks(ctx, views)
		}
		// What a query writes, such as late rows, may be the input of another.
		if err != nil || e.queryWrites.Load() == written {
			return warnings, err
		}
	}
}

// flush is one turn of Flush.
func (e *Engine) flush(ctx context.Context, views []catalog.ID, timeout time.Duration) ([]Warning, error) {
	e.mu.Lock()
	target := Position(e.committed)
	e.mu.Unlock()
	var warnings []Warning
	for _, id := range views {
		t, ok := e.Catalog().TableByID(id)
		if !ok {
			continue
		}
		if reason := e.standsStill(id); reason != "" {
			warnings = append(warnings, Warning{Code: sqlerr.UnknownError, Message: fmt.Sprintf("'%s.%s' was passed over: %s", t.Database, t.Name, reason)})
			continue
		}
		s, err := e.acquire(ctx, []*catalog.Table{t}, target, timeout, 0)
		switch {
		case err == nil:
			s.release()
		case ctx.Err() != nil:
			return warnings, sqlerr.New(sqlerr.QueryTimeout, "Gave up after %v waiting for '%s.%s'", timeout, t.Database, t.Name)
		default:
			warnings = append(warnings, note(err)...)
		}
	}
	return warnings, nil
}
