package operators

import "math"

// Timed is an operator that has something to do at a time even when no row comes.
type Timed interface {
	Operator
	// Due is the batch time (NOW(), µs since 1970 UTC) from which on the operator has
	// something to do by itself; MaxInt64: never. It may change with each batch, and
	// is asked between batches.
	Due() int64
}

// Never is a time that does not come.
const Never = int64(math.MaxInt64)

// Watermark is a bound below which no further row comes: the least, over the
// streams that the rows come from, of the stream's watermark less a delay.
type Watermark []StreamDelay

// StreamDelay is one stream of a Watermark: its catalog id and the delay in µs.
type StreamDelay struct {
	Table uint64
	Delay int64
}

// BatchTime stands for a stream whose watermark is the batch's time.
const BatchTime = 0

// At is the watermark after a batch, false while a stream has none yet.
func (w Watermark) At(b *Batch) (int64, bool) {
	low := Never
	for _, s := range w {
		at, ok := b.Watermarks[s.Table]
		if s.Table == BatchTime {
			at, ok = b.Now, true
		}
		if !ok {
			return 0, false
		}
		low = min(low, at-s.Delay)
	}
	return low, len(w) > 0
}

// later is the watermark less a further delay.
func (w Watermark) later(by int64) Watermark {
	out := make(Watermark, len(w))
	for i, s := range w {
		out[i] = StreamDelay{s.Table, s.Delay + by}
	}
	return out
}

// Expiry says when rows of an operator's state are over: once the value of
// column Col, of the rows that the operator keeps, is not above the watermark.
type Expiry struct {
	Col       int
	Watermark Watermark
	// Shrinks: a row can be over when it comes, as what is left of a session is that fell
	// apart. It counts until its batch ends.
	Shrinks bool
}
