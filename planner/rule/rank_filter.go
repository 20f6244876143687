package rule

import (
	"math"

	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var rankFilterToTopN = Rule{
	Name:   "rank_filter_to_topn",
	Reason: "who wants the first rows of each partition alone need not have all of them numbered",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		o, ok := f.Input.(*logical.Over)
		if !ok || len(o.Funcs) != 1 {
			return n
		}
		rank, ok := map[string]logical.RankFunc{"row_number": logical.RowNumber, "rank": logical.Rank, "dense_rank": logical.DenseRank}[o.Funcs[0].Fn]
		if !ok {
			return n
		}
		r := numberRange{lo: 1, hi: math.MaxInt64}
		var stay []*expr.Expr
		for _, e := range f.Conds {
			if !r.narrow(e, o.Funcs[0].ID) {
				stay = append(stay, e)
			}
		}
		if len(stay) == len(f.Conds) {
			return n
		}
		if r.lo > r.hi {
			return logical.Empty(f.Columns())
		}
		number := o.Funcs[0].Col
		top := &logical.TopN{
			Input: o.Input, Partition: o.Partition, Order: o.Order, Ties: o.Ties, Rank: rank,
			Offset: r.lo - 1, Limit: -1, Number: &number,
		}
		if r.hi < math.MaxInt64 {
			top.Limit = r.hi - r.lo + 1
		}
		return logical.NewFilter(top, stay)
	}),
}

// numberRange is what conditions leave of the numbers of rows, both ends included.
type numberRange struct{ lo, hi int64 }

// narrow takes a condition that compares the column id with integers in, and
// reports whether it is one.
func (r *numberRange) narrow(e *expr.Expr, id int) bool {
	if e.Op != expr.OpCall {
		return false
	}
	if e.Fn == "between" && isColumn(e.Args[0], id) {
		lo, ok := integer(e.Args[1])
		hi, also := integer(e.Args[2])
		if ok && also {
			r.lo, r.hi = max(r.lo, lo), min(r.hi, hi)
		}
		return ok && also
	}
	if len(e.Args) != 2 {
		return false
	}
	fn, a, b := e.Fn, e.Args[0], e.Args[1]
	if isColumn(b, id) {
		a, b = b, a
		fn = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}[fn]
	}
	k, ok := integer(b)
	if !isColumn(a, id) || !ok {
		return false
	}
	switch fn {
	case "=":
		r.lo, r.hi = max(r.lo, k), min(r.hi, k)
	case "<":
		r.hi = min(r.hi, k-1)
	case "<=":
		r.hi = min(r.hi, k)
	case ">":
		r.lo = max(r.lo, k+1)
	case ">=":
		r.lo = max(r.lo, k)
	default:
		return false
	}
	return true
}

func isColumn(e *expr.Expr, id int) bool { return e.Op == expr.OpColumn && e.Col == id }

// integer is a constant whole number that is not too large to count with.
func integer(e *expr.Expr) (int64, bool) {
	if e.Op != expr.OpConst || !e.Type.IsInteger() || e.IsNull() {
		return 0, false
	}
	v := e.Value.I
	return v, (v >= 0 || !e.Type.Unsigned) && v > math.MinInt64/2 && v < math.MaxInt64/2
}
