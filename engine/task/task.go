// Package task is the shell around a fragment: it takes messages in, hands
// chunks on, and lets the fragment step within quanta.
package task

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"streamsql/engine/dag"
	"streamsql/engine/exchange"
	"streamsql/engine/sched"
	"streamsql/operators"
	"streamsql/operators/batch"
)

// Budget is how many rows one step works on: a fraction of a quantum.
const Budget = 4096

// Info is what the tasks of a flow know of a batch.
type Info struct {
	Batch      operators.Batch
	Snapshot   bool // readers want an image of the moment after this batch
	Checkpoint bool // the dirty state is to be frozen right after this batch
	Tracker    *dag.Tracker
	// Applied, if set, is called on the worker by each task that has applied the
	// batch, before it passes the end on.
	Applied func(t *Task)
}

// Executor makes a task run soon.
type Executor interface {
	Ready(r sched.Runnable)
}

// Output is where the fragment's output goes: to the tasks of a next stage, or to
// Collect. A fragment that several stages read has an Output for each.
type Output struct {
	// Route copies the rows of a chunk that are for each target into its loan; nil where
	// there is nothing. Unset: everything to every target.
	Route   func(c *batch.Chunk, loans []*batch.Loan) []*batch.Chunk
	Targets []Target
	// Collect takes the output of a flow's last stage. HasCredit, if set, says
	// whether there is room, and calls wake later if not.
	Collect   func(c *batch.Chunk)
	HasCredit func(wake func()) bool
}

// Target is an edge into a task of the next stage.
type Target struct {
	Task *Task
	Edge int
}

// Task runs one fragment: one stage for one range of logical partitions.
type Task struct {
	Index int // among the tasks of its stage
	Stage int
	Frag  *dag.Fragment
	Inbox *exchange.Inbox
	Ports []int // port of each edge
	// Outputs all get everything.
	Outputs []Output
	// Failed is called once, when the task cannot go on.
	Failed func(err error)
	// Trace, if set, hears of the beginning and the end of each batch.
	Trace func(t *Task, batchID uint64, event string)

	ticket sched.Ticket
	exec   Executor
	dead   bool        // the task's own knowledge
	killed atomic.Bool // said from outside
	// running is held by Run, which the executor never calls twice at a time: Stop waits for it.
	running sync.Mutex

	info     *Info // the open batch, nil between batches
	received uint64
	open     []bool // edges that have not ended in the open batch
	edgesOf  []int  // edges not ended, per port
	rows     []making
	taken    []*batch.Loan // of chunks that were pushed and are not worked off
	lent     []*batch.Loan // scratch of send
	wake     func()        // Wake
}

// making is rows that the task makes itself.
type making struct {
	next  func(int) *batch.Chunk
	reuse func()
	port  int
	given bool // next has given a chunk
}

// New makes a task with one inbox edge for each entry of ports.
func New(frag *dag.Fragment, ports []int, group *sched.Group, exec Executor) *Task {
	t := &Task{Frag: frag, Ports: ports, exec: exec, open: make([]bool, len(ports)), edgesOf: make([]int, len(frag.Ports))}
	t.ticket.Group = group
	t.wake = t.Wake
	t.Inbox = exchange.NewInbox(len(ports), t.wake)
	for _, n := range frag.Nodes {
		if a, ok := n.Op.(operators.Asking); ok {
			a.OnAnswer(t.Wake)
		}
	}
	return t
}

// Ticket is the scheduler's.
func (t *Task) Ticket() *sched.Ticket { return &t.ticket }

// Wake makes the task run soon.
func (t *Task) Wake() { t.exec.Ready(t) }

// Run works until there is nothing to do or the quantum is over.
func (t *Task) Run(q *sched.Quantum) (more bool) {
	t.running.Lock()
	defer t.running.Unlock()
	defer func() {
		if r := recover(); r != nil {
			more = false
			slog.Error("panic in an operator", "panic", r, "stack", string(debug.Stack()))
			t.fail(fmt.Errorf("internal error: %v (the server's log has more of it)", r))
		}
	}()
	for !t.dead && !t.killed.Load() {
		if t.info == nil && !t.begin() {
			return false
		}
		if !t.hasCredit() {
			return false
		}
		worked, err := t.advance()
		if err != nil {
			t.fail(err)
			return false
		}
		if !worked {
			return false
		}
		if q.Over() {
			return true
		}
	}
	return false
}

func (t *Task) fail(err error) {
	if !t.dead {
		t.dead = true
		t.Failed(err)
	}
}

// Due is Flow.Due of this task alone; the task may call it between batches.
func (t *Task) Due() int64 {
	due := operators.Never
	for _, n := range t.Frag.Nodes {
		if op, ok := n.Op.(operators.Timed); ok {
			due = min(due, op.Due())
		}
	}
	return due
}

// begin opens the next batch: the one that any edge has first. Every edge
// carries the same batches in the same order.
func (t *Task) begin() bool {
	for e := range t.Ports {
		m, ok := t.Inbox.Peek(e)
		if !ok {
			continue
		}
		t.info = m.Info.(*Info)
		t.received = 0
		clear(t.edgesOf)
		for i, p := range t.Ports {
			t.open[i] = true
			t.edgesOf[p]++
		}
		t.Frag.Copied = t.copies()
		t.Frag.Begin(&t.info.Batch)
		if t.Trace != nil {
			t.Trace(t, t.info.Batch.ID, "begin")
		}
		return true
	}
	return false
}

