package rule

import (
	"slices"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// restrict adds, for a condition (a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)
// over several leaves, what each of its branches says of one leaf alone:
// a.x = 1 OR a.x = 3, and b.y = 2 OR b.y = 4. The condition itself stays.
func (g *joinGroup) restrict() {
	for _, e := range slices.Clone(g.conds) {
		if e.Op != expr.OpCall || e.Fn != "or" || len(g.leavesOf(e)) < 2 || g.c.volatile(e) {
			continue
		}
		branches := flatten("or", e, nil)
		for k := range g.leaves {
			if r := g.restriction(branches, k); r != nil {
				g.conds = append(g.conds, r)
			}
		}
	}
}

// restriction is what the branches say of a leaf, nil if one says nothing.
func (g *joinGroup) restriction(branches []*expr.Expr, leaf int) *expr.Expr {
	var parts []*expr.Expr
	for _, b := range branches {
		mine, _ := split(conjuncts(b, nil), func(e *expr.Expr) bool {
			read := g.leavesOf(e)
			return len(read) == 1 && read[leaf]
		})
		if len(mine) == 0 {
			return nil
		}
		parts = append(parts, combine("and", mine))
	}
	return combine("or", distinctExprs(parts))
}

// combine is list put together with AND or OR.
func combine(fn string, list []*expr.Expr) *expr.Expr {
	if len(list) == 1 {
		return list[0]
	}
	return expr.NewCall(fn, types.MakeBool(), list...)
}

// distinctExprs is list with each expression once.
func distinctExprs(list []*expr.Expr) []*expr.Expr {
	var out []*expr.Expr
	for _, e := range list {
		if !contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

func contains(list []*expr.Expr, e *expr.Expr) bool {
	return slices.ContainsFunc(list, func(o *expr.Expr) bool { return expr.Equal(o, e) })
}
