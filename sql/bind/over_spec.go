package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// unnamed is what MySQL calls a window that has no name.
const unnamed = "<unnamed window>"

// bindWindows reads WINDOW name AS (…), … .
func (s *block) bindWindows() error {
	s.overs = &overing{specs: map[string]*ast.WindowSpec{}}
	for i := range s.node.WindowSpecs {
		w := &s.node.WindowSpecs[i]
		if s.overs.specs[w.Name.L] != nil {
			return sqlerr.New(sqlerr.WindowDuplicateName, "Window '%s' is defined twice.", w.Name.O)
		}
		s.overs.specs[w.Name.L] = w
	}
	for i := range s.node.WindowSpecs {
		if _, err := s.overs.resolve(&s.node.WindowSpecs[i]); err != nil {
			return err
		}
	}
	return nil
}

// resolve is a specification with all that it takes from the windows it names.
func (ws *overing) resolve(spec *ast.WindowSpec) (*ast.WindowSpec, error) {
	out := *spec
	if spec.OnlyAlias {
		named := ws.specs[spec.Name.L]
		if named == nil {
			return nil, sqlerr.New(sqlerr.WindowNoSuchWindow, "Window name '%s' is not defined.", spec.Name.O)
		}
		return ws.resolve(named)
	}
	name := windowName(spec)
	seen := map[string]bool{spec.Name.L: spec.Name.L != ""}
	for ref := spec.Ref; ref.L != ""; {
		base := ws.specs[ref.L]
		switch {
		case base == nil:
			return nil, sqlerr.New(sqlerr.WindowNoSuchWindow, "Window name '%s' is not defined.", ref.O)
		case seen[ref.L]:
			return nil, sqlerr.New(sqlerr.WindowCircularity, "There is a circularity in the window dependency graph.")
		case out.PartitionBy != nil:
			return nil, sqlerr.New(sqlerr.WindowNoChildPartitioning, "A window which depends on another cannot define partitioning.")
		case base.Frame != nil:
			return nil, sqlerr.New(sqlerr.WindowNoInheritFrame, "Window '%s' has a frame definition, so cannot be referenced by another window.", ref.O)
		case out.OrderBy != nil && base.OrderBy != nil:
			return nil, sqlerr.New(sqlerr.WindowNoRedefineOrderBy, "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", name, ref.O)
		}
		seen[ref.L] = true
		if base.OrderBy != nil {
			out.OrderBy = base.OrderBy
		}
		out.PartitionBy = base.PartitionBy
		ref = base.Ref
	}
	return &out, nil
}

func windowName(spec *ast.WindowSpec) string {
	if spec.Name.O == "" {
		return unnamed
	}
	return spec.Name.O
}

// overSpec binds what stands behind OVER.
func (b *binder) overSpec(w *OverFunc, written *ast.WindowSpec, in *names) error {
	spec, err := in.overs.resolve(written)
	if err != nil {
		return err
	}
	name := windowName(spec)
	in.overs.inside = name
	defer func() { in.overs.inside = "" }()
	if spec.PartitionBy != nil {
		for _, item := range spec.PartitionBy.Items {
			e, err := b.windowItem(item.Expr, name, "window partition by", in)
			if err != nil {
				return err
			}
			if e.Op != expr.OpConst {
				w.Partition = append(w.Partition, e)
			}
		}
	}
	if spec.OrderBy != nil {
		for _, item := range spec.OrderBy.Items {
			e, err := b.windowItem(item.Expr, name, "window order by", in)
			if err != nil {
				return err
			}
			w.Order = append(w.Order, WindowOrder{Expr: e, Desc: item.Desc})
		}
	}
	w.Frame = Frame{Unit: FrameRange, Start: Bound{Kind: UnboundedPreceding}, End: Bound{Kind: CurrentRow}}
	if len(w.Order) == 0 {
		w.Frame.End.Kind = UnboundedFollowing
	}
	if spec.Frame != nil {
		if err := b.windowFrame(w, spec.Frame, name, in); err != nil {
			return err
		}
	}
	return b.settleFrame(w, spec.Frame != nil, name)
}

