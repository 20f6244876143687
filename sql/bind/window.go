package bind

import (
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// WindowKind tells windows apart.
type WindowKind string

// The kinds of windows.
const (
	Tumble   WindowKind = "tumble"
	Hop      WindowKind = "hop"
	Session  WindowKind = "session"
	Cumulate WindowKind = "cumulate"
)

// WindowSpec says which windows a row falls into.
type WindowSpec struct {
	Kind WindowKind
	// Time is the column of the row's time, DATETIME or TIMESTAMP, by id; 0: the
	// batch's time stands for it.
	Time int
	// Microseconds. Size of all; of a session it is the gap, of cumulating windows
	// the largest. Slide of hopping windows is how far apart they begin, of
	// cumulating ones by how much they grow, of tumbling ones Size.
	Size, Slide, Offset int64
	// Partition, of sessions: rows that differ there are in different ones.
	Partition []*expr.Expr
	// Start and End are the columns that hold the bounds, of the time's type.
	Start, End Col
}

// Window gives each row of Input as often as it is in a window, with the
// window's bounds in two further columns, which come last.
type Window struct {
	Input Rel
	WindowSpec
	Cols []Col
}

// Columns of a window: its input's, then the bounds.
func (r *Window) Columns() []Col { return r.Cols }

// maxWindowsPerRow bounds in how many windows one row is.
const maxWindowsPerRow = 10_000

// windowAt is the window whose mark a name bears, with its index behind; nil: it
// has none.
func (b *binder) windowAt(name string) *parser.Window {
	rest, ok := strings.CutPrefix(name, parser.WindowMark)
	if !ok {
		return nil
	}
	i, err := strconv.Atoi(rest)
	if err != nil || i >= len(b.windows) {
		return nil
	}
	return b.windows[i]
}

// windowTable binds a window table function: n is its input.
func (b *binder) windowTable(n *ast.TableSource, w *parser.Window) (source, error) {
	var src source
	var err error
	if t, ok := n.Source.(*ast.TableName); ok {
		src, err = b.tableName(t, w.Alias)
	} else {
		var q *Query
		if q, err = b.subquery(n.Source); err == nil {
			src, err = b.derived(q, w.Alias, nil)
		}
	}
	if err != nil {
		return source{}, err
	}
	spec, err := b.windowSpec(w, &src.scope)
	if err != nil {
		return source{}, err
	}
	for _, name := range w.Partition {
		v, err := b.windowColumn(name, &src.scope)
		if err != nil {
			return source{}, err
		}
		spec.Partition = append(spec.Partition, v.ref())
	}
	alias := w.Alias
	if t, ok := n.Source.(*ast.TableName); ok && alias == "" {
		alias = t.Name.O
	}
	cols := append(append([]Col(nil), src.rel.Columns()...), spec.Start, spec.End)
	rel := &Window{Input: src.rel, WindowSpec: *spec, Cols: cols}
	out := source{rel: rel, scope: scope{cols: append([]visible(nil), src.scope.cols...)}}
	for i, c := range []Col{spec.Start, spec.End} {
		if v, _ := src.scope.find(&ast.ColumnName{Name: ast.NewCIStr(c.Name)}, ""); v != nil {
			return source{}, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", c.Name)
		}
		out.scope.cols = append(out.scope.cols, visible{Col: c, table: alias, position: len(cols) - 2 + i, rank: len(cols) - 2 + i})
	}
	return out, nil
}

func (b *binder) windowColumn(n *ast.ColumnName, in *scope) (*visible, error) {
	const clause = "window"
	v, err := in.find(n, clause)
	if err == nil && v == nil {
		err = in.unknown(n, clause, nil)
	}
	return v, err
}

// windowSpec binds a window over the columns of in, all but its partition.
func (b *binder) windowSpec(w *parser.Window, in *scope) (*WindowSpec, error) {
	fn := strings.ToUpper(w.Kind)
	spec := &WindowSpec{Kind: WindowKind(w.Kind)}
	t, name := types.Type{Kind: types.Timestamp, Scale: 3}, "PROCTIME()"
	if w.Time != nil {
		v, err := b.windowColumn(w.Time, in)
		if err != nil {
			return nil, err
		}
		if !v.Type.HasDate() {
			return nil, wrongWindow(fn, "column '"+v.Name+"' is not a DATETIME, TIMESTAMP or DATE")
		}
		spec.Time, t, name = v.ID, v.Type, v.Name
	}
	t.NotNull = true
	spec.Start = Col{ID: b.newID(), Name: "window_start", Type: t}
	spec.End = Col{ID: b.newID(), Name: "window_end", Type: t}
	var us [3]int64
	open := false
	for i, iv := range w.Intervals {
		iv, known, err := b.givenInterval(fn, iv)
		if err != nil {
			return nil, err
		}
		open = open || !known
		if us[i], err = windowInterval(fn, iv); err != nil {
			return nil, err
		}
		grain := fspMicros(t.Scale)
		if t.Kind == types.Date {
			grain = types.Day
		}
		if us[i]%grain != 0 {
			return nil, wrongWindow(fn, "INTERVAL "+iv.Value+" "+strings.ToUpper(iv.Unit)+" is finer than '"+name+"'")
		}
	}
	switch spec.Kind {
	case Tumble:
		spec.Size, spec.Slide, spec.Offset = us[0], us[0], us[1]
	case Session:
		spec.Size = us[0]
	default:
		spec.Slide, spec.Size, spec.Offset = us[0], us[1], us[2]
	}
	if open {
		return spec, nil
	}
	return spec, spec.check(fn)
}

// givenInterval is an interval with the value of its parameter, if it has one; not
// known: that has no value yet, and some other stands for it.
func (b *binder) givenInterval(fn string, iv parser.Interval) (given parser.Interval, known bool, err error) {
	if iv.Param == nil {
		return iv, true, nil
	}
	e, err := b.param(iv.Param)
	switch {
	case err != nil:
		return iv, false, err
	case e.Op == expr.OpParam:
		b.params[e.Col] = types.MakeBigInt()
		if strings.Contains(iv.Unit, "_") {
			b.params[e.Col] = types.MakeVarChar(255)
		}
		return parser.Interval{Value: "1", Unit: "day"}, false, nil
	case e.Op != expr.OpConst || e.Value.Null:
		return iv, false, wrongWindow(fn, "NULL is no interval")
	case e.Type.IsText():
		return parser.Interval{Value: string(e.Value.S), Unit: iv.Unit}, true, nil
	}
	return parser.Interval{Value: e.String(), Unit: iv.Unit}, true, nil
}

// check refuses sizes that make no windows.
func (s *WindowSpec) check(fn string) error {
	switch {
	case s.Size <= 0:
		return wrongWindow(fn, map[WindowKind]string{Tumble: "the size", Hop: "the size", Session: "the gap", Cumulate: "the largest size"}[s.Kind]+" must be positive")
	case s.Kind == Session:
		return nil
	case s.Slide <= 0:
		return wrongWindow(fn, map[WindowKind]string{Hop: "the slide", Cumulate: "the step"}[s.Kind]+" must be positive")
	case s.Kind == Cumulate && s.Size%s.Slide != 0:
		return wrongWindow(fn, "the largest size must be a multiple of the step")
	case s.Size/s.Slide > maxWindowsPerRow:
		return wrongWindow(fn, "a row would be in more than "+itoa(maxWindowsPerRow)+" windows")
	}
	return nil
}

func wrongWindow(fn, why string) error {
	return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to %s: %s", fn, why)
}

// fspMicros is the smallest step of a time with so many digits of a second.
func fspMicros(fsp int) int64 {
	us := int64(types.Second)
	for range fsp {
		us /= 10
	}
	return us
}

// windowInterval is an interval in microseconds.
func windowInterval(fn string, iv parser.Interval) (int64, error) {
	us, months, ok := builtin.Duration(iv.Value, iv.Unit)
	switch {
	case months:
		return 0, sqlerr.Unsupported(fn + " by " + strings.ToUpper(iv.Unit) + " (months and years differ in length; DAY and WEEK do not)")
	case !ok:
		return 0, wrongWindow(fn, "'"+iv.Value+" "+strings.ToUpper(iv.Unit)+"' is no interval")
	}
	return us, nil
}

// groupWindow binds the window in GROUP BY, if there is one: it applies to the
// rows that WHERE leaves, and its bounds can be named like columns.
func (s *block) groupWindow() error {
	if s.node.GroupBy == nil {
		return nil
	}
	for _, item := range s.node.GroupBy.Items {
		w := s.markedCall(item.Expr)
		if w == nil || w.Part != "" {
			continue
		}
		if s.groupedBy != nil {
			return sqlerr.Unsupported("two windows in GROUP BY")
		}
		if s.src.rel == nil {
			return sqlerr.New(sqlerr.NoTablesUsed, "No tables used")
		}
		spec, err := s.windowSpec(w, &s.src.scope)
		if err != nil {
			return err
		}
		s.sel.Window, s.groupedBy = spec, w
		cols := append([]visible(nil), s.src.scope.cols...)
		s.src.scope.cols = append(cols, visible{Col: spec.Start}, visible{Col: spec.End})
	}
	return nil
}

// markedCall is the window that a function call stands for; nil: it is another call.
func (b *binder) markedCall(e ast.ExprNode) *parser.Window {
	n, ok := bare(e).(*ast.FuncCallExpr)
	if !ok || n.FnName.O != parser.WindowMark || len(n.Args) != 1 {
		return nil
	}
	l, ok := n.Args[0].(*parser.Literal)
	if !ok {
		return nil
	}
	i, ok := l.GetValue().(int64)
	if !ok || i < 0 || int(i) >= len(b.windows) {
		return nil
	}
	return b.windows[i]
}

// groupByWindow puts the bounds of the window among what is grouped by.
func (s *block) groupByWindow() set {
	var out set
	for _, c := range []Col{s.sel.Window.Start, s.sel.Window.End} {
		out = append(out, s.group.key(expr.NewColumn(c.ID, c.Name, c.Type)))
	}
	return out
}

// partWindow parts the sessions of GROUP BY by what else is grouped by.
func (s *block) partWindow() {
	w := s.sel.Window
	if w == nil || w.Kind != Session {
		return
	}
	for _, c := range s.group.by {
		if e := c.Expr; e.Op != expr.OpColumn || e.Col != w.Start.ID && e.Col != w.End.ID {
			w.Partition = append(w.Partition, e)
		}
	}
}

// windowPart binds TUMBLE_START(…) and the like: a bound of the window of GROUP
// BY, which must be the same one.
func (b *binder) windowPart(w *parser.Window, in *names) (*expr.Expr, error) {
	kind := strings.ToUpper(w.Kind)
	if w.Part == "" {
		return nil, sqlerr.Unsupported(kind + "(…) outside of FROM and GROUP BY")
	}
	if in.group == nil || in.group.window == nil || !b.sameWindow(w, in.group.windowText) {
		return nil, sqlerr.New(sqlerr.InvalidGroupFuncUse, "%s_%s needs the same %s in GROUP BY", kind, strings.ToUpper(w.Part), kind)
	}
	c := in.group.window.Start
	if w.Part == "end" {
		c = in.group.window.End
	}
	return expr.NewColumn(c.ID, c.Name, c.Type), nil
}

// sameWindow reports whether two windows of a block say the same; one whose size is
// not known yet may be any.
func (b *binder) sameWindow(v, w *parser.Window) bool {
	if v.Kind != w.Kind || (v.Time == nil) != (w.Time == nil) || len(v.Intervals) != len(w.Intervals) {
		return false
	}
	if v.Time != nil && !sameName(v.Time.Name.O, w.Time.Name.O) {
		return false
	}
	for i := range v.Intervals {
		one, known, err := b.givenInterval("", v.Intervals[i])
		other, too, err2 := b.givenInterval("", w.Intervals[i])
		if err != nil || err2 != nil {
			return false
		}
		x, _, ok := builtin.Duration(one.Value, one.Unit)
		y, _, _ := builtin.Duration(other.Value, other.Unit)
		if known && too && (!ok || x != y) {
			return false
		}
	}
	return true
}
