package session

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// set runs SET: assignments from left to right; the first that fails ends it.
func (s *Session) set(ctx context.Context, n *ast.SetStmt) error {
	for _, a := range n.Variables {
		if err := s.assign(ctx, a); err != nil {
			return err
		}
		s.readSettings() // the next assignment may depend on it
	}
	return nil
}

func (s *Session) assign(ctx context.Context, a *ast.VariableAssignment) error {
	switch {
	case a.Name == ast.SetNames || a.Name == ast.SetCharset:
		return s.setNames(a)
	case !a.IsSystem:
		v, err := s.scalar(ctx, a.Value)
		if err != nil {
			return err
		}
		s.userVars[strings.ToLower(a.Name)] = v
		return nil
	}
	name := a.Name
	if name == "tx_isolation_one_shot" {
		name = "transaction_isolation"
	}
	name, v, ok := findVariable(name)
	switch {
	case !ok:
		return unknownVariable(a.Name)
	case v.readOnly:
		return sqlerr.New(sqlerr.IncorrectGlobalLocal, "Variable '%s' is a read only variable", name)
	case a.IsGlobal && v.scope == sessionOnly:
		return sqlerr.New(sqlerr.LocalVariable, "Variable '%s' is a SESSION variable and can't be used with SET GLOBAL", name)
	case !a.IsGlobal && v.scope == globalOnly:
		return sqlerr.New(sqlerr.GlobalVariable, "Variable '%s' is a GLOBAL variable and should be set with SET GLOBAL", name)
	}
	if _, ok := a.Value.(*ast.DefaultExpr); ok {
		return s.setDefault(ctx, name, v, a.IsGlobal)
	}
	e, err := s.assignedValue(ctx, a.Value)
	if err != nil {
		return err
	}
	val, err := s.checkValue(name, v, e)
	if err != nil {
		return err
	}
	return s.store(ctx, name, val, a.IsGlobal)
}

// setDefault sets a session's value to the global one, or a global one to the
// one that the server started with.
func (s *Session) setDefault(ctx context.Context, name string, v variable, global bool) error {
	if global {
		return s.store(ctx, name, value{text: v.def}, true)
	}
	return s.store(ctx, name, s.server.globals.get(name), false)
}

// store keeps a checked value and does what goes with it at once.
func (s *Session) store(ctx context.Context, name string, val value, global bool) error {
	if global {
		s.server.globals.set(name, val)
		if ms, err := strconv.ParseInt(val.text, 10, 64); err == nil && name == "streamsql_batch_target_ms" {
			s.server.engine.SetBatchTarget(time.Duration(ms) * time.Millisecond)
		}
		return nil
	}
	if name == "autocommit" && val.text == "ON" && !s.settings.autocommit {
		if err := s.commit(ctx); err != nil { // as in MySQL
			return err
		}
	}
	if name == "sql_mode" {
		s.warnOfModes(val.text)
	}
	s.vars[name] = val
	return nil
}

// setNames runs SET NAMES and SET CHARACTER SET.
func (s *Session) setNames(a *ast.VariableAssignment) error {
	charset := defaultCharset
	if l, ok := a.Value.(*parser.Literal); ok {
		charset = l.GetString()
	}
	charset, err := checkCharset(charset)
	if err != nil {
		return err
	}
	collation := charsets[charset]
	if l, ok := a.ExtendValue.(*parser.Literal); ok {
		if collation, err = checkCollation(l.GetString()); err != nil {
			return err
		}
		if !strings.HasPrefix(collation, strings.TrimSuffix(charset, "mb3")) {
			return sqlerr.New(1253, "COLLATION '%s' is not valid for CHARACTER SET '%s'", collation, charset)
		}
	}
	connection := charset
	if a.Name == ast.SetCharset { // the connection takes the database's
		connection, collation = s.variable("character_set_database").text, s.variable("collation_database").text
	}
	s.vars["character_set_client"], s.vars["character_set_results"] = value{text: charset}, value{text: charset}
	s.vars["character_set_connection"], s.vars["collation_connection"] = value{text: connection}, value{text: collation}
	return nil
}

