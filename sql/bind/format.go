package bind

import (
	"fmt"
	"strconv"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/expr"
)

// Format is a bound statement as indented text, for tests and for people.
// Columns show as name#id.
func Format(s Statement) string {
	p := &printer{}
	p.statement(s)
	return p.b.String()
}

type printer struct {
	b     strings.Builder
	depth int
}

// line writes one indented line.
func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", p.depth))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// in writes what is below the last line.
func (p *printer) in(f func()) {
	p.depth++
	f()
	p.depth--
}

func (p *printer) statement(s Statement) {
	switch s := s.(type) {
	case *SelectStatement:
		p.query(s.Query)
		if len(s.Params) > 0 {
			p.line("params: %v", s.Params)
		}
	case *Insert:
		p.insert(s)
	case *Update:
		p.line("update %s set columns %v", s.Table.Name, s.Columns)
		p.in(func() { p.query(s.Query) })
	case *Delete:
		p.line("delete %s", s.Table.Name)
		p.in(func() { p.query(s.Query) })
	case *CreateDatabase:
		p.line("create database %s", s.Name)
	case *DropDatabase:
		p.line("drop database %s", s.Name)
	case *CreateTable:
		p.table(s.Table)
		if s.Query != nil {
			p.in(func() { p.query(s.Query) })
		}
	case *RenameTables:
		for _, m := range s.Moves {
			p.line("rename %s.%s to %s.%s", m.From.DB, m.From.Name, m.To.DB, m.To.Name)
		}
	case *AlterTable:
		p.line("alter table %s.%s", s.Name.DB, s.Name.Name)
	case *SetOptions:
		p.line("alter %s %s.%s set %v", s.Table.Kind, s.Table.Database, s.Table.Name, s.Options)
	case *DropTables:
		p.line("drop %s %v", s.Kind, s.Names)
	case *Explain:
		p.line("explain %s", s.Format)
		p.in(func() { p.statement(s.Statement) })
	}
}

func (p *printer) insert(s *Insert) {
	verb := "insert"
	if s.Replace {
		verb = "replace"
	}
	if s.Ignore {
		verb += " ignore"
	}
	p.line("%s %s", verb, s.Table.Name)
	p.in(func() {
		if s.Source != nil {
			p.query(s.Source)
		}
		for _, row := range s.Rows {
			p.line("row: %s", list(row))
		}
		for _, a := range s.OnDuplicate {
			p.line("on duplicate: %s = %s", s.Table.Columns[a.Column].Name, text(a.Expr))
		}
		if len(s.OnDuplicate) > 0 {
			p.line("old: %s", cols(s.OldCols))
			p.line("new: %s", cols(s.NewCols))
		}
	})
}

func (p *printer) table(t *catalog.Table) {
	p.line("create %s %s.%s", t.Kind, t.Database, t.Name)
	p.in(func() {
		for i, c := range t.Columns {
			line := c.Name + " " + c.Type.String()
			if c.Type.NotNull {
				line += " not null"
			}
			if c.Default != nil {
				line += " default " + *c.Default
			}
			if c.AutoIncrement {
				line += " auto_increment"
			}
			if c.Comment != "" {
				line += " comment " + strconv.Quote(c.Comment)
			}
			if c.Hidden {
				line += " hidden"
			}
			p.line("%d: %s", i, line)
		}
		if t.Primary != nil {
			p.line("primary key: %v", t.Primary)
		}
		for _, k := range t.Unique {
			p.line("unique %s: %v", k.Name, k.Columns)
		}
		if w := t.EventTime; w != nil {
			p.line("event time: column %d, delay %d µs", w.Column, w.Delay)
		}
		if len(t.Options) > 0 {
			p.line("options: %v", t.Options)
		}
		if t.Query != "" {
			p.line("query: %s", t.Query)
			p.line("reads: %v", t.Reads)
		}
	})
}

func (p *printer) query(q *Query) {
	head := "query: " + cols(q.Out)
	for i, o := range q.OrderBy {
		head += []string{" order by", ","}[min(i, 1)] + fmt.Sprintf(" #%d", o.Col)
		if o.Desc {
			head += " desc"
		}
	}
	if q.Limit >= 0 {
		head += fmt.Sprintf(" limit %d", q.Limit)
	}
	if q.Offset > 0 {
		head += fmt.Sprintf(" offset %d", q.Offset)
	}
	if q.EmitOnClose {
		head += " emit on window close"
	}
	if q.Lateness > 0 {
		head += fmt.Sprintf(" lateness %d", q.Lateness)
	}
	p.line("%s", head)
	p.in(func() { p.rel(q.Root) })
	for i, s := range q.Subqueries {
		p.line("subquery %d: %s", i, subqueryText(s))
		if i == 0 || q.Subqueries[i-1].Query != s.Query { // of several columns: once
			p.in(func() { p.query(s.Query) })
		}
	}
}

