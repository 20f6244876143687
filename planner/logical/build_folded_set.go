package logical

import (
	"slices"

	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// foldedBag is INTERSECT ALL or EXCEPT ALL of columns whose values may be equal
// though not the same: how often a row is there is counted by its sort keys, and
// its form is the least that the first input has of it.
//
//	Project the columns
//	  Join on the keys
//	    SetOp of the keys of each input
//	    Aggregate by the keys of the first input: the least of each column
func (b *builder) foldedBag(s *SetOp) (Node, error) {
	keyed := func(value Col) Computed {
		if !value.Type.Folds() { // with an id of its own: a query may have a column twice
			return Computed{Col: Col{ID: b.ids.Next(), Name: value.Name, Type: value.Type}, Expr: Ref(value)}
		}
		return SortKey(value, b.ids)
	}
	counts := &SetOp{Kind: s.Kind, All: true}
	for i, in := range s.Ins {
		cols := byID(in.Columns())
		p, from := &Project{Input: in}, make([]int, len(s.Cols))
		for k, id := range s.From[i] {
			it := keyed(cols[id])
			p.Items, from[k] = append(p.Items, it), it.ID
		}
		counts.Ins, counts.From = append(counts.Ins, p), append(counts.From, from)
	}
	first, to, err := Copy(s.Ins[0], b.ids)
	if err != nil {
		return nil, err
	}
	cols := byID(first.Columns())
	below, forms := &Project{Input: first}, &Aggregate{}
	forms.Input = below
	j := &Join{Kind: InnerJoin, Left: counts, Right: forms}
	out := &Project{Input: j}
	for k, id := range s.From[0] {
		value := cols[to[id]]
		key := keyed(value)
		below.Items, forms.Keys = append(below.Items, key), append(forms.Keys, key.Col)
		count := key.Col
		count.ID, count.Type.NotNull = b.ids.Next(), s.Cols[k].Type.NotNull
		counts.Cols = append(counts.Cols, count)
		j.Keys = append(j.Keys, JoinKey{Left: count, Right: key.Col, NullSafe: true})
		shown := count
		if value.Type.Folds() {
			form := Col{ID: b.ids.Next(), Name: value.Name, Type: value.Type}
			below.Items = append(below.Items, Computed{Col: form, Expr: Ref(value)})
			shown = Col{ID: b.ids.Next(), Name: value.Name, Type: value.Type}
			forms.Aggs = append(forms.Aggs, Agg{Col: shown, Call: agg.Call{Fn: "any_value", Args: []*expr.Expr{Ref(form)}, Type: value.Type}})
		}
		out.Items = append(out.Items, Computed{Col: s.Cols[k], Expr: Ref(shown)})
	}
	return out, nil
}

// SortKey is what the values of a column that folds have in common where they are equal.
func SortKey(c Col, ids *IDs) Computed {
	t := types.Type{Kind: types.VarBinary, Len: types.LongTextLen, Collation: types.BinaryCollation, NotNull: c.Type.NotNull}
	return Computed{Col: Col{ID: ids.Next(), Name: "sort_key(" + c.Name + ")", Type: t}, Expr: expr.NewCall("sort_key", t, Ref(c))}
}

// folds reports a column whose values may be equal though not the same.
func folds(cols []Col) bool {
	return slices.ContainsFunc(cols, func(c Col) bool { return c.Type.Folds() })
}
