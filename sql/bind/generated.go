package bind

import (
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/reference"
	"streamsql/sql/sqlerr"
)

// A generated column is computed when a row is written, be it VIRTUAL or STORED.

// hasGenerated reports a table with generated columns.
func hasGenerated(t *catalog.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Generated != "" })
}

// generatedOption keeps the text of AS (…); checkGenerated looks at it.
func (c *creating) generatedOption(col *catalog.Column, o *ast.ColumnOption) error {
	text, err := restored(o.Expr)
	col.Generated, col.Stored = text, o.Stored
	return err
}

// checkGenerated binds the expression of each generated column once: errors 3102,
// 3107, 3109 for what it must not use.
func (c *creating) checkGenerated() error {
	scope := c.columnScope(c.table)
	for i := range c.table.Columns {
		col := &c.table.Columns[i]
		if col.Generated == "" {
			continue
		}
		if col.Default != nil || col.AutoIncrement {
			return sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of DEFAULT and generated column")
		}
		e, err := c.generatedValue(c.table, i, scope)
		if err != nil {
			return err
		}
		disallowed := e.HasSubquery()
		e.Walk(func(x *expr.Expr) bool {
			disallowed = disallowed || x.Op == expr.OpCall && (x.Routine != nil || !builtin.Deterministic(x.Fn) || reference.VariesBy(x.Fn, len(x.Args)) != reference.Never)
			return true
		})
		if disallowed {
			return sqlerr.New(sqlerr.GeneratedDisallowed, "Expression of generated column '%s' contains a disallowed function.", col.Name)
		}
		reads := map[int]bool{}
		e.Columns(reads)
		for k, v := range scope.cols {
			switch from := &c.table.Columns[k]; {
			case !reads[v.ID]:
			case from.AutoIncrement:
				return sqlerr.New(sqlerr.GeneratedFromAuto, "Generated column '%s' cannot refer to auto-increment column.", col.Name)
			case from.Generated != "" && k >= i:
				return sqlerr.New(sqlerr.GeneratedOrder, "Generated column can refer only to generated columns defined prior to it.")
			}
		}
	}
	return nil
}

// columnScope offers the columns of a table that are not hidden, under new ids.
func (b *binder) columnScope(t *catalog.Table) *scope {
	s := &scope{}
	for i, c := range t.Columns {
		col := Col{ID: b.newID(), Name: c.Name, Type: c.Type}
		s.cols = append(s.cols, visible{Col: col, db: t.Database, table: t.Name, base: t, position: i, hidden: c.Hidden})
	}
	return s
}

// generatedValue is the value of the generated column c over a scope of the
// table's columns, cast as the column takes it.
func (b *binder) generatedValue(t *catalog.Table, c int, from *scope) (*expr.Expr, error) {
	col := &t.Columns[c]
	stmt, err := parseStored("SELECT "+col.Generated, 0)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.Node.(*ast.SelectStmt)
	if !ok || len(sel.Fields.Fields) != 1 || sel.Fields.Fields[0].Expr == nil {
		return nil, sqlerr.New(sqlerr.UnknownError, "The stored expression %s is none", col.Generated)
	}
	e, err := b.expr(sel.Fields.Fields[0].Expr, &names{clause: "generated column function", from: from})
	if err != nil {
		return nil, err
	}
	return b.assigned(e, col.Type, col.Name)
}

// generate computes the generated columns of the rows that q gives for t.
func (b *binder) generate(t *catalog.Table, q *Query) (*Query, error) {
	from := b.columnScope(t)
	for i := range from.cols {
		from.cols[i].Col = Col{ID: q.Out[i].ID, Name: t.Columns[i].Name, Type: q.Out[i].Type}
	}
	sel := &Select{From: &Derived{Query: q}}
	out := &Query{Root: sel, Limit: -1}
	made := map[int]*expr.Expr{}
	for i, col := range t.Columns {
		e := from.cols[i].ref()
		if col.Generated != "" {
			var err error
			if e, err = b.generatedValue(t, i, from); err != nil {
				return nil, err
			}
			e = replaceColumns(e, made)
			made[from.cols[i].ID] = e
		}
		p := Computed{Col: Col{ID: b.newID(), Name: col.Name, Type: e.Type}, Expr: e}
		sel.Project = append(sel.Project, p)
		out.Out = append(out.Out, p.Col)
	}
	return out, nil
}

// replaceColumns is e with some columns replaced, by id.
func replaceColumns(e *expr.Expr, by map[int]*expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if r := by[x.Col]; x.Op == expr.OpColumn && r != nil {
			return r
		}
		return x
	})
}

// regenerate assigns the generated columns anew, from the values that the row has then.
func (s *assigning) regenerate() error {
	now := map[int]*expr.Expr{}
	for _, a := range s.out {
		now[s.current.cols[a.Column].ID] = a.Expr
	}
	if len(now) == 0 {
		return nil
	}
	for i, col := range s.table.Columns {
		if col.Generated == "" {
			continue
		}
		e, err := s.generatedValue(s.table, i, s.current)
		if err != nil {
			return err
		}
		if r := replaceColumns(e, now); r != e {
			now[s.current.cols[i].ID] = r
			s.out = append(s.out, Assignment{Column: i, Expr: r})
		}
	}
	return nil
}

// refuseGenerated is error 3105 for a value that is given for a generated column.
func refuseGenerated(t *catalog.Table, c int) error {
	return sqlerr.New(sqlerr.GeneratedColumn, "The value specified for generated column '%s' in table '%s' is not allowed.", t.Columns[c].Name, t.Name)
}