func (p *printer) rel(r Rel) {
	switch r := r.(type) {
	case *Scan:
		p.line("scan %s as %s: %s", r.Table.Name, r.Alias, cols(r.Cols))
	case *Derived:
		head := "derived"
		if r.Params != nil {
			head = "lateral " + cols(r.Params) + " of " + list(r.Args)
		}
		p.line("%s", head)
		p.in(func() { p.query(r.Query) })
	case *Join:
		p.line("%s join on %s", []string{"inner", "left", "full"}[r.Kind], list(r.On))
		p.in(func() { p.rel(r.Left); p.rel(r.Right) })
	case *TimedJoin:
		head := []string{"at arrival", "at event time", "closest"}[r.Timing]
		if r.Outer {
			head = "left " + head
		}
		head += " join"
		if r.Time != nil {
			head += " " + r.Time.Name
		}
		p.line("%s on %s", head, list(r.On))
		p.in(func() { p.rel(r.Left); p.rel(r.Right) })
	case *Select:
		p.selectBlock(r)
	case *Window:
		p.line("%s", windowText(&r.WindowSpec))
		p.in(func() { p.rel(r.Input) })
	case *Unfold:
		p.line("unfold %s at %s: %s", r.Document, r.Table.Path, cols(r.Own))
		if r.Input != nil {
			p.in(func() { p.rel(r.Input) })
		}
	case *Union:
		kind := "all"
		if r.Distinct {
			kind = "distinct"
		}
		p.line("union %s: %s", kind, cols(r.Cols))
		p.in(func() {
			for _, q := range r.Inputs {
				p.query(q)
			}
		})
	case *Recursive:
		p.line("recursive %s: %s", r.Working.Name, cols(r.Cols))
		p.in(func() {
			q := *r.Query
			q.Subqueries = nil
			p.query(&q)
		})
	case *SetOp:
		kind := []string{"intersect", "except"}[r.Kind]
		if r.All {
			kind += " all"
		}
		p.line("%s: %s", kind, cols(r.Cols))
		p.in(func() {
			for _, q := range r.Inputs {
				p.query(q)
			}
		})
	case *Values:
		p.line("values: %s", cols(r.Cols))
		p.in(func() {
			for _, row := range r.Rows {
				p.line("row: %s", list(row))
			}
		})
	}
}

func (p *printer) selectBlock(s *Select) {
	word := "select"
	if s.Distinct {
		word = "select distinct"
	}
	p.line("%s", word)
	p.in(func() {
		for _, c := range s.Project {
			p.line("%s#%d %s = %s", c.Name, c.ID, typeText(c.Col), text(c.Expr))
		}
		for _, w := range s.Overs {
			p.line("%s", overText(w))
		}
		if len(s.Having) > 0 {
			p.line("having: %s", list(s.Having))
		}
		for _, a := range s.Aggs {
			p.line("agg #%d %s = %s", a.ID, typeText(a.Col), aggText(a))
		}
		if s.Grouped {
			p.line("group by:")
			p.in(func() {
				for _, c := range s.GroupBy {
					p.line("#%d %s = %s", c.ID, typeText(c.Col), text(c.Expr))
				}
				if s.Sets != nil {
					p.line("sets #%d: %v", s.SetID.ID, s.Sets)
				}
			})
		}
		if s.Window != nil {
			p.line("window: %s", windowText(s.Window))
		}
		if len(s.Where) > 0 {
			p.line("where: %s", list(s.Where))
		}
		if s.From != nil {
			p.line("from:")
			p.in(func() { p.rel(s.From) })
		}
	})
}

func windowText(w *WindowSpec) string {
	out := fmt.Sprintf("%s of #%d size %d slide %d offset %d: %s", w.Kind, w.Time, w.Size, w.Slide, w.Offset, cols([]Col{w.Start, w.End}))
	if len(w.Partition) > 0 {
		out += " by " + list(w.Partition)
	}
	return out
}

func subqueryText(s *Subquery) string {
	out := s.Kind.String()
	switch {
	case s.Test != nil:
		out += " " + text(s.Test)
	case s.Kind == ScalarSubquery:
		out += " " + s.Query.Out[s.Column].Name
	}
	if len(s.Params) > 0 {
		out += " of " + cols(s.Params)
	}
	return out
}

func typeText(c Col) string {
	t := c.Type.String()
	if c.Type.NotNull {
		t += "!"
	}
	return t
}

func aggText(a Aggregate) string {
	call := a.Call
	call.Args = nil
	for _, x := range a.Call.Args {
		call.Args = append(call.Args, identified(x))
	}
	return callText(call)
}

func cols(cs []Col) string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = fmt.Sprintf("%s#%d", c.Name, c.ID)
	}
	return strings.Join(out, ", ")
}

func list(es []*expr.Expr) string {
	out := make([]string, len(es))
	for i, e := range es {
		out[i] = text(e)
	}
	return "(" + strings.Join(out, "; ") + ")"
}

func text(e *expr.Expr) string { return identified(e).String() }

// identified names the columns of e by name and id.
func identified(e *expr.Expr) *expr.Expr {
	return e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn {
			return x
		}
		return expr.NewColumn(x.Col, fmt.Sprintf("%s#%d", x.Name, x.Col), x.Type)
	})
}
