package logical

import (
	"slices"

	"streamsql/catalog"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// byArrival reports an aggregate whose values are in the order in which their rows came.
func byArrival(c agg.Call) bool { return c.Fn == "first_value" || c.Fn == "last_value" }

// arrivalFor is n with a further column that tells in which order the rows came,
// if one of the aggregates asks for it and n's rows are those of one stream.
func (b *builder) arrivalFor(n Node, aggs []bind.Aggregate) (Node, *Col) {
	if !slices.ContainsFunc(aggs, func(a bind.Aggregate) bool { return byArrival(a.Call) }) {
		return n, nil
	}
	if in, c, ok := b.withArrival(n); ok {
		return in, &c
	}
	return n, nil
}

// withArrival is arrivalFor if only what takes rows one by one stands between n
// and the stream.
func (b *builder) withArrival(n Node) (Node, Col, bool) {
	switch n := n.(type) {
	case *Scan:
		return b.scanArrival(n)
	case *Filter:
		in, c, ok := b.withArrival(n.Input)
		return &Filter{Input: in, Conds: n.Conds}, c, ok
	case *Window, *Unfold:
		in, c, ok := b.withArrival(n.Inputs()[0])
		return n.WithInputs([]Node{in}), c, ok
	case *Project:
		in, c, ok := b.withArrival(n.Input)
		return &Project{Input: in, Items: append(slices.Clip(n.Items), PassThrough(c))}, c, ok
	}
	return nil, Col{}, false
}

func (b *builder) scanArrival(s *Scan) (Node, Col, bool) {
	at := catalog.ArrivalColumn
	switch {
	case s.Table.Kind != catalog.StreamTable:
		return nil, Col{}, false
	case s.Table.Upsert():
		at = s.Table.SystemColumn(at)
	}
	if k := slices.Index(s.Positions, at); k >= 0 {
		return s, s.Cols[k], true
	}
	out := *s
	c := Col{ID: b.ids.Next(), Name: "arrival in " + s.Table.Name, Type: types.Type{Kind: types.BigInt, Unsigned: true, NotNull: true}}
	out.Cols, out.Positions = append(slices.Clip(s.Cols), c), append(slices.Clip(s.Positions), at)
	return &out, c, true
}

// orderedBy is the call with its values in the order of column c alone.
func orderedBy(call agg.Call, c Col) agg.Call {
	args := append(slices.Clone(call.Values()), Ref(c))
	if cond := call.Condition(); cond != nil {
		args = append(args, cond)
	}
	call.Args, call.Desc = args, []bool{false}
	return call
}

// arguments makes columns of the arguments of a call.
func (p *projector) arguments(call agg.Call) (agg.Call, error) {
	args := make([]*expr.Expr, len(call.Args))
	for i, e := range call.Args {
		c, err := p.argument(e)
		if err != nil {
			return call, err
		}
		args[i] = Ref(c)
	}
	if call.Args = args; len(args) == 0 {
		call.Args = nil
	}
	return call, nil
}
