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
		Limit: s.Limit, Offset: s.Offset, Number: s.Number, AppendOnly: s.AppendOnly,
	}
}
