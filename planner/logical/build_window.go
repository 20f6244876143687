package logical

import (
	"slices"

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
		if carrying, late, ok := WithWatermark(b.ids, n, w.Time.ID); ok {
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
