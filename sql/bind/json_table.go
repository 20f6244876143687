package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/jsontable"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Unfold is JSON_TABLE: the rows of Input, each with those that its Document has.
type Unfold struct {
	Input    Rel        // nil: one row without columns
	Document *expr.Expr // of type JSON, over Input
	Table    *jsontable.Table
	Outer    bool // a row whose document has none is there once, with NULLs
	Own      []Col
	Cols     []Col // of Input, then Own
}

// Columns of an unfolded relation: its input's, then the document's.
func (r *Unfold) Columns() []Col { return r.Cols }

// jsonTable binds JSON_TABLE, whose document may read what stands to the left of it.
// n is a query of the document.
func (b *binder) jsonTable(n *ast.TableSource, w *parser.Window) (source, error) {
	query, ok := n.Source.(*ast.SelectStmt)
	if !ok || query.From != nil || query.Fields == nil || len(query.Fields.Fields) != 1 || query.Fields.Fields[0].Expr == nil {
		return source{}, sqlerr.New(sqlerr.ParseError, "JSON_TABLE takes one document")
	}
	in := &names{clause: "a table function argument", from: &scope{}}
	if b.beside != nil {
		in.from = b.beside.scope
	}
	left := b.beside
	b.beside = nil
	doc, err := b.expr(query.Fields.Fields[0].Expr, in)
	b.beside = left
	if err != nil {
		return source{}, err
	}
	if doc, err = b.document(doc); err != nil {
		return source{}, err
	}
	r := &Unfold{Document: doc}
	if r.Table, err = b.jsonColumns(w.JSON); err != nil {
		return source{}, err
	}
	if _, err := jsontable.New(r.Table); err != nil {
		return source{}, err
	}
	out := source{rel: r}
	seen := map[string]bool{}
	for i, c := range r.Table.Flat() {
		if key := strings.ToLower(c.Name); seen[key] {
			return source{}, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", c.Name)
		} else {
			seen[key] = true
		}
		col := Col{ID: b.newID(), Name: c.Name, Type: c.Type}
		r.Own = append(r.Own, col)
		out.scope.cols = append(out.scope.cols, visible{Col: col, table: w.Alias, position: i, rank: i})
	}
	r.Cols = r.Own
	return out, nil
}

// document is the JSON of an argument: error 3146 if it is neither JSON nor text.
func (b *binder) document(e *expr.Expr) (*expr.Expr, error) {
	switch {
	case e.Type.Kind == types.JSON:
		return e, nil
	case e.Type.IsText() || e.Type.Kind == types.Null:
		return builtin.Cast(b.scalar, e, types.Type{Kind: types.JSON})
	}
	return nil, sqlerr.New(sqlerr.InvalidCastToJSON, "Invalid data type for JSON data in argument 1 to function JSON_TABLE; a JSON string or JSON type is required.")
}

func (b *binder) jsonColumns(t *parser.JSONTable) (*jsontable.Table, error) {
	out := &jsontable.Table{Path: t.Path}
	for _, c := range t.Columns {
		col := jsontable.Column{Name: c.Name, Path: c.Path, Exists: c.Exists, OnEmpty: jsontable.Response(c.OnEmpty), OnError: jsontable.Response(c.OnError)}
		var err error
		switch {
		case c.Nested != nil:
			col.Nested, err = b.jsonColumns(c.Nested)
		case c.Type == "":
			col.Ordinality, col.Type = true, types.Type{Kind: types.Int, Unsigned: true}
		default:
			col.Type, err = b.writtenType(c.Name, c.Type)
		}
		if err != nil {
			return nil, err
		}
		out.Columns = append(out.Columns, col)
	}
	return out, nil
}

// writtenType is the type that text says, as that of a column.
func (b *binder) writtenType(column, text string) (types.Type, error) {
	stmt, err := parseStored("CREATE TABLE t (c "+text+")", 0)
	if err != nil {
		return types.Type{}, err
	}
	create, ok := stmt.Node.(*ast.CreateTableStmt)
	if !ok || len(create.Cols) != 1 || len(create.Cols[0].Options) > 1 {
		return types.Type{}, sqlerr.New(sqlerr.ParseError, "%s is no type of a column", text)
	}
	c := create.Cols[0]
	for _, o := range c.Options {
		if o.Tp != ast.ColumnOptionCollate {
			return types.Type{}, sqlerr.New(sqlerr.ParseError, "%s is no type of a column", text)
		}
		c.Tp.SetCollate(o.StrValue)
	}
	return columnType(column, c.Tp, types.UTF8MB4Bin)
}

// unfolded is a join whose right side is a JSON_TABLE that reads columns of the left
// one: false if it is no such join.
func (b *binder) unfolded(n *ast.Join, left, right source) (out source, ok bool, err error) {
	r, ok := right.rel.(*Unfold)
	if !ok || r.Input != nil || !readsAny(r.Document, left.rel.Columns()) {
		return source{}, false, nil
	}
	switch {
	case n.Tp == parser.FullJoin, n.Tp == ast.RightJoin:
		return source{}, true, sqlerr.New(sqlerr.TableFunctionJoin, "INNER or LEFT JOIN must be used for LATERAL references made by '%s'", right.scope.cols[0].table)
	case n.NaturalJoin || len(n.Using) > 0:
		return source{}, true, sqlerr.Unsupported("NATURAL JOIN and USING with a JSON_TABLE that reads the other side (use ON)")
	}
	un := *r
	un.Input, un.Outer = left.rel, n.Tp == ast.LeftJoin
	un.Cols = append(append([]Col(nil), left.rel.Columns()...), r.Own...)
	out = source{rel: &un}
	out.scope.cols = append(append(out.scope.cols, left.scope.cols...), right.scope.cols...)
	if n.On == nil {
		return out, true, nil
	}
	on, err := b.conjuncts(n.On.Expr, &names{clause: "on clause", from: &out.scope})
	if err != nil {
		return source{}, true, err
	}
	if un.Outer {
		if len(on) != 1 || on[0].Op != expr.OpConst || on[0].Value.Null || on[0].Value.I == 0 {
			return source{}, true, sqlerr.Unsupported("LEFT JOIN of a JSON_TABLE ON anything but TRUE (filter inside a LATERAL derived table)")
		}
		return out, true, nil
	}
	sel := &Select{From: &un, Where: on}
	for _, c := range un.Cols {
		sel.Project = append(sel.Project, Computed{Col: c, Expr: expr.NewColumn(c.ID, c.Name, c.Type)})
	}
	out.rel = sel
	return out, true, nil
}

// readsAny reports that e reads one of the columns.
func readsAny(e *expr.Expr, cols []Col) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		for _, c := range cols {
			found = found || x.Op == expr.OpColumn && x.Col == c.ID
		}
		return !found
	})
	return found
}
