package bind

import (
	"math"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// writtenCall is an aggregate as it was written.
type writtenCall struct {
	fn       string // lower case
	args     []ast.ExprNode
	distinct bool
	order    *ast.OrderByClause
	filter   ast.ExprNode
	within   ast.ExprNode
	desc     bool                // within
	routine  *routine.Definition // a function of the user's own, which fn names
}

func (w *writtenCall) name() string { return strings.ToUpper(w.fn) }

// aggregateWithClauses binds a function with FILTER or WITHIN GROUP.
func (b *binder) aggregateWithClauses(n *parser.Aggregate, in *names) (*expr.Expr, error) {
	w := &writtenCall{filter: n.Filter, within: n.Within, desc: n.Desc, distinct: n.Distinct}
	switch c := n.ExprNode.(type) {
	case *ast.WindowFuncExpr:
		w.fn, w.args, w.distinct = strings.ToLower(c.Name), c.Args, c.Distinct
		if n.Within == nil && agg.IsAggregate(w.fn) {
			return b.windowFunction(c, w, in)
		}
	case *ast.AggregateFuncExpr:
		w.fn, w.args, w.distinct, w.order = strings.ToLower(c.F), c.Args, c.Distinct, c.Order
	case *ast.FuncCallExpr:
		w.fn, w.args = c.FnName.L, c.Args
		if d := b.routine(c.Schema, c.FnName); d != nil && d.Aggregate {
			w.routine = d
		} else if d != nil || !agg.IsAggregate(w.fn) {
			return nil, b.noAggregate(n, c, in)
		} else if d == nil && n.Distinct {
			return nil, sqlerr.Unsupported(w.name() + "(DISTINCT …)")
		}
		if n.Over != nil {
			return b.windowFunction(&ast.WindowFuncExpr{Name: c.FnName.O, Args: c.Args, Spec: *n.Over}, w, in)
		}
	}
	switch {
	case w.routine == nil && !agg.IsAggregate(w.fn):
		return nil, sqlerr.New(sqlerr.ParseError, "FILTER and WITHIN GROUP belong behind an aggregate function, which %s is not", w.name())
	case w.within != nil && w.fn != "percentile_cont" && w.fn != "percentile_disc" && w.fn != "approx_percentile":
		return nil, sqlerr.New(sqlerr.ParseError, "WITHIN GROUP belongs behind PERCENTILE_CONT or PERCENTILE_DISC, not %s", w.name())
	}
	return b.aggregate(w, in)
}

// noAggregate is the error for clauses of an aggregate in the call of another function,
// or of none.
func (b *binder) noAggregate(n *parser.Aggregate, c *ast.FuncCallExpr, in *names) error {
	name := strings.ToUpper(c.FnName.L)
	switch {
	case b.routine(c.Schema, c.FnName) == nil && (c.Schema.L != "" || !builtin.Known(c.FnName.L)):
		_, err := b.function(c, in)
		return err
	case n.Over != nil:
		return sqlerr.New(sqlerr.ParseError, "OVER belongs behind an aggregate or window function, which %s is not", name)
	case n.Distinct:
		return sqlerr.New(sqlerr.ParseError, "DISTINCT belongs into an aggregate function, which %s is not", name)
	}
	return sqlerr.New(sqlerr.ParseError, "FILTER and WITHIN GROUP belong behind an aggregate function, which %s is not", name)
}

// aggregate binds an aggregate function to the column that it makes. The same
// call twice is one column.
func (b *binder) aggregate(w *writtenCall, in *names) (*expr.Expr, error) {
	if outer, err := b.outerAggregate(w, in); outer != nil || err != nil {
		return outer, err
	}
	if in.group == nil || in.group.inside {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "Invalid use of group function")
	}
	// Inside, names are columns of FROM, not aliases.
	inner := *in
	inner.first, inner.from = nil, in.group.from
	in.group.inside = true
	r, err := b.aggregateRequest(w, &inner)
	in.group.inside = false
	if err != nil {
		return nil, err
	}
	call, shown, err := exactCall(r)
	if err != nil {
		return nil, err
	}
	c := in.group.column(call, b)
	if w.routine != nil {
		return builtin.RoutineResult(b.scalar, w.routine, c)
	}
	return builtin.Shown(c, shown), nil
}

