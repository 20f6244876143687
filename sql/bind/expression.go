package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/opcode"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// names is where an expression looks names up.
type names struct {
	clause string // as error messages call it: "field list", "where clause" …
	from   *scope // nil: no tables
	// first and last resolve a name before and after from; nil answers: not mine.
	first, last resolver
	// more are further names that a misspelt one may have meant.
	more []string
	// group collects aggregates; nil where they must not be.
	group *grouping
	// overs collects window functions; nil where they must not be.
	overs *overing
	// values are the columns that VALUES(col) reads, in ON DUPLICATE KEY UPDATE.
	values *scope
	// constant names a place where an expression is computed on its own, so that
	// there can be no subquery; empty elsewhere.
	constant string
	// changing: a column may come to stand for the value that it is assigned.
	changing bool
}

// resolver finds the expression that a name stands for; nil if it knows none.
type resolver func(n *ast.ColumnName) (*expr.Expr, error)

// expr binds an expression.
func (b *binder) expr(node ast.ExprNode, in *names) (*expr.Expr, error) {
	if err := b.enter(); err != nil {
		return nil, err
	}
	defer b.leave()
	switch n := node.(type) {
	case *parser.Param:
		return b.param(n)
	case *parser.Literal:
		return b.literal(n)
	case *ast.ColumnNameExpr:
		return b.column(n.Name, in)
	case *ast.ParenthesesExpr:
		return b.expr(n.Expr, in)
	case *ast.BinaryOperationExpr:
		return b.binary(n, in)
	case *ast.UnaryOperationExpr:
		return b.unary(n, in)
	case *ast.AggregateFuncExpr:
		return b.aggregate(&writtenCall{fn: strings.ToLower(n.F), args: n.Args, distinct: n.Distinct, order: n.Order}, in)
	case *parser.Aggregate:
		return b.aggregateWithClauses(n, in)
	case *ast.FuncCallExpr:
		return b.function(n, in)
	case *ast.WindowFuncExpr:
		return b.windowFunction(n, &writtenCall{fn: strings.ToLower(n.Name), args: n.Args, distinct: n.Distinct}, in)
	case *ast.FuncCastExpr:
		return b.cast(n, in)
	case *ast.CaseExpr:
		return b.caseOf(n, in)
	case *ast.VariableExpr:
		return b.variable(n)
	case *ast.ValuesExpr:
		return b.insertedValue(n, in)
	case *ast.SetCollationExpr:
		return b.collate(n, in)
	default:
		return b.predicate(node, in)
	}
}

// predicate binds the operators that answer true or false by a form of their own.
func (b *binder) predicate(node ast.ExprNode, in *names) (*expr.Expr, error) {
	switch n := node.(type) {
	case *ast.IsNullExpr:
		return b.callOn(negated("is null", n.Not), in, n.Expr)
	case *ast.IsTruthExpr:
		fn := "is false"
		if n.True != 0 {
			fn = "is true"
		}
		return b.callOn(negated(fn, n.Not), in, n.Expr)
	case *ast.BetweenExpr:
		return b.callOn(negated("between", n.Not), in, n.Expr, n.Left, n.Right)
	case *ast.SubqueryExpr:
		return b.scalarQuery(n, in)
	case *ast.ExistsSubqueryExpr:
		return b.exists(n, in)
	case *ast.CompareSubqueryExpr:
		return b.compareQuery(n, in)
	case *ast.PatternInExpr:
		if n.Sel != nil {
			return b.inQuery(n, in)
		}
		if asRow(n.Expr) != nil || asRow(n.List[0]) != nil {
			return b.rowIn(n, in)
		}
		return b.callOn(negated("in", n.Not), in, append([]ast.ExprNode{n.Expr}, n.List...)...)
	case *ast.PatternLikeOrIlikeExpr:
		return b.like(n, in)
	case *ast.PatternRegexpExpr:
		return b.callOn(negated("regexp", n.Not), in, n.Expr, n.Pattern)
	default:
		return nil, refuseExpression(node)
	}
}

// negated is the name of an operator's negation, if not is set.
func negated(fn string, not bool) string {
	switch {
	case !not:
		return fn
	case strings.HasPrefix(fn, "is "):
		return "is not " + fn[len("is "):]
	default:
		return "not " + fn
	}
}

// refuseExpression is error 1235 for what is not there yet.
func refuseExpression(node ast.ExprNode) error {
	switch n := node.(type) {
	case *ast.RowExpr:
		return operandColumns(1)
	case *ast.MatchAgainst:
		return sqlerr.Unsupported("MATCH … AGAINST")
	case *ast.DefaultExpr:
		if n.Name == nil {
			return sqlerr.New(sqlerr.ParseError, "DEFAULT can only stand for a whole value of INSERT or UPDATE")
		}
		return sqlerr.Unsupported("DEFAULT(column) in an expression")
	default:
		return sqlerr.Unsupported("this kind of expression")
	}
}

