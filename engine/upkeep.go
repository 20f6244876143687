package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"sync/atomic"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/cutlog"
	"streamsql/engine/topic"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
)

// The commit log keeps what somebody may still read: the rows of streams for as
// long as their retention says, by default for ever, and those of tables until two
// checkpoints have them. What is beyond, and the rows of dropped objects, goes in
// the background, behind what recovery from either checkpoint reads.

// retentionOption is the option of a stream that says for how long its rows are kept.
const retentionOption = "retention"

// upkeep is what the keeping of the log remembers. Its own goroutine alone uses it,
// but for what says otherwise.
type upkeep struct {
	wake    chan struct{}
	looked  uint64   // groups up to it were looked at
	live    uint64   // the first of them that is still needed, 0: none
	holes   []uint64 // those behind it that are not
	bytes   int64    // of holes
	marked  marks
	dropped int // objects, when all was last looked at

	// hidden are the streams' marks as they are now. It is changed with Engine.mu held.
	hidden atomic.Pointer[marks]
	// Engine.mu guards these: the marks that the newest checkpoint has, those that the
	// one before has too, and when the log was how long.
	written, durable marks
	moments          []logMoment
}

// marks say, of streams with retention, up to where in the log their rows are not
// shown any more. They are shared and never changed.
type marks map[catalog.ID]uint64

// with is a copy with one mark moved.
func (m marks) with(id catalog.ID, seq uint64) marks {
	next := maps.Clone(m)
	if next == nil {
		next = marks{}
	}
	next[id] = seq
	return next
}

func (u *upkeep) marks() marks { return *u.hidden.Load() }

func newUpkeep() *upkeep {
	u := &upkeep{wake: make(chan struct{}, 1)}
	u.restore(nil)
	return u
}

// logMoment says up to where the log was cut at a time.
type logMoment struct {
	Time int64  `json:"time"` // µs
	Seq  uint64 `json:"seq"`
}

// savedUpkeep is what a checkpoint has of it.
type savedUpkeep struct {
	Hidden  marks       `json:"hidden,omitempty"`
	Moments []logMoment `json:"moments,omitempty"`
}

const (
	// holesBytes is how much must be gained before groups between others are deleted
	// one by one; a beginning of the log that nobody needs goes at once.
	holesBytes = 64 << 20
	// retentionParts: rows may be shown for so small a part of the retention longer.
	retentionParts = 64
)

// checkRetention refuses a retention that is no length of time, or has no meaning.
func checkRetention(t *catalog.Table) error {
	v, given := t.Options[retentionOption]
	if !given {
		return nil
	}
	if t.Temporary {
		return sqlerr.New(sqlerr.WrongArguments, "retention is for how long a stream keeps its rows; a temporary stream table keeps none")
	}
	if t.Upsert() {
		return sqlerr.Unsupported("retention of a stream table with a PRIMARY KEY: it keeps the newest row of each key")
	}
	if d, err := connector.ParseDuration(v); err != nil || d <= 0 {
		return sqlerr.New(sqlerr.WrongArguments, "retention is for how long a stream keeps its rows, such as '7 days', not '%s'", v)
	}
	return nil
}

// retentionOf is how long a stream keeps its rows, in µs; 0: for ever.
func retentionOf(t *catalog.Table) int64 {
	d, err := connector.ParseDuration(t.Options[retentionOption])
	if err != nil || t.Kind != catalog.StreamTable {
		return 0
	}
	return d.Microseconds()
}