// aggregateRequest binds what stands in an aggregate and converts it to what the
// function works on.
func (b *binder) aggregateRequest(w *writtenCall, in *names) (*agg.Request, error) {
	r := &agg.Request{Fn: w.fn, Distinct: w.distinct, DivPrecision: b.scalar.DivPrecision}
	nodes := w.args
	if w.fn == "group_concat" { // the separator comes last
		r.Separator = nodes[len(nodes)-1].(*parser.Literal).GetString()
		nodes = nodes[:len(nodes)-1]
	}
	var err error
	if r.Args, err = b.exprs(nodes, in); err != nil {
		return nil, err
	}
	b.settle(r.Args)
	if w.filter != nil {
		cond, err := b.expr(w.filter, in)
		if err != nil {
			return nil, err
		}
		if r.Filter, err = b.call("is true", cond); err != nil {
			return nil, err
		}
	}
	if r.Routine = w.routine; r.Routine != nil {
		r.Args, err = builtin.RoutineArguments(b.scalar, r.Routine, r.Args)
		return r, err
	}
	return r, b.convertArguments(w, r, in)
}

// convertArguments makes of the arguments what each function works on.
func (b *binder) convertArguments(w *writtenCall, r *agg.Request, in *names) error {
	if w.order != nil && w.fn != "group_concat" {
		return sqlerr.Unsupported(w.name() + "(… ORDER BY …)")
	}
	if len(r.Args) == 0 {
		return nil // COUNT(*), or for Resolve to refuse
	}
	arg := r.Args[0]
	var err error
	switch w.fn {
	case "sum", "avg":
		if arg.Type.IsTemporal() {
			r.Args[0], err = b.call("+", arg, expr.NewInt(0)) // its number
		}
	case "min", "max", "any_value":
		if arg.Type.Folds() {
			r.Order, r.Desc = []*expr.Expr{arg}, []bool{false}
		}
	case "bit_and", "bit_or", "bit_xor":
		if arg.Type.IsBinary() && arg.Op != expr.OpConst {
			return sqlerr.Unsupported(w.name() + " of a binary string (use CONV or CAST(… AS UNSIGNED))")
		}
		r.Args[0], err = b.call("|", arg, expr.NewInt(0))
	case "first_value", "last_value":
		b.orderByArrival(r, in)
	case "group_concat":
		err = b.convertConcat(w, r, in)
	case "json_arrayagg":
		r.Order, r.Desc = []*expr.Expr{arg}, []bool{false}
		r.Args[0], err = b.call("json_of", arg)
	case "json_objectagg":
		err = b.convertObject(r)
	case "median", "percentile_cont", "percentile_disc", "approx_percentile":
		err = b.convertPercentile(w, r, in)
	}
	return err
}

// orderByArrival orders the values of FIRST_VALUE and LAST_VALUE: by the row's
// own columns.
func (b *binder) orderByArrival(r *agg.Request, in *names) {
	for i := range in.from.cols {
		if v := &in.from.cols[i]; !v.hidden {
			r.Order, r.Desc = append(r.Order, v.ref()), append(r.Desc, false)
		}
	}
}

// convertConcat makes one text of GROUP_CONCAT's arguments. They order it, after
// what ORDER BY says.
func (b *binder) convertConcat(w *writtenCall, r *agg.Request, in *names) error {
	if w.order != nil {
		for _, item := range w.order.Items {
			i, ok, err := position(item.Expr, len(r.Args), "order clause")
			if err != nil {
				return err
			}
			var e *expr.Expr
			if ok {
				e = r.Args[i]
			} else if e, err = b.expr(item.Expr, in); err != nil {
				return err
			}
			if e.Op != expr.OpConst {
				r.Order, r.Desc = append(r.Order, e), append(r.Desc, item.Desc)
			}
		}
	}
	b.settle(r.Order)
	r.Apart = len(r.Args)
	r.Order = append(r.Order, r.Args...)
	r.Desc = append(r.Desc, make([]bool, len(r.Args))...)
	r.MaxLen = int64(b.env.Session.ConcatMaxLen)
	if r.MaxLen == 0 {
		r.MaxLen = 1024 // MySQL's default
	}
	if len(r.Args) == 1 && r.Args[0].Type.IsText() {
		return nil
	}
	text, err := b.call("concat", r.Args...)
	r.Args = []*expr.Expr{text}
	return err
}

