package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// visible is a column that FROM offers.
type visible struct {
	Col
	db, table string         // as the column can be qualified
	base      *catalog.Table // nil: a derived table
	position  int            // in its table
	rank      int            // among its table's columns as people see them
	hidden    bool           // not in `*`: the row id
	// merged columns are the ones that USING or NATURAL dropped: they are reached
	// by a qualified name only, and are not in `*` (but in `t.*`).
	merged bool
}

// full is the column's name in error messages.
func (v *visible) full() string {
	switch {
	case v.base != nil:
		return v.db + "." + v.table + "." + v.Name
	case v.table != "":
		return v.table + "." + v.Name
	default:
		return v.Name
	}
}

// scope holds the columns of FROM, in the order of `*`.
type scope struct {
	cols []visible
}

// matches reports whether a qualified or bare name means v.
func (v *visible) matches(n *ast.ColumnName) bool {
	if !strings.EqualFold(v.Name, n.Name.O) || v.hidden {
		return false
	}
	if n.Table.O == "" {
		return !v.merged
	}
	return v.of(n.Schema.O, n.Table.O)
}

// of reports whether v belongs to the table that [db.]table names.
func (v *visible) of(db, table string) bool {
	return v.table == table && (db == "" || v.db == db)
}

// find looks a column up: nil when there is none, error 1052 when there are
// several.
func (s *scope) find(n *ast.ColumnName, clause string) (*visible, error) {
	if s == nil {
		return nil, nil
	}
	var found *visible
	for i := range s.cols {
		if v := &s.cols[i]; v.matches(n) {
			if found != nil {
				return nil, sqlerr.New(sqlerr.NonUniq, "Column '%s' in %s is ambiguous", nameText(n), clause)
			}
			found = v
		}
	}
	return found, nil
}

// byID finds the column with an id.
func (s *scope) byID(id int) *visible {
	if s == nil {
		return nil
	}
	for i := range s.cols {
		if s.cols[i].ID == id {
			return &s.cols[i]
		}
	}
	return nil
}

// indexOf is the place of one of the scope's columns.
func (s *scope) indexOf(v *visible) int {
	for i := range s.cols {
		if &s.cols[i] == v {
			return i
		}
	}
	return -1
}

// star lists the columns of `*`, or of `[db.]table.*` in the table's own order;
// error 1051 for an unknown table.
func (s *scope) star(db, table string) ([]*visible, error) {
	var out []*visible
	known := table == ""
	for i := range s.cols {
		v := &s.cols[i]
		if table != "" {
			if !v.of(db, table) {
				continue
			}
			known = true
		} else if v.merged {
			continue
		}
		if !v.hidden {
			out = append(out, v)
		}
	}
	if !known {
		return nil, sqlerr.New(sqlerr.BadTable, "Unknown table '%s'", table)
	}
	if table != "" {
		slices.SortStableFunc(out, func(a, b *visible) int { return a.rank - b.rank })
	}
	return out, nil
}

// unknown is error 1054, with the nearest of the names that could be meant.
func (s *scope) unknown(n *ast.ColumnName, clause string, more []string) *sqlerr.Error {
	candidates := slices.Clone(more)
	if s != nil {
		for i := range s.cols {
			v := &s.cols[i]
			if !v.hidden && (n.Table.O == "" || v.of(n.Schema.O, n.Table.O)) {
				candidates = append(candidates, v.Name)
			}
		}
	}
	e := sqlerr.New(sqlerr.BadField, "Unknown column '%s' in '%s'", nameText(n), clause)
	return hinted(e, n.Name.O, candidates)
}

// ref is v in an expression.
func (v *visible) ref() *expr.Expr { return expr.NewColumn(v.ID, v.Name, v.Type) }

// nameText is a column name as it was written.
func nameText(n *ast.ColumnName) string {
	text := n.Name.O
	if n.Table.O != "" {
		text = n.Table.O + "." + text
	}
	if n.Schema.O != "" {
		text = n.Schema.O + "." + text
	}
	return text
}
