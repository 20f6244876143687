package build

import (
	"fmt"

	"streamsql/operators"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

// endNode is the node id of the view or sink at the end, which the plan does not have.
const endNode = 0

// operator makes the operator of a placed node.
func (b *builder) operator(p placed) (id int, op operators.Operator, err error) {
	env := operators.Env{Account: b.o.Account, Location: b.o.Location, Rules: b.o.Rules}
	switch {
	case p.end && b.o.Sink:
		env.Node = "Sink"
		spec := operators.SinkSpec{Input: fieldTypes(b.plan.Output), Net: !net(b.plan), Count: b.o.Count}
		return endNode, operators.NewSink(spec, env), nil
	case p.end:
		env.Node = "View"
		op, err = operators.NewView(operators.ViewSpec{Input: fieldTypes(b.plan.Root.Fields), Key: b.plan.Key, Index: b.plan.Index}, env)
		return endNode, op, err
	}
	if p.node == nil {
		env.Node = "Map"
		op, err = operators.NewMap(operators.MapSpec{}, p.types, env)
		return -1, op, err
	}
	n := p.node
	env.Node = fmt.Sprintf("%s %d", n.Kind, n.ID)
	in := func(i int) []types.Type { return fieldTypes(n.Inputs[i].Fields) }
	switch n.Kind {
	case physical.Map:
		op, err = operators.NewMap(operators.MapSpec{Filter: n.Map.Filter, Project: n.Map.Project}, in(0), env)
	case physical.Reduce:
		op, err = operators.NewReduce(b.agg(n, in(0)), env)
	case physical.Merge, physical.Distinct:
		if p.served != nil {
			op, err = operators.NewServed(b.agg(n, in(0)), p.served, b.plan.Key, env)
			break
		}
		if n.Kind == physical.Distinct {
			if n.Agg != nil {
				op, err = operators.NewExpiringDistinct(in(0), *expiry(n.Agg.Expiry), env)
				break
			}
			op, err = operators.NewDistinct(in(0), env)
			break
		}
		op, err = operators.NewMerge(b.agg(n, in(0)), env)
	case physical.Join:
		op, err = operators.NewJoin(joinSpec(n.Join, in(0), in(1)), env)
	case physical.TemporalJoin:
		op, err = operators.NewTemporalJoin(timedSpec(n.Timed, in(0), in(1)), env)
	case physical.VersionJoin:
		op, err = operators.NewVersionJoin(timedSpec(n.Timed, in(0), in(1)), env)
	case physical.LookupJoin:
		op, err = b.lookupJoin(n, in(0), env)
	case physical.AsofJoin:
		op, err = operators.NewAsofJoin(timedSpec(n.Timed, in(0), in(1)), env)
	case physical.Expand:
		op = operators.NewExpand(operators.ExpandSpec{Input: in(0), Keys: n.Expand.Keys, Sets: n.Expand.Sets})
	case physical.Union:
		op = operators.NewUnion(len(n.Inputs))
	case physical.SetOp:
		op, err = operators.NewSetOp(setOpSpec(n.SetOp, in(0), len(n.Inputs)), env)
	case physical.Over:
		op, err = operators.NewOver(overSpec(n.Over, in(0)), env)
	case physical.TopN:
		op, err = b.topN(p, in(0), env)
	case physical.Emit:
		op = operators.NewEmit(operators.EmitSpec{Input: in(0), Col: n.Emit.Col, Watermark: watermark(n.Emit.Watermark), Shrinks: n.Emit.Shrinks}, env)
	case physical.TimeFilter:
		op, err = operators.NewTimeFilter(timeConds(n.TimeFilter), in(0), env)
	case physical.Session:
		op, err = operators.NewSession(sessionSpec(n, in(0)), env)
	case physical.Window:
		op = operators.NewWindow(windowSpec(n, in(0)), env)
	case physical.Unfold:
		u := n.Unfold
		op, err = operators.NewUnfold(operators.UnfoldSpec{Input: in(0), Document: u.Document, Keep: u.Keep, Table: u.Table, Outer: u.Outer}, env)
	case physical.Sort:
		op, err = operators.NewSort(sortSpec(n.Sort, in(0)), env)
	default:
		err = fmt.Errorf("plan node %d: there is no operator %q", n.ID, n.Kind)
	}
	return n.ID, op, err
}

func (b *builder) agg(n *physical.Node, in []types.Type) operators.AggSpec {
	if n.Kind == physical.Distinct {
		spec := operators.AggSpec{Input: in}
		for i := range in {
			spec.Keys = append(spec.Keys, i)
		}
		return spec
	}
	return operators.AggSpec{Input: in, Keys: n.Agg.Keys, Aggs: n.Agg.Aggs, Partial: n.Agg.Partial, AppendOnly: n.Agg.AppendOnly, Whole: n.Agg.Whole, Bounds: n.Agg.Bounds, Step: n.Agg.Step, Expiry: expiry(n.Agg.Expiry)}
}

var joinKinds = map[physical.JoinKind]operators.JoinKind{
	physical.InnerJoin: operators.InnerJoin, physical.LeftJoin: operators.LeftJoin, physical.FullJoin: operators.FullJoin,
	physical.SemiJoin: operators.SemiJoin, physical.AntiJoin: operators.AntiJoin,
}

func expiry(e *physical.Expiry) *operators.Expiry {
	if e == nil {
		return nil
	}
	return &operators.Expiry{Col: e.Col, Watermark: watermark(e.Watermark), Shrinks: e.Shrinks}
}

func joinSpec(j *physical.JoinSpec, left, right []types.Type) operators.JoinSpec {
	return operators.JoinSpec{
		Kind: joinKinds[j.Kind], Left: left, Right: right, LeftKeys: j.LeftKeys, RightKeys: j.RightKeys,
		NullSafe: j.NullSafe, Residual: j.Residual, RightFirst: j.RightFirst, OneBatch: j.OneBatch, LeftAppends: j.LeftAppends, RightAppends: j.RightAppends, Output: j.Output,
		LeftExpiry: expiry(j.LeftExpiry), RightExpiry: expiry(j.RightExpiry), OverMeet: j.OverMeet,
	}
}

func setOpSpec(s *physical.SetOpSpec, in []types.Type, inputs int) operators.SetOpSpec {
	kind := operators.Intersect
	if s.Kind == physical.Except {
		kind = operators.Except
	}
	return operators.SetOpSpec{Kind: kind, All: s.All, Input: in, Inputs: inputs}
}

func sortSpec(s *physical.SortSpec, in []types.Type) operators.SortSpec {
	return operators.SortSpec{Input: in, Keys: orderKeys(s.Keys), Limit: s.Limit, Offset: s.Offset, AppendOnly: s.AppendOnly}
}
