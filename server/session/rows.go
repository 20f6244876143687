package session

import (
	"context"

	"streamsql/engine"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// fixedRows are rows that are there already.
type fixedRows struct {
	fields []physical.Field
	chunks []*batch.Chunk
}

func (r *fixedRows) Fields() []physical.Field { return r.fields }
func (r *fixedRows) Close()                   {}

func (r *fixedRows) Next(ctx context.Context) (*batch.Chunk, error) {
	if len(r.chunks) == 0 {
		return nil, nil
	}
	c := r.chunks[0]
	r.chunks = r.chunks[1:]
	return c, context.Cause(ctx)
}

// countedRows counts rows, and gives the first left of them only (sql_select_limit).
type countedRows struct {
	engine.Rows
	left, n int64
}

func (r *countedRows) Next(ctx context.Context) (*batch.Chunk, error) {
	if r.left == 0 {
		return nil, nil
	}
	c, err := r.Rows.Next(ctx)
	if c == nil || err != nil {
		return nil, err
	}
	if c.Weights == nil && int64(c.N) <= r.left {
		r.count(int64(c.N))
		return c, nil
	}
	for i := range c.N {
		w := c.Weight(i)
		if w < r.left {
			r.count(w)
			continue
		}
		cut := c.Slice(0, i+1)
		if w > r.left {
			cut.Weights = append(make([]int64, 0, i+1), cut.Weights...)
			cut.Weights[i] = r.left
		}
		r.count(r.left)
		return cut, nil
	}
	return c, nil
}

func (r *countedRows) count(n int64) { r.n, r.left = r.n+n, r.left-n }

// appendValue appends a constant of v's class.
func appendValue(v *vector.Vector, val *expr.Value) {
	switch {
	case val.Null:
		v.AppendNull()
	case val.Wide != nil:
		v.AppendWide(*val.Wide)
	case v.Type.Class() == types.ClassFloat:
		v.AppendFloat(val.F)
	case v.Type.Class() == types.ClassBytes:
		v.AppendBytes(val.S)
	default:
		v.AppendInt(val.I)
	}
}

// valueAt is value i of v as a constant.
func valueAt(v *vector.Vector, i int) *expr.Expr {
	switch {
	case v.IsNull(i):
		return expr.NewConst(expr.Value{Null: true}, v.Type)
	case v.W != nil:
		return expr.NewConst(expr.Value{Wide: &v.W[i]}, v.Type)
	case v.Type.Class() == types.ClassFloat:
		return expr.NewConst(expr.Value{F: v.F[i]}, v.Type)
	case v.Type.Class() == types.ClassBytes:
		return expr.NewConst(expr.Value{S: append([]byte(nil), v.Bytes(i)...)}, v.Type)
	default:
		return expr.NewConst(expr.Value{I: v.I[i]}, v.Type)
	}
}

// collect reads rows to the end into one chunk of rows of weight 1; nil: there are none.
func collect(ctx context.Context, rows engine.Rows) (*batch.Chunk, error) {
	defer rows.Close()
	var all *batch.Chunk
	owned := false
	for {
		c, err := rows.Next(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case c == nil:
			return all, nil
		case c.N == 0:
			continue
		case all == nil && c.Weights == nil:
			all = c
			continue
		}
		if !owned {
			first := all
			all, owned = batch.New(columnTypes(c), c.N), true
			if first != nil {
				appendAll(all, first)
			}
		}
		appendAll(all, c)
	}
}

func columnTypes(c *batch.Chunk) []types.Type {
	ts := make([]types.Type, len(c.Cols))
	for i, v := range c.Cols {
		ts[i] = v.Type
	}
	return ts
}

// appendAll appends the rows of src, each as often as its weight says.
func appendAll(dst, src *batch.Chunk) {
	for i := range src.N {
		for range src.Weight(i) {
			dst.AppendFrom(src, i, 1)
		}
	}
}
