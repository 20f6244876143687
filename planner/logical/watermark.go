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
	return withMark(ids, n, time, catalog.WatermarkColumn)
}

// WithRetracted is n with a further column that tells, for each row that is taken
// back, the watermark of its partition by then, where WithWatermark could tell that
// before it.
func WithRetracted(ids *IDs, n Node, time int) (Node, Col, bool) {
	return withMark(ids, n, time, catalog.RetractedColumn)
}

// withMark is n with the system column mark, which has the type of time.
func withMark(ids *IDs, n Node, time, mark int) (Node, Col, bool) {
	switch n := n.(type) {
	case *Scan:
		return scanMark(ids, n, time, mark)
	case *Filter:
		in, c, ok := withMark(ids, n.Input, time, mark)
		return &Filter{Input: in, Conds: n.Conds}, c, ok
	case *Window:
		in, c, ok := withMark(ids, n.Input, time, mark)
		return n.WithInputs([]Node{in}), c, ok && n.Kind != bind.Session
	case *Unfold:
		in, c, ok := withMark(ids, n.Input, time, mark)
		return n.WithInputs([]Node{in}), c, ok
	case *Project:
		passed := slices.ContainsFunc(n.Items, func(it Computed) bool { return it.ID == time && IsPassThrough(it) })
		in, c, ok := withMark(ids, n.Input, time, mark)
		if !ok || !passed {
			return nil, Col{}, false
		}
		if slices.ContainsFunc(n.Items, func(it Computed) bool { return it.ID == c.ID }) {
			return &Project{Input: in, Items: n.Items}, c, true
		}
		return &Project{Input: in, Items: append(slices.Clip(n.Items), PassThrough(c))}, c, true
	case *Union:
		return unionMark(ids, n, time, mark)
	}
	return nil, Col{}, false
}

func scanMark(ids *IDs, s *Scan, time, mark int) (Node, Col, bool) {
	et := s.Table.EventTime
	at := slices.IndexFunc(s.Cols, func(c Col) bool { return c.ID == time })
	if et == nil || at < 0 || s.Positions[at] != et.Column {
		return nil, Col{}, false
	}
	name := "watermark of "
	if mark == catalog.RetractedColumn {
		if name = "retraction from "; s.Table.SystemColumn(catalog.WatermarkColumn) < 0 {
			mark = catalog.WatermarkColumn // nothing is taken back: nobody looks
		}
	}
	if k := slices.Index(s.Positions, mark); k >= 0 {
		return s, s.Cols[k], true
	}
	out := *s
	c := Col{ID: ids.Next(), Name: name + s.Table.Name, Type: s.Cols[at].Type.Nullable()}
	out.Cols = append(slices.Clip(s.Cols), c)
	out.Positions = append(slices.Clip(s.Positions), mark)
	return &out, c, true
}

func unionMark(ids *IDs, u *Union, time, mark int) (Node, Col, bool) {
	at := slices.IndexFunc(u.Cols, func(c Col) bool { return c.ID == time })
	if at < 0 {
		return nil, Col{}, false
	}
	of := Col{ID: ids.Next(), Name: "watermark", Type: u.Cols[at].Type.Nullable()}
	out := &Union{Cols: append(slices.Clip(u.Cols), of)}
	for i, in := range u.Ins {
		in, c, ok := withMark(ids, in, u.From[i][at], mark)
		if !ok {
			return nil, Col{}, false
		}
		out.Ins, out.From = append(out.Ins, in), append(out.From, append(slices.Clip(u.From[i]), c.ID))
	}
	return out, of, true
}
