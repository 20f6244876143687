package logical

import (
	"streamsql/sql/expr"
)

// Project computes its columns from the input's.
type Project struct {
	Input Node
	Items []Computed
}

// Columns of a projection.
func (p *Project) Columns() []Col {
	cols := make([]Col, len(p.Items))
	for i, it := range p.Items {
		cols[i] = it.Col
	}
	return cols
}

// Inputs of a projection.
func (p *Project) Inputs() []Node { return []Node{p.Input} }

// WithInputs puts the projection over another input.
func (p *Project) WithInputs(in []Node) Node { return &Project{Input: in[0], Items: p.Items} }

// Exprs of a projection: its columns'.
func (p *Project) Exprs() []*expr.Expr {
	list := make([]*expr.Expr, len(p.Items))
	for i, it := range p.Items {
		list[i] = it.Expr
	}
	return list
}

// WithExprs rewrites the columns' expressions; the columns stay.
func (p *Project) WithExprs(f func(*expr.Expr) *expr.Expr) Node {
	old := p.Exprs()
	list := rewriteExprs(old, f)
	if same(list, old) {
		return p
	}
	items := make([]Computed, len(list))
	for i, e := range list {
		items[i] = Computed{Col: p.Items[i].Col, Expr: e}
	}
	return &Project{Input: p.Input, Items: items}
}

func (p *Project) String() string { return "Project " + computedText(p.Items) }

// Replace is e with each column that p makes replaced by its expression.
func (p *Project) Replace(e *expr.Expr) *expr.Expr {
	by := make(map[int]*expr.Expr, len(p.Items))
	for _, it := range p.Items {
		by[it.ID] = it.Expr
	}
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op == expr.OpColumn {
			if r, ok := by[x.Col]; ok {
				return r
			}
		}
		return x
	})
}
