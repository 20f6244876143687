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
}
