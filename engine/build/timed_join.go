package build

import (
	"streamsql/operators"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

func timedSpec(j *physical.TimedJoinSpec, left, right []types.Type) operators.TimedSpec {
	return operators.TimedSpec{
		Left: left, Right: right, Outer: j.Outer, LeftKeys: j.LeftKeys, RightKeys: j.RightKeys, NullSafe: j.NullSafe,
		Residual: j.Residual, AppendOnly: j.AppendOnly, OneBatch: j.OneBatch, LeftTime: j.LeftTime, RightTime: j.RightTime, Order: j.Order,
		LeftWatermark: watermark(j.LeftWatermark), RightWatermark: watermark(j.RightWatermark),
	}
}

func watermark(w physical.Watermark) operators.Watermark {
	var out operators.Watermark
	for _, s := range w {
		out = append(out, operators.StreamDelay{Table: s.Table, Delay: s.Delay})
	}
	return out
}
