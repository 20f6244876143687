package task

import (
	"context"

	"streamsql/engine/dag"
	"streamsql/engine/exchange"
	"streamsql/engine/sched"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/planner/physical"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Flow is the tasks of one query, wired up.
type Flow struct {
	Stages   [][]*Task
	Sources  []*Source
	Results  []operators.Result // of a continuous query: one per task of the last stage
	Stateful []Stateful
	Tracker  *dag.Tracker
}

// Stateful is an operator of a task that has state to checkpoint.
type Stateful struct {
	Node     int // the plan node's id; 0: the view
	Index    int // of its task within the stage
	Operator operators.Stateful
}

// Images takes images of all partitions of the view. No batch may be under way.
func (f *Flow) Images() []operators.Image {
	images := make([]operators.Image, len(f.Results))
	for i, v := range f.Results {
		images[i] = v.Snapshot()
	}
	return images
}

// Freeze takes what changed in all states since the last time. No batch may be under way.
func (f *Flow) Freeze() [][]*state.Delta {
	out := make([][]*state.Delta, len(f.Stateful))
	for i, s := range f.Stateful {
		out[i] = freeze(s.Operator)
	}
	return out
}

func freeze(op operators.Stateful) []*state.Delta {
	var out []*state.Delta
	for _, s := range op.States() {
		out = append(out, s.Checkpoint())
	}
	return out
}

// FreezeTask is Freeze of one task's operators, into out. The task calls it
// between two batches.
func (f *Flow) FreezeTask(t *Task, out [][]*state.Delta) {
	for i, s := range f.Stateful {
		for _, n := range t.Frag.Nodes {
			if n.Op == operators.Operator(s.Operator) {
				out[i] = freeze(s.Operator)
			}
		}
	}
}

// Open registers a batch that is about to be fed to all sources, and returns
// the tokens of their ends.
func (f *Flow) Open(info *Info) [][]uint64 {
	tokens := make([][]uint64, len(f.Sources))
	var sum uint64
	for i, s := range f.Sources {
		for range s.Targets {
			t := dag.NewToken()
			tokens[i] = append(tokens[i], t)
			sum ^= t
		}
	}
	f.Tracker.Apply(info.Batch.ID, sum)
	return tokens
}

// Due is the earliest time at which some operator has something to do by itself.
// No batch may be under way.
func (f *Flow) Due() int64 {
	due := operators.Never
	for _, stage := range f.Stages {
		for _, t := range stage {
			due = min(due, t.Due())
		}
	}
	return due
}

// Lend makes all tasks be charged to another group; nil: to their own again.
func (f *Flow) Lend(g *sched.Group) {
	for _, stage := range f.Stages {
		for _, t := range stage {
			t.ticket.Lend(g)
		}
	}
}

// Kill makes all tasks stop where they are.
func (f *Flow) Kill() {
	for _, stage := range f.Stages {
		for _, t := range stage {
			t.killed.Store(true)
		}
	}
}

// Stop kills the tasks and waits until none runs, a quantum at most. It must not
// be called by a task, nor with a lock that one may wait for.
func (f *Flow) Stop() {
	f.Kill()
	for _, stage := range f.Stages {
		for _, t := range stage {
			t.running.Lock()
			//lint:ignore SA2001 waiting is the point
			t.running.Unlock()
		}
	}
}

// Source is where rows come into a flow.
type Source struct {
	Table    uint64       // catalog object; 0: Constant
	Columns  []int        // of the table, in the order that the flow reads them
	Constant *batch.Chunk // constant rows, part of history
	// Equals: what the flow demands of columns of the table; a row may be looked up by them.
	Equals []physical.ColumnValue
	// Index: by which of them the rows are to be looked up, if it can be read; nil: none.
	Index *physical.IndexUse
	// Changes, if set: it gives what changed in a view, in the columns of a changefeed.
	Changes *physical.ChangesSpec
	Targets []Target // an edge into each task of the stage
	next    int
	system  bool       // some of Columns are system columns: see AskOf
	mark    types.Type // of the columns that are facts of changes, if they are asked for
}

// Send feeds a chunk of the table's columns, in pieces spread over the tasks.
func (s *Source) Send(info *Info, c *batch.Chunk) { s.SendPruned(info, s.prune(c)) }

// SendPruned feeds a chunk that has just Columns.
func (s *Source) SendPruned(info *Info, c *batch.Chunk) {
	for lo := 0; lo < c.N; lo += Budget {
		piece := c
		if c.N > Budget {
			piece = c.Slice(lo, min(lo+Budget, c.N))
		}
		s.send(exchange.Message{Batch: info.Batch.ID, Info: info, Chunk: piece})
	}
}

// SendRows feeds rows that a task makes itself: chunks that have just Columns.
func (s *Source) SendRows(info *Info, rows func(max int) *batch.Chunk) {
	s.send(exchange.Message{Batch: info.Batch.ID, Info: info, Rows: rows})
}

// SendTableRows is SendRows of chunks that have all columns of the table.
func (s *Source) SendTableRows(info *Info, rows func(max int) *batch.Chunk) {
	s.SendRows(info, func(max int) *batch.Chunk {
		c := rows(max)
		if c == nil {
			return nil
		}
		return s.prune(c)
	})
}

func (s *Source) send(m exchange.Message) {
	to := s.Targets[s.next%len(s.Targets)]
	s.next++
	to.Task.Inbox.Send(to.Edge, m)
}

// End says that the source has given all of the batch.
func (s *Source) End(info *Info, tokens []uint64) {
	for k, to := range s.Targets {
		to.Task.Inbox.Send(to.Edge, exchange.Message{Batch: info.Batch.ID, Info: info, End: true, Token: tokens[k]})
	}
}

// AwaitCredit blocks until the task that is next has room, or ctx ends. It is
// for goroutines of their own, not for workers.
func (s *Source) AwaitCredit(ctx context.Context) error {
	to := s.Targets[s.next%len(s.Targets)]
	wake := make(chan struct{}, 1)
	for !to.Task.Inbox.HasCredit(to.Edge, func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}) {
		select {
		case <-wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return ctx.Err()
}

func (s *Source) prune(c *batch.Chunk) *batch.Chunk {
	out := &batch.Chunk{N: c.N, Weights: c.Weights, Cols: make([]*vector.Vector, len(s.Columns))}
	for k, i := range s.Columns {
		if ofChange(i) { // these rows are there
			out.Cols[k] = nulls(s.mark, c.N)
			continue
		}
		out.Cols[k] = c.Cols[i]
	}
	return out
}
