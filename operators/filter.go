package operators

import (
	"streamsql/operators/batch"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// filter keeps the rows for which all its conjuncts are true.
type filter struct {
	env   Env
	batch *Batch
}

func newFilter(conjuncts []*expr.Expr, env Env) (*filter, error) {
	return nil, sqlerr.Unsupported("expressions")
}

func (f *filter) begin(b *Batch) { f.batch = b }

// sel returns the positions of the rows to keep, in their order.
func (f *filter) sel(c *batch.Chunk) ([]int32, error) { return nil, nil }