func (b *binder) windowItem(node ast.ExprNode, name, clause string, in *names) (*expr.Expr, error) {
	if _, ok := node.(*ast.PositionExpr); ok {
		return nil, sqlerr.New(sqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.", name)
	}
	inner := *in
	inner.clause = clause
	e, err := b.expr(node, &inner)
	if err != nil {
		return nil, err
	}
	list := []*expr.Expr{e}
	b.settle(list)
	return list[0], nil
}

// settleFrame drops the frame of a function that sees the whole partition, and
// the order by constants, which makes all rows peers.
func (b *binder) settleFrame(w *OverFunc, written bool, name string) error {
	whole := map[string]bool{"row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true, "ntile": true, "lag": true, "lead": true}
	if whole[w.Fn] {
		if written {
			b.env.warn(sqlerr.WindowIgnoresFrame, "Window function '"+w.Fn+"' ignores the frame clause of window '"+name+"' and aggregates over the whole partition")
		}
		w.Frame = Frame{Unit: FrameRows, End: Bound{Kind: UnboundedFollowing}}
	}
	if f := &w.Frame; f.Start.Kind == UnboundedPreceding && f.End.Kind == UnboundedFollowing {
		f.Unit = FrameRows // all the same
	}
	var order []WindowOrder
	for _, o := range w.Order {
		if o.Expr.Op != expr.OpConst {
			order = append(order, o)
		}
	}
	w.Order = order
	return nil
}

var frameUnits = map[ast.FrameType]FrameUnit{ast.Rows: FrameRows, ast.Ranges: FrameRange, ast.Groups: FrameGroups}

// windowFrame binds a frame clause.
func (b *binder) windowFrame(w *OverFunc, n *ast.FrameClause, name string, in *names) error {
	w.Frame.Unit = frameUnits[n.Type]
	start, end := &n.Extent.Start, &n.Extent.End
	switch {
	case start.Type == ast.Following && start.UnBounded:
		return sqlerr.New(sqlerr.WindowFrameStartIllegal, "Window '%s': frame start cannot be UNBOUNDED FOLLOWING.", name)
	case end.Type == ast.Preceding && end.UnBounded:
		return sqlerr.New(sqlerr.WindowFrameEndIllegal, "Window '%s': frame end cannot be UNBOUNDED PRECEDING.", name)
	}
	w.Frame.Start.Kind, w.Frame.End.Kind = boundKind(start), boundKind(end)
	if w.Frame.Start.Kind > w.Frame.End.Kind {
		return frameIllegal(name)
	}
	if w.Frame.Unit == FrameGroups && len(w.Order) == 0 {
		return sqlerr.New(sqlerr.WindowRangeFrameOrderType, "Window '%s' with a GROUPS frame requires ORDER BY", name)
	}
	key := types.Type{}
	if w.Frame.Unit == FrameRange {
		var err error
		if key, err = b.rangeOrder(w, start, end, name, in); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		bound *Bound
		node  *ast.FrameBound
	}{{&w.Frame.Start, start}, {&w.Frame.End, end}} {
		if x.node.Expr == nil {
			continue
		}
		if err := b.bound(w, x.bound, x.node, key, name, in); err != nil {
			return err
		}
	}
	return nil
}

func frameIllegal(name string) error {
	return sqlerr.New(sqlerr.WindowFrameIllegal, "Window '%s': frame start or end is negative, NULL or of non-integral type", name)
}

func boundKind(n *ast.FrameBound) BoundKind {
	switch {
	case n.Type == ast.CurrentRow:
		return CurrentRow
	case n.Type == ast.Preceding && n.UnBounded:
		return UnboundedPreceding
	case n.Type == ast.Preceding:
		return Preceding
	case n.UnBounded:
		return UnboundedFollowing
	default:
		return Following
	}
}

// rangeOrder checks what a RANGE with distances is ordered by, and converts it to
// the type that bounds are compared in, which it returns.
func (b *binder) rangeOrder(w *OverFunc, start, end *ast.FrameBound, name string, in *names) (types.Type, error) {
	if start.Expr == nil && end.Expr == nil {
		return types.Type{}, nil
	}
	wrong := sqlerr.New(sqlerr.WindowRangeFrameOrderType, "Window '%s' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type", name)
	if len(w.Order) != 1 {
		return types.Type{}, wrong
	}
	key := w.Order[0].Expr
	numeric := key.Type.IsInteger() || key.Type.Kind == types.Decimal || key.Type.Class() == types.ClassFloat
	if !key.Type.IsTemporal() && !numeric {
		return types.Type{}, wrong
	}
	t := key.Type
	for _, n := range []*ast.FrameBound{start, end} {
		if n.Expr == nil || key.Type.IsTemporal() {
			continue
		}
		e, err := b.expr(n.Expr, &names{clause: "window frame"})
		if err != nil {
			return types.Type{}, err
		}
		t = rangeKey(t, e.Type)
	}
	w.Order[0].Expr = convertKey(key, t)
	return t, nil
}

// bound binds the distance of a bound.
func (b *binder) bound(w *OverFunc, bound *Bound, n *ast.FrameBound, key types.Type, name string, in *names) error {
	interval := n.Unit != ast.TimeUnitInvalid
	e, err := b.expr(n.Expr, &names{clause: "window frame"})
	if err != nil {
		return err
	}
	if e.Op == expr.OpParam {
		b.typed(e, types.MakeBigInt())
		e = expr.NewInt(1) // any value will do to prepare the statement
	}
	if w.Frame.Unit != FrameRange {
		switch {
		case interval:
			return sqlerr.New(sqlerr.WindowRowsInterval, "Window '%s': INTERVAL can only be used with RANGE frames.", name)
		case e.Op != expr.OpConst:
			return sqlerr.New(sqlerr.WindowRangeNotConstant, "Window '%s' has a non-constant frame bound.", name)
		case e.IsNull() || !e.Type.IsInteger() || e.Value.I < 0:
			return frameIllegal(name)
		}
		bound.N = e.Value.I
		return nil
	}
	order := w.Order[0]
	switch {
	case order.Expr.Type.IsTemporal() && !interval:
		return sqlerr.New(sqlerr.WindowRangeTemporalType, "Window '%s' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.", name)
	case !order.Expr.Type.IsTemporal() && interval:
		return sqlerr.New(sqlerr.WindowRangeNumericType, "Window '%s' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.", name)
	case e.Op != expr.OpConst && !negation(e):
		return sqlerr.New(sqlerr.WindowRangeNotConstant, "Window '%s' has a non-constant frame bound.", name)
	case negation(e) || e.IsNull() || negative(e):
		return frameIllegal(name)
	}
	back := (bound.Kind == Preceding) != order.Desc
	if interval {
		fn := map[bool]string{true: "date_sub", false: "date_add"}[back]
		if bound.Value, err = b.call(fn, order.Expr, e, word(n.Unit.String())); err != nil {
			return err
		}
	} else {
		if bound.Value, err = b.call(map[bool]string{true: "-", false: "+"}[back], order.Expr, e); err != nil {
			return err
		}
	}
	bound.Value = convertKey(bound.Value, key)
	return nil
}

func negation(e *expr.Expr) bool { return e.Op == expr.OpCall && e.Fn == "-" && len(e.Args) == 1 }

func negative(e *expr.Expr) bool {
	switch {
	case e.Type.Class() == types.ClassFloat:
		return e.Value.F < 0
	case e.Value.Wide != nil:
		return int64(e.Value.Wide[3]) < 0
	case e.Type.IsText():
		return strings.HasPrefix(string(e.Value.S), "-")
	}
	return e.Value.I < 0 && !e.Type.Unsigned
}
