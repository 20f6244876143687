package session

import (
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// table is the result of a SHOW while it is made.
type table struct {
	fields []physical.Field
	chunk  *batch.Chunk
}

// newTable makes a table with the given columns. A name that ends in "#" is of
// an integer column, any other of text.
func newTable(columns ...string) *table {
	t := &table{}
	var ts []types.Type
	for _, c := range columns {
		typ := types.MakeVarChar(255)
		typ.Collation = types.UTF8MB4GeneralCI
		if name, ok := strings.CutSuffix(c, "#"); ok {
			c, typ = name, types.MakeBigInt()
		}
		ts = append(ts, typ)
		t.fields = append(t.fields, physical.Field{Name: c, Type: typ})
	}
	t.chunk = batch.New(ts, 8)
	return t
}

// add appends a row: a value for each column, nil for NULL.
func (t *table) add(values ...any) {
	for i, v := range values {
		col := t.chunk.Cols[i]
		switch v := v.(type) {
		case nil:
			col.AppendNull()
		case int:
			col.AppendInt(int64(v))
		case int64:
			col.AppendInt(v)
		case uint64:
			col.AppendInt(int64(v))
		default:
			col.AppendString(fmt.Sprint(v))
		}
	}
	t.chunk.PushWeight(1)
}

// addLines appends a row of one column for each line of a text.
func (t *table) addLines(text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		t.add(line)
	}
}

// result is the table as a statement's result. Text columns are as long as
// their longest value, at least.
func (t *table) result() *Result {
	for i, v := range t.chunk.Cols {
		if v.Off == nil {
			continue
		}
		for k := range v.N {
			t.fields[i].Type.Len = max(t.fields[i].Type.Len, len(v.Bytes(k)))
		}
	}
	r := &fixedRows{fields: t.fields}
	if t.chunk.N > 0 {
		r.chunks = []*batch.Chunk{t.chunk}
	}
	return &Result{Rows: r}
}

// like keeps the rows whose first column matches a pattern, without regard to
// the case of ASCII letters.
func (t *table) like(pattern string) {
	var sel []int32
	for i := range t.chunk.N {
		if matchLike(strings.ToLower(pattern), strings.ToLower(string(t.chunk.Cols[0].Bytes(i)))) {
			sel = append(sel, int32(i))
		}
	}
	t.chunk = t.chunk.Gather(sel)
}

// matchLike reports whether s matches a pattern of LIKE with the escape \.
func matchLike(pattern, s string) bool {
	for len(pattern) > 0 {
		c := pattern[0]
		switch {
		case c == '%':
			for rest := pattern[1:]; ; s = s[1:] {
				if matchLike(rest, s) {
					return true
				}
				if s == "" {
					return false
				}
			}
		case s == "":
			return false
		case c == '_':
			n := 1
			for n < len(s) && s[n]&0xc0 == 0x80 { // one character, of several bytes maybe
				n++
			}
			pattern, s = pattern[1:], s[n:]
			continue
		case c == '\\' && len(pattern) > 1:
			pattern = pattern[1:]
			c = pattern[0]
		}
		if c != s[0] {
			return false
		}
		pattern, s = pattern[1:], s[1:]
	}
	return s == ""
}

// The name under which WHERE of a SHOW sees its table.
const showDB, showTable, showID = "information_schema", "show", catalog.ID(1 << 63)

// showCatalog has the table of a SHOW besides all others.
type showCatalog struct {
	catalog.Reader
	table *catalog.Table
}

func (c showCatalog) Table(db, name string) (*catalog.Table, bool) {
	if db == showDB && name == showTable {
		return c.table, true
	}
	return c.Reader.Table(db, name)
}

func (c showCatalog) Database(name string) (*catalog.Database, bool) {
	if name == showDB {
		return &catalog.Database{Name: showDB}, true
	}
	return c.Reader.Database(name)
}

// where keeps the rows for which a condition is true. It is bound as that of a
// SELECT from the table.
func (s *Session) where(t *table, cond ast.ExprNode) error {
	desc := &catalog.Table{ID: showID, Database: showDB, Name: showTable, Kind: catalog.Virtual}
	for _, f := range t.fields {
		desc.Columns = append(desc.Columns, catalog.Column{Name: f.Name, Type: f.Type})
	}
	name := &ast.TableName{Schema: ast.NewCIStr(showDB), Name: ast.NewCIStr(showTable)}
	sel := &ast.SelectStmt{
		SelectStmtOpts: &ast.SelectStmtOpts{SQLCache: true}, Kind: ast.SelectStmtKindSelect,
		Fields: &ast.FieldList{Fields: []*ast.SelectField{{WildCard: &ast.WildCardField{}}}},
		From:   &ast.TableRefsClause{TableRefs: &ast.Join{Left: &ast.TableSource{Source: name}}},
		Where:  cond,
	}
	env := s.bindEnv(&compiled{}, nil)
	env.Catalog = showCatalog{env.Catalog, desc}
	b, err := bind.Bind(&parser.Statement{Node: sel}, env)
	if err != nil {
		return err
	}
	block := b.(*bind.SelectStatement).Query.Root.(*bind.Select)
	at := map[int]int{} // column id → position
	for i, c := range block.From.Columns() {
		at[c.ID] = i
	}
	conjuncts := make([]*expr.Expr, len(block.Where))
	for i, e := range block.Where {
		conjuncts[i] = e.Rewrite(func(x *expr.Expr) *expr.Expr {
			if x.Op != expr.OpColumn {
				return x
			}
			return expr.NewColumn(at[x.Col], x.Name, x.Type)
		})
	}
	filter, err := eval.CompileFilter(conjuncts)
	if err != nil {
		return err
	}
	sel32 := filter.Select(s.evalContext(false), t.chunk.Cols, t.chunk.N, nil)
	t.chunk = t.chunk.Gather(sel32)
	return nil
}

// vectorOf is a vector of one constant.
func vectorOf(e *expr.Expr) *vector.Vector {
	v := vector.New(e.Type, 1)
	appendValue(v, e.Value)
	return v
}
