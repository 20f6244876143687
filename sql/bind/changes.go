package bind

import (
	"math"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// The columns that a changefeed has before those of the view.
const (
	OpColumn    = "op"
	BatchColumn = "batch_id"
)

// ChangeColumns are the columns of SUBSCRIBE and CHANGES of a view: what happened to
// a row (+I −D −U +U), in which batch, and the row. All but the first two can be
// NULL: in a row that only tells of progress they are.
func ChangeColumns(t *catalog.Table) []catalog.Column {
	op := types.MakeVarChar(2)
	op.NotNull = true
	id := types.MakeBigInt()
	id.Unsigned, id.NotNull = true, true
	out := []catalog.Column{{Name: OpColumn, Type: op}, {Name: BatchColumn, Type: id}}
	for _, i := range t.Visible() {
		c := t.Columns[i]
		c.Type.NotNull = false
		out = append(out, catalog.Column{Name: c.Name, Type: c.Type})
	}
	return out
}

// ChangesOf says that a scan reads what changed in a materialized view: after a
// batch, up to the one that the query reads. Its columns are ChangeColumns.
type ChangesOf struct {
	After uint64
}

// AsOf says as of when a SELECT reads: exactly one is set.
type AsOf struct {
	Batch *uint64
	Time  *expr.Expr // constant, a TIMESTAMP or DATETIME of the session
}

// changesOf binds CHANGES(view, batch), which the parser made a subquery of; false:
// n is another one.
func (b *binder) changesOf(n *ast.SelectStmt, alias string) (s source, ours bool, err error) {
	if n.Fields == nil || len(n.Fields.Fields) != 1 || n.From != nil {
		return s, false, nil
	}
	name, ours := b.changes[n.Fields.Fields[0].Offset]
	if !ours {
		return s, false, nil
	}
	if b.view {
		return s, true, sqlerr.Unsupported("CHANGES(…) in a view")
	}
	t, err := b.changing(name, "CHANGES")
	if err != nil {
		return s, true, err
	}
	after, err := b.batchNumber(n.Fields.Fields[0].Expr, "CHANGES")
	if err != nil {
		return s, true, err
	}
	b.read(t)
	if alias == "" {
		alias = "changes"
	}
	feed := &catalog.Table{ID: t.ID, Database: t.Database, Name: t.Name, Kind: catalog.Virtual, Columns: ChangeColumns(t)}
	if s, err = b.scan(feed, alias); err == nil {
		s.rel.(*Scan).Changes = &ChangesOf{After: after}
	}
	return s, true, err
}

// batchNumber binds the number of a batch: a constant. While it is a parameter
// without a value, it is 0.
func (b *binder) batchNumber(node ast.ExprNode, of string) (uint64, error) {
	es, err := b.exprs([]ast.ExprNode{node}, &names{clause: of})
	if err != nil {
		return 0, err
	}
	switch e := es[0]; {
	case e.Op == expr.OpParam:
		b.params[e.Col] = types.MakeBigInt()
		return 0, nil
	case e.Op != expr.OpConst || e.Value.Null:
	case e.Type.IsInteger() && (e.Value.I >= 0 || e.Type.Unsigned):
		return uint64(e.Value.I), nil
	case e.Type.Class() == types.ClassFloat && e.Value.F >= 0 && e.Value.F == math.Trunc(e.Value.F) && e.Value.F < 1<<63:
		return uint64(e.Value.F), nil // some drivers send every number as a DOUBLE
	}
	return 0, sqlerr.New(sqlerr.WrongArguments, "%s takes the number of a batch", of)
}

// asOf binds AS OF.
func (b *binder) asOf(n *parser.AsOf) (*AsOf, error) {
	switch {
	case n == nil:
		return nil, nil
	case n.Batch:
		id, err := b.batchNumber(n.Expr, "AS OF BATCH")
		return &AsOf{Batch: &id}, err
	}
	es, err := b.exprs([]ast.ExprNode{n.Expr}, &names{clause: "AS OF"})
	if err != nil {
		return nil, err
	}
	to := types.MakeDateTime(6)
	if es[0].Op == expr.OpParam {
		b.params[es[0].Col] = to
	}
	at, err := b.castTo(es[0], to)
	return &AsOf{Time: at}, err
}
