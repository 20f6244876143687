package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

func TestPruneColumns(t0 *testing.T) {
	n := as(9, "n", do("+", a, one))
	p := typed(20, "p", a.Type)
	runCases(t0, pruneColumns, []ruleCase{
		{"scan", t(), by(b), "\nScan d.t (b#2)\n"},
		{"what a filter reads stays", filter(t(), is(">", c, one)), by(b), `
Filter c#3 > 1
  Scan d.t (b#2, c#3)
`},
		{"projection", project(t(), n, keep(b)), by(b), `
Project b#2
  Scan d.t (b#2)
`},
		{"an aggregate goes, a grouping key stays", group(t(), by(b), call(8, "sum", a), call(9, "sum", c)), by(typed(9, "sum", one.Type.Nullable())), `
Aggregate by (b#2): SUM(c#3) sum#9
  Scan d.t (b#2, c#3)
`},
		{"join keys and conditions stay", joined(logical.JoinKey{Left: cols(a)[0], Right: cols(x)[0]}, is(">", b, y)), by(c), `
Join inner on a#1 = x#4 if b#2 > y#5
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5)
`},
		{"union", union(t(), u()), by(p), `
Union (p#20)
  Scan d.t (a#1)
  Scan d.u (x#4)
`},
		{"values", &logical.Values{Cols: cols(a, b), Rows: [][]*expr.Expr{{one, two}}}, by(b), "\nValues 1 rows (b#2)\n"},
		{"sort keys stay", &logical.Sort{Input: t(), Keys: []bind.Order{{Col: c.Col}}, Limit: 3}, by(b), `
Sort c#3 LIMIT 3
  Scan d.t (b#2, c#3)
`},
		{"no column at all", t(), []*expr.Expr{}, "\nScan d.t ()\n"},
		{"all make a distinct row", &logical.Distinct{Input: t()}, by(b), ""},
		{"all are read", t(), nil, ""},
	})
}

func joined(k logical.JoinKey, on ...*expr.Expr) logical.Node {
	j := join(logical.InnerJoin, t(), u(), on...)
	j.Keys = []logical.JoinKey{k}
	return j
}

func TestMergeProjects(t0 *testing.T) {
	n, r := as(9, "n", do("+", a, one)), as(9, "r", do("rand"))
	nRef, rRef := logical.Ref(n.Col), logical.Ref(r.Col)
	runCases(t0, mergeProjects, []ruleCase{
		{"each read once", project(project(t(), n, keep(b)), as(10, "m", do("*", nRef, b))), nil, `
Project m#10 = (a#1 + 1) * b#2
  Scan d.t (a#1, b#2, c#3)
`},
		{"a plain column may be read often", project(project(t(), keep(a), keep(b)), as(10, "m", do("*", a, a))), nil, `
Project m#10 = a#1 * a#1
  Scan d.t (a#1, b#2, c#3)
`},
		{"computed once, read twice", project(project(t(), n), as(10, "m", do("*", nRef, nRef))), nil, ""},
		{"volatile", project(project(t(), r), as(10, "m", do("if", rRef, one, two))), nil, ""},
		{"one projection", project(t(), n), nil, ""},
	})
}

func TestRemoveIdentityProject(t0 *testing.T) {
	runCases(t0, removeIdentityProject, []ruleCase{
		{"in any order", project(t(), keep(c), keep(a), keep(b)), nil, "\nScan d.t (a#1, b#2, c#3)\n"},
		{"fewer columns", project(t(), keep(a), keep(b)), nil, ""},
		{"a computed one", project(scan("t", a), as(9, "n", do("+", a, one))), nil, ""},
		{"a renamed one", project(scan("t", a), as(9, "n", a)), nil, ""},
	})
}
