package logical

import (
	"slices"

	"streamsql/catalog"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

func (b *builder) windowTable(r *bind.Window) (Node, error) {
	n, err := b.rel(r.Input)
	if err != nil {
		return nil, err
	}
	return b.window(n, &r.WindowSpec)
}

// window puts the window s over n. What sessions are parted by becomes columns.
func (b *builder) window(n Node, s *bind.WindowSpec) (Node, error) {
	w := &Window{Kind: s.Kind, Size: s.Size, Slide: s.Slide, Offset: s.Offset, Start: s.Start, End: s.End, Lateness: b.Lateness}
	n, err := b.partition(n, s.Partition, w)
	if err != nil {
		return nil, err
	}
	if s.Time != 0 {
		w.Time = byID(n.Columns())[b.resolve(s.Time)]
		if carrying, late, ok := b.withWatermark(n, w.Time.ID); ok {
			n, w.Late = carrying, late
		}
		if b.KeepLate && w.Late.ID != 0 {
			if n, w.Own, err = b.withOwn(n); err != nil {
				return nil, err
			}
		}
	}
	w.Input = n
	return w, nil
}

func (b *builder) partition(n Node, keys []*expr.Expr, w *Window) (Node, error) {
	p := b.project(n)
	plain := true
	for _, e := range keys {
		c, err := p.argument(e)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(w.Partition, c) {
			w.Partition = append(w.Partition, c)
		}
		_, had := p.in[c.ID]
		plain = plain && had
	}
	if plain {
		return n, nil
	}
	for _, c := range n.Columns() {
		p.push(PassThrough(c))
	}
	return &Project{Input: n, Items: p.items}, nil
}

// withWatermark is n with a further column that tells, for each row, the
// watermark of its partition before it: if column time is the event time of a
// stream, and only what takes rows one by one stands between.
func (b *builder) withWatermark(n Node, time int) (Node, Col, bool) {
	switch n := n.(type) {
	case *Scan:
		return b.scanWatermark(n, time)
	case *Filter:
		in, late, ok := b.withWatermark(n.Input, time)
		return &Filter{Input: in, Conds: n.Conds}, late, ok
	case *Window:
		in, late, ok := b.withWatermark(n.Input, time)
		return n.WithInputs([]Node{in}), late, ok && n.Kind != bind.Session
	case *Project:
		passed := slices.ContainsFunc(n.Items, func(it Computed) bool { return it.ID == time && IsPassThrough(it) })
		in, late, ok := b.withWatermark(n.Input, time)
		if !ok || !passed {
			return nil, Col{}, false
		}
		return &Project{Input: in, Items: append(slices.Clip(n.Items), PassThrough(late))}, late, true
	case *Union:
		return b.unionWatermark(n, time)
	}
	return nil, Col{}, false
}

func (b *builder) scanWatermark(s *Scan, time int) (Node, Col, bool) {
	et := s.Table.EventTime
	at := slices.IndexFunc(s.Cols, func(c Col) bool { return c.ID == time })
	if et == nil || at < 0 || s.Positions[at] != et.Column {
		return nil, Col{}, false
	}
	out := *s
	late := Col{ID: b.ids.Next(), Name: "watermark of " + s.Table.Name, Type: s.Cols[at].Type.Nullable()}
	if k := slices.Index(s.Positions, catalog.WatermarkColumn); k >= 0 {
		return s, s.Cols[k], true
	}
	out.Cols = append(slices.Clip(s.Cols), late)
	out.Positions = append(slices.Clip(s.Positions), catalog.WatermarkColumn)
	return &out, late, true
}

func (b *builder) unionWatermark(u *Union, time int) (Node, Col, bool) {
	at := slices.IndexFunc(u.Cols, func(c Col) bool { return c.ID == time })
	if at < 0 {
		return nil, Col{}, false
	}
	late := Col{ID: b.ids.Next(), Name: "watermark", Type: u.Cols[at].Type.Nullable()}
	out := &Union{Cols: append(slices.Clip(u.Cols), late)}
	for i, in := range u.Ins {
		in, c, ok := b.withWatermark(in, u.From[i][at])
		if !ok {
			return nil, Col{}, false
		}
		out.Ins, out.From = append(out.Ins, in), append(out.From, append(slices.Clip(u.From[i]), c.ID))
	}
	return out, late, true
}
