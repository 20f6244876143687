package catalog

// EventTime is what WATERMARK FOR says of a stream: a row's time is in Column,
// and rows may come up to Delay after later ones.
type EventTime struct {
	Column int   `json:"column"`
	Delay  int64 `json:"delay"` // microseconds, not negative
	// IdleTimeout is how long after its last row a partition holds the stream's
	// watermark back, in microseconds; 0: for ever.
	IdleTimeout int64 `json:"idle_timeout,omitempty"`
}

// What a stream has unless WITH (…) says otherwise.
const (
	DefaultPartitions  = 4
	DefaultIdleTimeout = 30_000_000 // microseconds
)

// PartitionCount is how many partitions the rows of a stream lie in.
func (t *Table) PartitionCount() int {
	if t.Partitions > 0 {
		return t.Partitions
	}
	return DefaultPartitions
}

// Upsert reports a stream table with a primary key: the newest row of a key counts.
func (t *Table) Upsert() bool { return t.Kind == StreamTable && len(t.Primary) > 0 }

// Hidden columns of an upsert stream, behind the user's own. They keep what the
// system columns said when the row came, so that its retraction says the same.
const (
	ArrivalName   = "_arrival"
	WatermarkName = "_watermark" // only with event time
)

// SystemColumn is the position of the hidden column that holds a system column
// of an upsert stream; −1: there is none.
func (t *Table) SystemColumn(c int) int {
	name := map[int]string{ArrivalColumn: ArrivalName, WatermarkColumn: WatermarkName}[c]
	for i := range t.Columns {
		if t.Columns[i].Hidden && t.Columns[i].Name == name {
			return i
		}
	}
	return -1
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
	// DeletedColumn tells deletions from an upsert stream: of a row that is taken
	// back without another one in its place, the largest time that its partition has
	// seen by then; else NULL. It has the time column's type. It is a fact of the
	// change, not of the row: a row does not come with what it goes with.
	DeletedColumn = -3
	// RetractedColumn is, of a row of an upsert stream that is taken back, the watermark of
	// its partition by then. It has the time column's type, and is NULL of a row that comes,
	// and while there is no watermark. It is a fact of the change too.
	RetractedColumn = -4
)
