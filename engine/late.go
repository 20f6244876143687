package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"streamsql/catalog"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// lateLog gathers the rows of one batch that came too late for all their windows:
// tasks report at the same time, and they count once the batch is applied.
type lateLog struct {
	mu    sync.Mutex
	count map[uint64]int64 // by stream
	rows  []*batch.Chunk
}

func (l *lateLog) add(stream uint64, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[uint64]int64{}
	}
	l.count[stream] += n
}

func (l *lateLog) keep(_ uint64, c *batch.Chunk) {
	l.mu.Lock()
	l.rows = append(l.rows, c)
	l.mu.Unlock()
}

// lateRows is what a job knows of its late rows. Engine.mu guards it.
type lateRows struct {
	count   map[uint64]int64 // by stream
	queue   []lateBatch      // rows on their way into the log
	writing bool
	has     map[uint64]bool // batches whose rows were in the log at the start
	had     *keptRows       // the job is filled anew: rows that are in the log already
}

// lateBatch is the late rows of one batch.
type lateBatch struct {
	id   uint64
	rows *batch.Chunk
}

// takeLate counts what was late in a batch that is now applied, and sends the rows
// on their way. Engine.mu is held.
func (e *Engine) takeLate(j *job, id uint64, l *lateLog) {
	for s, n := range l.count {
		if j.late.count == nil {
			j.late.count = map[uint64]int64{}
		}
		j.late.count[s] += n
	}
	rows := came(l.rows)
	if rows == nil || j.late.has[id] {
		return // after a restart: these are in the log
	}
	if id == j.start {
		rows = j.late.had.without(rows)
		j.late.had = nil
	}
	if rows.N == 0 || e.ctx.Err() != nil {
		return
	}
	j.late.queue = append(j.late.queue, lateBatch{id, rows})
	if !j.late.writing {
		j.late.writing = true
		e.fills.Add(1)
		go e.writeLate(j)
	}
}

// came is the rows that came, each as often as it did; nil: none. One that is
// taken back stays where it was kept.
func came(chunks []*batch.Chunk) *batch.Chunk {
	var out *batch.Chunk
	for _, c := range chunks {
		if out == nil {
			out = batch.New(c.Types(), c.N)
		}
		for i := range c.N {
			for range max(c.Weight(i), 0) {
				out.AppendFrom(c, i, 1)
			}
		}
	}
	return out
}

// lateRetry is how long to wait before late rows that could not be written are
// tried again.
const lateRetry = 100 * time.Millisecond

// writeLate appends the late rows of a job to the log. A checkpoint of the job
// waits for the rows up to its batch.
func (e *Engine) writeLate(j *job) {
	defer e.fills.Done()
	for {
		e.mu.Lock()
		queue := j.late.queue
		if len(queue) == 0 || j.failed != nil {
			j.late.writing = false
			e.mu.Unlock()
			return
		}
		e.mu.Unlock()
		err := e.appendLate(j, queue)
		if e.ctx.Err() != nil || e.broken.Load() {
			return
		}
		if err != nil {
			select {
			case <-time.After(lateRetry):
			case <-e.ctx.Done():
			}
			continue
		}
		e.mu.Lock()
		j.late.queue = j.late.queue[len(queue):]
		e.queryWrites.Add(1)
		e.progressed()
		e.mu.Unlock()
	}
}

// appendLate makes late rows durable. Each block says of which query and batch it
// is: a restart does not write it again.
func (e *Engine) appendLate(j *job, queue []lateBatch) error {
	// What a batch gave may be seen only once its cut is on disk.
	if err := e.awaitDurable(e.ctx, queue[len(queue)-1].id); err != nil {
		return err
	}
	t, ok := e.Catalog().TableByID(j.table.LateRows)
	if !ok {
		return nil // it is going with the view
	}
	var blocks []*topic.Block
	for _, l := range queue {
		b := e.newBlock(t.ID, asColumns(t, l.rows))
		b.Flags, b.Query, b.Seq = b.Flags|topic.FlagQuery, uint64(j.id), l.id
		blocks = append(blocks, b)
	}
	_, err := e.append(e.ctx, blocks)
	return err
}

// awaitLate waits until the late rows that a round's jobs have left behind are in
// the log: who starts from the checkpoint does not see them again.
func (e *Engine) awaitLate(ctx context.Context, r *round) error {
	return e.await(ctx, func() bool {
		for _, p := range r.parts {
			j := e.jobs[p.id]
			if j != nil && j.failed == nil && len(j.late.queue) > 0 && j.late.queue[0].id <= p.batch {
				return false
			}
		}
		return true
	})
}

// settleLate waits until the late rows that views have left behind are in the log.
func (e *Engine) settleLate(ctx context.Context, views []catalog.ID) error {
	return e.await(ctx, func() bool {
		for _, id := range views {
			if j := e.jobs[id]; j != nil && j.failed == nil && len(j.late.queue) > 0 {
				return false
			}
		}
		return true
	})
}

// noteLate notes a block that holds late rows of a query, while the log is read
// after a restart. Engine.mu is held.
func (e *Engine) noteLate(b *topic.Block) {
	if b.Flags&topic.FlagQuery == 0 {
		return
	}
	if j := e.jobs[catalog.ID(b.Query)]; j != nil && j.table.LateRows == catalog.ID(b.Table) {
		if j.late.has == nil {
			j.late.has = map[uint64]bool{}
		}
		j.late.has[b.Seq] = true
	}
}

// keptRows counts rows that were kept of a query.
type keptRows struct {
	codec *state.Codec
	count map[string]int64
}

// keptOf reads which late rows of a query are in the log already; nil: none. It is
// filled from history anew, and finds them late again.
func (e *Engine) keptOf(ctx context.Context, j *job) (*keptRows, error) {
	t, ok := e.Catalog().TableByID(j.table.LateRows)
	if !ok {
		return nil, nil
	}
	var k *keptRows
	err := e.readLog(ctx, t.LogFrom+1, e.log.LastSeq(), func(_ uint64, b *topic.Block) error {
		if b.Flags&topic.FlagQuery == 0 || b.Query != uint64(j.id) || b.Table != uint64(t.ID) {
			return nil
		}
		c, err := b.Chunk(nil)
		if err != nil {
			return err
		}
		if k == nil {
			k = &keptRows{state.NewCodec(c.Types()), map[string]int64{}}
		}
		for i := range c.N {
			k.count[string(k.codec.Append(nil, c.Cols, i))]++
		}
		return nil
	})
	return k, err
}

// without is rows less those that are kept already.
func (k *keptRows) without(rows *batch.Chunk) *batch.Chunk {
	if k == nil {
		return rows
	}
	out := batch.New(rows.Types(), rows.N)
	for i := range rows.N {
		key := string(k.codec.Append(nil, rows.Cols, i))
		if k.count[key] > 0 {
			k.count[key]--
			continue
		}
		out.AppendFrom(rows, i, 1)
	}
	return out
}

// LateRows is how many rows of a stream came too late for a view; a row of
// streamsql.late_rows.
type LateRows struct {
	View, Stream catalog.ID // stream 0: of several
	Rows         int64
}

// Late lists what was late, by view and stream.
func (e *Engine) Late() []LateRows {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []LateRows
	for _, id := range slices.Sorted(maps.Keys(e.jobs)) {
		j := e.jobs[id]
		for _, s := range slices.Sorted(maps.Keys(j.late.count)) {
			if n := j.late.count[s]; n != 0 {
				out = append(out, LateRows{id, catalog.ID(s), n})
			}
		}
	}
	return out
}
