package build

import (
	"streamsql/operators"
	"streamsql/planner/physical"
	"streamsql/sql/types"
)

var windowKinds = map[physical.WindowKind]operators.WindowKind{
	physical.Tumble: operators.Tumble, physical.Hop: operators.Hop, physical.Cumulate: operators.Cumulate,
}

var windowForms = map[physical.WindowForm]operators.WindowForm{
	physical.OfRows: operators.OfRows, physical.IntoPanes: operators.IntoPanes, physical.OfPanes: operators.OfPanes,
}

func windowSpec(n *physical.Node, in []types.Type) operators.WindowSpec {
	w := n.Window
	return operators.WindowSpec{
		Input: in, Kind: windowKinds[w.Kind], Form: windowForms[w.Form], Time: w.Time, Count: w.Count, Size: w.Size, Slide: w.Slide, Offset: w.Offset,
		Keep: w.Keep, Bound: n.Fields[len(n.Fields)-2].Type, Lateness: lateness(w.Lateness),
	}
}

func lateness(l physical.Lateness) operators.Lateness {
	return operators.Lateness{Late: l.Late, Retracts: l.Retracts, Retracted: l.Retracted, Allowed: l.Allowed, Closed: watermark(l.Closed), Stream: l.Stream, Own: l.Own}
}

func sessionSpec(n *physical.Node, in []types.Type) operators.SessionSpec {
	s := n.Session
	return operators.SessionSpec{
		Input: in, Keys: s.Keys, Time: s.Time, Gap: s.Gap, Keep: s.Keep, IDs: s.IDs,
		Bound: n.Fields[len(s.Keep)].Type, Lateness: lateness(s.Lateness), Over: watermark(s.Over),
	}
}

func timeConds(f *physical.TimeFilterSpec) []operators.TimeCond {
	var out []operators.TimeCond
	for _, c := range f.Conds {
		out = append(out, operators.TimeCond{
			Value: c.Value, Less: !c.Leaves(), Equal: c.Op == "<=" || c.Op == ">=", Shift: c.Shift, Grain: c.Grain, UTC: c.UTC,
		})
	}
	return out
}
