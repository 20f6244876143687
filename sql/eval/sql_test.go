package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/opcode"
	driver "github.com/pingcap/tidb/pkg/parser/test_driver"

	"streamsql/sql/builtin"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// This file lets tests write expressions as SQL. It binds no more than they need.

// scope is the columns that an expression may name.
type scope map[string]*expr.Expr

// build parses and resolves one expression.
func (s scope) build(text string) (e *expr.Expr, err error) {
	p := parser.New()
	p.SetSQLMode(mysql.ModeNone)
	stmt, err := p.ParseOneStmt("SELECT "+text, "", "")
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	defer func() {
		if r := recover(); r != nil {
			if failed, ok := r.(error); ok && !strings.Contains(failed.Error(), "runtime error") {
				e, err = nil, failed
				return
			}
			panic(r)
		}
	}()
	return s.expr(stmt.(*ast.SelectStmt).Fields.Fields[0].Expr), nil
}

// call resolves a call; its error ends the build.
func call_(fn string, args ...*expr.Expr) *expr.Expr {
	e, err := builtin.Call(nil, fn, args...)
	if err != nil {
		panic(err)
	}
	return e
}

var binaryOps = map[opcode.Op]string{
	opcode.Plus: "+", opcode.Minus: "-", opcode.Mul: "*", opcode.Div: "/", opcode.IntDiv: "div", opcode.Mod: "%",
	opcode.EQ: "=", opcode.NE: "<>", opcode.LT: "<", opcode.LE: "<=", opcode.GT: ">", opcode.GE: ">=", opcode.NullEQ: "<=>",
	opcode.LogicAnd: "and", opcode.LogicOr: "or", opcode.LogicXor: "xor",
	opcode.And: "&", opcode.Or: "|", opcode.Xor: "^", opcode.LeftShift: "<<", opcode.RightShift: ">>",
}

func (s scope) list(ns []ast.ExprNode) []*expr.Expr {
	out := make([]*expr.Expr, len(ns))
	for i, n := range ns {
		out[i] = s.expr(n)
	}
	return out
}

func (s scope) expr(n ast.ExprNode) *expr.Expr {
	switch n := n.(type) {
	case *ast.ParenthesesExpr:
		return s.expr(n.Expr)
	case *driver.ValueExpr:
		return constant(n)
	case *ast.ColumnNameExpr:
		if c, ok := s[n.Name.Name.L]; ok {
			return c
		}
		panic(fmt.Errorf("no column %s", n.Name.Name.L))
	case *ast.BinaryOperationExpr:
		return call_(binaryOps[n.Op], s.expr(n.L), s.expr(n.R))
	case *ast.UnaryOperationExpr:
		return s.unary(n)
	case *ast.IsNullExpr:
		return call_(negated("is null", "is not null", n.Not), s.expr(n.Expr))
	case *ast.IsTruthExpr:
		if n.True == 1 {
			return call_(negated("is true", "is not true", n.Not), s.expr(n.Expr))
		}
		return call_(negated("is false", "is not false", n.Not), s.expr(n.Expr))
	case *ast.BetweenExpr:
		return call_(negated("between", "not between", n.Not), s.expr(n.Expr), s.expr(n.Left), s.expr(n.Right))
	case *ast.PatternInExpr:
		return call_(negated("in", "not in", n.Not), append([]*expr.Expr{s.expr(n.Expr)}, s.list(n.List)...)...)
	case *ast.PatternLikeOrIlikeExpr:
		args := []*expr.Expr{s.expr(n.Expr), s.expr(n.Pattern)}
		if n.Escape != '\\' {
			args = append(args, text(string(rune(n.Escape))))
		}
		return call_(negated("like", "not like", n.Not), args...)
	case *ast.PatternRegexpExpr:
		return call_(negated("regexp", "not regexp", n.Not), s.expr(n.Expr), s.expr(n.Pattern))
	case *ast.CaseExpr:
		return s.caseExpr(n)
	case *ast.FuncCastExpr:
		return s.cast(n)
	case *ast.FuncCallExpr:
		return s.function(n)
	case *ast.TimeUnitExpr:
		return text(strings.ToLower(n.Unit.String()))
	case *ast.TrimDirectionExpr:
		return text(map[ast.TrimDirectionType]string{ast.TrimBoth: "both", ast.TrimLeading: "leading", ast.TrimTrailing: "trailing"}[n.Direction])
	}
	panic(fmt.Errorf("test: cannot bind %T", n))
}

func negated(yes, no string, not bool) string {
	if not {
		return no
	}
	return yes
}

func text(s string) *expr.Expr {
	return expr.NewConst(expr.Value{S: []byte(s)}, types.MakeVarChar(len([]rune(s))))
}

func (s scope) unary(n *ast.UnaryOperationExpr) *expr.Expr {
	v := s.expr(n.V)
	switch n.Op {
	case opcode.Minus:
		return call_("-", v)
	case opcode.Not, opcode.Not2:
		return call_("not", v)
	case opcode.BitNeg:
		return call_("~", v)
	}
	return v
}

