package bind

import (
	"strings"
	"unicode"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"

	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/reference"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// synonyms are names for the same function.
var synonyms = map[string]string{"adddate": "date_add", "subdate": "date_sub", "position": "locate", "char_func": "char", "insert_func": "insert"}

// function binds a call by name.
func (b *binder) function(n *ast.FuncCallExpr, in *names) (*expr.Expr, error) {
	if d := b.routine(n.Schema, n.FnName); d != nil {
		return b.routineCall(d, n.Args, in)
	}
	if n.Schema.O != "" {
		return nil, sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s.%s does not exist", n.Schema.O, n.FnName.O)
	}
	if w := b.markedCall(n); w != nil {
		return b.windowPart(w, in)
	}
	fn := n.FnName.L
	if s, ok := synonyms[fn]; ok {
		fn = s
	}
	if fn == "grouping" {
		return b.groupingOf(n, in)
	}
	if agg.IsAggregate(fn) {
		return b.aggregate(&writtenCall{fn: fn, args: n.Args}, in)
	}
	if by := reference.VariesBy(fn, len(n.Args)); b.continuous && (by == reference.Row || by == reference.Session) {
		return nil, sqlerr.Unsupported(strings.ToUpper(fn) + "() in a materialized view")
	}
	if kind, ok := temporalLiterals[fn]; ok {
		return b.temporalLiteral(kind, n)
	}
	if e, ok := b.information(fn, len(n.Args)); ok {
		if b.env.AskedInfo != nil {
			b.env.AskedInfo()
		}
		return e, nil
	}
	switch fn {
	case "convert":
		return b.convertUsing(n, in)
	case "values":
		return nil, sqlerr.Unsupported("VALUES() of an expression")
	}
	nodes, using, err := charUsing(fn, n.Args)
	if err != nil {
		return nil, err
	}
	args, err := b.arguments(nodes, in)
	if err != nil {
		return nil, err
	}
	if _, ok := reference.Find(fn); !ok && fn != ast.JSONMemberOf {
		return nil, b.unknownFunction(builtin.NoFunction(fn), fn, n.FnName.O)
	}
	e, err := b.call(fn, args...)
	if err != nil || using == "" {
		return e, err
	}
	if strings.EqualFold(using, charset.CharsetBin) {
		return e, nil
	}
	return b.castTo(e, types.MakeVarChar(e.Type.Len))
}

// unknownFunction makes of error 1305 a refusal if MySQL has the function or
// operator; otherwise it puts the session's database before the name, as for a
// stored function.
func (b *binder) unknownFunction(err error, fn, typed string) error {
	if c := fn[0]; c < 'a' || c > 'z' || strings.Contains(fn, "regexp") {
		return sqlerr.Unsupported(strings.ToUpper(fn))
	}
	if known, ok := reference.Find(fn); ok {
		refusal := sqlerr.Unsupported(strings.ToUpper(fn) + "()")
		if why := known.Why(); why != "" {
			refusal.Message += ": " + why
		}
		return refusal
	}
	e := *sqlerr.From(err)
	if db := b.env.Session.Database; db != "" {
		typed = db + "." + typed
	}
	e.Message = strings.Replace(e.Message, fn, typed, 1)
	return &e
}

// charUsing splits the character set off the arguments of CHAR(… USING cs): the
// last one, NULL if none was given.
func charUsing(fn string, nodes []ast.ExprNode) ([]ast.ExprNode, string, error) {
	if fn != "char" || len(nodes) == 0 {
		return nodes, "", nil
	}
	last := len(nodes) - 1
	using := nodes[last].(*parser.Literal).GetString()
	return nodes[:last], using, checkCharset(using)
}

// arguments binds a function's arguments; units (DAY, MONTH …) and the sides of
// TRIM become text constants in lower case.
func (b *binder) arguments(nodes []ast.ExprNode, in *names) ([]*expr.Expr, error) {
	args := make([]*expr.Expr, len(nodes))
	for i, node := range nodes {
		switch a := node.(type) {
		case *ast.TimeUnitExpr:
			args[i] = word(a.Unit.String())
		case *ast.TrimDirectionExpr:
			args[i] = word(a.Direction.String())
		case *ast.GetFormatSelectorExpr:
			args[i] = word(a.Selector.String())
		default:
			var err error
			if args[i], err = b.expr(node, in); err != nil {
				return nil, err
			}
		}
	}
	return args, nil
}

func word(s string) *expr.Expr {
	return expr.NewConst(expr.Value{S: []byte(strings.ToLower(s))}, types.MakeVarChar(len(s)))
}

var temporalLiterals = map[string]types.Kind{
	ast.DateLiteral: types.Date, ast.TimeLiteral: types.Time, ast.TimestampLiteral: types.DateTime,
}

func (b *binder) temporalLiteral(kind types.Kind, n *ast.FuncCallExpr) (*expr.Expr, error) {
	if l, ok := n.Args[0].(*parser.Literal); ok {
		if s, ok := l.GetValue().(string); ok {
			return temporalLiteral(kind, s)
		}
	}
	return nil, sqlerr.Unsupported("a temporal literal of anything but text")
}

// convertUsing binds CONVERT(x USING charset): text is utf8mb4 anyway.
func (b *binder) convertUsing(n *ast.FuncCallExpr, in *names) (*expr.Expr, error) {
	e, err := b.expr(n.Args[0], in)
	if err != nil {
		return nil, err
	}
	cs := n.Args[1].(*parser.Literal).GetString()
	t := types.Type{Kind: types.VarChar, Len: max(e.Type.Len, 1)}
	switch strings.ToLower(cs) {
	case charset.CharsetBin:
		t = types.Type{Kind: types.VarBinary, Len: 4 * t.Len, Collation: types.BinaryCollation}
	case charset.CharsetUTF8MB4, charset.CharsetUTF8, "utf8mb3":
		if e.Type.IsText() {
			return e, nil
		}
	default:
		return nil, sqlerr.Unsupported("character set " + cs)
	}
	return b.castTo(e, t)
}

// information answers the functions about the session.
func (b *binder) information(fn string, args int) (*expr.Expr, bool) {
	if args > 0 {
		return nil, false
	}
	info := &b.env.Info
	text := func(s string) (*expr.Expr, bool) {
		return expr.NewConst(expr.Value{S: []byte(s)}, types.MakeVarChar(len(s))), true
	}
	switch fn {
	case "database", "schema":
		if b.env.Session.Database == "" {
			return expr.NewConst(expr.Value{Null: true}, types.MakeVarChar(64)), true
		}
		return text(b.env.Session.Database)
	case "version":
		return text(info.Version)
	case "user", "session_user", "system_user":
		return text(info.User)
	case "current_user":
		return text(info.CurrentUser)
	case "current_role":
		return text("NONE")
	case "icu_version":
		return text(unicode.Version)
	case "connection_id":
		return unsignedLiteral(info.ConnectionID), true
	case "last_insert_id":
		return unsignedLiteral(info.LastInsertID), true
	case "row_count":
		return intLiteral(info.RowCount), true
	case "found_rows":
		return intLiteral(info.FoundRows), true
	}
	return nil, false
}
