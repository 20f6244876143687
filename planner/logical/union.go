package logical

import "streamsql/sql/expr"

// Union is the bag union of its inputs. Its columns have ids of their own; From
// says, for each input, which of the input's columns stand for them.
type Union struct {
	Ins  []Node
	Cols []Col
	From [][]int // column ids, as long as Cols for each input
}

// Columns of a union.
func (u *Union) Columns() []Col { return u.Cols }

// Inputs of a union.
func (u *Union) Inputs() []Node { return u.Ins }

// WithInputs puts the union over other inputs.
func (u *Union) WithInputs(in []Node) Node { return &Union{Ins: in, Cols: u.Cols, From: u.From} }

// Exprs of a union: none.
func (u *Union) Exprs() []*expr.Expr { return nil }

// WithExprs returns u.
func (u *Union) WithExprs(func(*expr.Expr) *expr.Expr) Node { return u }

func (u *Union) String() string { return "Union " + colText(u.Cols) }

// Replace is e, over the union's columns, as it reads over input i's.
func (u *Union) Replace(e *expr.Expr, i int) *expr.Expr {
	cols := byID(u.Ins[i].Columns())
	by := make(map[int]Col, len(u.Cols))
	for k, c := range u.Cols {
		by[c.ID] = cols[u.From[i][k]]
	}
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.OpColumn {
			if c, ok := by[x.Col]; ok {
				return Ref(c)
			}
		}
		return x
	})
}
