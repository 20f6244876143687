package engine

import (
	"context"
	"errors"
	"sort"
	"time"

	"streamsql/catalog"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// AsOf says as of when a query reads: a batch, or if that is nil, the last batch
// whose time is not later than Time (µs since 1970 UTC).
type AsOf struct {
	Batch *uint64
	Time  int64
}

// later reports that a change came after what AsOf asks for. Times of cuts never go
// back, so that one moment means the same batch in every view.
func (a *AsOf) later(c *change) bool {
	if a.Batch != nil {
		return c.id > *a.Batch
	}
	return c.time > a.Time
}

// acquirePast is acquire as of a batch that is over. What is there now is read, and
// what changed since is taken back: in views by their changelogs, in tables by the
// log. A stream is its log up to there.
func (e *Engine) acquirePast(ctx context.Context, objects []*catalog.Table, at *AsOf, timeout time.Duration) (*snapshot, error) {
	if timeout <= 0 {
		timeout = DefaultWait
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cut, err := e.cutAsOf(at)
	if err != nil {
		return nil, err
	}
	for _, t := range objects {
		if cut == nil && t.Kind != catalog.MaterializedView {
			return nil, e.tooOldFor(t)
		}
	}
	now, err := e.acquireFrom(ctx, objects, at, timeout)
	if err != nil {
		return nil, err
	}
	defer now.release()
	past := &snapshot{cut: now.cut, images: map[catalog.ID]*imageSet{}}
	if cut != nil {
		past.cut = *cut
	}
	for _, t := range objects {
		im := now.images[t.ID]
		if im == nil {
			continue // a stream
		}
		p, err := e.pastImage(ctx, t, im, at, past.cut, now.cut)
		if err != nil {
			past.release()
			return nil, err
		}
		past.images[t.ID] = newImageSet([]operators.Image{p})
	}
	return past, nil
}

// cutAsOf is the cut that AsOf means; nil: it is so long ago that only the
// changelogs of views may know it.
func (e *Engine) cutAsOf(at *AsOf) (*timeline.Cut, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if at.Batch == nil {
		if c, ok := e.timeline.AsOf(at.Time); ok {
			return &c, nil
		}
		return nil, nil
	}
	if last := e.timeline.Last().ID; *at.Batch > last {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Batch %d is not there yet; the newest is %d", *at.Batch, last)
	}
	if c, ok := e.timeline.Get(*at.Batch); ok {
		return &c, nil
	}
	return nil, nil
}

func (e *Engine) tooOldFor(t *catalog.Table) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	oldest := e.timeline.Oldest()
	return sqlerr.New(sqlerr.WrongArguments, "'%s.%s' cannot be read as of so long ago: the oldest batch that can be asked for is %d, of %s UTC",
		t.Database, t.Name, oldest.ID, clock(oldest.Time))
}

func clock(at int64) string { return time.UnixMicro(at).UTC().Format("2006-01-02 15:04:05.000000") }

// acquireFrom is acquire of a batch that is not before what AsOf asks for.
func (e *Engine) acquireFrom(ctx context.Context, objects []*catalog.Table, at *AsOf, timeout time.Duration) (*snapshot, error) {
	for {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		s, err := e.acquire(ctx, objects, 0, timeout, 0)
		if err != nil || at.Batch == nil || s.cut.ID >= *at.Batch {
			return s, err
		}
		s.release()
		select {
		case <-changed:
		case <-ctx.Done():
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				return nil, sqlerr.New(sqlerr.QueryTimeout, "Gave up after %v waiting for batch %d to be applied", timeout, *at.Batch)
			}
			return nil, context.Cause(ctx)
		case <-e.stopping:
			return nil, errStopping()
		}
	}
}

// pastImage is an object as of cut past, made of what it was at cut now.
func (e *Engine) pastImage(ctx context.Context, t *catalog.Table, now *imageSet, at *AsOf, past, upTo timeline.Cut) (*pastImage, error) {
	p := &pastImage{now: now.retain(), account: account.New("AS OF", e.account, 0), since: map[string]int64{}}
	for _, c := range t.Columns {
		p.types = append(p.types, c.Type)
	}
	p.codec = state.NewCodec(p.types)
	var err error
	if t.Kind == catalog.MaterializedView {
		err = e.undoView(t, at, upTo.ID, p)
	} else {
		err = e.readLog(ctx, past.LogSeq+1, upTo.LogSeq, func(_ uint64, b *topic.Block) error {
			if catalog.ID(b.Table) != t.ID {
				return nil
			}
			c, err := e.chunk(b, nil)
			if err == nil {
				err = p.undo(c)
			}
			return err
		})
	}
	if err != nil {
		p.Release()
		return nil, err
	}
	return p, nil
}

// undoView takes back what the batches after AsOf changed in a view, up to one.
func (e *Engine) undoView(t *catalog.Table, at *AsOf, upTo uint64, p *pastImage) error {
	e.mu.Lock()
	j := e.jobs[t.ID]
	if j == nil {
		e.mu.Unlock()
		return catalog.NoSuchTable(t.Database, t.Name)
	}
	oldest, after := j.log.oldest(), j.log.from
	if at.Batch != nil && *at.Batch < oldest.Batch || at.Batch == nil && at.Time < oldest.Time {
		defer e.mu.Unlock()
		return j.tooOld()
	}
	e.mu.Unlock()
	if at.Batch != nil {
		after = *at.Batch
	}
	return e.eachChange(j, after, upTo, func(c *change) error {
		if !at.later(c) {
			return nil
		}
		for _, k := range c.chunks {
			if err := p.undo(k); err != nil {
				return err
			}
		}
		return nil
	})
}