// assignedValue computes what a system variable is set to: a bare name stands
// for itself.
func (s *Session) assignedValue(ctx context.Context, n ast.ExprNode) (*expr.Expr, error) {
	if c, ok := n.(*ast.ColumnNameExpr); ok && c.Name.Table.O == "" {
		return expr.NewConst(expr.Value{S: []byte(c.Name.Name.O)}, types.MakeVarChar(len(c.Name.Name.O))), nil
	}
	return s.scalar(ctx, n)
}

// checkValue turns a value into the text that a variable keeps: error 1231 for
// a wrong one, 1232 for a wrong type. A number out of range is cut, with a warning.
func (s *Session) checkValue(name string, v variable, e *expr.Expr) (value, error) {
	if e.Value.Null {
		if v.nullable {
			return value{null: true}, nil
		}
		return value{}, wrongValue(name, "NULL")
	}
	txt := constText(e, s.settings.location)
	switch v.kind {
	case onOff:
		switch strings.ToUpper(txt) {
		case "ON", "1", "TRUE":
			return value{text: "ON"}, nil
		case "OFF", "0", "FALSE":
			return value{text: "OFF"}, nil
		}
		return value{}, wrongValue(name, txt)
	case number:
		if !e.Type.IsInteger() {
			return value{}, sqlerr.New(sqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
		}
		n, err := strconv.ParseInt(txt, 10, 64)
		if err != nil && e.Type.Unsigned {
			n = math.MaxInt64 // as large as can be
		}
		cut := min(max(n, v.min), v.max)
		if cut != n {
			s.warn(sqlerr.TruncatedWrongValue, "Truncated incorrect "+name+" value: '"+txt+"'")
		}
		return value{text: strconv.FormatInt(cut, 10)}, nil
	case real:
		f, err := strconv.ParseFloat(txt, 64)
		if err != nil || !e.Type.IsNumeric() {
			return value{}, sqlerr.New(sqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", name)
		}
		if f < 0 || f > float64(v.max) {
			return value{}, wrongValue(name, txt)
		}
		return value{text: txt}, nil
	}
	if v.check == nil {
		return value{text: txt}, nil
	}
	kept, err := v.check(txt)
	if err == errValue {
		return value{}, wrongValue(name, txt)
	}
	if err != nil {
		return value{}, err
	}
	return value{text: kept}, nil
}

func wrongValue(name, v string) error {
	return sqlerr.New(sqlerr.WrongValueForVar, "Variable '%s' can't be set to the value of '%s'", name, v)
}

// constText is a constant as text.
func constText(e *expr.Expr, loc *time.Location) string {
	if e.Value.Null {
		return ""
	}
	v := vectorOf(e)
	return string(v.AppendText(nil, 0, loc))
}

// scalar computes an expression that stands alone, such as the right side of
// SET. A subquery there is run as a statement.
func (s *Session) scalar(ctx context.Context, n ast.ExprNode) (*expr.Expr, error) {
	for {
		p, ok := n.(*ast.ParenthesesExpr)
		if !ok {
			break
		}
		n = p.Expr
	}
	var stmt ast.StmtNode
	if q, ok := n.(*ast.SubqueryExpr); ok {
		stmt, ok = q.Query.(ast.StmtNode)
		if !ok {
			return nil, sqlerr.Unsupported("this subquery")
		}
	} else {
		stmt = &ast.SelectStmt{
			SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect,
			Fields: &ast.FieldList{Fields: []*ast.SelectField{{Expr: n, AsName: ast.NewCIStr("value")}}},
		}
	}
	c, err := s.compile(ctx, &parser.Statement{Node: stmt, Changes: s.changes}, nil)
	if err != nil {
		return nil, err
	}
	if len(c.fields) != 1 {
		return nil, sqlerr.New(sqlerr.OperandColumns, "Operand should contain 1 column(s)")
	}
	rows, done, err := s.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	chunk, err := collect(ctx, rows)
	switch {
	case err != nil:
		return nil, err
	case chunk == nil:
		return expr.NewConst(expr.Value{Null: true}, c.fields[0].Type), nil
	case chunk.N > 1:
		return nil, sqlerr.New(sqlerr.SubqueryNo1Row, "Subquery returns more than 1 row")
	}
	return valueAt(chunk.Cols[0], 0), nil
}
