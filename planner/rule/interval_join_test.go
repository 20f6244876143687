package rule

import (
	"testing"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// timedStream is a stream of a time, by which it has a watermark, and another column.
func timedStream(name string, ts, other *expr.Expr, primary ...int) *logical.Scan {
	s := scan(name, ts, other)
	s.Table = &catalog.Table{Database: "d", Name: name, Kind: catalog.StreamTable, Primary: primary, EventTime: &catalog.EventTime{Column: 0}}
	return s
}

func TestIntervalJoin(t0 *testing.T) {
	at := types.Type{Kind: types.DateTime, Scale: 3}
	l, r, far := typed(1, "l", at), typed(4, "r", at), typed(5, "far", at)
	left, right := timedStream("s", l, b), timedStream("v", r, far)
	shift := func(fn string, e *expr.Expr, n int64, unit string) *expr.Expr {
		name := expr.NewConst(expr.Value{S: []byte(unit)}, types.Type{Kind: types.VarChar})
		return expr.NewCall(fn, at, e, expr.NewInt(n), name)
	}
	later, earlier := shift("date_add", l, 10, "second"), shift("date_sub", l, 5, "second")
	runCases(t0, intervalJoin, []ruleCase{
		{"one bound", join(logical.LeftJoin, left, right, is("<", r, l)), nil, `
Project l#1, b#2, r#4, far#5
  Join left if r#4 < l#1 AND watermark of v#101 is null or watermark of v#101 < l#1 left until l#1, by r#4 and 0
    Scan d.s (l#1, b#2)
    Scan d.v (r#4, far#5, watermark of v#101)
`},
		{"two bounds, through filters", join(logical.SemiJoin, filter(left, is(">", b, one)), right, is("between", r, earlier, later)), by(l, b), `
Project l#1, b#2
  Join semi if r#4 between date_sub(l#1, 5, 'second') and date_add(l#1, 10, 'second') AND watermark of v#102 is null or watermark of v#102 <= date_add(l#1, 10, 'second') AND watermark of s#103 is null or r#4 >= date_sub(watermark of s#103, 5, 'second') left until l#1, by r#4 and 10000001 right until r#4, by l#1 and 5000001
    Filter b#2 > 1
      Scan d.s (l#1, b#2, watermark of s#103)
    Scan d.v (r#4, far#5, watermark of v#102)
`},
		{"the tightest counts", join(logical.InnerJoin, left, right, is("<=", r, later), is("<", r, l)), by(l, b, r, far), `
Project l#1, b#2, r#4, far#5
  Join inner if r#4 <= date_add(l#1, 10, 'second') AND r#4 < l#1 AND watermark of v#102 is null or watermark of v#102 < l#1 left until l#1, by r#4 and 0
    Scan d.s (l#1, b#2)
    Scan d.v (r#4, far#5, watermark of v#102)
`},
		{"no watermark of the earlier column", join(logical.InnerJoin, left, right, is("<", far, l)), nil, ""},
		{"no fixed length", join(logical.InnerJoin, left, right, is("<", r, shift("date_add", l, 1, "month"))), nil, ""},
		{"not an order", join(logical.InnerJoin, left, right, is("!=", r, l)), nil, ""},
		{"one side alone", join(logical.InnerJoin, left, right, is("<", r, far)), nil, ""},
		{"a stream with a key", join(logical.InnerJoin, timedStream("s", l, b, 1), right, is("<", r, l)), nil, ""},
		{"a table", join(logical.InnerJoin, scan("t", l, b), right, is("<", r, l)), nil, ""},
	})
}
