package build

import (
	"streamsql/operators"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

func timedSpec(j *physical.TimedJoinSpec, left, right []types.Type) operators.TimedSpec {
	out := operators.TimedSpec{
		Left: left, Right: right, Outer: j.Outer, LeftKeys: j.LeftKeys, RightKeys: j.RightKeys, NullSafe: j.NullSafe,
		Residual: j.Residual, AppendOnly: j.AppendOnly, OneBatch: j.OneBatch, LeftTime: j.LeftTime, RightTime: j.RightTime, Order: j.Order,
		LeftWatermark: watermark(j.LeftWatermark), RightWatermark: watermark(j.RightWatermark),
	}
	if v := j.Versions; v != nil {
		out.Lateness = lateness(v.Lateness)
		out.Marks = operators.VersionMarks{Watermark: v.Watermark, Arrival: v.Arrival, Deleted: v.Deleted}
	}
	if b := j.Bounds; b != nil {
		out.Lateness, out.RightLateness = lateness(b.Left), lateness(b.Right)
	}
	return out
}

// lookupJoin makes a LookupJoin: the right columns are the fields behind the left ones.
func (b *builder) lookupJoin(n *physical.Node, left []types.Type, env operators.Env) (operators.Operator, error) {
	ask, err := b.o.Answers(n.Timed.Table)
	if err != nil {
		return nil, err
	}
	right := fieldTypes(n.Fields[len(left):])
	return operators.NewLookupJoin(operators.LookupSpec{TimedSpec: timedSpec(n.Timed, left, right), Columns: n.Timed.Columns, Ask: ask}, env)
}

func watermark(w physical.Watermark) operators.Watermark {
	var out operators.Watermark
	for _, s := range w {
		out = append(out, operators.StreamDelay{Table: s.Table, Delay: s.Delay})
	}
	return out
}
