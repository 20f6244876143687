package logical

import (
	"slices"

	"streamsql/catalog"
	"streamsql/sql/bind"
)

// WithWatermark is n with a further column that tells, for each row, the
// watermark of its partition before it: if column time is the event time of a
// stream, and only what takes rows one by one stands between.
func WithWatermark(ids *IDs, n Node, time int) (Node, Col, bool) {
	switch n := n.(type) {
	case *Scan:
		return scanWatermark(ids, n, time)
	case *Filter:
		in, late, ok := WithWatermark(ids, n.Input, time)
		return &Filter{Input: in, Conds: n.Conds}, late, ok
	case *Window:
		in, late, ok := WithWatermark(ids, n.Input, time)
		return n.WithInputs([]Node{in}), late, ok && n.Kind != bind.Session
	case *Unfold:
		in, late, ok := WithWatermark(ids, n.Input, time)
		return n.WithInputs([]Node{in}), late, ok
	case *Project:
		passed := slices.ContainsFunc(n.Items, func(it Computed) bool { return it.ID == time && IsPassThrough(it) })
		in, late, ok := WithWatermark(ids, n.Input, time)
		if !ok || !passed {
			return nil, Col{}, false
		}
		if slices.ContainsFunc(n.Items, func(it Computed) bool { return it.ID == late.ID }) {
			return &Project{Input: in, Items: n.Items}, late, true
		}
		return &Project{Input: in, Items: append(slices.Clip(n.Items), PassThrough(late))}, late, true
	case *Union:
		return unionWatermark(ids, n, time)
	}
	return nil, Col{}, false
}

func scanWatermark(ids *IDs, s *Scan, time int) (Node, Col, bool) {
	et := s.Table.EventTime
	at := slices.IndexFunc(s.Cols, func(c Col) bool { return c.ID == time })
	if et == nil || at < 0 || s.Positions[at] != et.Column {
		return nil, Col{}, false
	}
	if k := slices.Index(s.Positions, catalog.WatermarkColumn); k >= 0 {
		return s, s.Cols[k], true
	}
	out := *s
	late := Col{ID: ids.Next(), Name: "watermark of " + s.Table.Name, Type: s.Cols[at].Type.Nullable()}
	out.Cols = append(slices.Clip(s.Cols), late)
	out.Positions = append(slices.Clip(s.Positions), catalog.WatermarkColumn)
	return &out, late, true
}

func unionWatermark(ids *IDs, u *Union, time int) (Node, Col, bool) {
	at := slices.IndexFunc(u.Cols, func(c Col) bool { return c.ID == time })
	if at < 0 {
		return nil, Col{}, false
	}
	late := Col{ID: ids.Next(), Name: "watermark", Type: u.Cols[at].Type.Nullable()}
	out := &Union{Cols: append(slices.Clip(u.Cols), late)}
	for i, in := range u.Ins {
		in, c, ok := WithWatermark(ids, in, u.From[i][at])
		if !ok {
			return nil, Col{}, false
		}
		out.Ins, out.From = append(out.Ins, in), append(out.From, append(slices.Clip(u.From[i]), c.ID))
	}
	return out, late, true
}
