package rule

import (
	"testing"

	"streamsql/planner/logical"
)

func TestPushFilterThroughProject(t0 *testing.T) {
	n, r := as(9, "n", do("+", b, one)), as(9, "r", do("rand"))
	runCases(t0, pushFilterThroughProject, []ruleCase{
		{"the expression in the column's place", filter(project(t(), n, keep(a)), is(">", do("*", logical.Ref(n.Col), two), a)), nil, `
Project n#9 = b#2 + 1, a#1
  Filter (b#2 + 1) * 2 > a#1
    Scan d.t (a#1, b#2, c#3)
`},
		{"a volatile column is computed once", filter(project(t(), r, keep(a)), is(">", do("+", logical.Ref(r.Col), one), two), is(">", a, one)), nil, `
Filter r#9 + 1 > 2
  Project r#9 = rand(), a#1
    Filter a#1 > 1
      Scan d.t (a#1, b#2, c#3)
`},
		{"a volatile condition stays", filter(project(t(), keep(a)), is(">", a, do("rand"))), nil, ""},
	})
}

func TestPushFilterThroughAggregate(t0 *testing.T) {
	n := call(9, "count")
	count := typed(9, "count", n.Type)
	runCases(t0, pushFilterThroughAggregate, []ruleCase{
		{"on a key", filter(group(t(), by(b), n), is(">", b, one), is(">", count, one)), nil, `
Filter count#9 > 1
  Aggregate by (b#2): COUNT(*) count#9
    Filter b#2 > 1
      Scan d.t (a#1, b#2, c#3)
`},
		{"on an aggregate", filter(group(t(), by(b), n), is(">", count, one)), nil, ""},
		{"without keys the one group stays", filter(group(t(), nil, n), is(">", one, two)), nil, ""},
	})
}

func TestPushFilterThroughDistinct(t0 *testing.T) {
	runCases(t0, pushFilterThroughDistinct, []ruleCase{
		{"any condition", filter(&logical.Distinct{Input: t()}, is(">", b, one)), nil, `
Distinct
  Filter b#2 > 1
    Scan d.t (a#1, b#2, c#3)
`},
		{"a volatile one", filter(&logical.Distinct{Input: t()}, is(">", b, do("rand"))), nil, ""},
	})
}

func TestPushFilterThroughUnion(t0 *testing.T) {
	p := typed(20, "p", a.Type)
	runCases(t0, pushFilterThroughUnion, []ruleCase{
		{"each input by its own column", filter(union(t(), u()), is(">", p, one)), nil, `
Union (p#20, q#21, r#22)
  Filter a#1 > 1
    Scan d.t (a#1, b#2, c#3)
  Filter x#4 > 1
    Scan d.u (x#4, y#5, z#6)
`},
		{"a volatile one", filter(union(t(), u()), is(">", p, do("rand"))), nil, ""},
	})
}

func TestPushFilterIntoJoin(t0 *testing.T) {
	runCases(t0, pushFilterIntoJoin, []ruleCase{
		{"all into an inner join", filter(join(logical.InnerJoin, t(), u()), is("=", a, x), is(">", b, one)), nil, `
Join inner if a#1 = x#4 AND b#2 > 1
  Scan d.t (a#1, b#2, c#3)
  Scan d.u (x#4, y#5, z#6)
`},
		{"left of a left join only", filter(join(logical.LeftJoin, t(), u(), is("=", a, x)), is(">", b, one), is("is null", y)), nil, `
Filter y#5 is null
  Join left if a#1 = x#4
    Filter b#2 > 1
      Scan d.t (a#1, b#2, c#3)
    Scan d.u (x#4, y#5, z#6)
`},
		{"both sides of a left join", filter(join(logical.LeftJoin, t(), u(), is("=", a, x)), is("<=>", b, y)), nil, ""},
	})
}

func TestPushJoinCondition(t0 *testing.T) {
	runCases(t0, pushJoinCondition, []ruleCase{
		{"inner: to both sides", join(logical.InnerJoin, t(), u(), is("=", a, x), is(">", b, one), is(">", y, one)), nil, `
Join inner if a#1 = x#4
  Filter b#2 > 1
    Scan d.t (a#1, b#2, c#3)
  Filter y#5 > 1
    Scan d.u (x#4, y#5, z#6)
`},
		{"left: to the right side", join(logical.LeftJoin, t(), u(), is(">", b, one), is(">", y, one)), nil, `
Join left if b#2 > 1
  Scan d.t (a#1, b#2, c#3)
  Filter y#5 > 1
    Scan d.u (x#4, y#5, z#6)
`},
		{"left: the left side's rows stay in any case", join(logical.LeftJoin, t(), u(), is(">", b, one)), nil, ""},
		{"both sides", join(logical.InnerJoin, t(), u(), is(">", b, y)), nil, ""},
	})
}
