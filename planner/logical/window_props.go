package logical

import (
	"slices"

	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/types"
)

// window: a row is in one tumbling window or session, in hopping ones once for
// each start, in cumulating ones once for each end.
func (d *Deriver) window(w *Window) *Props {
	in := d.Props(w.Input)
	p := &Props{Keys: in.Keys, AppendOnly: in.AppendOnly, Grows: in.Grows}
	switch w.Kind {
	case bind.Session:
		p.AppendOnly = in.AppendOnly && d.oneBatch // another row moves the bounds
		switch forgets := len(d.Base(w)) > 0 && !in.AppendOnly; {
		case forgets && w.IDs:
			p.Keys = nil
		case forgets: // as in outlast
			p.Keys = withColumn(in.Keys, w.End.ID)
		}
	case bind.Tumble:
		if w.Retracted.ID != 0 {
			p.Keys = withColumn(in.Keys, w.End.ID)
		}
	case bind.Hop, bind.Cumulate:
		bound := w.Start.ID
		if w.Kind == bind.Cumulate {
			bound = w.End.ID
		}
		p.Keys = nil
		for _, k := range in.Keys {
			p.Keys = append(p.Keys, sorted(append(slices.Clone(k), bound)))
		}
	}
	return p
}

// Base is the watermark of the time that the windows go by; nil: there is none.
func (d *Deriver) Base(w *Window) physical.Watermark {
	if d.oneBatch {
		return nil
	}
	if w.Time.ID == 0 {
		return physical.Watermark{{Table: physical.BatchTime}}
	}
	return d.Props(w.Input).Times[w.Time.ID].Watermark
}

// clockShift is how much longer than it says a window of a TIMESTAMP can be
// where clocks are changed.
const clockShift = 24 * types.Hour

// windowTimes: no row comes any more into a window that is over, a session among
// them; but that has begun who knows when.
func (d *Deriver) windowTimes(w *Window) map[int]physical.Time {
	out := map[int]physical.Time{}
	for id, t := range d.Props(w.Input).Times {
		out[id] = t
	}
	base := d.Base(w)
	if len(base) == 0 || w.IDs {
		return out
	}
	closes := base.Later(w.Lateness)
	end := physical.Time{Watermark: closes, Closes: closes}
	if w.Kind == bind.Session {
		end.Shrinks = !d.Props(w.Input).AppendOnly
		out[w.End.ID] = end
		return out
	}
	out[w.End.ID] = end
	start := physical.Time{Watermark: closes.Later(w.Size)}
	switch {
	case w.Start.Type.Kind == types.Timestamp:
		start.Watermark = start.Watermark.Later(clockShift)
	case w.Kind != bind.Cumulate:
		start.Closes = start.Watermark
	}
	out[w.Start.ID] = start
	return out
}
