package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// lateness leaves rows out of windows that they come too late for.
type lateness struct {
	Lateness
	batch  *Batch
	before *passed // what Closed was before the batch; nil: nothing goes by that
	bound  int64
	bounds bool
	count  int64        // late rows that nobody was told of yet, by weight
	kept   *batch.Chunk // those of them that are to be kept; nil: none
}

func newLateness(spec Lateness, env Env) *lateness {
	l := &lateness{Lateness: spec}
	if spec.Late < 0 && len(spec.Closed) > 0 {
		l.before = newPassed(env.Account)
	}
	return l
}

func (l *lateness) begin(b *Batch) {
	l.batch = b
	if l.before != nil {
		l.bound, l.bounds = l.before.at()
	}
}

// end notes the watermark for the next batch.
func (l *lateness) end() error {
	l.flush()
	if l.before == nil {
		return nil
	}
	if at, ok := l.Closed.At(l.batch); ok {
		return l.before.set(at)
	}
	return nil
}

func (l *lateness) states() []*state.Store {
	if l.before == nil {
		return nil
	}
	return []*state.Store{l.before.store}
}

func (l *lateness) rebuild() {
	if l.before != nil {
		l.before.rebuild()
	}
}

// watermark is what row i of c is late by; false: by nothing.
func (l *lateness) watermark(c *batch.Chunk, i int) (int64, bool) {
	if l.Late < 0 {
		return l.bound, l.bounds
	}
	if v := c.Cols[l.Late]; !v.IsNull(i) {
		return v.I[i], true
	}
	return 0, false
}

// closed is by what windows were over that row i of c is taken back from; false: it is
// not, or none were.
func (l *lateness) closed(c *batch.Chunk, i int) (int64, bool) {
	if !l.Retracts || c.Weight(i) >= 0 {
		return 0, false
	}
	v := c.Cols[l.Retracted]
	return v.I[i], !v.IsNull(i)
}

// missed notes a row that is too late for all its windows.
func (l *lateness) missed(c *batch.Chunk, i int) {
	l.count += c.Weight(i)
	if l.batch.LateRows == nil || len(l.Own) == 0 {
		return
	}
	if l.kept == nil {
		var ts []types.Type
		for _, at := range l.Own {
			ts = append(ts, c.Cols[at].Type)
		}
		l.kept = batch.New(ts, 8)
	}
	for k, at := range l.Own {
		l.kept.Cols[k].AppendFrom(c.Cols[at], i)
	}
	if l.kept.PushWeight(c.Weight(i)); l.kept.N == batch.TargetRows {
		l.flush()
	}
}

// flush tells of the late rows so far.
func (l *lateness) flush() {
	if l.count != 0 && l.batch.Late != nil {
		l.batch.Late(l.Stream, l.count)
	}
	if l.kept != nil {
		l.batch.LateRows(l.Stream, l.kept)
	}
	l.count, l.kept = 0, nil
}
