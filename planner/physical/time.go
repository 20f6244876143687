package physical

// Watermark is a bound below which no further row comes: the least, over the
// streams that the rows come from, of the stream's watermark less a delay. It
// has no value while one of them has none.
type Watermark []StreamDelay

// StreamDelay is one stream of a Watermark.
type StreamDelay struct {
	Table uint64 `json:"table"`           // catalog object id
	Delay int64  `json:"delay,omitempty"` // microseconds; negative: ahead of the stream's own
}

// Expiry says when rows of an operator's state are over: once the value of
// column Col, of the rows that the operator keeps, is not above the watermark.
// They are dropped then without a retraction.
type Expiry struct {
	Col       int       `json:"col"`
	Watermark Watermark `json:"watermark"`
	// Shrinks: a row can be over when it comes, see Time. It counts until its batch ends.
	Shrinks bool `json:"shrinks,omitempty"`
}

// Time says of a column of a result that its values are bound to a watermark.
type Time struct {
	// Watermark: no change comes any more of a row whose value is not above it,
	// unless Late.
	Watermark Watermark `json:"watermark"`
	// Late: nothing has left late rows out yet, so that rows not above the watermark
	// may come still. It is the event time itself; a window's bounds are not Late.
	Late bool `json:"late,omitempty"`
	// Shrinks: it bounds sessions of rows that can go. What is left of a session that was
	// open can be over already: its rows change in the batch in which it falls apart.
	Shrinks bool `json:"shrinks,omitempty"`
	// Closes is, of a window's bound, the watermark at whose passing of the value the
	// window is over for EMIT ON WINDOW CLOSE.
	Closes Watermark `json:"closes,omitempty"`
}

// Later is the watermark that is delay behind w.
func (w Watermark) Later(delay int64) Watermark {
	out := make(Watermark, len(w))
	for i, s := range w {
		out[i] = StreamDelay{Table: s.Table, Delay: s.Delay + delay}
	}
	return out
}

// Least is the watermark of rows that come from either: the lesser of two.
func (w Watermark) Least(o Watermark) Watermark {
	out := append(Watermark(nil), w...)
next:
	for _, s := range o {
		for i := range out {
			if out[i].Table == s.Table {
				out[i].Delay = max(out[i].Delay, s.Delay)
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}

// Least is the time of rows that come from either.
func (t Time) Least(o Time) Time {
	out := Time{Watermark: t.Watermark.Least(o.Watermark), Late: t.Late || o.Late, Shrinks: t.Shrinks || o.Shrinks}
	if t.Closes != nil && o.Closes != nil {
		out.Closes = t.Closes.Least(o.Closes)
	}
	return out
}

// BatchTime stands for a stream in a Watermark whose watermark is the batch's
// time: that of windows by PROCTIME().
const BatchTime = 0
