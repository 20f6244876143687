package decorrelate

import (
	"maps"
	"slices"

	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// unnest gives n, which reads parameters, for all their values at once: the rows
// that n has for each of them, with columns that stand for the parameters that
// it reads. There may be rows for values that the left never has.
func (u *unnester) unnest(n logical.Node) (logical.Node, reps, error) {
	switch n := n.(type) {
	case *logical.Filter:
		in, r, err := u.input(n.Input)
		if err != nil {
			return nil, nil, err
		}
		return u.filter(in, n.Conds, r)
	case *logical.Project:
		return u.project(n)
	case *logical.Join:
		return u.unnestJoin(n)
	case *logical.Aggregate:
		return u.aggregate(n)
	case *logical.Distinct:
		in, r, err := u.unnest(n.Input)
		if err != nil {
			return nil, nil, err
		}
		return &logical.Distinct{Input: only(in, append(n.Columns(), r.cols()...))}, r, nil
	case *logical.TopN:
		return u.topN(n)
	case *logical.Over:
		return u.over(n)
	case *logical.Window:
		return u.window(n)
	case *logical.Union:
		ins, from, r, cols, err := u.inputs(n.Ins, n.From)
		if err != nil {
			return nil, nil, err
		}
		return &logical.Union{Ins: ins, From: from, Cols: append(n.Columns()[:len(n.Cols):len(n.Cols)], cols...)}, r, nil
	case *logical.SetOp:
		ins, from, r, cols, err := u.inputs(n.Ins, n.From)
		if err != nil {
			return nil, nil, err
		}
		return &logical.SetOp{Kind: n.Kind, All: n.All, Ins: ins, From: from, Cols: append(n.Columns()[:len(n.Cols):len(n.Cols)], cols...)}, r, nil
	case *logical.Expand, *logical.Unfold:
		in, r, err := u.unnest(n.Inputs()[0])
		if err != nil {
			return nil, nil, err
		}
		return n.WithInputs([]logical.Node{in}), r, nil
	case *logical.Values:
		return u.values(n)
	}
	return nil, nil, cannot(n)
}

// input is unnest for a node that may read no parameter.
func (u *unnester) input(n logical.Node) (logical.Node, reps, error) {
	if !u.dependent(n) {
		return n, reps{}, nil
	}
	return u.unnest(n)
}

// only is n with just the columns cols, each once.
func only(n logical.Node, cols []logical.Col) logical.Node {
	p, seen := &logical.Project{Input: n}, logical.ColSet{}
	for _, c := range cols {
		if !seen[c.ID] {
			seen[c.ID] = true
			p.Items = append(p.Items, logical.PassThrough(c))
		}
	}
	return p
}

// filter filters in. A condition `parameter = expression` gives the parameter
// its column; what other conditions read besides comes from the domain.
func (u *unnester) filter(in logical.Node, conds []*expr.Expr, r reps) (logical.Node, reps, error) {
	r = maps.Clone(r)
	var rest []*expr.Expr
	for _, c := range conds {
		var ok bool
		if in, ok = u.determine(in, c, r); !ok {
			rest = append(rest, c)
		}
	}
	for id, c := range r { // what would be NULL meets no parameter
		if !c.nullSafe && !c.col.Type.NotNull {
			rest = append(rest, call("is not null", logical.Ref(r[id].col)))
		}
	}
	if lack := u.missing(rest, r); lack.Any() {
		return u.withDomain(in, r, lack, rest)
	}
	return logical.NewFilter(in, r.inAll(rest)), r, nil
}

// determine notes in r the column of in that c, a condition, says is equal to a
// parameter. in is given back with the column, if it had to be computed.
func (u *unnester) determine(in logical.Node, c *expr.Expr, r reps) (logical.Node, bool) {
	if !isEquality(c) {
		return in, false
	}
	have := logical.SetOf(in.Columns())
	for k := range 2 {
		p, e := c.Args[k], c.Args[1-k]
		if _, ok := u.outer[p.Col]; !ok || p.Op != expr.OpColumn || !have.Has(e) || !have.ReadsAny(e) {
			continue
		}
		if _, twice := r[p.Col]; twice || !rule.SameRepresentation(p.Type, e.Type) {
			continue
		}
		col, ok := column(in, e)
		if !ok {
			col = logical.Col{ID: u.ids.Next(), Name: e.String(), Type: e.Type}
			in = extended(in, []logical.Computed{{Col: col, Expr: e}})
		}
		r[p.Col] = rep{col: col, nullSafe: c.Fn == "<=>", exact: e.Type.Class() != types.ClassBytes || e.Type.IsBinary()}
		return in, true
	}
	return in, false
}

// column is the column of n that e is.
func column(n logical.Node, e *expr.Expr) (logical.Col, bool) {
	for _, c := range n.Columns() {
		if e.Op == expr.OpColumn && c.ID == e.Col {
			return c, true
		}
	}
	return logical.Col{}, false
}

func (u *unnester) project(n *logical.Project) (logical.Node, reps, error) {
	in, r, err := u.input(n.Input)
	if err != nil {
		return nil, nil, err
	}
	if lack := u.missing(n.Exprs(), r); lack.Any() {
		if in, r, err = u.withDomain(in, r, lack, nil); err != nil {
			return nil, nil, err
		}
	}
	out, have := &logical.Project{Input: in}, logical.ColSet{}
	for _, it := range n.Items {
		have[it.ID] = true
		out.Items = append(out.Items, logical.Computed{Col: it.Col, Expr: r.in(it.Expr)})
	}
	for _, c := range r.cols() {
		if !have[c.ID] {
			out.Items = append(out.Items, logical.PassThrough(c))
		}
	}
	return out, r, nil
}

// aggregate groups by the parameters as well. One over everything has a row for
// each value in the domain, also where it has nothing to work on.
func (u *unnester) aggregate(n *logical.Aggregate) (logical.Node, reps, error) {
	in, r, err := u.unnest(n.Input)
	if err != nil {
		return nil, nil, err
	}
	if len(n.Keys) > 0 {
		return grouped(n, in, r), r, nil
	}
	params := logical.ColSet{}
	for id := range r {
		params[id] = true
	}
	d, dr, err := u.domain(params)
	if err != nil {
		return nil, nil, err
	}
	return u.filled(n, d, in, r, same(dr, r)), dr, nil
}

// grouped is n over in, grouped by the columns of r besides its own keys.
func grouped(n *logical.Aggregate, in logical.Node, r reps) *logical.Aggregate {
	out := *n
	out.Input = in
	have := logical.SetOf(n.Keys)
	for _, c := range r.cols() {
		if !have[c.ID] {
			out.Keys = append(out.Keys[:len(out.Keys):len(out.Keys)], c)
		}
	}
	return &out
}

// topN keeps the first rows for each value of the parameters.
func (u *unnester) topN(n *logical.TopN) (logical.Node, reps, error) {
	in, r, err := u.unnest(n.Input)
	if err != nil {
		return nil, nil, err
	}
	if n.Number == nil && n.Limit != 0 && n.Offset == 0 && u.derived.Props(in).HasKeyIn(logical.SetOf(r.cols())) {
		return in, r, nil // there is one row for each
	}
	out := *n
	out.Input, out.Partition = in, apart(n.Partition, r)
	return &out, r, nil
}

// apart adds the parameters' columns to those that part rows.
func apart(partition []int, r reps) []int {
	out := slices.Clone(partition)
	for _, c := range r.cols() {
		if !slices.Contains(out, c.ID) {
			out = append(out, c.ID)
		}
	}
	slices.Sort(out)
	return out
}

// over numbers the rows of each value of the parameters by themselves.
func (u *unnester) over(n *logical.Over) (logical.Node, reps, error) {
	in, r, err := u.unnest(n.Input)
	if err != nil {
		return nil, nil, err
	}
	out := *n
	out.Input, out.Partition = in, apart(n.Partition, r)
	return &out, r, nil
}

// window keeps sessions of different values of the parameters apart.
func (u *unnester) window(n *logical.Window) (logical.Node, reps, error) {
	in, r, err := u.unnest(n.Input)
	if err != nil {
		return nil, nil, err
	}
	out := *n
	out.Input = in
	if n.Kind == bind.Session {
		out.Partition = append(n.Partition[:len(n.Partition):len(n.Partition)], r.cols()...)
	}
	return &out, r, nil
}

// inputs unnests the inputs of a set operation: each has a column for every
// parameter that one of them reads, and these come after the operation's own.
func (u *unnester) inputs(ins []logical.Node, from [][]int) (outs []logical.Node, ids [][]int, out reps, cols []logical.Col, err error) {
	params := logical.ColSet{}
	for _, in := range ins {
		maps.Copy(params, u.free(in))
	}
	out = reps{}
	for _, id := range sorted(params) {
		c := u.outer[id]
		c.ID, c.Type = u.ids.Next(), c.Type.Nullable()
		cols = append(cols, c)
		out[id] = rep{col: c, nullSafe: true, exact: true}
	}
	for i, in := range ins {
		n, r, err := u.input(in)
		if err != nil {
			return nil, nil, nil, nil, err
		}
		if len(r) < len(params) || !r.alike(u.outer) {
			if n, r, err = u.withDomain(n, r, params, nil); err != nil {
				return nil, nil, nil, nil, err
			}
		}
		list := append([]int(nil), from[i]...)
		for _, id := range sorted(params) {
			c := out[id]
			c.nullSafe, c.exact = c.nullSafe && r[id].nullSafe, c.exact && r[id].exact
			out[id] = c
			list = append(list, r[id].col.ID)
		}
		outs, ids = append(outs, n), append(ids, list)
	}
	return outs, ids, out, cols, nil
}

// alike reports that the columns of r lie in memory as the parameters do.
func (r reps) alike(outer map[int]logical.Col) bool {
	for id, c := range r {
		if a, b := outer[id].Type, c.col.Type; a.Class() != b.Class() || a.Scale != b.Scale {
			return false
		}
	}
	return true
}

// values gives each row, which reads parameters, over the domain.
func (u *unnester) values(n *logical.Values) (logical.Node, reps, error) {
	un := &logical.Union{Cols: n.Cols}
	for _, row := range n.Rows {
		p, ids := &logical.Project{Input: logical.OneRow()}, make([]int, len(row))
		for i, e := range row {
			c := n.Cols[i]
			c.ID = u.ids.Next()
			ids[i] = c.ID
			p.Items = append(p.Items, logical.Computed{Col: c, Expr: e})
		}
		un.Ins, un.From = append(un.Ins, p), append(un.From, ids)
	}
	return u.unnest(un)
}
