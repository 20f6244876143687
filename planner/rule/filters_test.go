package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

func TestFoldConstants(t0 *testing.T) {
	runCases(t0, foldConstants, []ruleCase{
		{"inside an expression", filter(t(), is(">", b, do("+", one, do("+", one, two)))), nil, `
Filter b#2 > 4
  Scan d.t (a#1, b#2, c#3)
`},
		{"what fails is left to the rows", filter(t(), is(">", b, do("/", one, two))), nil, ""},
		{"what is volatile is not constant", filter(t(), is(">", b, do("rand"))), nil, ""},
		{"what reads a column", filter(t(), is(">", b, do("+", one, c))), nil, ""},
	})
}

func TestSimplifyFilter(t0 *testing.T) {
	for _, c := range []struct {
		conds []*expr.Expr
		want  string // of the filter; "": the rule does not fire
	}{
		{by(is("and", is(">", b, one), is("and", is(">", c, one), yes))), "Filter b#2 > 1 AND c#3 > 1"},
		{by(is(">", b, one), yes), "Filter b#2 > 1"},
		{by(is(">", b, one), is(">", b, one)), "Filter b#2 > 1"},
		{by(is(">", b, one), null), "Filter 0"},
		{by(is("or", is(">", b, one), no)), "Filter b#2 > 1"},
		{by(is("or", null, is("or", is(">", b, one), is(">", b, one)))), "Filter b#2 > 1"},
		{by(is("or", is(">", b, one), yes), is(">", c, one)), "Filter c#3 > 1"},
		{by(is("or", no, null)), "Filter 0"},
		{by(is("not", is("not", is(">", b, one)))), "Filter b#2 > 1"},
		{by(is("is null", a)), "Filter 0"},
		{by(is("not", is("is null", a)), is(">", b, one)), "Filter b#2 > 1"},
		{by(is("or", is("and", is("is null", a), is(">", b, one)), is(">", c, one))), "Filter c#3 > 1"},
		{by(is(">", b, one), is(">", c, one)), ""},
		{by(no), ""},
		{by(is("is null", b)), ""},
		// Under NOT, NULL is not FALSE.
		{by(is("not", is("and", is(">", b, one), null))), ""},
		{by(is("not", is("or", is(">", b, one), null))), ""},
	} {
		want := c.want
		if want != "" {
			want += "\n  Scan d.t (a#1, b#2, c#3)\n"
		}
		runCases(t0, simplifyFilter, []ruleCase{{logical.NewFilter(t(), c.conds).String(), filter(t(), c.conds...), nil, want}})
	}
	runCases(t0, simplifyFilter, []ruleCase{
		{"what is always true leaves no filter", filter(t(), yes), nil, "\nScan d.t (a#1, b#2, c#3)\n"},
		{"a join's condition", join(logical.InnerJoin, t(), u(), is("=", a, x), yes), nil, `
Join inner if a#1 = x#4
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
	})
}

func TestEmptyFilter(t0 *testing.T) {
	runCases(t0, emptyFilter, []ruleCase{
		{"FALSE", filter(t(), no), nil, "\nValues 0 rows (a#1, b#2, c#3)\n"},
		{"NULL", filter(t(), null), nil, "\nValues 0 rows (a#1, b#2, c#3)\n"},
		{"TRUE", filter(t(), yes), nil, ""},
		{"maybe", filter(t(), is(">", b, one)), nil, ""},
	})
}

func TestPropagateEmpty(t0 *testing.T) {
	nothing := logical.Empty(cols(x, y))
	runCases(t0, propagateEmpty, []ruleCase{
		{"projection", project(nothing, as(9, "n", do("+", x, one))), nil, "\nValues 0 rows (n#9)\n"},
		{"groups", group(nothing, by(x), call(9, "count")), nil, "\nValues 0 rows (x#4, count#9)\n"},
		{"the one group of an aggregate without keys is there over nothing", group(nothing, nil, call(9, "count")), nil, ""},
		{"inner join", join(logical.InnerJoin, t(), nothing, is("=", a, x)), nil, "\nValues 0 rows (a#1, b#2, c#3, x#4, y#5)\n"},
		{"right side of a left join", join(logical.LeftJoin, t(), nothing, is("=", a, x)), nil, `
Project a#1, b#2, c#3, x#4 = NULL, y#5 = NULL
  Scan d.t (a#1, b#2, c#3)
`},
		{"left side of a left join", join(logical.LeftJoin, nothing, t(), is("=", a, x)), nil, "\nValues 0 rows (x#4, y#5, a#1, b#2, c#3)\n"},
		{"left join on what is never true", join(logical.LeftJoin, scan("t", a), scan("u", x), no), nil, `
Project a#1, x#4 = NULL
  Scan d.t (a#1)
`},
		{"an input of a union", union(t(), logical.Empty(cols(x, y, z)), u()), nil, `
Union (p#20, q#21, r#22)
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
		{"LIMIT 0", &logical.Sort{Input: t(), Limit: 0}, nil, "\nValues 0 rows (a#1, b#2, c#3)\n"},
		{"LIMIT 1", &logical.Sort{Input: t(), Limit: 1}, nil, ""},
	})
}

func TestMergeFilters(t0 *testing.T) {
	runCases(t0, mergeFilters, []ruleCase{
		{"the lower one first", filter(filter(t(), is("<>", b, one)), is(">", c, one)), nil, `
Filter b#2 <> 1 AND c#3 > 1
  Scan d.t (a#1, b#2, c#3)
`},
		{"only one", filter(t(), is("<>", b, one)), nil, ""},
	})
}

func TestSimplifyOuterJoin(t0 *testing.T) {
	nx, ny := nullable(x), y
	left := func() logical.Node { return join(logical.LeftJoin, scan("t", a, b), scan("u", x, y), is("=", a, x)) }
	full := func() logical.Node { return join(logical.FullJoin, scan("t", a, b), scan("u", x, y), is("=", a, x)) }
	for _, cond := range by(
		is("=", ny, one),
		is("and", is(">", b, one), is("<", do("+", nx, one), two)),
		is("or", is("=", nx, one), is(">", ny, one)),
		is("not", is("is null", nx)),
		is("is not null", nx),
		is("is true", is("=", ny, one)),
		is("not", is("in", ny, one, two)),
		is("not in", ny, one, two),
		is("not between", ny, one, two),
		is("between", one, ny, two),
		is("=", do("coerce", ny), one),
	) {
		if got := apply(t0, simplifyOuterJoin, filter(left(), cond)); got == "" {
			t0.Errorf("simplify_outer_join: %s should reject padded rows", cond)
		}
	}
	for _, cond := range by(
		is("=", b, one),
		is("is null", nx),
		is("<=>", nx, b),
		is("or", is("=", nx, one), is(">", b, one)),
		is("=", do("coalesce", ny, one), one),
		is("not", is("between", one, two, ny)), // 1 BETWEEN 2 AND NULL is FALSE
		is("not between", one, two, ny),
		is("is null", is("=", ny, one)),
		is("is not true", is("=", ny, one)),
	) {
		if got := apply(t0, simplifyOuterJoin, filter(left(), cond)); got != "" {
			t0.Errorf("simplify_outer_join: %s lets padded rows pass", cond)
		}
	}
	runCases(t0, simplifyOuterJoin, []ruleCase{
		{"the filter stays", filter(left(), is("=", ny, one)), nil, `
Filter y#5 = 1
  Join inner if a#1 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
`},
		{"full: left's padded rows go", filter(full(), is("=", b, one)), nil, `
Filter b#2 = 1
  Join left if a#1 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
`},
		{"full: right's go, so right becomes the left side", filter(full(), is("=", ny, one)), nil, `
Filter y#5 = 1
  Join left if a#1 = x#4
    Scan d.u (x#4, y#5)
    Scan d.t (a#1, b#2)
`},
		{"full: both go", filter(full(), is("=", b, ny)), nil, `
Filter b#2 = y#5
  Join inner if a#1 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
`},
		{"a join above lets no padded row pass", join(logical.SemiJoin, left(), scan("w", z), is("=", ny, z)), nil, `
Join semi if y#5 = z#6
  Join inner if a#1 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
  Scan d.w (z#6)
`},
		{"an anti join above gives just them", join(logical.AntiJoin, left(), scan("w", z), is("=", ny, z)), nil, ""},
	})
}
