package logical

import (
	"slices"

	"streamsql/sql/bind"
)

func (b *builder) union(r *bind.Union) (Node, error) {
	u := &Union{Cols: slices.Clone(r.Cols)}
	var err error
	if u.Ins, u.From, err = b.inputs(r.Inputs); err != nil {
		return nil, err
	}
	for i, from := range u.From {
		in := byID(u.Ins[i].Columns())
		for k, id := range from {
			u.Cols[k].Type.NotNull = u.Cols[k].Type.NotNull && in[id].Type.NotNull
		}
	}
	if r.Distinct {
		return &Distinct{Input: u}, nil
	}
	return u, nil
}

// setOp builds INTERSECT and EXCEPT. All that comes out is in the first input.
func (b *builder) setOp(r *bind.SetOp) (Node, error) {
	s := &SetOp{Kind: r.Kind, All: r.All, Cols: slices.Clone(r.Cols)}
	var err error
	if s.Ins, s.From, err = b.inputs(r.Inputs); err != nil {
		return nil, err
	}
	first := byID(s.Ins[0].Columns())
	for k, id := range s.From[0] {
		s.Cols[k].Type.NotNull = s.Cols[k].Type.NotNull && first[id].Type.NotNull
	}
	if s.All && folds(s.Cols) {
		return b.foldedBag(s)
	}
	return s, nil
}

// inputs builds the inputs of a set operation, with the ids of their columns.
func (b *builder) inputs(queries []*bind.Query) (ins []Node, from [][]int, err error) {
	for _, q := range queries {
		n, err := b.query(q, false)
		if err != nil {
			return nil, nil, err
		}
		ids := make([]int, len(q.Out))
		for i, c := range q.Out {
			ids[i] = b.resolve(c.ID)
		}
		ins, from = append(ins, n), append(from, ids)
	}
	return ins, from, nil
}
