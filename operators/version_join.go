package operators

import (
	"encoding/binary"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// VersionJoin gives each left row the version of its key that the right stream
// held at the left row's time. It waits for that until the watermarks of both
// sides are above the time, when the answer cannot become another one any more;
// so it says it once. Versions that nobody can ask for any more are dropped.
//
// Left rows whose time was below the watermark when they came are left out: what
// they ask for may be dropped already. While the left side can retract, what each
// of its live rows was given is kept, and taken back with it.
//
// Only right rows that come, and those that go for good, say anything (see
// versions), so that the order within a batch does not matter, nor where one ends.
type VersionJoin struct {
	spec     TimedSpec
	versions *versions
	waiting  *orderedRows // left rows by their time
	left     *grouping    // the left keys, as versions are looked up by
	pairs    *timedPairs
	late     *lateness
	both     Watermark

	answers *answers // nil: left is append-only
	net     *net     // of left's part of the batch; nil: left is append-only

	batch  *Batch
	queue  [2]inbox
	closed [2]bool
	opened bool // the keys of the first right chunk are prepared
	ended  bool // all left rows whose time has come were given out
}

// NewVersionJoin makes a VersionJoin.
func NewVersionJoin(spec TimedSpec, env Env) (*VersionJoin, error) {
	keys := spec.keyTypes()
	j := &VersionJoin{
		spec: spec, waiting: newOrderedRows(spec.Left, env.Account), left: newGroupingAs(keys, spec.LeftKeys), late: newLateness(spec.Lateness, env),
		both: append(append(Watermark(nil), spec.LeftWatermark...), spec.RightWatermark...),
	}
	j.versions = newVersions(&j.spec, newGroupingAs(keys, spec.RightKeys), j.both, env)
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
func (j *VersionJoin) String() string { return "VersionJoin" }

// Types are the types of the output columns.
func (j *VersionJoin) Types() []types.Type { return j.spec.output() }

// Begin opens a batch.
func (j *VersionJoin) Begin(b *Batch) {
	j.batch, j.closed, j.ended = b, [2]bool{}, false
	j.pairs.begin(b)
	j.late.begin(b)
}

// Push queues a chunk of the left (0) or right (1) input.
func (j *VersionJoin) Push(in int, c *batch.Chunk) { j.queue[in].push(in, c) }

// CloseInput notes the end of an input.
func (j *VersionJoin) CloseInput(in int) { j.closed[in] = true }

// States are the versions, the left rows that wait, and what others were given.
func (j *VersionJoin) States() []*state.Store {
	s := append(j.versions.states(), j.waiting.store)
	s = append(s, j.late.states()...)
	if j.answers != nil {
		s = append(s, j.answers.kept.store)
	}
	return s
}

// Rebuild derives the indexes from the stores.
func (j *VersionJoin) Rebuild() error {
	j.versions.rebuild()
	j.waiting.rebuild()
	j.late.rebuild()
	if j.answers != nil {
		j.answers.kept.rebuild()
	}
	return nil
}

// Step works on, block by block.
func (j *VersionJoin) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for budget > 0 {
		work, err := j.block(min(budget, blockRows), emit)
		if err != nil || work == 0 {
			return Done, err
		}
		budget -= work
	}
	return More, nil
}

// block does the next piece of work and returns how much it was; 0: there is none.
func (j *VersionJoin) block(limit int, emit func(*batch.Chunk)) (int, error) {
	if _, c, at := j.queue[1].first(); c != nil {
		n := min(limit, c.N-at)
		return n, j.takeRight(c, at, at+n)
	}
	if _, c, at := j.queue[0].first(); c != nil {
		n := min(limit, c.N-at)
		return n, j.takeLeft(c, at, at+n, emit)
	}
	if !j.closed[0] || !j.closed[1] {
		return 0, nil
	}
	if j.net != nil {
		if c := j.net.next(limit); c != nil {
			return j.change(c, emit)
		}
	}
	if !j.ended {
		if n, err := j.release(limit, emit); n > 0 || err != nil {
			return n, err
		}
		j.ended = true
		if err := j.late.end(); err != nil {
			return 0, err
		}
		if err := j.versions.over.advance(j.batch); err != nil {
			return 0, err
		}
	}
	return j.versions.forget(limit), nil
}

func (j *VersionJoin) takeRight(c *batch.Chunk, lo, hi int) error {
	if !j.opened {
		j.versions.open(c)
		j.opened = true
	}
	for i := lo; i < hi; i++ {
		if err := j.versions.take(c, i); err != nil {
			return err
		}
	}
	if j.queue[1].done(hi - lo) {
		j.opened = false
	}
	return nil
}

func (j *VersionJoin) takeLeft(c *batch.Chunk, lo, hi int, emit func(*batch.Chunk)) error {
	defer j.queue[0].done(hi - lo)
	if j.net != nil {
		return j.net.add(c, lo, hi)
	}
	j.pairs.reset()
	for i := lo; i < hi; i++ {
		if err := j.come(c, i, c.Weight(i)); err != nil {
			return err
		}
	}
	return j.pairs.settle(c, nil, emit)
}

// change applies what a batch changes in all of some left rows. It returns how
// much work that was.
func (j *VersionJoin) change(c *batch.Chunk, emit func(*batch.Chunk)) (int, error) {
	j.pairs.reset()
	for i := range c.N {
		w := c.Weights[i]
		if w > 0 {
			if err := j.come(c, i, w); err != nil {
				return c.N, err
			}
			continue
		}
		switch {
		case j.apart(c, i): // it has its answer
		case j.spec.Lateness.Late >= 0 && j.isLate(c, i): // it was when it came
			j.late.missed(c, i)
			c.Weights[i] = 0
		default:
			n, err := j.leave(c, i, -w)
			if err != nil {
				return c.N, err
			}
			c.Weights[i] += n
		}
	}
	taken, err := j.answers.take(c, emit)
	if err != nil {
		return c.N, err
	}
	return c.N + taken, j.pairs.settle(c, j.answers, emit)
}

// come lets a left row wait; one that can meet nothing is settled with its block.
func (j *VersionJoin) come(c *batch.Chunk, i int, w int64) error {
	switch {
	case w == 0:
		return nil
	case j.apart(c, i):
		if j.spec.Outer {
			j.pairs.add(i, nil)
		}
		return nil
	case j.isLate(c, i):
		j.late.missed(c, i)
		return nil
	}
	r, made, err := j.find(c, i)
	if err != nil {
		return err
	}
	row := j.waiting.store.Mutable(r)
	putInt(row, getInt(row)+w)
	if made {
		j.waiting.show(r)
	}
	return nil
}

// leave takes a left row back that waits, w times at most, and returns how often it did.
func (j *VersionJoin) leave(c *batch.Chunk, i int, w int64) (int64, error) {
	r, made, err := j.find(c, i)
	if err != nil {
		return 0, err
	}
	row := j.waiting.store.Mutable(r)
	n := min(w, getInt(row))
	putInt(row, getInt(row)-n)
	if getInt(row) == 0 {
		if !made {
			j.waiting.hide(r)
		}
		j.waiting.free(r)
	}
	return n, nil
}

// find is the left row among those that wait; made: it was not there.
func (j *VersionJoin) find(c *batch.Chunk, i int) (r state.Ref, made bool, err error) {
	j.waiting.enc = state.AppendOrdered(j.waiting.enc[:0], c.Cols[j.spec.LeftTime], i, false)
	return j.waiting.find(0, c.Cols, i)
}

// apart reports a left row that can meet nothing, whenever.
func (j *VersionJoin) apart(c *batch.Chunk, i int) bool {
	if c.Cols[j.spec.LeftTime].IsNull(i) {
		return true
	}
	for k, at := range j.spec.LeftKeys {
		if c.Cols[at].IsNull(i) && (j.spec.NullSafe == nil || !j.spec.NullSafe[k]) {
			return true
		}
	}
	return false
}

func (j *VersionJoin) isLate(c *batch.Chunk, i int) bool {
	at, ok := j.late.watermark(c, i)
	return ok && c.Cols[j.spec.LeftTime].I[i] < at
}

// release gives at most limit of the left rows out whose time has come, and
// returns how many these were.
func (j *VersionJoin) release(limit int, emit func(*batch.Chunk)) (int, error) {
	low, ok := j.both.At(j.batch)
	if !ok {
		return 0, nil
	}
	var due []state.Ref
	j.waiting.tree.Scan(func(e treeEntry) bool {
		if len(due) == limit || e.prefix >= orderedTime(low) {
			return false
		}
		due = append(due, e.row)
		return true
	})
	if len(due) == 0 {
		return 0, nil
	}
	c := &batch.Chunk{Cols: newVectors(j.spec.Left, len(due)), N: len(due), Weights: make([]int64, 0, len(due))}
	for _, r := range due {
		j.waiting.decode(r, c.Cols)
		c.Weights = append(c.Weights, getInt(j.waiting.store.Get(r)))
		j.waiting.hide(r)
		j.waiting.free(r)
	}
	return c.N, j.match(c, emit)
}

// match pairs left rows with their versions.
func (j *VersionJoin) match(c *batch.Chunk, emit func(*batch.Chunk)) error {
	j.left.open(c.Cols, c.N)
	j.pairs.reset()
	right := newVectors(j.spec.output()[len(j.spec.Left):], c.N)
	for i := range c.N {
		r := j.versions.at(j.left, i, c.Cols[j.spec.LeftTime].I[i])
		switch {
		case r != 0:
			j.versions.rows.decode(r, right)
		case j.spec.Outer:
			for _, v := range right {
				v.AppendNull()
			}
		default:
			continue
		}
		j.pairs.meet(i, r != 0)
	}
	if len(j.pairs.rows) == 0 {
		return nil
	}
	return j.pairs.settleWith(c, right, j.answers, emit)
}

// orderedTime is a time as a number in the order of placePrefix.
func orderedTime(time int64) uint64 { return uint64(time) ^ 1<<63 }

// timePlace appends the place of a time, as state.AppendOrdered has it.
func timePlace(dst []byte, time int64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, 1), orderedTime(time))
}
