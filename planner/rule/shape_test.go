package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

func TestCountAll(t0 *testing.T) {
	runCases(t0, countAll, []ruleCase{
		{"of what is never NULL", group(t(), nil, call(9, "count", a), call(10, "count", b)), nil, `
Aggregate: COUNT(*) count#9, COUNT(b#2) count#10
  Scan d.t (a#1, b#2, c#3)
`},
		{"of distinct values", group(t(), nil, distinctly(call(9, "count", a))), nil, ""},
		{"a sum", group(t(), nil, call(9, "sum", a)), nil, ""},
	})
}

func TestEliminateDistinct(t0 *testing.T) {
	distinct := func(n logical.Node) logical.Node { return &logical.Distinct{Input: n} }
	onKey := logical.JoinKey{Left: cols(b)[0], Right: cols(x)[0]}
	offKey := logical.JoinKey{Left: cols(b)[0], Right: cols(y)[0]}
	for _, c := range []struct {
		what string
		in   logical.Node
		gone bool
	}{
		{"primary key", t(), true},
		{"without the key's column", project(t(), keep(b)), false},
		{"grouping keys", project(group(t(), by(b), call(9, "count")), keep(b)), true},
		{"only some of the grouping keys", project(group(t(), by(b, c), call(9, "count")), keep(b)), false},
		{"one group", project(group(t(), nil, call(9, "count")), as(10, "k", one)), true},
		{"a join on the other side's key keeps this side's", project(joined(onKey), keep(a), keep(y)), true},
		{"a join off the key", project(joined(offKey), keep(a), keep(y)), false},
		{"both sides' keys", project(joined(offKey), keep(a), keep(x)), true},
		{"the key is fixed", project(filter(t(), is("=", a, one)), keep(b)), true},
		{"another column is fixed", project(filter(t(), is("=", c, one)), keep(b)), false},
		{"a union has no key", union(t(), u()), false},
		{"a stream has none", stream(), false},
		{"distinct rows are distinct", distinct(stream()), true},
	} {
		if got := apply(t0, eliminateDistinct, distinct(c.in)); (got != "") != c.gone && c.what != "distinct rows are distinct" {
			t0.Errorf("eliminate_distinct: %s:\n%s", c.what, got)
		}
	}
}

func TestSortOneRow(t0 *testing.T) {
	oneRow := logical.OneRow()
	runCases(t0, sortOneRow, []ruleCase{
		{"LIMIT 1", &logical.Sort{Input: oneRow, Limit: 1}, nil, "\nValues 1 rows ()\n"},
		{"order of a global aggregate", &logical.Sort{Input: group(t(), nil, call(9, "count")), Keys: []bind.Order{{Col: 9}}, Limit: -1}, nil, `
Aggregate: COUNT(*) count#9
  Scan d.t (a#1, b#2, c#3)
`},
		{"OFFSET 1", &logical.Sort{Input: oneRow, Limit: -1, Offset: 1}, nil, "\nValues 0 rows ()\n"},
		{"LIMIT 0", &logical.Sort{Input: oneRow, Limit: 0}, nil, ""},
		{"several rows", &logical.Sort{Input: t(), Limit: 5}, nil, ""},
	})
}

func TestTwoPhaseAggregate(t0 *testing.T) {
	for _, c := range []struct {
		in    logical.Node
		fires bool
	}{
		{group(t(), by(b), call(9, "count"), call(10, "sum", c), call(11, "avg", c)), true},
		{group(t(), by(b)), true},
		{group(t(), by(a, b), call(9, "sum", c)), false}, // a row a key: nothing to combine
		{group(stream(), by(b), call(9, "min", c), call(10, "max", c)), true},
		{group(t(), by(b), call(9, "min", c)), false}, // rows of t can be retracted
		{group(t(), by(b), call(9, "count"), call(10, "max", c)), false},
		{group(stream(), by(b), distinctly(call(9, "count", c))), false},
		{group(join(logical.LeftJoin, stream(), scan("u", x, y), is("=", a, x)), by(b), call(9, "min", c)), false}, // padding is retracted
	} {
		if got := apply(t0, twoPhaseAggregate, c.in); (got != "") != c.fires {
			t0.Errorf("two_phase_aggregate: %s: fired %v", c.in, !c.fires)
		}
	}
}

// Names are how rules show in traces, and no reason is left out.
func TestRulesAreNamed(t0 *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules {
		if r.Name == "" || r.Reason == "" || seen[r.Name] {
			t0.Errorf("rule %q: without a name or reason of its own", r.Name)
		}
		seen[r.Name] = true
	}
}

// All rules together come to an end, and keep the tree sound.
func TestFixpoint(t0 *testing.T) {
	ny := nullable(y)
	in := filter(project(join(logical.LeftJoin, filter(t(), is(">", b, do("+", one, two))), u(), is("=", do("+", a, one), x)),
		as(9, "n", do("*", b, c)), keep(ny)), is("=", ny, one), is(">", typed(9, "n", one.Type.Nullable()), do("+", one, one)))
	all := Rule{Name: "all", Apply: func(c *Context, tree *logical.Tree) logical.Node {
		copied := *tree
		if fired := run(c, &copied, Rules); len(fired) > 0 {
			return copied.Root
		}
		return tree.Root
	}}
	runCases(t0, all, []ruleCase{{"left join under projection", in, []*expr.Expr{ny}, `
Project y#5
  Join inner on a + 1#100 = x#4
    Project a + 1#100 = a#1 + 1
      Filter b#2 > 3 AND b#2 * c#3 > 2
        Scan d.t (a#1, b#2, c#3)
    Filter y#5 = 1
      Scan d.u (x#4, y#5)
`}})
}
