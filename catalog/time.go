package catalog

// EventTime is what WATERMARK FOR says of a stream: a row's time is in Column,
// and rows may come up to Delay after later ones.
type EventTime struct {
	Column int   `json:"column"`
	Delay  int64 `json:"delay"` // microseconds, not negative
}

// System columns are positions that a scan of a stream may ask for beside the
// stream's own columns. They are facts of the row's place in the log, the same
// at each reading, and never in `*`.
const (
	// WatermarkColumn is the watermark of the row's partition before the row: the
	// largest time of the rows before it, less the delay. It has the time column's
	// type, and is NULL before the first row.
	WatermarkColumn = -1
	// ArrivalColumn is the row's place among all rows of the stream, BIGINT UNSIGNED
	// NOT NULL: unique, and of two rows of a partition the later one has the larger.
	ArrivalColumn = -2
)
