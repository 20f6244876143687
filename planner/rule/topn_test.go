package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// top is the TopN of one row by column c; f may change it.
func top(in logical.Node, f func(*logical.TopN)) *logical.TopN {
	n := &logical.TopN{Input: in, Order: []bind.Order{{Col: c.Col}}, Limit: 1}
	if f != nil {
		f(n)
	}
	return n
}

func TestPushFilterThroughTopN(t0 *testing.T) {
	byB := func(n *logical.TopN) { n.Partition = []int{b.Col} }
	runCases(t0, pushFilterThroughPartition, []ruleCase{
		{"on the partition", filter(top(t(), byB), is(">", b, one), is(">", c, one)), nil, `
Filter c#3 > 1
  TopN PARTITION BY b#2 ORDER BY c#3 LIMIT 1
    Filter b#2 > 1
      Scan d.t (a#1, b#2, c#3)
`},
		{"on what is ordered by", filter(top(t(), byB), is(">", c, one)), nil, ""},
		{"without a partition", filter(top(t(), nil), is(">", b, one)), nil, ""},
		{"a volatile one", filter(top(t(), byB), is(">", b, do("rand"))), nil, ""},
	})
}

func TestShortenTies(t0 *testing.T) {
	runCases(t0, shortenTies, []ruleCase{
		{"up to a key", top(t(), func(n *logical.TopN) { n.Ties = []int{b.Col, a.Col, c.Col} }), nil, `
TopN ORDER BY c#3 THEN b#2, a#1 LIMIT 1
  Scan d.t (a#1, b#2, c#3)
`},
		{"none when ordered by a key", top(t(), func(n *logical.TopN) { n.Order[0].Col, n.Ties = a.Col, []int{b.Col} }), nil, `
TopN ORDER BY a#1 LIMIT 1
  Scan d.t (a#1, b#2, c#3)
`},
		{"no key", top(stream(), func(n *logical.TopN) { n.Ties = []int{b.Col, a.Col} }), nil, ""},
	})
}

func TestTopOfOneRow(t0 *testing.T) {
	none := func(n *logical.TopN) { n.Offset = 1 }
	one := group(t(), nil, call(9, "max", c))
	runCases(t0, sortOneRow, []ruleCase{
		{"one row is the first", &logical.TopN{Input: one, Limit: 2}, nil, `
Aggregate: MAX(c#3) max#9
  Scan d.t (a#1, b#2, c#3)
`},
		{"and none is the second", &logical.TopN{Input: one, Limit: 2, Offset: 1}, nil, `
Values 0 rows (max#9)
`},
		{"of many", top(t(), none), nil, ""},
	})
}

// numbered is column n#9, the ROW_NUMBER of each row of t by c within b, or another function.
func numbered(in logical.Node, fn string) *logical.Over {
	n := logical.Col{ID: 9, Name: "n", Type: a.Type}
	return &logical.Over{Input: in, Partition: []int{b.Col}, Order: []bind.Order{{Col: c.Col, Desc: true}}, Ties: []int{a.Col}, Funcs: []logical.OverFunc{{Col: n, Fn: fn}}}
}

func TestRankFilterToTopN(t0 *testing.T) {
	n := column(9, "n", true)
	two := numbered(t(), "row_number")
	two.Funcs = append(two.Funcs, logical.OverFunc{Col: logical.Col{ID: 10, Name: "m", Type: a.Type}, Fn: "rank"})
	runCases(t0, rankFilterToTopN, []ruleCase{
		{"the first", filter(numbered(t(), "row_number"), is("<=", n, number(3)), is(">", a, one)), nil, `
Filter a#1 > 1
  TopN ROW_NUMBER PARTITION BY b#2 ORDER BY c#3 DESC THEN a#1 LIMIT 3 AS n#9
    Scan d.t (a#1, b#2, c#3)
`},
		{"from both sides, the other way round", filter(numbered(t(), "rank"), is(">", number(5), n), is(">=", n, number(2))), nil, `
TopN RANK PARTITION BY b#2 ORDER BY c#3 DESC THEN a#1 LIMIT 3 OFFSET 1 AS n#9
  Scan d.t (a#1, b#2, c#3)
`},
		{"between", filter(numbered(t(), "dense_rank"), is("between", n, one, number(2))), nil, `
TopN DENSE_RANK PARTITION BY b#2 ORDER BY c#3 DESC THEN a#1 LIMIT 2 AS n#9
  Scan d.t (a#1, b#2, c#3)
`},
		{"none", filter(numbered(t(), "row_number"), is("<", n, one)), nil, `
Values 0 rows (a#1, b#2, c#3, n#9)
`},
		{"all behind the first", filter(numbered(t(), "row_number"), is(">", n, one)), nil, `
TopN ROW_NUMBER PARTITION BY b#2 ORDER BY c#3 DESC THEN a#1 OFFSET 1 AS n#9
  Scan d.t (a#1, b#2, c#3)
`},
		{"not a column", filter(numbered(t(), "row_number"), is("<=", n, a)), nil, ""},
		{"not an inequality", filter(numbered(t(), "row_number"), is("<>", n, one)), nil, ""},
		{"another function", filter(numbered(t(), "ntile"), is("<=", n, one)), nil, ""},
		{"two functions: the second sees all rows", filter(two, is("<=", n, one)), nil, ""},
	})
}

func TestPushFilterThroughOver(t0 *testing.T) {
	n := column(9, "n", true)
	runCases(t0, pushFilterThroughPartition, []ruleCase{
		{"on the partition", filter(numbered(t(), "ntile"), is(">", b, one), is(">", n, one)), nil, `
Filter n#9 > 1
  Over NTILE() n#9 PARTITION BY b#2 ORDER BY c#3 DESC THEN a#1
    Filter b#2 > 1
      Scan d.t (a#1, b#2, c#3)
`},
		{"on another column", filter(numbered(t(), "ntile"), is(">", a, one)), nil, ""},
		{"on the function", filter(numbered(t(), "ntile"), is(">", n, one)), nil, ""},
	})
}

func TestShortenTiesOfOver(t0 *testing.T) {
	ranks, rows := numbered(stream(), "rank"), numbered(stream(), "row_number")
	runCases(t0, shortenTies, []ruleCase{
		{"tied rows have one rank", ranks, nil, `
Over RANK() n#9 PARTITION BY b#2 ORDER BY c#3 DESC
  Scan d.s (a#1, b#2, c#3)
`},
		{"but not one number", rows, nil, ""},
	})
}

func number(n int64) *expr.Expr { return expr.NewInt(n) }
