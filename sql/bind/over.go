package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// OverFunc is a column made by a window function: of each row, over other rows of
// its partition, in the order of Order.
type OverFunc struct {
	Col
	// Fn is row_number, rank, dense_rank, percent_rank, cume_dist, ntile, lag, lead,
	// first_value, last_value or nth_value; empty: Call is an aggregate over the frame.
	Fn   string
	Call agg.Call
	// Args are the value; of lag and lead, then what stands for a row that is not there.
	Args []*expr.Expr
	// N is how many tiles (ntile), how many rows away (lag, lead), or which row of
	// the frame, from 1 on (nth_value).
	N         int64
	Partition []*expr.Expr
	Order     []WindowOrder
	Frame     Frame
}

// WindowOrder is one ORDER BY expression of a window.
type WindowOrder struct {
	Expr *expr.Expr
	Desc bool
}

// FrameUnit is what the bounds of a frame count.
type FrameUnit uint8

// The units of frames.
const (
	FrameRows   FrameUnit = iota // rows
	FrameRange                   // by the value that is ordered by: peers belong together
	FrameGroups                  // groups of peers
)

// Frame is which rows of the partition a function sees.
type Frame struct {
	Unit       FrameUnit
	Start, End Bound
}

// BoundKind is where a frame begins or ends, in the order of the rows.
type BoundKind uint8

// The bounds of frames.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow // with peers, unless the unit is rows
	Following
	UnboundedFollowing
)

// Bound is one end of a frame. N counts rows or groups. For RANGE, Value is what
// the row's ORDER BY value becomes by the distance, of the same type.
type Bound struct {
	Kind  BoundKind
	N     int64
	Value *expr.Expr
}

// overing collects the window functions of a SELECT block. Like an aggregate,
// one stands as the column that it makes.
type overing struct {
	specs  map[string]*ast.WindowSpec // named windows, by name in lower case
	list   []OverFunc
	made   map[int]bool
	inside string // the window whose specification is being bound
	nested bool   // within the arguments of a window function
}

// uses reports whether e reads a window function.
func (w *overing) uses(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpColumn && w.made[x.Col]
		return !found
	})
	return found
}

// windowFunction binds n, a call with OVER, which is w but for that.
func (b *binder) windowFunction(n *ast.WindowFuncExpr, call *writtenCall, in *names) (*expr.Expr, error) {
	fn := call.fn
	ws := in.overs
	switch {
	case ws != nil && ws.inside != "":
		return nil, sqlerr.New(sqlerr.WindowNestedInSpec, "You cannot nest a window function in the specification of window '%s'.", ws.inside)
	case ws == nil || ws.nested || in.group != nil && in.group.inside:
		return nil, sqlerr.New(sqlerr.WindowInvalidUse, "You cannot use the window function '%s' in this context.'", fn)
	case n.IgnoreNull:
		return nil, sqlerr.Unsupported("IGNORE NULLS")
	case n.FromLast:
		return nil, sqlerr.Unsupported("FROM LAST")
	}
	w := &OverFunc{}
	inner := *in // names are columns of FROM, not aliases
	inner.first, inner.last, inner.from = nil, nil, in.group.from
	ws.nested = true
	err := b.windowCall(w, call, &inner)
	ws.nested = false
	if err != nil {
		return nil, err
	}
	if err := b.overSpec(w, &n.Spec, &inner); err != nil {
		return nil, err
	}
	shown := w.Type
	w.Call = w.Call.Exact(b.scalar.DivPrecision)
	if w.Fn == "" {
		w.Type = w.Call.Type
	}
	if call.routine != nil {
		return builtin.RoutineResult(b.scalar, call.routine, ws.column(b, w, fn))
	}
	return builtin.Shown(ws.column(b, w, fn), shown), nil
}

// column is the one that holds w's result.
func (ws *overing) column(b *binder, w *OverFunc, fn string) *expr.Expr {
	w.ID, w.Name = b.newID(), fn
	ws.list = append(ws.list, *w)
	if ws.made == nil {
		ws.made = map[int]bool{}
	}
	ws.made[w.ID] = true
	return expr.NewColumn(w.ID, w.Name, w.Type)
}

// windowCall binds the function itself and finds the type of its result.
func (b *binder) windowCall(w *OverFunc, call *writtenCall, in *names) error {
	if call.routine != nil {
		return b.windowAggregate(w, call, in)
	}
	fn, args := call.fn, call.args
	number := types.Type{Kind: types.BigInt, Unsigned: true, NotNull: true}
	share := types.MakeDouble()
	share.NotNull = true
	switch w.Fn = fn; fn {
	case "row_number", "rank", "dense_rank":
		w.Type = number
	case "percent_rank", "cume_dist":
		w.Type = share
	case "ntile":
		w.Type = number
		return b.windowNumber(w, fn, args[0], 1)
	case "lag", "lead":
		return b.neighbour(w, fn, args, in)
	case "first_value", "last_value":
		return b.frameValue(w, args[0], in)
	case "nth_value":
		if err := b.windowNumber(w, fn, args[1], 1); err != nil {
			return err
		}
		return b.frameValue(w, args[0], in)
	default:
		return b.windowAggregate(w, call, in)
	}
	return nil
}

// windowNumber reads a count that must be a constant of at least least.
func (b *binder) windowNumber(w *OverFunc, fn string, node ast.ExprNode, least int64) error {
	e, err := b.expr(node, &names{clause: "window function"})
	if err != nil {
		return err
	}
	if e.Op == expr.OpParam {
		b.typed(e, types.MakeBigInt())
		w.N = least
		return nil
	}
	if e.Op != expr.OpConst || !e.Type.IsInteger() || e.IsNull() || e.Value.I < least {
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s", fn)
	}
	w.N = e.Value.I
	return nil
}