// exprs binds a list.
func (b *binder) exprs(nodes []ast.ExprNode, in *names) ([]*expr.Expr, error) {
	out := make([]*expr.Expr, len(nodes))
	for i, n := range nodes {
		var err error
		if out[i], err = b.expr(n, in); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// callOn binds arguments and resolves fn over them.
func (b *binder) callOn(fn string, in *names, nodes ...ast.ExprNode) (*expr.Expr, error) {
	args, err := b.exprs(nodes, in)
	if err != nil {
		return nil, err
	}
	return b.call(fn, args...)
}

// call resolves a function over bound arguments; parameters whose type is open
// take it from the others.
func (b *binder) call(fn string, args ...*expr.Expr) (*expr.Expr, error) {
	b.settle(args)
	e, err := builtin.Call(b.scalar, fn, args...)
	if err != nil && sqlerr.From(err).Code == sqlerr.SPDoesNotExist {
		return nil, b.unknownFunction(err, fn, fn)
	}
	return e, err
}

// column resolves a name.
func (b *binder) column(n *ast.ColumnName, in *names) (*expr.Expr, error) {
	if in.first != nil {
		if e, err := in.first(n); e != nil || err != nil {
			return e, err
		}
	}
	v, err := in.from.find(n, in.clause)
	if err != nil {
		return nil, err
	}
	if v != nil && in.changing {
		return v.ref(), nil
	}
	if v != nil {
		return b.reference(v), nil
	}
	if in.last != nil {
		if e, err := in.last(n); e != nil || err != nil {
			return e, err
		}
	}
	if e, err := b.outerColumn(n); e != nil || err != nil {
		return e, err
	}
	return nil, in.from.unknown(n, in.clause, in.more)
}

// reference is a column as it is read: under PAD_CHAR_TO_FULL_LENGTH a CHAR comes with
// the spaces that it was stored without.
func (b *binder) reference(v *visible) *expr.Expr {
	e := v.ref()
	if b.env.Mode&PadChar == 0 || e.Type.Kind != types.Char {
		return e
	}
	padded, err := builtin.Call(b.scalar, "rpad", e, expr.NewInt(int64(e.Type.Len)), expr.NewConst(expr.Value{S: []byte(" ")}, types.MakeVarChar(1)))
	if err != nil {
		return e
	}
	return padded
}

var binaryNames = map[opcode.Op]string{
	opcode.LogicAnd: "and", opcode.LogicOr: "or", opcode.LogicXor: "xor",
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=", opcode.NullEQ: "<=>",
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.IntDiv: "div", opcode.Mod: "%",
	opcode.And: "&", opcode.Or: "|", opcode.Xor: "^", opcode.LeftShift: "<<", opcode.RightShift: ">>",
}

// binary binds an operator of two operands. A chain is walked down its left
// side, so that a long one does not nest here; ANDs and ORs become one call of
// many arguments, so that theirs does not nest later either.
func (b *binder) binary(n *ast.BinaryOperationExpr, in *names) (*expr.Expr, error) {
	if comparesRows(n) {
		return b.rowComparison(n, in)
	}
	chain := []*ast.BinaryOperationExpr{n}
	for {
		left, ok := chain[len(chain)-1].L.(*ast.BinaryOperationExpr)
		if !ok || comparesRows(left) {
			break
		}
		chain = append(chain, left)
	}
	slices.Reverse(chain)
	e, err := b.expr(chain[0].L, in)
	if err != nil {
		return nil, err
	}
	depth := 0
	for i := 0; i < len(chain); {
		op := chain[i].Op
		fn, ok := binaryNames[op]
		if !ok {
			return nil, sqlerr.Unsupported(op.String())
		}
		args := []*expr.Expr{e}
		for more := true; more; {
			right, err := b.expr(chain[i].R, in)
			if err != nil {
				return nil, err
			}
			args = append(args, right)
			i++
			more = i < len(chain) && chain[i].Op == op && (op == opcode.LogicAnd || op == opcode.LogicOr)
		}
		if e, err = b.call(fn, args...); err != nil {
			return nil, err
		}
		if depth++; depth > maxDepth {
			return nil, tooDeep()
		}
	}
	return e, nil
}

func (b *binder) unary(n *ast.UnaryOperationExpr, in *names) (*expr.Expr, error) {
	switch n.Op {
	case opcode.Plus:
		return b.expr(n.V, in)
	case opcode.Minus:
		if e, err := negatedLiteral(n.V); e != nil || err != nil {
			return e, err
		}
		return b.callOn("-", in, n.V)
	case opcode.Not, opcode.Not2:
		return b.callOn("not", in, n.V)
	case opcode.BitNeg:
		return b.callOn("~", in, n.V)
	default:
		return nil, sqlerr.Unsupported(n.Op.String())
	}
}

// caseOf binds both forms of CASE to pairs of condition and result.
func (b *binder) caseOf(n *ast.CaseExpr, in *names) (*expr.Expr, error) {
	var args []*expr.Expr
	var value *expr.Expr
	var err error
	if n.Value != nil {
		if value, err = b.expr(n.Value, in); err != nil {
			return nil, err
		}
	}
	for _, w := range n.WhenClauses {
		when, err := b.expr(w.Expr, in)
		if err != nil {
			return nil, err
		}
		if value != nil {
			if when, err = b.call("=", value, when); err != nil {
				return nil, err
			}
		}
		then, err := b.expr(w.Result, in)
		if err != nil {
			return nil, err
		}
		args = append(args, when, then)
	}
	if n.ElseClause != nil {
		otherwise, err := b.expr(n.ElseClause, in)
		if err != nil {
			return nil, err
		}
		args = append(args, otherwise)
	}
	return b.call("case", args...)
}

// like binds LIKE; an escape character other than \ is a third argument.
func (b *binder) like(n *ast.PatternLikeOrIlikeExpr, in *names) (*expr.Expr, error) {
	if !n.IsLike {
		return nil, sqlerr.Unsupported("ILIKE")
	}
	args, err := b.exprs([]ast.ExprNode{n.Expr, n.Pattern}, in)
	if err != nil {
		return nil, err
	}
	if n.EscapeExplicit && n.Escape != '\\' {
		escape := []byte{n.Escape}
		if n.Escape == 0 {
			escape = nil
		}
		args = append(args, expr.NewConst(expr.Value{S: escape}, types.MakeVarChar(1)))
	}
	return b.call(negated("like", n.Not), args...)
}

// collate binds COLLATE.
func (b *binder) collate(n *ast.SetCollationExpr, in *names) (*expr.Expr, error) {
	e, err := b.expr(n.Expr, in)
	if err != nil {
		return nil, err
	}
	c, _, err := collationOf(n.Collate)
	if err != nil {
		return nil, err
	}
	if e.Type.IsBinary() != (c == types.BinaryCollation) {
		if e.Type.IsBinary() {
			return nil, wrongCollation(n.Collate, "binary")
		}
		return nil, wrongCollation(n.Collate, "utf8mb4")
	}
	return builtin.Collate(b.scalar, e, c), nil
}

// cast binds CAST, CONVERT and BINARY.
func (b *binder) cast(n *ast.FuncCastExpr, in *names) (*expr.Expr, error) {
	if n.Tp.IsArray() {
		return nil, sqlerr.Unsupported("CAST … AS … ARRAY")
	}
	e, err := b.expr(n.Expr, in)
	if err != nil {
		return nil, err
	}
	t, err := castType(n)
	if err != nil {
		return nil, err
	}
	if n.FunctionType == ast.CastBinaryOperator && e.Type.IsText() {
		t.Len = 4 * e.Type.Len
	}
	return b.castTo(e, t)
}

// castTo is an explicit cast.
func (b *binder) castTo(e *expr.Expr, t types.Type) (*expr.Expr, error) {
	args := []*expr.Expr{e}
	b.settle(args)
	return builtin.Cast(b.scalar, args[0], t)
}

// variable binds @x and @@x to their value now.
func (b *binder) variable(n *ast.VariableExpr) (*expr.Expr, error) {
	if b.view {
		return nil, sqlerr.New(sqlerr.ViewSelectVariable, "View's SELECT contains a variable or parameter")
	}
	switch {
	case n.Value != nil:
		return nil, sqlerr.Unsupported("assignment to a variable in an expression")
	case n.IsSystem && b.env.Vars != nil:
		return b.env.Vars(n.Name, n.IsGlobal)
	case n.IsSystem:
		return nil, sqlerr.New(sqlerr.UnknownSystemVariable, "Unknown system variable '%s'", n.Name)
	case b.env.UserVar != nil:
		return b.env.UserVar(n.Name), nil
	default:
		return expr.NewNull(), nil
	}
}

// insertedValue binds VALUES(col) in ON DUPLICATE KEY UPDATE.
func (b *binder) insertedValue(n *ast.ValuesExpr, in *names) (*expr.Expr, error) {
	if in.values == nil {
		return expr.NewNull(), nil // MySQL: meaningful only there, NULL elsewhere
	}
	v, err := in.values.find(n.Column.Name, in.clause)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, in.values.unknown(n.Column.Name, in.clause, nil)
	}
	return v.ref(), nil
}