// hide moves the marks of streams on, where the last cut is at now and seq, and
// reports whether one moved. Engine.mu is held.
func (u *upkeep) hide(objects []*catalog.Table, now int64, seq uint64) (moved bool) {
	var longest, shortest int64
	for _, t := range objects {
		keep := retentionOf(t)
		if keep == 0 {
			continue
		}
		longest = max(longest, keep)
		if shortest == 0 || keep < shortest {
			shortest = keep
		}
		for _, m := range u.moments {
			if m.Time <= now-keep && m.Seq > max(u.marks()[t.ID], t.LogFrom) {
				next := u.marks().with(t.ID, m.Seq)
				u.hidden.Store(&next)
				moved = true
			}
		}
	}
	if longest == 0 {
		u.moments = nil
		return moved
	}
	if n := len(u.moments); n == 0 || now-u.moments[n-1].Time >= shortest/retentionParts {
		u.moments = append(u.moments, logMoment{now, seq})
	}
	for len(u.moments) > 1 && u.moments[1].Time <= now-longest {
		u.moments = u.moments[1:]
	}
	u.thin(now)
	return moved
}

// thin lets go of moments that lie closer to each other than a part of their age:
// their number grows with the logarithm of the longest retention.
func (u *upkeep) thin(now int64) {
	kept := u.moments[:0]
	for i, m := range u.moments {
		n := len(kept)
		if n > 0 && i+1 < len(u.moments) && u.moments[i+1].Time-kept[n-1].Time < (now-m.Time)/retentionParts {
			continue
		}
		kept = append(kept, m)
	}
	u.moments = kept
}

// saved is what the next checkpoint has. Engine.mu is held.
func (u *upkeep) saved() *savedUpkeep {
	if len(u.marks()) == 0 && len(u.moments) == 0 {
		return nil
	}
	return &savedUpkeep{Hidden: u.marks(), Moments: append([]logMoment(nil), u.moments...)}
}

// checkpointed is told that a checkpoint with these marks is the newest. Engine.mu is held.
func (u *upkeep) checkpointed(s *savedUpkeep) {
	u.durable, u.written = u.written, nil
	if s != nil {
		u.written = s.Hidden
	}
	select {
	case u.wake <- struct{}{}:
	default:
	}
}

// restore takes over what a checkpoint has.
func (u *upkeep) restore(s *savedUpkeep) {
	if s == nil {
		s = &savedUpkeep{}
	}
	u.hidden.Store(&s.Hidden)
	u.moments = s.Moments
}

// hiddenOf is up to where in the log the rows of a stream are not shown; of a temporary
// one, none ever is.
func (e *Engine) hiddenOf(t *catalog.Table) uint64 {
	if t.Temporary {
		return math.MaxUint64 - 1
	}
	return max(t.LogFrom, e.upkeep.marks()[t.ID])
}

// forgets reports that a stream does not keep its rows for ever.
func forgets(t *catalog.Table) bool { return t.Temporary || retentionOf(t) > 0 }

// upkeepLoop looks after the log when a checkpoint has been taken.
func (e *Engine) upkeepLoop() {
	defer e.loops.Done()
	for {
		select {
		case <-e.upkeep.wake:
		case <-e.stopping:
			return
		}
		if err := e.trimLogs(e.ctx); err != nil && !e.isStopping() {
			slog.Warn("the commit log could not be trimmed; the next checkpoint tries again", "error", err)
		}
	}
}

// trimLogs removes from the commit log what nobody needs.
func (e *Engine) trimLogs(ctx context.Context) error {
	u := e.upkeep
	needed, err := e.neededFrom(ctx)
	if err != nil || needed == 0 {
		return err
	}
	e.mu.Lock()
	durable, dropped := u.durable, len(e.dropped)
	e.mu.Unlock()
	first := e.log.FirstSeq()
	from, ok := u.lookFrom(first, needed, dropped != u.dropped || !maps.Equal(durable, u.marked))
	if !ok {
		return nil
	}
	cat := e.Catalog()
	err = e.log.Survey(ctx, from, needed, func(c topic.Contents) {
		for _, id := range c.Tables {
			// What lies so far back of a table, or of an upsert stream, is in both checkpoints.
			t, ok := cat.TableByID(catalog.ID(id))
			if ok && t.Kind == catalog.StreamTable && !t.Upsert() && !t.Temporary && c.Seq > durable[t.ID] {
				if u.live == 0 {
					u.live = c.First
				}
				return
			}
		}
		if c.First == c.Seq && u.live > 0 {
			u.holes, u.bytes = append(u.holes, c.Seq), u.bytes+int64(c.Bytes)
		}
	})
	if err != nil {
		return err
	}
	u.looked, u.dropped, u.marked = needed, dropped, durable
	begin := u.live
	if begin == 0 {
		begin = u.looked + 1
	}
	if begin > first {
		slog.Debug("the commit log is trimmed", "from", first, "to", begin)
		if err := e.log.Trim(ctx, begin); err != nil {
			return err
		}
	}
	if u.bytes < e.cfg.holesBytes {
		return nil
	}
	holes := u.holes
	u.holes, u.bytes = nil, 0
	slog.Debug("groups are deleted from the commit log", "groups", len(holes))
	return e.log.DeleteMessages(ctx, holes)
}