// copies reports that all output is copied on its way out.
func (t *Task) copies() bool {
	return !slices.ContainsFunc(t.Outputs, func(out Output) bool { return out.Collect != nil })
}

func (t *Task) hasCredit() bool {
	for i := range t.Outputs {
		out := &t.Outputs[i]
		if out.HasCredit != nil && !out.HasCredit(t.wake) {
			return false
		}
		for _, to := range out.Targets {
			if !to.Task.Inbox.HasCredit(to.Edge, t.wake) {
				return false
			}
		}
	}
	return true
}

// advance does one piece of work: a step, or when the fragment has nothing to
// do, one message; at last the end of the batch.
func (t *Task) advance() (worked bool, err error) {
	st, err := t.Frag.Step(Budget, t.emit)
	if err != nil || st == operators.More {
		return true, err
	}
	if st == operators.Waiting {
		return false, nil // what comes meanwhile stays with whoever sends it
	}
	t.giveBack()
	if len(t.rows) > 0 {
		t.makeRows()
		return true, nil
	}
	for e, open := range t.open {
		if !open {
			continue
		}
		if m, ok := t.Inbox.Take(e, t.info.Batch.ID); ok {
			t.take(e, m)
			return true, nil
		}
	}
	if t.Frag.Applied() {
		t.finish()
		return true, nil
	}
	return false, nil
}

// giveBack returns what was taken. The fragment has nothing left to do, so that
// nobody holds it any more.
func (t *Task) giveBack() {
	for i, l := range t.taken {
		l.Return()
		t.taken[i] = nil
	}
	t.taken = t.taken[:0]
}

// makeRows makes the next chunk of rows. The fragment has nothing left to do, so
// that it holds the last one only if it is to remember.
func (t *Task) makeRows() {
	m := &t.rows[len(t.rows)-1]
	if m.given && m.reuse != nil && t.Frag.Brief(m.port) {
		m.reuse()
	}
	c := m.next(Budget)
	if m.given = c != nil; m.given {
		t.Frag.Push(m.port, c)
		return
	}
	*m = making{}
	t.rows = t.rows[:len(t.rows)-1]
	t.closePorts()
}

func (t *Task) take(e int, m exchange.Message) {
	switch {
	case m.Chunk != nil:
		t.Frag.Push(t.Ports[e], m.Chunk)
		if m.Loan != nil && t.Frag.Brief(t.Ports[e]) {
			t.taken = append(t.taken, m.Loan)
		}
	case m.Rows != nil:
		t.rows = append(t.rows, making{next: m.Rows, reuse: m.Reuse, port: t.Ports[e]})
	case m.End:
		t.open[e] = false
		t.received ^= m.Token
		t.edgesOf[t.Ports[e]]--
		t.closePorts()
	}
}

// closePorts closes each port all of whose edges have ended, once no rows are left to be made.
func (t *Task) closePorts() {
	if len(t.rows) > 0 {
		return
	}
	for p, n := range t.edgesOf {
		if n == 0 {
			t.edgesOf[p] = -1
			t.Frag.ClosePort(p)
		}
	}
}

func (t *Task) emit(c *batch.Chunk) {
	if c.N == 0 {
		return
	}
	for i := range t.Outputs {
		t.send(&t.Outputs[i], c)
	}
}

// send hands a chunk on to one of the outputs. What goes to another task is a copy, of
// which that task gives the memory back.
func (t *Task) send(out *Output, c *batch.Chunk) {
	if out.Collect != nil {
		out.Collect(c)
		return
	}
	t.lent = t.lent[:0]
	for range out.Targets {
		t.lent = append(t.lent, batch.Borrow())
	}
	var parts []*batch.Chunk
	if out.Route != nil {
		parts = out.Route(c, t.lent)
	}
	for i, to := range out.Targets {
		msg := exchange.Message{Batch: t.info.Batch.ID, Info: t.info, Loan: t.lent[i]}
		if parts != nil {
			msg.Chunk = parts[i]
		} else {
			msg.Chunk = msg.Loan.Copy(c)
		}
		if msg.Chunk != nil && msg.Chunk.N > 0 {
			to.Task.Inbox.Send(to.Edge, msg)
		} else {
			msg.Loan.Return()
		}
		t.lent[i] = nil
	}
}

// finish passes the end of the batch on, and accounts for all tokens at once.
func (t *Task) finish() {
	info := t.info
	t.Frag.End()
	t.Frag.MeasureState()
	if info.Applied != nil {
		info.Applied(t)
	}
	if t.Trace != nil {
		t.Trace(t, info.Batch.ID, "end")
	}
	t.info = nil
	sum := t.received
	var ends []exchange.Message
	for _, out := range t.Outputs {
		for range out.Targets {
			end := exchange.Message{Batch: info.Batch.ID, Info: info, End: true, Token: dag.NewToken()}
			sum ^= end.Token
			ends = append(ends, end)
		}
	}
	for _, out := range t.Outputs {
		for _, to := range out.Targets {
			to.Task.Inbox.Send(to.Edge, ends[0])
			ends = ends[1:]
		}
	}
	info.Tracker.Apply(info.Batch.ID, sum)
}