func (s scope) caseExpr(n *ast.CaseExpr) *expr.Expr {
	var args []*expr.Expr
	for _, w := range n.WhenClauses {
		cond := s.expr(w.Expr)
		if n.Value != nil {
			cond = call_("=", s.expr(n.Value), cond)
		}
		args = append(args, cond, s.expr(w.Result))
	}
	if n.ElseClause != nil {
		args = append(args, s.expr(n.ElseClause))
	}
	return call_("case", args...)
}

func (s scope) cast(n *ast.FuncCastExpr) *expr.Expr {
	var t types.Type
	length := max(n.Tp.GetFlen(), 0)
	fsp := max(n.Tp.GetDecimal(), 0)
	switch n.Tp.GetType() {
	case mysql.TypeLonglong:
		t = types.Type{Kind: types.BigInt, Unsigned: mysql.HasUnsignedFlag(n.Tp.GetFlag())}
	case mysql.TypeNewDecimal:
		t = types.MakeDecimal(length, fsp)
	case mysql.TypeDouble:
		t = types.MakeDouble()
	case mysql.TypeFloat:
		t = types.Type{Kind: types.Float, Scale: types.NotFixed}
	case mysql.TypeDate:
		t = types.Type{Kind: types.Date}
	case mysql.TypeDatetime:
		t = types.MakeDateTime(fsp)
	case mysql.TypeDuration:
		t = types.Type{Kind: types.Time, Scale: fsp}
	case mysql.TypeYear:
		t = types.Type{Kind: types.Year}
	case mysql.TypeVarString, mysql.TypeString:
		t = types.MakeVarChar(length)
		if n.Tp.GetCharset() == "binary" {
			t = types.Type{Kind: types.VarBinary, Len: length, Collation: types.BinaryCollation}
			if n.Tp.GetType() == mysql.TypeString && length > 0 {
				t.Kind = types.Binary
			}
		}
	default:
		panic(fmt.Errorf("test: cannot cast to %s", n.Tp))
	}
	e, err := builtin.Cast(nil, s.expr(n.Expr), t)
	if err != nil {
		panic(err)
	}
	return e
}

func (s scope) function(n *ast.FuncCallExpr) *expr.Expr {
	name := n.FnName.L
	args := s.list(n.Args)
	literal := func(t types.Type) *expr.Expr {
		e, err := builtin.Cast(nil, args[0], t)
		if err != nil {
			panic(err)
		}
		return e
	}
	if i := strings.LastIndexByte(name, '('); i >= 0 {
		name = name[i+1:]
	}
	switch name {
	case "insert_func":
		name = "insert"
	case "char_func":
		return call_("char", args[:len(args)-1]...)
	case "dateliteral":
		return literal(types.Type{Kind: types.Date})
	case "timestampliteral":
		return literal(types.MakeDateTime(0))
	case "timeliteral":
		return literal(types.Type{Kind: types.Time})
	}
	return call_(name, args...)
}

func constant(n *driver.ValueExpr) *expr.Expr {
	switch n.Kind() {
	case driver.KindNull:
		return expr.NewNull()
	case driver.KindInt64:
		return expr.NewInt(n.GetInt64())
	case driver.KindUint64:
		if u := n.GetUint64(); u > 1<<63-1 {
			return expr.NewConst(expr.Value{I: int64(u)}, types.Type{Kind: types.BigInt, Unsigned: true})
		}
		return expr.NewInt(int64(n.GetUint64()))
	case driver.KindFloat64:
		return expr.NewConst(expr.Value{F: n.GetFloat64()}, types.MakeDouble())
	case driver.KindString:
		return text(n.GetString())
	case driver.KindMysqlDecimal:
		s := n.GetMysqlDecimal().String()
		d := decimal.Parse([]byte(s), 30)
		return expr.NewConst(decimalValue(d.Value), types.MakeDecimal(len(strings.TrimLeft(strings.ReplaceAll(strings.Trim(s, "-"), ".", ""), "0")), d.Scale))
	case driver.KindBinaryLiteral:
		return builtin.HexLiteral(n.GetBinaryLiteral())
	}
	panic(fmt.Errorf("test: constant of kind %d", n.Kind()))
}

func decimalValue(w decimal.Wide) expr.Value {
	if v, ok := w.Int64(); ok {
		return expr.Value{I: v}
	}
	return expr.Value{Wide: &w}
}

// show computes an expression without columns and shows its type and value, or its error.
func show(src string) string {
	e, err := scope{}.build(src)
	if err != nil {
		return failure(err)
	}
	v, err := Const(e, testContext())
	if err != nil {
		return failure(err)
	}
	return e.Type.String() + " " + literal(v, e.Type)
}

// testContext stands at 2024-05-06 07:08:09.123456 UTC.
func testContext() *Context {
	return &Context{Now: types.ParseDateTime([]byte("2024-05-06 07:08:09.123456")).US}
}

func literal(v expr.Value, t types.Type) string {
	if v.Null {
		return "NULL"
	}
	return string(v.Vector(t).AppendText(nil, 0, nil))
}

func TestBuild(t *testing.T) {
	if got := show("1 + 2 * 3"); got != "bigint 7" {
		t.Error(got)
	}
}

// builtinAssign stores e into a column of type t under strict rules.
func builtinAssign(e *expr.Expr, t types.Type) (*expr.Expr, error) { return builtin.Assign(nil, e, t) }