// lookFrom is from where to look at the log, which begins at first, up to needed; anew:
// what was still needed when it was looked at may not be now. False: some of what was
// looked at is needed again, for a job that was put into the place of another and began
// further back. It is left alone until a checkpoint has that job: what has been found
// about the log up to u.looked holds, and nothing may be forgotten that is not looked at again.
func (u *upkeep) lookFrom(first, needed uint64, anew bool) (from uint64, ok bool) {
	switch {
	case needed < u.looked:
		return 0, false
	case anew || u.looked == 0:
		u.live, u.holes, u.bytes = 0, nil, 0
		return first, true
	}
	return max(u.looked+1, first), true
}

// neededFrom is the last sequence of the log that no recovery reads, from either
// checkpoint; 0: there are not two yet.
func (e *Engine) neededFrom(ctx context.Context) (uint64, error) {
	e.mu.Lock()
	manifests := []*checkpoint.Manifest{e.previous, e.manifest}
	low, seq := never, ^uint64(0)
	for _, j := range e.jobs {
		if j.failed == nil && j.checkpointed == 0 && j.start != never {
			low = min(low, j.start) // what it has queued may be in the log alone
		}
	}
	e.mu.Unlock()
	for _, m := range manifests {
		if m == nil {
			return 0, nil
		}
		own, err := metaOf(m.Job(0))
		if err != nil || own.Cut == nil {
			return 0, err
		}
		seq = min(seq, own.Seq, own.Cut.LogSeq)
		for _, j := range m.Jobs {
			if e.isView(catalog.OfState(j.ID)) {
				low = min(low, j.Batch)
			}
		}
	}
	if low == never {
		return seq, nil
	}
	at, err := e.seqOf(ctx, low)
	return min(seq, at), err
}

var errFound = errors.New("found")

// seqOf is where in the commit log a batch ends.
func (e *Engine) seqOf(ctx context.Context, id uint64) (seq uint64, err error) {
	e.mu.Lock()
	cut, known := e.timeline.Get(id)
	e.mu.Unlock()
	if known {
		return cut.LogSeq, nil
	}
	err = e.cuts.Read(ctx, id, func(r *cutlog.Record) error {
		seq = r.LogSeq
		return errFound
	})
	if errors.Is(err, errFound) {
		return seq, nil
	}
	if err == nil {
		err = fmt.Errorf("the record of batch %d is not there", id)
	}
	return 0, err
}

// refuseTrimmed refuses to recover tables from a log that no longer has all of
// their rows: the checkpoints that had them are gone.
func (e *Engine) refuseTrimmed() error {
	for _, t := range e.tables {
		if gone := e.log.Gone(); max(t.seq, t.Desc.LogFrom) < gone {
			return fmt.Errorf("no checkpoint is left that has table %s.%s as of where the commit log was trimmed (%d; %d is known); restore %s from a backup",
				t.Desc.Database, t.Desc.Name, gone, t.seq, e.cfg.Dir)
		}
	}
	return nil
}
