package operators

import (
	"sync"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Answers answers questions for the rows of keys that lie outside. It is the
// engine's: it asks on goroutines of its own, and again after a failure.
type Answers interface {
	// Ask asks for the keys, no two of them equal. If the answer is at hand it is in
	// a on return; else it comes into a later.
	Ask(keys *batch.Chunk, a *Answer)
}

// Answer is one answer. Its methods are safe for concurrent use.
type Answer struct {
	mu    sync.Mutex
	there bool
	rows  *batch.Chunk
	of    []int32
	err   error
	wake  func()
}

// Set gives the answer: rows, and of each which key it is of; or an error, which
// ends the query.
func (a *Answer) Set(rows *batch.Chunk, of []int32, err error) {
	a.mu.Lock()
	a.there, a.rows, a.of, a.err = true, rows, of, err
	wake := a.wake
	a.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// LookupSpec is a TimedSpec whose right side is a table outside. Right are the
// types of the columns that are read of it, Columns their positions there.
type LookupSpec struct {
	TimedSpec
	Columns []int
	Ask     Answers
}

// LookupJoin gives each left row that comes the row that a table outside has for
// its key when it is asked, and never asks again for that row. While the left
// side can retract, what each live left row was given is kept, as a TemporalJoin
// does.
//
// It asks for the keys of a chunk at a time, each once, and waits for the answer:
// Step says Waiting then.
type LookupJoin struct {
	inbox
	spec    LookupSpec
	left    *grouping
	pairs   *timedPairs
	answers *answers // nil: left is append-only
	net     *net     // nil: left is append-only
	wake    func()
	closed  bool

	rows   *batch.Chunk // left rows that wait for the answer
	taken  bool         // what is taken back of them has been
	key    []int32      // of each: its key in the question, −1: none
	keys   *batch.Chunk
	answer *Answer
}

// NewLookupJoin makes a LookupJoin.
func NewLookupJoin(spec LookupSpec, env Env) (*LookupJoin, error) {
	j := &LookupJoin{spec: spec, left: newGrouping(spec.Left, spec.LeftKeys), wake: func() {}}
	var err error
	if j.pairs, err = newTimedPairs(&j.spec.TimedSpec, env); err != nil {
		return nil, err
	}
	if !spec.AppendOnly {
		j.answers = newAnswers(&j.spec.TimedSpec, j.pairs.cond, env)
		j.net = newNet(spec.Left, env.Account)
	}
	return j, nil
}

// String names the operator as EXPLAIN does.
func (j *LookupJoin) String() string { return "LookupJoin" }

// Types are the types of the output columns.
func (j *LookupJoin) Types() []types.Type { return j.spec.output() }

// OnAnswer sets what is called, on any goroutine, when the answer is there that
// Step waits for.
func (j *LookupJoin) OnAnswer(wake func()) { j.wake = wake }

// Begin opens a batch.
func (j *LookupJoin) Begin(b *Batch) {
	j.begin(1)
	j.closed = false
	j.pairs.begin(b)
}

// Push queues a chunk.
func (j *LookupJoin) Push(_ int, c *batch.Chunk) { j.push(0, c) }

// CloseInput notes the end of the input.
func (j *LookupJoin) CloseInput(int) { j.closed = true }

// States is what left rows were given.
func (j *LookupJoin) States() []*state.Store {
	if j.answers == nil {
		return nil
	}
	return []*state.Store{j.answers.kept.store}
}

// Rebuild derives the indexes from the stores.
func (j *LookupJoin) Rebuild() error {
	if j.answers != nil {
		j.answers.kept.rebuild()
	}
	return nil
}

// Step works on, chunk by chunk.
func (j *LookupJoin) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for budget > 0 {
		work, status, err := j.block(min(budget, blockRows), emit)
		if err != nil || status != More {
			return status, err
		}
		budget -= work
	}
	return More, nil
}

// block does the next piece of work.
func (j *LookupJoin) block(limit int, emit func(*batch.Chunk)) (int, Status, error) {
	if j.rows == nil {
		n, err := j.gather(limit)
		if err != nil || n > 0 && j.rows == nil {
			return n, More, err
		}
		if j.rows == nil {
			return 0, Done, nil
		}
		j.ask()
	}
	if j.answers != nil && !j.taken {
		j.taken = true
		if _, err := j.answers.take(j.rows, emit); err != nil {
			return 0, Done, err
		}
	}
	if !j.answered() {
		return 0, Waiting, nil
	}
	n := j.rows.N
	err := j.settle(emit)
	j.rows, j.answer, j.taken = nil, nil, false
	return n, More, err
}

// gather takes the next left rows, and returns how much work that was.
func (j *LookupJoin) gather(limit int) (int, error) {
	_, c, at := j.first()
	switch {
	case c == nil && j.net != nil && j.closed:
		j.rows = j.net.next(batch.TargetRows)
		return 0, nil
	case c == nil:
		return 0, nil
	case j.net != nil:
		n := min(limit, c.N-at)
		err := j.net.add(c, at, at+n)
		j.done(n)
		return n, err
	}
	// A question costs much more than a row: it is of as many as there are.
	j.rows = c
	j.done(c.N)
	return c.N, nil
}

// ask asks for the keys of the rows that come.
func (j *LookupJoin) ask() {
	c := j.rows
	j.left.open(c.Cols, c.N)
	j.key = append(j.key[:0], make([]int32, c.N)...)
	var first []int32
	at := map[string]int32{}
	for i := range c.N {
		j.key[i] = -1
		if c.Weight(i) <= 0 || j.spec.unmatchable(j.left.cols, i) {
			continue
		}
		enc := j.left.encode(i)
		k, ok := at[string(enc)]
		if !ok {
			k = int32(len(first))
			at[string(enc)] = k
			first = append(first, int32(i))
		}
		j.key[i] = k
	}
	j.answer = &Answer{wake: j.wake}
	if len(first) == 0 {
		j.answer.there, j.answer.rows = true, &batch.Chunk{}
		return
	}
	j.keys = (&batch.Chunk{Cols: j.left.cols, N: c.N}).Gather(first)
	j.spec.Ask.Ask(j.keys, j.answer)
}

func (j *LookupJoin) answered() bool {
	j.answer.mu.Lock()
	defer j.answer.mu.Unlock()
	return j.answer.there
}

// settle gives the rows that wait what the answer says.
func (j *LookupJoin) settle(emit func(*batch.Chunk)) error {
	a := j.answer
	if a.err != nil {
		return a.err
	}
	rows := make([][]byte, 0, len(a.of))
	byKey := map[int32]int{}
	if len(a.of) > 0 {
		cols := make([]*vector.Vector, len(j.spec.Columns))
		for k, at := range j.spec.Columns {
			cols[k] = a.rows.Cols[at]
		}
		for r, key := range a.of {
			rows = append(rows, j.pairs.codec.Append(nil, cols, r))
			byKey[key] = r
		}
	}
	j.pairs.reset()
	for i, key := range j.key {
		if j.rows.Weight(i) <= 0 {
			continue
		}
		if r, ok := byKey[key]; ok {
			j.pairs.add(i, rows[r])
		} else if j.spec.Outer {
			j.pairs.add(i, nil)
		}
	}
	return j.pairs.settle(j.rows, j.answers, emit)
}
