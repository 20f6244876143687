package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// loadData binds LOAD DATA.
func (b *binder) loadData(n *ast.LoadDataStmt) (Statement, error) {
	t, err := b.table(n.Table)
	if err != nil {
		return nil, err
	}
	if err := insertable(t); err != nil {
		return nil, err
	}
	out := &LoadData{
		Table: t, File: n.Path, Local: n.FileLocRef == ast.FileLocClient,
		Replace: n.OnDuplicate == ast.OnDuplicateKeyHandlingReplace, Ignore: n.OnDuplicate == ast.OnDuplicateKeyHandlingIgnore,
	}
	if n.IgnoreLines != nil {
		out.Skip = *n.IgnoreLines
	}
	if out.Layout, err = loadLayout(n); err != nil {
		return nil, err
	}
	switch {
	case n.Format != nil:
		return nil, sqlerr.Unsupported("FORMAT of LOAD DATA")
	case len(n.Options) > 0:
		return nil, sqlerr.Unsupported("WITH of LOAD DATA")
	case out.Replace && t.Kind == catalog.StreamTable && !t.Upsert():
		return nil, sqlerr.Unsupported("REPLACE into a stream table without a primary key, which has nothing to replace; use INSERT")
	}
	if n.Charset != nil {
		if err := loadCharset(*n.Charset); err != nil {
			return nil, err
		}
	}
	if n.LowPriority {
		b.env.warn(sqlerr.NotSupportedYet, "LOW_PRIORITY has no effect")
	}
	l := &loading{inserting: newInserting(t, b.env), variables: map[string]int{}}
	l.binder = b
	if err := l.fields(n, out); err != nil {
		return nil, err
	}
	err = l.set(n.ColumnAssignments, out)
	out.Reads = b.reads
	return out, err
}

// loadLayout is where fields and lines end; MySQL's defaults where nothing is said.
func loadLayout(n *ast.LoadDataStmt) (ingest.Layout, error) {
	l := ingest.Layout{Terminated: "\t", Escaped: '\\', Line: "\n"}
	if f := n.FieldsInfo; f != nil {
		override(&l.Terminated, f.Terminated)
		if f.Enclosed != nil {
			l.Enclosed = firstByte(*f.Enclosed)
		}
		if f.Escaped != nil {
			l.Escaped = firstByte(*f.Escaped)
		}
		if f.DefinedNullBy != nil {
			return l, sqlerr.Unsupported("NULL DEFINED BY")
		}
	}
	if f := n.LinesInfo; f != nil {
		override(&l.Starting, f.Starting)
		override(&l.Line, f.Terminated)
	}
	switch {
	case l.Terminated == "":
		return l, sqlerr.Unsupported("FIELDS TERMINATED BY '' (rows of a fixed size)")
	case l.Line == "":
		return l, sqlerr.Unsupported("LINES TERMINATED BY ''")
	}
	return l, nil
}

func override(to *string, from *string) {
	if from != nil {
		*to = *from
	}
}

// firstByte is the byte of a text of at most one; 0: there is none.
func firstByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// loadCharset refuses what would have to be converted.
func loadCharset(name string) error {
	switch strings.ToLower(name) {
	case "utf8mb4", "utf8", "utf8mb3", "ascii", "binary":
		return nil
	}
	return sqlerr.Unsupported("CHARACTER SET " + name + " of LOAD DATA")
}

// loading is a LOAD DATA while it is bound.
type loading struct {
	*inserting
	variables map[string]int // by name: their columns, behind the table's
}

// fields says which columns the fields of a line go into.
func (l *loading) fields(n *ast.LoadDataStmt, out *LoadData) error {
	if len(n.ColumnsAndUserVars) == 0 {
		for _, i := range l.table.Visible() {
			if l.table.Columns[i].Generated == "" {
				out.Fields = append(out.Fields, i)
			}
		}
		return nil
	}
	seen := map[int]bool{}
	for _, f := range n.ColumnsAndUserVars {
		if f.UserVar != nil {
			name := strings.ToLower(f.UserVar.Name)
			at, known := l.variables[name]
			if !known {
				at = len(l.table.Columns) + len(l.variables)
				l.variables[name] = at
			}
			out.Fields = append(out.Fields, at)
			continue
		}
		i, err := l.columnIndex(f.ColumnName)
		switch {
		case err != nil:
			return err
		case seen[i]:
			return sqlerr.New(sqlerr.FieldSpecifiedTwice, "Column '%s' specified twice", f.ColumnName.Name.O)
		case l.table.Columns[i].Generated != "":
			return refuseGenerated(l.table, i)
		}
		seen[i] = true
		out.Fields = append(out.Fields, i)
	}
	out.Variables = len(l.variables)
	return nil
}

// set compiles the assignments of SET: columns, and variables of the list, are
// what the line gave.
func (l *loading) set(list []*ast.Assignment, out *LoadData) error {
	from := l.columnScope(l.table)
	position := positions(from)
	read := make(map[string]*expr.Expr, len(l.variables))
	for name, at := range l.variables {
		id := l.newID()
		position[id] = at
		read[name] = expr.NewColumn(id, name, variableType())
	}
	env, others := *l.env, l.env.UserVar
	env.UserVar = func(name string) *expr.Expr {
		if e := read[strings.ToLower(name)]; e != nil {
			return e
		}
		if others == nil {
			return expr.NewNull()
		}
		return others(name)
	}
	l.env = &env
	for _, a := range list {
		i, err := l.columnIndex(a.Column)
		if err != nil {
			return err
		}
		if l.table.Columns[i].Generated != "" {
			return refuseGenerated(l.table, i)
		}
		if d, ok := a.Expr.(*ast.DefaultExpr); ok && d.Name == nil {
			continue // as if it were not in the list
		}
		e, err := l.value(i, a.Expr, &names{clause: "field list", from: from})
		if err != nil {
			return err
		}
		if e.HasSubquery() {
			return sqlerr.Unsupported("a subquery in SET of LOAD DATA")
		}
		p, err := overColumns(e, position)
		if err != nil {
			return err
		}
		out.Set = append(out.Set, ingest.Generated{Column: i, Program: p})
	}
	return nil
}

// variableType is how a field lies in a user variable.
func variableType() types.Type { return types.MakeVarChar(maxVariable) }

// maxVariable is the most characters of a field that goes into a variable.
const maxVariable = 1 << 24

// Into makes c, which is of the table, take the columns of the statement.
func (l *LoadData) Into(c *ingest.Config) {
	for range l.Variables {
		c.Columns = append(c.Columns, ingest.Spec{Name: "@", Type: variableType(), Default: nullVector(variableType())})
	}
	for _, g := range l.Set {
		if s := &c.Columns[g.Column]; s.Default == nil {
			s.Default = s.Implicit // until it is computed
		}
	}
	c.Generated = append(l.Set[:len(l.Set):len(l.Set)], c.Generated...)
}

func nullVector(t types.Type) *vector.Vector {
	v := vector.New(t, 1)
	v.AppendNull()
	return v
}