func (b *binder) neighbour(w *OverFunc, fn string, nodes []ast.ExprNode, in *names) error {
	if w.N = 1; len(nodes) > 1 {
		if err := b.windowNumber(w, fn, nodes[1], 0); err != nil {
			return err
		}
		nodes = append([]ast.ExprNode{nodes[0]}, nodes[2:]...)
	}
	args, err := b.exprs(nodes, in)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		b.settle(args)
		args[0] = builtin.Convert(args[0], builtin.EnumText(args[0].Type))
		w.Args, w.Type = args, args[0].Type.Nullable()
		return nil
	}
	w.Type = b.unify(args)
	w.Args = args
	return nil
}

func (b *binder) frameValue(w *OverFunc, node ast.ExprNode, in *names) error {
	arg, err := b.expr(node, in)
	if err != nil {
		return err
	}
	w.Args = []*expr.Expr{arg}
	b.settle(w.Args)
	w.Args[0] = builtin.Convert(w.Args[0], builtin.EnumText(w.Args[0].Type))
	w.Type = w.Args[0].Type.Nullable()
	return nil
}

// windowAggregate binds an aggregate over a frame: of those that are totals, MIN and MAX.
func (b *binder) windowAggregate(w *OverFunc, call *writtenCall, in *names) error {
	fn, name := call.fn, call.name()
	if call.distinct && fn != "min" && fn != "max" {
		return sqlerr.Unsupported(name + "(DISTINCT …) OVER (…)")
	}
	if fn == "group_concat" || fn == "json_arrayagg" || fn == "json_objectagg" {
		return sqlerr.Unsupported(name + "(…) OVER (…)")
	}
	r, err := b.aggregateRequest(call, in)
	if err != nil {
		return err
	}
	if fn == "min" || fn == "max" {
		r.Order, r.Desc = nil, nil // the window compares the values by itself
	}
	if w.Call, err = r.Resolve(); err != nil {
		return err
	}
	switch {
	case w.Call.Keeping() != agg.Total && fn != "min" && fn != "max":
		return sqlerr.Unsupported(name + "(…) OVER (…)")
	}
	w.Fn, w.Type = "", w.Call.Type
	return nil
}

// windowsOver gives the SELECT its window functions; own are the columns of the
// rows that they stand over.
func (s *block) windowsOver(own []Col) {
	if len(s.overs.list) > 0 {
		s.sel.Overs, s.sel.Own = s.overs.list, own
	}
}

// columns are those of a group.
func (g *grouping) columns() []Col {
	var cols []Col
	for _, c := range g.by {
		cols = append(cols, c.Col)
	}
	for _, a := range g.aggs {
		cols = append(cols, a.Col)
	}
	return cols
}

// own are the columns of FROM as the user knows them.
func (s *scope) own() []Col {
	var cols []Col
	for i := range s.cols {
		if !s.cols[i].hidden {
			cols = append(cols, s.cols[i].Col)
		}
	}
	return cols
}

// windowsOverGroups puts what the window functions read over the groups.
func (s *block) windowsOverGroups() error {
	g := s.group
	for id := range s.overs.made {
		if g.made == nil {
			g.made = map[int]bool{}
		}
		g.made[id] = true
	}
	var failed error
	for i := range s.overs.list {
		s.overs.list[i].rewrite(func(e *expr.Expr) *expr.Expr {
			over, bad := g.over(e)
			if bad != nil && failed == nil {
				failed = s.notGrouped(bad, s.fieldWith(s.overs.list[i].ID), "SELECT list")
			}
			return over
		})
	}
	return failed
}

// fieldWith is the number of the field that reads a window function, 1 if none does.
func (s *block) fieldWith(id int) int {
	for i, f := range s.fields {
		reads := map[int]bool{}
		if f.expr.Columns(reads); reads[id] {
			return i + 1
		}
	}
	return 1
}

// rewrite maps f over what w reads.
func (w *OverFunc) rewrite(f func(*expr.Expr) *expr.Expr) {
	w.Exprs(func(e **expr.Expr) { *e = f(*e) })
}

// Exprs calls f on each expression of w.
func (w *OverFunc) Exprs(f func(e **expr.Expr)) {
	for _, list := range [][]*expr.Expr{w.Call.Args, w.Args, w.Partition} {
		for i := range list {
			f(&list[i])
		}
	}
	for i := range w.Order {
		f(&w.Order[i].Expr)
	}
	for _, bound := range []*Bound{&w.Frame.Start, &w.Frame.End} {
		if bound.Value != nil {
			f(&bound.Value)
		}
	}
}

// rangeKey is the type in which the bounds of a RANGE are compared with what is
// ordered by: no distance may overflow it.
func rangeKey(t, distance types.Type) types.Type {
	switch {
	case t.Kind == types.Date || t.Kind == types.Time || t.IsTemporal():
		return t
	case t.Class() == types.ClassFloat || distance.Class() == types.ClassFloat || !t.IsInteger() && t.Kind != types.Decimal:
		return types.MakeDouble()
	}
	scale := 0
	if t.Kind == types.Decimal {
		scale = t.Scale
	}
	if distance.Kind == types.Decimal {
		scale = max(scale, distance.Scale)
	}
	return types.MakeDecimal(65, scale)
}

func convertKey(e *expr.Expr, t types.Type) *expr.Expr {
	return builtin.Convert(e, t.Nullable())
}
