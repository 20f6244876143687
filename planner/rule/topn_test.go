package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
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
	runCases(t0, pushFilterThroughTopN, []ruleCase{
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
