package logical

import (
	"fmt"
	"strings"

	"streamsql/sql/agg"
	"streamsql/sql/expr"
)

// Text is the tree as rule tests compare it: a node a line, inputs indented, a
// column as name#id.
func Text(n Node) string {
	var b strings.Builder
	var walk func(n Node, depth int)
	walk = func(n Node, depth int) {
		b.WriteString(strings.Repeat("  ", depth) + n.String() + "\n")
		for _, in := range n.Inputs() {
			walk(in, depth+1)
		}
	}
	walk(n, 0)
	return b.String()
}

// CallText is an aggregate call as SQL.
func CallText(c agg.Call) string {
	return c.Text(func(e *expr.Expr) string { return exprText([]*expr.Expr{e}, "") })
}

func colName(c Col) string { return fmt.Sprintf("%s#%d", c.Name, c.ID) }

func colText(cols []Col) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = colName(c)
	}
	return "(" + strings.Join(names, ", ") + ")"
}

func computedText(items []Computed) string {
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = colName(it.Col)
		if !IsPassThrough(it) {
			texts[i] += " = " + exprText([]*expr.Expr{it.Expr}, "")
		}
	}
	return strings.Join(texts, ", ")
}

// exprText prints expressions with their columns' ids.
func exprText(list []*expr.Expr, sep string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Op != expr.OpColumn {
				return x
			}
			c := *x
			c.Name = fmt.Sprintf("%s#%d", x.Name, x.Col)
			return &c
		}).String()
	}
	return strings.Join(texts, sep)
}

func byID(cols []Col) map[int]Col {
	m := make(map[int]Col, len(cols))
	for _, c := range cols {
		m[c.ID] = c
	}
	return m
}

// same reports that two lists share their memory: nothing was rewritten.
func same(a, b []*expr.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