func (b *binder) convertObject(r *agg.Request) error {
	if len(r.Args) != 2 {
		return nil // for Resolve to refuse
	}
	key, value := r.Args[0], r.Args[1]
	r.Order, r.Desc = []*expr.Expr{key, value}, []bool{false, false}
	text, err := b.call("concat", key)
	if err != nil {
		return err
	}
	json, err := b.call("json_of", value)
	r.Args = []*expr.Expr{text, json}
	return err
}

// convertPercentile finds the fraction and the value of a percentile.
func (b *binder) convertPercentile(w *writtenCall, r *agg.Request, in *names) error {
	fraction, most := 0.5, 1.0
	switch {
	case w.fn == "median":
		if len(r.Args) != 1 {
			return nil // for Resolve to refuse
		}
	case w.fn == "approx_percentile" && w.within == nil:
		if len(r.Args) != 2 && len(r.Args) != 3 {
			r.Args = nil
			return nil
		}
		if fraction = b.fraction(r.Args[1]); r.Args[1].Type.IsInteger() || fraction > 1 {
			most = 100 // a number of percent
		}
		r.Args = slices.Delete(r.Args, 1, 2)
		if err := w.dropAccuracy(r); err != nil {
			return err
		}
	default:
		if w.within == nil {
			return sqlerr.New(sqlerr.ParseError, "%s needs WITHIN GROUP (ORDER BY …) behind it", w.name())
		}
		if w.fn == "approx_percentile" {
			if err := w.dropAccuracy(r); err != nil {
				return err
			}
		}
		if len(r.Args) != 1 {
			return nil
		}
		fraction = b.fraction(r.Args[0])
		value, err := b.expr(w.within, in)
		if err != nil {
			return err
		}
		r.Args[0], r.Reverse = value, w.desc
		b.settle(r.Args)
	}
	if !(fraction >= 0 && fraction <= most) { // NaN neither
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s: it takes a constant from 0 to %v", w.name(), most)
	}
	r.Fraction = fraction / most
	if arg := r.Args[0]; arg.Type.IsText() && w.fn != "median" && w.fn != "percentile_cont" {
		r.Order, r.Desc = []*expr.Expr{arg}, []bool{false}
	}
	return nil
}

// fraction is a constant number, 0 while it is a parameter without a value.
func (b *binder) fraction(e *expr.Expr) float64 {
	if e.Op == expr.OpParam {
		b.params[e.Col] = types.Type{Kind: types.Double}
		return 0
	}
	return constantNumber(e)
}

// dropAccuracy takes the last of two arguments off, the error that is allowed: there is none.
func (w *writtenCall) dropAccuracy(r *agg.Request) error {
	if len(r.Args) != 2 {
		return nil
	}
	if !(constantNumber(r.Args[1]) > 0) {
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s: its accuracy is a constant above 0", w.name())
	}
	r.Args = r.Args[:1]
	return nil
}

// constantNumber is the value of a numeric constant, NaN of anything else.
func constantNumber(e *expr.Expr) float64 {
	if e.Op != expr.OpConst || e.Value.Null || !e.Type.IsNumeric() {
		return math.NaN()
	}
	switch v := e.Value; {
	case e.Type.Class() == types.ClassFloat:
		return v.F
	case v.Wide != nil:
		return math.NaN() // longer than a fraction needs to be
	default:
		scale := 0
		if e.Type.Kind == types.Decimal {
			scale = e.Type.Scale
		}
		return float64(v.I) / math.Pow10(scale)
	}
}
