package engine

import (
	"context"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/engine/task"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// recursions computes the recursive expressions that a plan reads, by the ids of
// their Sources.
func (e *Engine) recursions(ctx context.Context, plan *physical.Plan, o ReadOptions, t *tx, a *account.Account) (map[catalog.ID][]*batch.Chunk, error) {
	var made map[catalog.ID][]*batch.Chunk
	var failed error
	physical.Walk(plan.Root, func(n *physical.Node) bool {
		if n.Source == nil || n.Source.Recursion == nil || failed != nil {
			return true
		}
		id := catalog.ID(n.Source.Table)
		if _, done := made[id]; done {
			return true
		}
		if made == nil {
			made = map[catalog.ID][]*batch.Chunk{}
		}
		made[id], failed = e.fixpoint(ctx, n.Source.Recursion, o, t, a)
		return true
	})
	return made, failed
}

// fixpoint computes a recursive expression by the semi-naive method: as the
// working table is read once, and nothing is aggregated over it, what its new
// rows add to the result is what the plan, which has kept its state, gives for
// these alone. So each batch works on what the one before has found, and the
// other tables are read but once.
func (e *Engine) fixpoint(ctx context.Context, spec *physical.RecursionSpec, o ReadOptions, t *tx, a *account.Account) ([]*batch.Chunk, error) {
	snap, _, err := e.snapshotFor(ctx, spec.Plan, o, t)
	if err != nil {
		return nil, err
	}
	r := &rows{e: e, plan: spec.Plan, snap: snap, wake: make(chan struct{}, 1), account: account.New("recursion", a, 0), inline: true}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if snap.local, err = e.recursions(r.ctx, spec.Plan, o, t, r.account); err == nil {
		r.flow, err = build.Flow(spec.Plan, build.Options{
			Tasks: 1, Exec: r, Group: e.group, Account: r.account, Location: o.Eval.Location, Rules: o.Eval.Rules,
			Collect: r.collect, HasCredit: func(func()) bool { return true },
			Complete: func(uint64) { r.end(nil) }, Failed: r.end,
		})
	}
	if err != nil {
		r.cancel(nil)
		r.account.Close()
		snap.release()
		return nil, err
	}
	defer r.Close()
	e.mapSystemColumns(r.flow)
	f := &recursing{rows: r, spec: spec, own: t, to: a}
	if o.AsOf != nil {
		f.own = nil
	}
	now := o.Eval.Now
	if now.IsZero() {
		now = time.Now()
	}
	f.batch = operators.Batch{
		ID: 1, Now: now.UnixMicro(), Watermarks: snap.cut.Watermarks,
		Fail: func(x operators.RowError) { r.end(x.Err) }, Warn: o.Warn, Note: o.Note,
	}
	return f.run(o.Recursion)
}

// recursing is a fixpoint under way.
type recursing struct {
	*rows
	spec  *physical.RecursionSpec
	own   *tx
	batch operators.Batch
	to    *account.Account // what the result counts against
	all   []*batch.Chunk
	n     int64 // rows in all
}

// run computes batch after batch; more than most after the first are error 3636.
func (f *recursing) run(most int64) ([]*batch.Chunk, error) {
	news, err := f.first()
	for times := int64(1); err == nil && len(news) > 0 && !f.enough(); times++ {
		if times > most {
			return nil, sqlerr.New(sqlerr.CTEMaxRecursionDepth, "Recursive query aborted after %d iterations. Try increasing @@cte_max_recursion_depth to a larger value.", times)
		}
		news, err = f.next(news)
	}
	if err != nil {
		return nil, err
	}
	return limited(f.all, f.spec.Limit, f.spec.Offset), nil
}

// enough reports that the LIMIT is reached.
func (f *recursing) enough() bool { return f.spec.Limit >= 0 && f.n >= f.spec.Limit+f.spec.Offset }

// first gives what there is over an empty working table.
func (f *recursing) first() ([]*batch.Chunk, error) {
	info := f.info()
	f.feeding.Add(1)
	go func() { // streams come piece by piece, as they are taken
		defer f.feeding.Done()
		if err := f.e.feed(f.ctx, f.flow, info, f.snap, f.own, nil); err != nil {
			f.end(err)
		}
	}()
	return f.drain()
}

// next gives what the working table's rows add.
func (f *recursing) next(working []*batch.Chunk) ([]*batch.Chunk, error) {
	f.feeding.Wait()
	f.mu.Lock()
	f.ended = false
	f.mu.Unlock()
	f.batch.ID++
	info := f.info()
	tokens := f.flow.Open(info)
	for i, s := range f.flow.Sources {
		if s.Table == f.spec.Working {
			for _, c := range working {
				s.Send(info, c)
			}
		}
		s.End(info, tokens[i])
	}
	return f.drain()
}

func (f *recursing) info() *task.Info { return &task.Info{Tracker: f.flow.Tracker, Batch: f.batch} }

// drain takes all that a batch gives.
func (f *recursing) drain() (news []*batch.Chunk, err error) {
	for {
		c, err := f.Next(f.ctx)
		if err != nil || c == nil {
			return news, err
		}
		if err := f.to.Reserve(bytesOf(c)); err != nil {
			return nil, err
		}
		news, f.all = append(news, c), append(f.all, c)
		for i := range c.N {
			f.n += c.Weight(i)
		}
	}
}

// bytesOf is about what the values of a chunk take.
func bytesOf(c *batch.Chunk) int64 {
	n := int64(8 * c.N)
	for _, v := range c.Cols {
		n += int64(8*c.N + len(v.Buf))
	}
	return n
}

// limited are the rows of chunks behind the first offset, limit of them at most
// (−1: all), in their order.
func limited(chunks []*batch.Chunk, limit, offset int64) []*batch.Chunk {
	if limit < 0 && offset == 0 {
		return chunks
	}
	var out []*batch.Chunk
	for _, c := range chunks {
		var rows []int32
		var weights []int64
		for i := range c.N {
			w := c.Weight(i)
			skip := min(w, offset)
			offset, w = offset-skip, w-skip
			if limit >= 0 {
				w = min(w, limit)
				limit -= w
			}
			if w > 0 {
				rows, weights = append(rows, int32(i)), append(weights, w)
			}
		}
		if kept := c.Gather(rows); kept.N > 0 {
			kept.Weights = weights
			out = append(out, kept)
		}
	}
	return out
}
