package bind

import (
	"strconv"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"streamsql/sql/expr"
	"streamsql/sql/ingest"
	"streamsql/sql/parser"
	"streamsql/sql/types"
)

// InsertParameters is a prepared INSERT or REPLACE whose values are all `?`.
type InsertParameters struct{ rows plainRows }

// ReadInsertParameters is the form of a statement if it is such an INSERT; nil: it is not.
func ReadInsertParameters(stmt *parser.Statement) *InsertParameters {
	n, ok := stmt.Node.(*ast.InsertStmt)
	if !ok || n.IgnoreErr || n.Select != nil || n.Priority != mysql.NoPriority || len(n.OnDuplicate)+len(n.PartitionNames)+len(n.TableHints)+len(stmt.Warnings) > 0 ||
		len(n.Lists) == 0 || stmt.NewRow != nil || stmt.ExplainFormat != "" || n.Table.TableRefs.Right != nil {
		return nil
	}
	source, ok := n.Table.TableRefs.Left.(*ast.TableSource)
	if !ok {
		return nil
	}
	name, ok := source.Source.(*ast.TableName)
	if !ok || refuseTableName(name) != nil {
		return nil
	}
	p := &InsertParameters{plainRows{db: name.Schema.O, table: name.Name.O, replace: n.IsReplace, rows: len(n.Lists), width: len(n.Lists[0])}}
	for _, c := range n.Columns {
		if c.Table.O != "" {
			return nil
		}
		p.rows.columns = append(p.rows.columns, c.Name.O)
	}
	order := 0
	for _, list := range n.Lists {
		for _, e := range list {
			if q, ok := e.(*parser.Param); !ok || q.Order != order {
				return nil
			}
			order++
		}
		if len(list) != p.rows.width {
			return nil
		}
	}
	return p
}

// Fast reads parameters straight into columns. False means the same as of FastInsert.
func (p *InsertParameters) Fast(params []*expr.Expr, env *Env, loc *time.Location) (*FastRows, bool) {
	if len(params) != p.rows.rows*p.rows.width {
		return nil, false
	}
	return p.rows.read(&parameters{params: params}, env, loc)
}

// parameters turns parameters into values, one by one.
type parameters struct {
	params []*expr.Expr
	one    ingest.Value
	digits [32]byte
}

// value implements plainValues.
func (f *parameters) value(i int) *ingest.Value {
	v, t := f.params[i].Value, &f.params[i].Type
	f.one = ingest.Value{}
	switch {
	case v.Null:
	case t.IsInteger():
		if t.Unsigned && v.I < 0 {
			return nil
		}
		f.one.Kind, f.one.Small, f.one.Num = ingest.Int, true, v.I
		f.one.Bytes = strconv.AppendInt(f.digits[:0], v.I, 10)
	case t.Kind == types.Double:
		f.one.Kind, f.one.Bytes = ingest.Float, strconv.AppendFloat(f.digits[:0], v.F, 'e', -1, 64)
	case t.Kind == types.VarChar:
		f.one.Kind, f.one.Bytes = ingest.Text, v.S
	case t.Kind == types.DateTime:
		f.one.Kind, f.one.Num = ingest.Moment, v.I
	default:
		return nil
	}
	return &f.one
}
