package plantest

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Answer computes a physical plan: the visible columns of each row, as Text has
// them. Rows are in the order of the plan.
func (db Database) Answer(p *physical.Plan) []string {
	var lines []string
	for _, r := range db.physical(p.Root) {
		lines = append(lines, Text(r, positions(p.Root.Fields[:len(p.Output)])))
	}
	return lines
}

// positions are fields as columns whose ids are their places.
func positions(fields []physical.Field) []logical.Col {
	cols := make([]logical.Col, len(fields))
	for i, f := range fields {
		cols[i] = logical.Col{ID: i, Name: f.Name, Type: f.Type}
	}
	return cols
}

// physical computes a node; a Row's ids are positions. Most nodes are their
// logical twins, over inputs that are computed already.
func (db Database) physical(n *physical.Node) []Row {
	switch n.Kind {
	case physical.Source:
		return db.source(n)
	case physical.Values:
		return db.Rows(&logical.Values{Rows: n.Values, Cols: positions(n.Fields)})
	case physical.Map:
		return db.mapped(n)
	case physical.Shuffle:
		return db.physical(n.Inputs[0])
	case physical.Merge:
		return db.merge(n)
	case physical.Distinct:
		return db.Rows(&logical.Distinct{Input: db.below(n, 0)})
	case physical.Join:
		return db.joined(n)
	case physical.Union:
		var out []Row
		for _, in := range n.Inputs {
			out = append(out, db.physical(in)...)
		}
		return out
	case physical.SetOp:
		return db.setOpNode(n)
	case physical.TopN:
		t := &logical.TopN{Input: db.below(n, 0), Partition: n.TopN.Partition, Limit: n.TopN.Limit, Offset: n.TopN.Offset}
		for _, k := range n.TopN.Order {
			t.Order = append(t.Order, bind.Order{Col: k.Col, Desc: k.Desc})
		}
		return db.Rows(t)
	case physical.Sort:
		s := &logical.Sort{Input: db.below(n, 0), Limit: n.Sort.Limit, Offset: n.Sort.Offset}
		for _, k := range n.Sort.Keys {
			s.Keys = append(s.Keys, bind.Order{Col: k.Col, Desc: k.Desc})
		}
		return db.Rows(s)
	}
	panic(fmt.Sprintf("no reference for %s", n.Kind))
}

// below is input i of n as a logical node that gives the rows computed for it.
func (db Database) below(n *physical.Node, i int) logical.Node {
	in := n.Inputs[i]
	return &computedRows{Values: logical.Values{Cols: positions(in.Fields)}, rows: db.physical(in)}
}

// computedRows is a logical node whose rows are there already.
type computedRows struct {
	logical.Values
	rows []Row
}

func (db Database) source(n *physical.Node) []Row {
	if n.Source.Table == 0 {
		return []Row{{}}
	}
	var out []Row
	for _, data := range db[strings.TrimPrefix(n.Source.Name, "d.")] {
		r := Row{}
		for i, at := range n.Source.Columns {
			r[i] = data[at]
		}
		out = append(out, r)
	}
	return out
}

func (db Database) mapped(n *physical.Node) []Row {
	var out []Row
	for _, r := range db.physical(n.Inputs[0]) {
		switch {
		case !holds(n.Map.Filter, r):
		case n.Map.Project == nil:
			out = append(out, r)
		default:
			out = append(out, compute(positions(n.Fields), n.Map.Project, r))
		}
	}
	return out
}

// merge sees through the Reduce below, whose arguments and keys it works with.
func (db Database) merge(n *physical.Node) []Row {
	spec, from := n.Agg, n.Inputs[0]
	if spec.Partial {
		reduce := from.Inputs[0]
		spec, from = reduce.Agg, reduce
	}
	in := db.below(from, 0)
	a := &logical.Aggregate{Input: in}
	cols := in.Columns()
	for _, k := range spec.Keys {
		a.Keys = append(a.Keys, cols[k])
	}
	first := 1000 // ids of results, moved to their places below
	for i, c := range spec.Aggs {
		a.Aggs = append(a.Aggs, logical.Agg{Col: logical.Col{ID: first + i}, Call: c})
	}
	var out []Row
	for _, r := range db.Rows(a) {
		o := Row{}
		for i, k := range spec.Keys {
			o[i] = r[k]
		}
		for i := range spec.Aggs {
			o[len(spec.Keys)+i] = r[first+i]
		}
		out = append(out, o)
	}
	return out
}

// joined gives the right side's columns ids behind the left's.
func (db Database) joined(n *physical.Node) []Row {
	left, right := db.below(n, 0), db.below(n, 1).(*computedRows)
	width := len(left.Columns())
	for i := range right.Cols {
		right.Cols[i].ID += width
	}
	for i, r := range right.rows {
		moved := Row{}
		for id, v := range r {
			moved[id+width] = v
		}
		right.rows[i] = moved
	}
	j := &logical.Join{Left: left, Right: right, On: slices.Clone(n.Join.Residual)}
	for j.Kind.String() != string(n.Join.Kind) {
		j.Kind++
	}
	for i, l := range n.Join.LeftKeys {
		k := logical.JoinKey{Left: left.Columns()[l], Right: right.Cols[n.Join.RightKeys[i]]}
		k.NullSafe = n.Join.NullSafe != nil && n.Join.NullSafe[i]
		j.Keys = append(j.Keys, k)
	}
	rows := db.Rows(j)
	if n.Join.Output == nil {
		return rows
	}
	for i, r := range rows {
		rows[i] = Row{}
		for at, from := range n.Join.Output {
			rows[i][at] = r[from]
		}
	}
	return rows
}

// CheckPlan verifies that a plan's positions lie within its fields, and that its
// keys hold on the data. It returns what is wrong, or "".
func (db Database) CheckPlan(p *physical.Plan) string {
	wrong := ""
	physical.Walk(p.Root, func(n *physical.Node) bool {
		if n.Map != nil {
			for _, e := range append(slices.Clone(n.Map.Filter), n.Map.Project...) {
				e.Walk(func(x *expr.Expr) bool {
					if x.Op == expr.OpColumn && (x.Col >= len(n.Inputs[0].Fields) || n.Inputs[0].Fields[x.Col].Type.Class() != x.Type.Class()) {
						wrong = fmt.Sprintf("%s %d reads %s at %d", n.Kind, n.ID, x, x.Col)
					}
					return true
				})
			}
		}
		if n.Kind == physical.Reduce {
			return true // keys and partial columns: no reference of its own
		}
		if n.Kind == physical.Shuffle && n.Inputs[0].Kind == physical.Reduce {
			return true
		}
		for _, key := range n.Props.Keys {
			if !unique(db.physical(n), key) {
				wrong = fmt.Sprintf("%v is no key of %s %d", key, n.Kind, n.ID)
			}
		}
		return true
	})
	if p.Key != nil && !unique(db.physical(p.Root), p.Key) {
		wrong = fmt.Sprintf("%v is no key of the result", p.Key)
	}
	return wrong
}

func unique(rows []Row, key []int) bool {
	cols := make([]logical.Col, len(key))
	for i, k := range key {
		cols[i].ID = k
	}
	seen := map[string]bool{}
	for _, r := range rows {
		if k := Text(r, cols); seen[k] {
			return false
		} else {
			seen[k] = true
		}
	}
	return true
}
