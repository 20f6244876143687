package operators

import (
	"errors"

	"streamsql/operators/batch"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// evaluation is what an operator needs to compute expressions in a batch.
type evaluation struct {
	env    Env
	ctx    eval.Context
	batch  *Batch
	failed map[int]error // rows of the chunk at hand that could not be computed
}

func (e *evaluation) begin(b *Batch) {
	e.batch = b
	e.ctx = eval.Context{Now: b.Now, Location: e.env.Location, Rules: e.env.Rules, Warn: b.Warn, Note: b.Note, Fail: func(row int, err error) {
		if e.failed == nil {
			e.failed = map[int]error{}
		}
		if e.failed[row] == nil {
			e.failed[row] = err
		}
	}}
}

// report tells the batch of the failed rows, and forgets them. Row i of those
// computed is row rows[i] of c (nil: row i).
func (e *evaluation) report(c *batch.Chunk, rows []int32) {
	n := c.N
	if rows != nil {
		n = len(rows)
	}
	for k := range n { // in order: reports must be the same on replay
		err, ok := e.failed[k]
		if !ok || e.batch.Fail == nil {
			continue
		}
		i := k
		if rows != nil {
			i = int(rows[k])
		}
		var known *sqlerr.Error
		if !errors.As(err, &known) {
			err = sqlerr.From(err)
		}
		e.batch.Fail(RowError{Operator: e.env.Node, Err: err, Row: rowText(c.Cols, i, e.env.Location), Weight: c.Weight(i)})
	}
	e.failed = nil
}

// filter keeps the rows for which all its conjuncts are true.
type filter struct {
	evaluation
	compiled *eval.Filter
	mem      []int32
}

func newFilter(conjuncts []*expr.Expr, env Env) (*filter, error) {
	c, err := eval.CompileFilter(conjuncts)
	return &filter{evaluation: evaluation{env: env}, compiled: c}, err
}

// test is sel, and says also which rows failed.
func (f *filter) test(c *batch.Chunk) (pass []int32, failed map[int]error) {
	f.mem = f.compiled.Select(&f.ctx, c.Cols, c.N, f.mem)
	if failed = f.failed; failed != nil {
		f.report(c, nil)
	}
	return f.mem, failed
}

// sel returns the positions of the rows to keep, in their order, good until the
// next call. A row that fails is reported and left out.
func (f *filter) sel(c *batch.Chunk) []int32 {
	pass, _ := f.test(c)
	return pass
}
