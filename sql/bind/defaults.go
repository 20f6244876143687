package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/format"

	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// defaultValue binds the SQL text of a DEFAULT, which was checked when the
// table was made.
func (b *binder) defaultValue(text string) (*expr.Expr, error) {
	stmt, err := parseStored("SELECT "+text, 0)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.Node.(*ast.SelectStmt)
	if !ok || len(sel.Fields.Fields) != 1 || sel.Fields.Fields[0].Expr == nil {
		return nil, sqlerr.New(sqlerr.UnknownError, "The stored default %s is no expression", text)
	}
	return b.expr(sel.Fields.Fields[0].Expr, &names{clause: "field list", constant: "a DEFAULT"})
}

// defaultText is the SQL text of a DEFAULT: a literal, or the statement's time.
func defaultText(node ast.ExprNode) (string, error) {
	switch n := node.(type) {
	case *parser.Literal:
	case *ast.UnaryOperationExpr:
		if _, ok := n.V.(*parser.Literal); !ok {
			return "", sqlerr.Unsupported("expressions as DEFAULT")
		}
	case *ast.FuncCallExpr:
		switch n.FnName.L {
		case ast.DateLiteral, ast.TimeLiteral, ast.TimestampLiteral:
		case "current_timestamp", "now", "localtime", "localtimestamp":
			if len(n.Args) == 0 {
				return "CURRENT_TIMESTAMP", nil
			}
			fsp, err := restored(n.Args[0])
			return "CURRENT_TIMESTAMP(" + fsp + ")", err
		default:
			text, err := restored(n)
			return "(" + text + ")", err
		}
	default:
		return "", sqlerr.Unsupported("expressions as DEFAULT")
	}
	return restored(node)
}

// isExpression reports a DEFAULT (function), which is computed for each row.
func isExpression(text string) bool { return strings.HasPrefix(text, "(") }

// restored is a small piece of the tree as SQL.
func restored(node ast.Node) (string, error) {
	var text strings.Builder
	err := node.Restore(format.NewRestoreCtx(format.RestoreStringSingleQuotes|format.RestoreKeyWordUppercase|format.RestoreNameBackQuotes, &text))
	return text.String(), err
}
