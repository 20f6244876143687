package logical

import (
	"slices"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// derived builds a derived table. The parameters of a LATERAL one stand for
// columns of what is to the left of it.
func (b *builder) derived(r *bind.Derived) (Node, error) {
	for i, c := range r.Params {
		b.alias[c.ID] = b.resolve(r.Args[i].Col)
	}
	return b.query(r.Query, false)
}

func (b *builder) join(r *bind.Join) (Node, error) {
	left, err := b.rel(r.Left)
	if err != nil {
		return nil, err
	}
	around := b.outer
	defer func() { b.outer = around }()
	b.see(left)
	right, err := b.rel(r.Right)
	if err != nil {
		return nil, err
	}
	in := append(append([]Col(nil), r.Left.Columns()...), r.Right.Columns()...)
	for i, c := range r.Cols {
		if from := b.resolve(in[i].ID); from != c.ID && b.resolve(c.ID) != from {
			b.alias[c.ID] = from
		}
	}
	kind := map[bind.JoinKind]JoinKind{bind.InnerJoin: InnerJoin, bind.LeftJoin: LeftJoin, bind.FullJoin: FullJoin}[r.Kind]
	if slices.ContainsFunc(r.On, (*expr.Expr).HasSubquery) {
		return b.joinIf(kind, left, right, r.On)
	}
	// A condition sees both sides' rows as they are, before any is padded.
	on, err := b.exprs(r.On, &Join{Kind: InnerJoin, Left: left, Right: right})
	if err != nil {
		return nil, err
	}
	n := pair(kind, left, right, on)
	if j, ok := n.(*Join); ok {
		j.Straight = r.Straight
	}
	return n, nil
}

// joinIf joins on conditions with subqueries: over the pairs of an inner join,
// or over the right side that each row of the left has.
func (b *builder) joinIf(kind JoinKind, left, right Node, on []*expr.Expr) (Node, error) {
	var err error
	switch kind {
	case InnerJoin:
		return b.where(pair(kind, left, right, nil), on)
	case FullJoin:
		return nil, sqlerr.Unsupported("a subquery in the condition of a FULL JOIN")
	}
	if right, err = b.where(right, on); err != nil {
		return nil, err
	}
	return pair(kind, left, right, nil), nil
}

// pair is a Join, or an Apply if right reads columns of left.
func pair(kind JoinKind, left, right Node, on []*expr.Expr) Node {
	have := SetOf(left.Columns())
	for id := range Free(right) {
		if have[id] {
			return &Apply{Kind: kind, Left: left, Right: right, On: on}
		}
	}
	return &Join{Kind: kind, Left: left, Right: right, On: on}
}

// values builds constant rows; with subqueries in them each is computed over one row.
func (b *builder) values(r *bind.Values) (Node, error) {
	plain := true
	for _, row := range r.Rows {
		plain = plain && !slices.ContainsFunc(row, (*expr.Expr).HasSubquery)
	}
	if plain {
		rows := make([][]*expr.Expr, len(r.Rows))
		for i, row := range r.Rows {
			var err error
			if rows[i], err = b.exprs(row, OneRow()); err != nil {
				return nil, err
			}
		}
		return &Values{Rows: rows, Cols: r.Cols}, nil
	}
	u := &Union{Cols: r.Cols}
	for _, row := range r.Rows {
		n, list, err := b.attach(OneRow(), row)
		if err != nil {
			return nil, err
		}
		if list, err = b.exprs(list, n); err != nil {
			return nil, err
		}
		p, ids := &Project{Input: n}, make([]int, len(list))
		for i, e := range list {
			c := r.Cols[i]
			c.ID = b.ids.Next()
			ids[i] = c.ID
			p.Items = append(p.Items, Computed{Col: c, Expr: e})
		}
		u.Ins, u.From = append(u.Ins, p), append(u.From, ids)
	}
	return u, nil
}
