package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// TemporalJoin gives each left row that comes the right row that there is after
// the right side's part of the same batch, and never looks at it again: the
// right side's changes emit nothing. While the left side can retract, what each
// live left row was given is kept, and taken back with it.
//
// So left rows wait for the end of the right input. Those of a left side that
// can retract wait for its own end too, as only the net change of a batch counts.
type TemporalJoin struct {
	spec  TimedSpec
	right *joinSide // the right rows; unique by key once a batch is over
	left  *grouping // the left keys, as right is looked up by
	pairs *timedPairs

	answers *answers // nil: left is append-only
	net     *net     // of left's part of the batch; nil: left is append-only

	queue  [2]inbox
	closed [2]bool
	opened [2]bool // the first chunk's keys are prepared
}

// NewTemporalJoin makes a TemporalJoin.
func NewTemporalJoin(spec TimedSpec, env Env) (*TemporalJoin, error) {
	keys := spec.keyTypes()
	j := &TemporalJoin{spec: spec, right: newJoinSide(spec.Right, spec.RightKeys, keys, env), left: newGroupingAs(keys, spec.LeftKeys)}
	var err error
	if j.pairs, err = newTimedPairs(&j.spec, env); err != nil {
		return nil, err
	}
	if !spec.AppendOnly {
		j.answers = newAnswers(&j.spec, j.pairs.cond, env)
		j.net = newNet(spec.Left, env.Account)
	}
	return j, nil
}

// String names the operator as EXPLAIN does.
func (j *TemporalJoin) String() string { return "TemporalJoin" }

// Types are the types of the output columns.
func (j *TemporalJoin) Types() []types.Type { return j.spec.output() }

// Begin opens a batch.
func (j *TemporalJoin) Begin(b *Batch) {
	j.closed = [2]bool{}
	j.pairs.begin(b)
}

// Push queues a chunk of the left (0) or right (1) input.
func (j *TemporalJoin) Push(in int, c *batch.Chunk) { j.queue[in].push(in, c) }

// CloseInput notes the end of an input.
func (j *TemporalJoin) CloseInput(in int) { j.closed[in] = true }

// States are the right rows, and what left rows were given.
func (j *TemporalJoin) States() []*state.Store {
	if j.answers == nil {
		return []*state.Store{j.right.store}
	}
	return []*state.Store{j.right.store, j.answers.kept.store}
}

// Rebuild derives the indexes from the stores.
func (j *TemporalJoin) Rebuild() error {
	j.right.rebuild()
	if j.answers != nil {
		j.answers.kept.rebuild()
	}
	return nil
}

// Step works on, block by block.
func (j *TemporalJoin) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for ; ; budget-- {
		if budget <= 0 {
			return More, nil
		}
		work, err := j.block(min(budget, blockRows), emit)
		if err != nil || work == 0 {
			return Done, err
		}
		budget -= work - 1
	}
}

// block does the next piece of work: rows of the right input, as long as there
// are any, then of the left. It returns how much that was; 0: there is nothing to do.
func (j *TemporalJoin) block(limit int, emit func(*batch.Chunk)) (int, error) {
	if _, c, at := j.queue[1].first(); c != nil {
		n := min(limit, c.N-at)
		return n, j.takeRight(c, at, at+n)
	}
	if j.net != nil {
		if _, c, at := j.queue[0].first(); c != nil {
			n := min(limit, c.N-at)
			if err := j.net.add(c, at, at+n); err != nil {
				return n, err
			}
			j.queue[0].done(n)
			return n, nil
		}
	}
	if !j.closed[1] || j.net != nil && !j.closed[0] {
		return 0, nil
	}
	if j.net != nil {
		c := j.net.next(limit)
		if c == nil {
			return 0, nil
		}
		j.left.open(c.Cols, c.N)
		taken, err := j.answers.take(c, emit)
		if err != nil {
			return c.N, err
		}
		return c.N + taken, j.match(c, 0, c.N, emit)
	}
	_, c, at := j.queue[0].first()
	if c == nil {
		return 0, nil
	}
	if !j.opened[0] {
		j.left.open(c.Cols, c.N)
		j.opened[0] = true
	}
	n := min(limit, c.N-at)
	err := j.match(c, at, at+n, emit)
	if j.queue[0].done(n) {
		j.opened[0] = false
	}
	return n, err
}

// takeRight applies the rows lo … hi of a right chunk.
func (j *TemporalJoin) takeRight(c *batch.Chunk, lo, hi int) error {
	if !j.opened[1] {
		j.right.open(c)
		j.opened[1] = true
	}
	for i := lo; i < hi; i++ {
		if j.spec.unmatchable(j.right.group.cols, i) {
			continue
		}
		if err := j.right.upsert(c, i, c.Weight(i), 0); err != nil {
			return err
		}
	}
	if j.queue[1].done(hi - lo) {
		j.opened[1] = false
	}
	return nil
}

// match finds the right rows of the rows lo … hi of a left chunk that come, and
// emits what they are given.
func (j *TemporalJoin) match(c *batch.Chunk, lo, hi int, emit func(*batch.Chunk)) error {
	j.pairs.reset()
	for i := lo; i < hi; i++ {
		if c.Weight(i) <= 0 {
			continue
		}
		if r := j.find(i); r != 0 {
			j.pairs.add(i, j.right.row(j.right.store.Slot(r)))
		} else if j.spec.Outer {
			j.pairs.add(i, nil)
		}
	}
	return j.pairs.settle(c, j.answers, emit)
}

// find is the right row for row i of the open left chunk, 0 if there is none.
func (j *TemporalJoin) find(i int) state.Ref {
	if j.spec.unmatchable(j.left.cols, i) {
		return 0
	}
	r := j.right.head(j.left, i)
	for r != 0 && getInt(j.right.store.Slot(r)) <= 0 {
		r = nextOf(j.right.store.Slot(r))
	}
	return r
}
