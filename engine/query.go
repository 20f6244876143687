package engine

import (
	"context"
	"slices"
	"sync"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/engine/sched"
	"streamsql/engine/task"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// inlineRows: a query over so few rows runs on the session's own goroutine,
// which is quicker than to wake workers, and not held up by them.
const inlineRows = 20_000

// resultRows is how many rows of a result may wait for the client.
const resultRows = 64 * 1024

// query runs a plan over one snapshot with the transaction's own writes over it,
// as one batch.
func (e *Engine) query(ctx context.Context, plan *physical.Plan, o ReadOptions, t *tx) (Rows, error) {
	snap, streams, err := e.snapshotFor(ctx, plan, o, t)
	if err != nil {
		return nil, err
	}
	r := &rows{e: e, plan: plan, snap: snap, wake: make(chan struct{}, 1), account: account.New("query", e.account, 0)}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	if snap.local, err = e.recursions(r.ctx, plan, o, t, r.account); err != nil {
		r.cancel(nil)
		r.account.Close()
		snap.release()
		return nil, err
	}
	size := e.rowsToRead(plan, snap)
	tasks := 1
	var exec task.Executor = e.pool
	if r.inline = size <= inlineRows; r.inline {
		exec, r.groups = r, groupKey(plan)
	} else {
		tasks = e.tasks
	}
	if streams && size == 0 {
		r.inline, exec, tasks = true, r, 1 // its rows come one by one from the log
	}
	var clock func() int64
	switch {
	case o.Analyze && r.inline:
		clock = func() int64 { return time.Now().UnixNano() }
	case o.Analyze:
		clock = sched.ThreadCPU
	}
	r.flow, err = build.Flow(plan, build.Options{
		Clock: clock,
		Tasks: tasks, Exec: exec, Group: e.group, Account: r.account,
		Location: o.Eval.Location, Rules: o.Eval.Rules,
		Collect: r.collect, HasCredit: r.hasCredit,
		Complete: func(uint64) { r.end(nil) },
		Failed:   r.end,
		Answers:  e.answersOf(r.ctx, onceAttempts),
	})
	if err != nil {
		snap.release()
		return nil, err
	}
	e.mapSystemColumns(r.flow)
	now := o.Eval.Now
	if now.IsZero() {
		now = time.Now()
	}
	info := &task.Info{Tracker: r.flow.Tracker, Batch: operators.Batch{
		ID: max(snap.cut.ID, 1), Now: now.UnixMicro(), Watermarks: snap.cut.Watermarks,
		Fail: func(f operators.RowError) { r.end(f.Err) },
		Warn: o.Warn, Note: o.Note,
	}}
	own := t
	if o.AsOf != nil {
		own = nil // what the transaction has written was not there then
	}
	if !streams {
		err = e.feed(r.ctx, r.flow, info, snap, own, nil)
		if err != nil {
			r.Close()
			return nil, err
		}
		return r, nil
	}
	r.feeding.Add(1)
	go func() {
		defer r.feeding.Done()
		if err := e.feed(r.ctx, r.flow, info, snap, own, nil); err != nil {
			r.end(err)
		}
	}()
	return r, nil
}

// snapshotFor holds what a plan reads, streams apart: at the transaction's batch,
// which its first read chooses.
func (e *Engine) snapshotFor(ctx context.Context, plan *physical.Plan, o ReadOptions, t *tx) (snap *snapshot, streams bool, err error) {
	objects, streams, virtual, err := e.objectsOf(plan)
	if err != nil {
		return nil, false, err
	}
	if o.AsOf == nil {
		objects = append(objects, e.indexesOf(plan, t.readID)...)
	}
	for _, id := range virtual {
		if err := e.awaitVirtual(ctx, id, o.After, o.Timeout); err != nil {
			return nil, false, err
		}
	}
	snap = &snapshot{}
	if len(objects) > 0 {
		if o.AsOf != nil {
			snap, err = e.acquirePast(ctx, objects, o.AsOf, o.Timeout)
		} else {
			after := o.After
			if t.readID == 0 {
				if after, err = e.pastQueries(ctx, objects, after, o.Timeout); err != nil {
					return nil, false, err
				}
			}
			snap, err = e.acquire(ctx, objects, after, o.Timeout, t.readID)
		}
		if err != nil {
			return nil, false, err
		}
		if t.readID == 0 && o.AsOf == nil {
			t.readID = snap.cut.ID
			e.pin(snap.cut.ID)
		}
	}
	return snap, streams, nil
}

// rowsToRead is about how many rows of images a plan reads.
func (e *Engine) rowsToRead(plan *physical.Plan, snap *snapshot) int64 {
	var n int64
	physical.Walk(plan.Root, func(x *physical.Node) bool {
		if x.Kind != physical.Source {
			return true
		}
		id := catalog.ID(x.Source.Table)
		for _, c := range snap.local[id] {
			n += int64(c.N)
		}
		if im := snap.images[id]; im != nil {
			if e.keyOf(id, x.Source.Equals) != nil {
				n++
			} else if s := e.seek(x.Source.Table, x.Source.Equals, x.Source.Index, snap); s != nil {
				n += s.count(inlineRows + 1)
			} else {
				n += im.rows()
			}
		}
		return true
	})
	return n
}

// objectsOf lists what a plan reads, system views apart, and whether some of it
// comes from disk piece by piece: streams from the log, changes of views.
func (e *Engine) objectsOf(plan *physical.Plan) (objects []*catalog.Table, streams bool, virtual []catalog.ID, err error) {
	cat := e.Catalog()
	for _, table := range plan.Tables() {
		id := catalog.ID(table)
		if isVirtual(id) {
			virtual = append(virtual, id)
			continue
		}
		t, ok := cat.TableByID(id)
		if !ok {
			return nil, false, nil, sqlerr.New(sqlerr.NoSuchTable, "A table of the query was dropped meanwhile")
		}
		objects = append(objects, t)
		streams = streams || t.Kind == catalog.StreamTable && t.Options["connector"] == "" && !t.Upsert()
	}
	physical.Walk(plan.Root, func(n *physical.Node) bool {
		streams = streams || n.Kind == physical.Source && n.Source.Changes != nil
		return true
	})
	return objects, streams, virtual, nil
}

// rows is a result under way. Inline, Next itself runs the tasks until there is
// a chunk; else it waits for the workers.
type rows struct {
	e       *Engine
	ctx     context.Context
	cancel  context.CancelCauseFunc
	plan    *physical.Plan
	flow    *task.Flow
	snap    *snapshot
	account *account.Account
	inline  bool
	groups  []int // columns of a GROUP BY, whose order a small result is given
	feeding sync.WaitGroup
	wake    chan struct{} // something changed

	mu       sync.Mutex
	queue    []*batch.Chunk
	queued   int
	runnable []sched.Runnable
	waiting  []func()
	ended    bool
	err      error
}

// Fields are the visible columns.
func (r *rows) Fields() []physical.Field { return r.plan.Output }

// Ready makes the rows an executor: of tasks that run on the reader's goroutine.
func (r *rows) Ready(t sched.Runnable) {
	r.mu.Lock()
	for _, x := range r.runnable {
		if x == t {
			r.mu.Unlock()
			return
		}
	}
	r.runnable = append(r.runnable, t)
	r.mu.Unlock()
	r.notify()
}

func (r *rows) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *rows) collect(c *batch.Chunk) {
	r.mu.Lock()
	r.queue = append(r.queue, c)
	r.queued += c.N
	r.mu.Unlock()
	r.notify()
}

