package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// v and k are columns of a third table, w.
var v, k = column(7, "v", true), column(8, "k", false)

func w() logical.Node { return scan("w", v) }

// keyed is a join whose key is extracted.
func keyed(kind logical.JoinKind, l, r logical.Node, lk, rk *expr.Expr) *logical.Join {
	return &logical.Join{Kind: kind, Left: l, Right: r, Keys: []logical.JoinKey{{Left: cols(lk)[0], Right: cols(rk)[0]}}}
}

func TestFactorOr(t0 *testing.T) {
	runCases(t0, factorOr, []ruleCase{
		{"what all branches demand", filter(t(), is("or", is("and", is("=", a, one), is("=", b, one)), is("and", is("=", b, two), is("=", a, one)))), nil, `
Filter a#1 = 1 AND b#2 = 1 or b#2 = 2
  Scan d.t (a#1, b#2, c#3)
`},
		{"a branch that is just that", join(logical.LeftJoin, t(), u(), is("or", is("=", a, x), is("and", is(">", b, y), is("=", a, x)))), nil, `
Join left if a#1 = x#4
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
		{"nothing in common", filter(t(), is("or", is("=", a, one), is("and", is("=", b, one), is("=", c, one)))), nil, ""},
		{"volatile", filter(t(), is("or", is("=", a, do("rand")), is("and", is("=", a, do("rand")), is("=", c, one)))), nil, ""},
	})
}

func TestTransferConditions(t0 *testing.T) {
	runCases(t0, transferConditions, []ruleCase{
		{"inner: both ways", join(logical.InnerJoin, filter(t(), is("=", b, one)), filter(u(), is("<", z, two)), is("=", b, y), is("=", c, z)), nil, `
Join inner if b#2 = y#5 AND c#3 = z#6
  Filter c#3 < 2
    Filter b#2 = 1
      Scan d.t (a#1, b#2, c#3)
  Filter y#5 = 1
    Filter z#6 < 2
      Scan d.u (x#4, y#5, z#6)
`},
		{"left: to the right alone", join(logical.LeftJoin, filter(t(), is("in", b, one, two)), filter(u(), is("<", z, two)), is("=", b, y), is("=", c, z)), nil, `
Join left if b#2 = y#5 AND c#3 = z#6
  Filter b#2 in (1, 2)
    Scan d.t (a#1, b#2, c#3)
  Filter y#5 in (1, 2)
    Filter z#6 < 2
      Scan d.u (x#4, y#5, z#6)
`},
		{"anti: to the right alone", join(logical.AntiJoin, filter(t(), is("=", b, one)), filter(u(), is("=", z, one)), is("=", b, y), is("=", c, z)), nil, `
Join anti if b#2 = y#5 AND c#3 = z#6
  Filter b#2 = 1
    Scan d.t (a#1, b#2, c#3)
  Filter y#5 = 1
    Filter z#6 = 1
      Scan d.u (x#4, y#5, z#6)
`},
		{"full: none", join(logical.FullJoin, filter(t(), is("=", b, one)), u(), is("=", b, y)), nil, ""},
		{"there already", join(logical.LeftJoin, filter(t(), is("=", b, one)), filter(u(), is("=", y, one)), is("=", b, y)), nil, ""},
		{"a condition on two columns", join(logical.InnerJoin, filter(t(), is("<", b, c)), u(), is("=", b, y)), nil, ""},
		{"not an equality", join(logical.InnerJoin, filter(t(), is("=", b, one)), u(), is("<", b, y)), nil, ""},
		{"a computed column", join(logical.InnerJoin, filter(t(), is("=", b, one)), project(u(), as(7, "w", do("+", y, one))), is("=", b, column(7, "w", false))), nil, ""},
		{"volatile", join(logical.InnerJoin, filter(t(), is("=", b, do("rand"))), u(), is("=", b, y)), nil, ""},
	})
}

func TestPushSemiJoin(t0 *testing.T) {
	runCases(t0, pushSemiJoin, []ruleCase{
		{"below the side that it reads", join(logical.SemiJoin, join(logical.InnerJoin, t(), u(), is("=", a, x)), w(), is("=", y, v)), nil, `
Join inner if a#1 = x#4
  Scan d.t (a#1, b#2, c#3)
  Join semi if y#5 = v#7
    Scan d.u (x#4, y#5, z#6)
    Scan d.w (v#7)
`},
		{"left side of a left join", join(logical.AntiJoin, join(logical.LeftJoin, t(), u(), is("=", a, x)), w(), is("=", b, v)), nil, `
Join left if a#1 = x#4
  Join anti if b#2 = v#7
    Scan d.t (a#1, b#2, c#3)
    Scan d.w (v#7)
  Scan d.u (x#4, y#5, z#6)
`},
		{"padded rows must be seen", join(logical.AntiJoin, join(logical.LeftJoin, t(), u(), is("=", a, x)), w(), is("=", nullable(y), v)), nil, ""},
		{"both sides", join(logical.SemiJoin, join(logical.InnerJoin, t(), u(), is("=", a, x)), w(), is("=", y, v), is("=", b, v)), nil, ""},
		{"full", join(logical.SemiJoin, join(logical.FullJoin, t(), u(), is("=", a, x)), w(), is("=", nullable(b), v)), nil, ""},
		{"another semi join", join(logical.SemiJoin, join(logical.SemiJoin, t(), u(), is("=", a, x)), w(), is("=", b, v)), nil, ""},
	})
}

func TestDistinctBelowSemi(t0 *testing.T) {
	runCases(t0, distinctBelowSemi, []ruleCase{
		{"right", join(logical.SemiJoin, t(), &logical.Distinct{Input: w()}, is("=", b, v)), nil, `
Join semi if b#2 = v#7
  Scan d.t (a#1, b#2, c#3)
  Scan d.w (v#7)
`},
		{"left", join(logical.SemiJoin, &logical.Distinct{Input: t()}, w(), is("=", b, v)), nil, ""},
		{"inner", join(logical.InnerJoin, t(), &logical.Distinct{Input: w()}, is("=", b, v)), nil, ""},
	})
}

func TestEliminateJoin(t0 *testing.T) {
	runCases(t0, eliminateJoin, []ruleCase{
		{"one match, not read", project(keyed(logical.LeftJoin, scan("t", a, b), scan("u", x, y), b, x), keep(a)), nil, `
Project a#1
  Scan d.t (a#1, b#2)
`},
		{"under more joins", project(join(logical.InnerJoin, project(keyed(logical.LeftJoin, scan("t", a, b), scan("u", x, y), b, x), keep(a), keep(nullable(y))), w(), is("=", a, v)), keep(a)), nil, `
Project a#1
  Join inner if a#1 = v#7
    Project a#1
      Scan d.t (a#1, b#2)
    Scan d.w (v#7)
`},
		{"read", project(keyed(logical.LeftJoin, scan("t", a, b), scan("u", x, y), b, x), keep(nullable(y))), nil, ""},
		{"several matches", project(keyed(logical.LeftJoin, scan("t", a, b), scan("u", x, y), b, y), keep(a)), nil, ""},
		{"inner: it leaves rows out", project(keyed(logical.InnerJoin, scan("t", a, b), scan("u", x, y), b, x), keep(a)), nil, ""},
		{"all columns make a distinct row", project(&logical.Distinct{Input: keyed(logical.LeftJoin, scan("t", a, b), scan("u", x, y), b, x)}, keep(a)), nil, ""},
	})
}

func TestGroupByKey(t0 *testing.T) {
	runCases(t0, groupByKey, []ruleCase{
		{"its aggregates", group(t(), by(a, b), call(10, "count"), call(11, "count", c), call(12, "sum", c), call(13, "max", b)), nil, `
Project a#1, b#2, count#10 = 1, count#11 = cast(c#3 is not null as bigint), sum#12 = c#3, max#13 = b#2
  Scan d.t (a#1, b#2, c#3)
`},
		{"not a key", group(t(), by(b), call(10, "count")), nil, ""},
		{"no keys", group(t(), nil, call(10, "count")), nil, ""},
		{"an aggregate of another kind", group(t(), by(a), call(10, "avg", c)), nil, ""},
	})
}

func TestOrderJoins(t0 *testing.T) {
	runCases(t0, orderJoins, []ruleCase{
		{"along equalities, from the filter on", join(logical.InnerJoin, join(logical.InnerJoin, scan("t", a), scan("u", x, y)), filter(scan("w", v, k), is("=", k, one)), is("=", y, a), is("=", v, x)), nil, `
Join inner on y#5 = a#1
  Join inner on v#7 = x#4
    Filter k#8 = 1
      Scan d.w (v#7, k#8)
    Scan d.u (x#4, y#5)
  Scan d.t (a#1)
`},
		{"a filter above, and one column equal to two others", filter(join(logical.InnerJoin, join(logical.InnerJoin, scan("t", a, b), scan("w", v, k)), scan("u", x, y), is("=", b, y), is("=", k, y)), is("=", k, one)), nil, `
Filter k#8 = 1
  Join inner on b#2 = y#5
    Join inner on b#2 = k#8
      Scan d.t (a#1, b#2)
      Scan d.w (v#7, k#8)
    Scan d.u (x#4, y#5)
`},
		{"nothing connects one: last", join(logical.InnerJoin, join(logical.InnerJoin, scan("t", a, b), scan("w", v, k)), scan("u", x, y), is("=", b, x), is(">", k, y)), nil, `
Join inner if k#8 > y#5
  Join inner on b#2 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
  Scan d.w (v#7, k#8)
`},
		{"what an OR says of each", join(logical.InnerJoin, scan("t", a, b), scan("u", x, y), is("=", a, x), is("or", is("and", is("=", b, one), is("=", y, two)), is("and", is("=", b, two), is("=", y, one)))), nil, `
Join inner on a#1 = x#4 if b#2 = 1 and y#5 = 2 or b#2 = 2 and y#5 = 1
  Filter b#2 = 1 or b#2 = 2
    Scan d.t (a#1, b#2)
  Filter y#5 = 2 or y#5 = 1
    Scan d.u (x#4, y#5)
`},
		{"the user's order", &logical.Join{Straight: true, Left: scan("t", a), Right: filter(scan("u", x, y), is("=", y, one)), On: by(is("=", a, x))}, nil, ""},
		{"an outer join stays whole", join(logical.InnerJoin, join(logical.LeftJoin, scan("t", a, b), scan("u", x, y), is("=", b, x)), filter(scan("w", v, k), is("=", k, one)), is("=", v, a)), nil, `
Join inner on a#1 = v#7
  Join left if b#2 = x#4
    Scan d.t (a#1, b#2)
    Scan d.u (x#4, y#5)
  Filter k#8 = 1
    Scan d.w (v#7, k#8)
`},
		{"volatile", join(logical.InnerJoin, scan("t", a), filter(scan("u", x, y), is("=", y, one)), is("=", a, do("rand"))), nil, ""},
	})
}
