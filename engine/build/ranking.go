package build

import (
	"streamsql/operators"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

func orderKeys(keys []physical.SortKey) []operators.OrderKey {
	var out []operators.OrderKey
	for _, k := range keys {
		out = append(out, operators.OrderKey{Col: k.Col, Desc: k.Desc})
	}
	return out
}

func topNSpec(s *physical.TopNSpec, in []types.Type) operators.TopNSpec {
	fn := map[physical.RankFunc]operators.RankFunc{physical.Rank: operators.Rank, physical.DenseRank: operators.DenseRank}[s.Func]
	return operators.TopNSpec{
		Input: in, Partition: s.Partition, Order: orderKeys(s.Order), Func: fn,
		Limit: s.Limit, Offset: s.Offset, Number: s.Number, AppendOnly: s.AppendOnly, Expiry: expiry(s.Expiry),
	}
}

// topN makes the operator that the plan of a TopN calls for.
func (b *builder) topN(p placed, in []types.Type, env operators.Env) (operators.Operator, error) {
	spec := topNSpec(p.node.TopN, in)
	switch s := p.node.TopN; {
	case p.served != nil && s.Few:
		return operators.NewServedFirstFew(spec, p.served, b.plan.Key, env)
	case p.served != nil:
		return operators.NewServedFirst(spec, p.served, b.plan.Key, env)
	case s.PerBatch:
		return operators.NewLeadersOfBatch(spec), nil
	case s.Leaders:
		return operators.NewLeaders(spec, env), nil
	case s.First:
		return operators.NewFirst(spec, env)
	case s.Few:
		return operators.NewFirstFew(spec, env)
	}
	return operators.NewTopN(spec, env)
}

var windowFuncs = map[string]operators.WindowFunc{
	"row_number": operators.WindowRowNumber, "rank": operators.WindowRank, "dense_rank": operators.WindowDenseRank,
	"percent_rank": operators.WindowPercentRank, "cume_dist": operators.WindowCumeDist, "ntile": operators.WindowNtile,
	"lag": operators.WindowLag, "lead": operators.WindowLead,
	"first_value": operators.WindowFirst, "last_value": operators.WindowLast, "nth_value": operators.WindowNth,
}

var frameUnits = map[physical.FrameUnit]operators.FrameUnit{physical.FrameRange: operators.FrameRange, physical.FrameGroups: operators.FrameGroups}

var boundKinds = map[physical.BoundKind]operators.BoundKind{
	physical.UnboundedPreceding: operators.UnboundedPreceding, physical.Preceding: operators.Preceding, physical.CurrentRow: operators.CurrentRow,
	physical.Following: operators.Following, physical.UnboundedFollowing: operators.UnboundedFollowing,
}

func overSpec(s *physical.OverSpec, in []types.Type) operators.OverSpec {
	spec := operators.OverSpec{Input: in, Partition: s.Partition, Order: orderKeys(s.Order), Expiry: expiry(s.Expiry)}
	for _, f := range s.Funcs {
		fn := operators.OverFunc{Func: windowFuncs[f.Fn], Args: f.Args, N: f.N, Type: f.Type}
		if f.Call != nil {
			fn.Call = *f.Call
		}
		if f.Frame != nil {
			bound := func(b physical.Bound) operators.Bound {
				return operators.Bound{Kind: boundKinds[b.Kind], N: b.N, Col: b.Col}
			}
			fn.Frame = operators.Frame{Unit: frameUnits[f.Frame.Unit], Start: bound(f.Frame.Start), End: bound(f.Frame.End)}
		}
		spec.Funcs = append(spec.Funcs, fn)
	}
	return spec
}
