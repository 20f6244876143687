package operators

import (
	"bytes"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// overOutput takes back the results of rows that went, then goes through the
// changes once for each reach, and gives out the rows there that have other
// results than before.
type overOutput struct {
	*Over
	part   overPart
	eval   *overEval
	passes []*reacher

	pass   int // −1: the rows that went
	next   int // change to look at
	some   bool
	seen   int64 // rows of the partition below it need not be looked at in this pass
	lo, hi int64 // rows to look at

	rows    [][]byte
	kept    [][]byte // results, in arena
	weights []int64
	arena   []byte
	enc     []byte
}

func (o *overOutput) init(over *Over) error {
	o.Over = over
	o.part.ranking = over.ranking
	o.eval = newOverEval(&o.part, over.fold, over.spec.Funcs)
	for _, r := range reaches(over.spec.Funcs, over.spec.Order) {
		o.passes = append(o.passes, newReacher(r, over.fold))
	}
	return nil
}

func (o *overOutput) begin() { o.pass, o.next, o.some, o.lo, o.hi = -1, 0, false, 0, 0 }

// done reports that nothing is left to give.
func (o *overOutput) done() bool {
	return o.changes.len() == 0 || o.pass == len(o.passes)
}

// give works about n rows off, and returns how much it did.
func (o *overOutput) give(n int, emit func(*batch.Chunk)) (int, error) {
	work := 0
	for work < n && !o.done() {
		switch {
		case o.pass < 0:
			if err := o.takeBack(o.changes.at(o.next)); err != nil {
				return 0, err
			}
			work++
			if o.next++; o.next == o.changes.len() {
				o.pass, o.next = 0, 0
			}
		case o.lo < o.hi:
			from, next := o.passes[o.pass].narrow(&o.part, o.lo, o.hi, n-work)
			next = min(next, from+min(int64(n-work), blockSize))
			if err := o.look(from, next); err != nil {
				return 0, err
			}
			o.lo = next
			work += max(int(next-from), 1)
		default:
			if err := o.advance(); err != nil {
				return 0, err
			}
			work++
		}
	}
	o.flush(emit)
	return max(work, 1), nil
}

// takeBack gives out that a row that went is no more.
func (o *overOutput) takeBack(c *rankChange) error {
	if c.now > 0 {
		return nil
	}
	ref := resultsOf(o.store.Get(c.ref))
	if ref == 0 {
		return nil
	}
	_, _, row := o.keyOf(c.ref)
	o.lose(row, o.results.Get(ref))
	o.results.Free(ref)
	return nil
}

// advance finds the rows that the next change of the pass reaches, or those
// behind the last one of a partition.
func (o *overOutput) advance() error {
	pass := o.passes[o.pass]
	if o.some && (o.next == o.changes.len() || o.changes.at(o.next).group != o.part.group) {
		lo, hi, more, err := pass.end(&o.part)
		o.reach(lo, hi)
		o.some = more
		return err
	}
	if o.next == o.changes.len() {
		o.pass, o.next = o.pass+1, 0
		return nil
	}
	c := o.changes.at(o.next)
	if !o.some {
		o.some, o.seen = true, 0
		if o.part.enter(c.group); o.part.n == 0 {
			o.skip()
			return nil
		}
		o.eval.begin()
		pass.begin(&o.part, &o.changes, o.next)
	}
	o.next++
	key, order, _ := o.keyOf(c.ref)
	o.enc = append(o.enc[:0], order...)
	lo, hi := pass.change(&o.part, c, o.part.index(key), o.enc)
	if pass.uniform && lo < hi && o.seen == 0 {
		if o.stays(pass.funcs) {
			lo, hi, o.seen = 0, 0, o.part.n
		}
	}
	o.reach(lo, hi)
	return nil
}

// skip leaves out the changes of a partition that has no rows any more.
func (o *overOutput) skip() {
	for o.next < o.changes.len() && o.changes.at(o.next).group == o.part.group {
		o.next++
	}
	o.some = false
}

// reach sets the rows to look at, but for those that were seen.
func (o *overOutput) reach(lo, hi int64) {
	o.lo, o.hi = max(lo, o.seen, 0), min(hi, o.part.n)
	o.seen = max(o.seen, o.hi)
}

// look computes the rows from lo to hi, and gives out what has changed.
func (o *overOutput) look(lo, hi int64) error {
	resetVectors(o.eval.out)
	for i := lo; i < hi; i++ {
		if err := o.eval.row(i); err != nil {
			return err
		}
		b, at := o.part.block(i)
		if err := o.compare(b.refs[at], b.rows[at], int(i-lo)); err != nil {
			return err
		}
	}
	return nil
}

// compare gives a row out if its results, in row i of eval.out, are not those that it has.
func (o *overOutput) compare(ref state.Ref, row []byte, i int) error {
	if o.enc = append(o.enc[:0], 0); o.eval.failed != nil {
		o.enc = append(append(o.enc[:0], 1), sqlerr.From(o.eval.failed).Message...)
	} else {
		o.enc = o.codec.Append(o.enc, o.eval.out, i)
	}
	old := resultsOf(o.store.Get(ref))
	if old != 0 {
		was := o.results.Get(old)
		if bytes.Equal(was, o.enc) {
			return nil
		}
		o.lose(row, was)
	}
	if o.eval.failed != nil {
		o.fail(row, o.eval.failed, 1)
	} else {
		o.push(row, o.enc[1:], 1)
	}
	return o.keep(ref, o.enc)
}

// lose takes back what was given out of a row, or the report that it failed.
func (o *overOutput) lose(row, results []byte) {
	if results[0] == 0 {
		o.push(row, results[1:], -1)
	} else {
		o.fail(row, sqlerr.New(sqlerr.DataOutOfRange, "%s", results[1:]), -1)
	}
}

func (o *overOutput) push(row, results []byte, weight int64) {
	at := len(o.arena)
	o.arena = append(o.arena, results...)
	o.rows, o.weights = append(o.rows, row), append(o.weights, weight)
	o.kept = append(o.kept, o.arena[at:len(o.arena):len(o.arena)])
}

// flush emits the rows that were pushed.
func (o *overOutput) flush(emit func(*batch.Chunk)) {
	if len(o.rows) == 0 {
		return
	}
	c := batch.New(o.out, len(o.rows))
	decodeOrdered(o.rows, c.Cols[:len(o.input)])
	o.codec.Decode(o.kept, c.Cols[len(o.input):])
	c.N, c.Weights = len(o.rows), plain(append([]int64(nil), o.weights...))
	o.rows, o.kept, o.weights, o.arena = o.rows[:0], o.kept[:0], o.weights[:0], nil
	emit(c)
}

// fail reports a row that has a result out of range, or with −1 takes the report back.
func (o *overOutput) fail(row []byte, err error, weight int64) {
	if o.batch.Fail == nil {
		return
	}
	cols := newVectors(o.input, 1)
	decodeOrdered([][]byte{row}, cols)
	o.batch.Fail(RowError{Operator: o.env.Node, Err: err, Row: rowText(cols, 0, o.env.Location), Weight: weight})
}

func appendBest(best []byte, out *vector.Vector) {
	if best == nil {
		out.AppendNull()
	} else {
		state.DecodeOrdered(best, out)
	}
}
