package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// cte is a common table expression in scope. It sees the ones before it.
type cte struct {
	def   *ast.CommonTableExpression
	outer *cte
	frame *frame // what it sees of the queries around it
	used  bool
	// recursive: it may read itself; working: that is what it does just now.
	recursive bool
	working   *working
}

// find looks a name up, innermost first.
func (c *cte) find(name string) *cte {
	for ; c != nil; c = c.outer {
		if c.def.Name.O == name {
			return c
		}
	}
	return nil
}

// with brings the expressions of WITH into scope, calls f, and takes them out
// again. One that was never used is bound all the same, for its errors.
func (b *binder) with(w *ast.WithClause, f func() (*Query, error)) (*Query, error) {
	if w == nil {
		return f()
	}
	outer := b.ctes
	defer func() { b.ctes = outer }()
	names := make(map[string]bool, len(w.CTEs))
	for _, def := range w.CTEs {
		if names[def.Name.O] {
			return nil, sqlerr.New(sqlerr.NonUniqTable, "Not unique table/alias: '%s'", def.Name.O)
		}
		names[def.Name.O] = true
		b.ctes = &cte{def: def, outer: b.ctes, frame: b.frame, recursive: w.IsRecursive}
	}
	q, err := f()
	if err != nil {
		return nil, err
	}
	for c := b.ctes; c != outer; c = c.outer {
		if !c.used {
			if _, err := b.useCTE(c, c.def.Name.O); err != nil {
				return nil, err
			}
		}
	}
	return q, nil
}

// useCTE binds the expression anew for one use: each has columns of its own.
func (b *binder) useCTE(c *cte, alias string) (source, error) {
	c.used = true
	inner, fr, left := b.ctes, b.frame, b.beside
	b.ctes, b.frame, b.beside = c.outer, c.frame, nil
	defer func() { b.ctes, b.frame, b.beside = inner, fr, left }()
	if c.recursive {
		q, err := b.recursive(c)
		if err != nil {
			return source{}, err
		}
		if q != nil {
			return b.derived(q, alias, nil)
		}
	}
	q, err := b.subquery(c.def.Query.Query)
	if err != nil {
		return source{}, err
	}
	return b.derived(q, alias, originals(c.def.ColNameList))
}