func (r *rows) hasCredit(wake func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queued < resultRows {
		return true
	}
	r.waiting = append(r.waiting, wake)
	return false
}

// end is the end of the result, good or bad. The first one counts.
func (r *rows) end(err error) {
	r.mu.Lock()
	if !r.ended {
		r.ended, r.err = true, err
		if err != nil {
			r.queue = nil
		}
	}
	r.mu.Unlock()
	r.notify()
}

// Next returns the next chunk, nil at the end.
func (r *rows) Next(ctx context.Context) (*batch.Chunk, error) {
	for {
		r.mu.Lock()
		if r.sortGroups() && len(r.queue) > 0 && r.err == nil {
			c := r.queue[0]
			r.queue = r.queue[1:]
			var wake []func()
			if r.queued -= c.N; r.queued < resultRows/2 {
				wake, r.waiting = r.waiting, nil
			}
			r.mu.Unlock()
			for _, f := range wake {
				f()
			}
			return c, nil
		}
		if r.ended {
			err := r.err
			r.mu.Unlock()
			return nil, err
		}
		var t sched.Runnable
		if len(r.runnable) > 0 { // the first to be ready runs first: a UNION ALL in its order
			t = r.runnable[0]
			r.runnable = slices.Delete(r.runnable, 0, 1)
		}
		r.mu.Unlock()
		if t != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if t.Run(sched.NewQuantum()) {
				r.Ready(t)
			}
			continue
		}
		select {
		case <-r.wake:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Close ends the query, finished or not, and lets go of what it reads.
func (r *rows) Close() {
	r.cancel(context.Canceled)
	r.flow.Stop()
	r.account.Close()
	r.feeding.Wait()
	r.snap.release()
}

// Lookup finds the row of a view or table that equals demands, by its key, in the
// given columns; nil: there is none. ok is false where the row cannot be found so.
func (e *Engine) Lookup(ctx context.Context, t *catalog.Table, equals []physical.ColumnValue, columns []int, o ReadOptions) (row *batch.Chunk, ok bool, err error) {
	if t.Kind != catalog.MaterializedView && t.Kind != catalog.BaseTable {
		return nil, false, nil
	}
	key := e.keyOf(t.ID, equals)
	if key == nil {
		return nil, false, nil
	}
	after, err := e.pastQueries(ctx, []*catalog.Table{t}, o.After, o.Timeout)
	if err != nil {
		return nil, false, err
	}
	snap, err := e.acquire(ctx, []*catalog.Table{t}, after, o.Timeout, 0)
	if err != nil {
		return nil, false, err
	}
	defer snap.release()
	im := snap.images[t.ID]
	if im == nil {
		return nil, false, nil
	}
	for _, part := range im.parts {
		c, ok := part.Get(key, 0)
		if !ok {
			return nil, false, nil
		}
		if c == nil {
			continue
		}
		row := &batch.Chunk{N: c.N, Weights: c.Weights, Cols: make([]*vector.Vector, len(columns))}
		for i, at := range columns {
			row.Cols[i] = c.Cols[at]
		}
		return row, true, nil
	}
	return nil, true, nil
}