// tooOld says how far back the view can be read. Engine.mu is held.
func (j *job) tooOld() error {
	oldest, more := j.log.oldest(), ""
	if oldest != j.log.born {
		more = "; a view made WITH (history = '…') keeps more"
	}
	return sqlerr.New(sqlerr.WrongArguments, "'%s.%s' cannot be read as of so long ago: the oldest batch that can be asked for is %d, of %s UTC%s",
		j.table.Database, j.table.Name, oldest.Batch, clock(oldest.Time), more)
}

// eachChange calls f for what batches changed in a view, in order: after one, up to
// another, which the view has applied.
func (e *Engine) eachChange(j *job, after, upTo uint64, f func(*change) error) error {
	for {
		changes, more, err := e.someChanges(j, after, upTo)
		if err != nil {
			return err
		}
		for i := range changes {
			if err := f(&changes[i]); err != nil {
				return err
			}
			after = changes[i].id
		}
		if !more {
			return nil
		}
	}
}

// someChanges are the next changes after a batch: those of a segment on disk, or
// all that are in memory. more: there may be others behind them.
func (e *Engine) someChanges(j *job, after, upTo uint64) (changes []change, more bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case j.failed != nil:
		return nil, false, viewFailed(j)
	case after < j.log.from:
		return nil, false, j.keepsAfter(after)
	}
	g, cold := j.log.segmentAfter(after)
	if !cold {
		lo, hi := j.log.after(after), j.log.after(upTo)
		return append(changes, j.log.list[lo:max(lo, hi)]...), false, nil
	}
	e.mu.Unlock()
	all, err := e.readSegment(j, g)
	e.mu.Lock()
	if err != nil {
		if after < j.log.from { // it went meanwhile
			err = j.keepsAfter(after)
		}
		if errors.Is(err, errMoved) {
			return nil, true, nil
		}
		return nil, false, err
	}
	lo := sort.Search(len(all), func(i int) bool { return all[i].id > after })
	hi := sort.Search(len(all), func(i int) bool { return all[i].id > upTo })
	return all[lo:hi], hi == len(all), nil
}

// pastImage is a view or table as it was: an image of it later, and what has
// changed since. It is immutable and safe for all.
type pastImage struct {
	now     *imageSet
	types   []types.Type
	codec   *state.Codec
	since   map[string]int64 // encoded row → by how much more often it is there now
	account *account.Account
}

// entryBytes is about what an entry of since takes besides the row.
const entryBytes = 64

// undo notes a piece of the changelog.
func (p *pastImage) undo(c *batch.Chunk) error {
	var enc []byte
	for i := range c.N {
		enc = p.codec.Append(enc[:0], c.Cols, i)
		if _, known := p.since[string(enc)]; !known {
			if err := p.account.Reserve(int64(len(enc)) + entryBytes); err != nil {
				return err
			}
		}
		p.since[string(enc)] += c.Weight(i)
	}
	return nil
}

// Rows is about the number of rows.
func (p *pastImage) Rows() int64 { return p.now.rows() + int64(len(p.since)) }

// Memory is on the account of who made it.
func (p *pastImage) Memory() (own, kept int64) { return 0, 0 }

// Get cannot look rows up.
func (p *pastImage) Get([]*vector.Vector, int) (*batch.Chunk, bool) { return nil, false }

// Release ends the image.
func (p *pastImage) Release() {
	p.now.release()
	p.account.Close()
}

// Scan begins a reading of all rows.
func (p *pastImage) Scan() operators.Scanner {
	s := &pastScan{p: p, met: map[string]bool{}}
	for _, part := range p.now.parts {
		s.parts = append(s.parts, part.Scan())
	}
	return s
}

// pastScan reads the rows that are there still, as often as they were, then those
// that are not there any more.
type pastScan struct {
	p     *pastImage
	parts []operators.Scanner
	met   map[string]bool // rows of since that are there now
	gone  [][]byte
	ended bool
}

// Next returns at most maxRows rows, nil at the end.
func (s *pastScan) Next(maxRows int) *batch.Chunk {
	for len(s.parts) > 0 {
		c := s.parts[0].Next(maxRows)
		if c == nil {
			s.parts = s.parts[1:]
			continue
		}
		if c = s.then(c); c.N > 0 {
			return c
		}
	}
	if !s.ended {
		s.ended = true
		for row, n := range s.p.since {
			if n < 0 && !s.met[row] {
				s.gone = append(s.gone, []byte(row))
			}
		}
	}
	n := min(maxRows, len(s.gone))
	if n == 0 {
		return nil
	}
	out := batch.New(s.p.types, n)
	s.p.codec.Decode(s.gone[:n], out.Cols)
	for _, row := range s.gone[:n] {
		out.PushWeight(-s.p.since[string(row)])
	}
	s.gone = s.gone[n:]
	return out
}

// then is a piece of the image with the rows as often as they were there.
func (s *pastScan) then(c *batch.Chunk) *batch.Chunk {
	if len(s.p.since) == 0 {
		return c
	}
	var enc []byte
	var sel []int32
	var weights []int64
	for i := range c.N {
		enc = s.p.codec.Append(enc[:0], c.Cols, i)
		w := c.Weight(i)
		if n, changed := s.p.since[string(enc)]; changed {
			s.met[string(enc)] = true
			w -= n
		}
		if w > 0 {
			sel, weights = append(sel, int32(i)), append(weights, w)
		}
	}
	out := c.Gather(sel)
	out.Weights = weights
	return out
}
