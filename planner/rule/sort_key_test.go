package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func TestGroupBySortKey(t0 *testing.T) {
	doc := typed(1, "doc", types.Type{Kind: types.JSON})
	n := typed(2, "n", types.MakeBigInt())
	docs := scan("t", doc, n)
	runCases(t0, groupBySortKey, []ruleCase{
		{"a group by JSON", group(docs, []*expr.Expr{doc, n}, call(9, "max", n)), nil, `
Project doc#1, n#2, max#9
  Aggregate by (sort_key(doc)#100, n#2): MAX(n#2) max#9, ANY_VALUE(doc#1) doc#1
    Project doc#1, n#2, sort_key(doc)#100 = sort_key(doc#1)
      Scan d.t (doc#1, n#2)
`},
		{"distinct rows", &logical.Distinct{Input: docs}, nil, `
Project doc#1, n#2
  Aggregate by (sort_key(doc)#100, n#2): ANY_VALUE(doc#1) doc#1
    Project doc#1, n#2, sort_key(doc)#100 = sort_key(doc#1)
      Scan d.t (doc#1, n#2)
`},
		{"a number is the same when it is equal", group(docs, []*expr.Expr{n}, call(9, "max", doc)), nil, ""},
	})
}

// A filter may go below a group only if it is alike for all that are one group.
func TestFiltersOfFoldedGroups(t0 *testing.T) {
	doc := typed(1, "doc", types.Type{Kind: types.JSON})
	docs := group(scan("t", doc), []*expr.Expr{doc})
	runCases(t0, pushFilterThroughAggregate, []ruleCase{
		{"a comparison", filter(docs, is("=", doc, doc)), nil, `
Aggregate by (doc#1)
  Filter doc#1 = doc#1
    Scan d.t (doc#1)
`},
		{"what sees the form", filter(docs, is("=", do("length", doc), one)), nil, ""},
	})
}

func TestSetOpBySortKey(t0 *testing.T) {
	doc, other := typed(1, "doc", types.Type{Kind: types.JSON}), typed(2, "other", types.Type{Kind: types.JSON})
	op := func(kind bind.SetOpKind, all bool) logical.Node {
		out := logical.Col{ID: 3, Name: "d", Type: doc.Type}
		return &logical.SetOp{Kind: kind, All: all, Ins: []logical.Node{scan("t", doc), scan("u", other)}, Cols: []logical.Col{out}, From: [][]int{{1}, {2}}}
	}
	runCases(t0, setOpBySortKey, []ruleCase{
		{"INTERSECT", op(bind.Intersect, false), nil, `
Distinct
  Join semi on d#3 <=> other#100
    Project d#3 = doc#1
      Scan d.t (doc#1)
    Project other#100 = other#2
      Scan d.u (other#2)
`},
		{"EXCEPT ALL, which is built by sort keys", op(bind.Except, true), nil, ""},
	})
}
