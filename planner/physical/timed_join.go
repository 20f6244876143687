package physical

import "streamsql/sql/expr"

// The kinds of joins in which time picks the one right row that a left row
// meets. Their spec is TimedJoinSpec.
const (
	TemporalJoin Kind = "TemporalJoin" // what the right side holds after the batch that the left row comes with
	VersionJoin  Kind = "VersionJoin"  // what the right side held at the left row's event time
	AsofJoin     Kind = "AsofJoin"     // the closest of the right rows on one side of the left row
	LookupJoin   Kind = "LookupJoin"   // what a dimension table answers; it has no second input
)

// VersionSpec says which rows of a VersionJoin's left input come too late, those
// whose time is below the watermark, and where the system columns of the right
// stream lie in its input.
type VersionSpec struct {
	Lateness  Lateness `json:"lateness"`
	Watermark int      `json:"watermark"`
	Arrival   int      `json:"arrival"`
	Deleted   int      `json:"deleted"`
}

// AsofBounds says which rows of an AsofJoin come too late, those whose time is below
// the watermark: with it the rows of before need not all be kept.
type AsofBounds struct {
	Left  Lateness `json:"left"`
	Right Lateness `json:"right"`
}

// TimedJoinSpec joins each row of input 0 (left) with at most one row of input 1
// (right), or of Table. Output: left's fields, then right's. Rows pair if their
// keys are equal (NULL never, unless NullSafe says so for the pair).
type TimedJoinSpec struct {
	Outer     bool         `json:"outer,omitempty"` // a left row that meets none comes with NULLs
	LeftKeys  []int        `json:"left_keys"`
	RightKeys []int        `json:"right_keys"` // of a LookupJoin: positions in Columns
	NullSafe  []bool       `json:"null_safe,omitempty"`
	Residual  []*expr.Expr `json:"residual,omitempty"` // over the output's positions, tested on the pair that time picked
	// AppendOnly: left rows are never taken back, so that nothing need be kept of them.
	AppendOnly bool `json:"append_only,omitempty"`

	// OneBatch: there is no other batch.
	OneBatch bool `json:"one_batch,omitempty"`

	// LeftTime and RightTime are the time columns of a VersionJoin and an AsofJoin,
	// each a position in its input.
	LeftTime  int `json:"left_time,omitempty"`
	RightTime int `json:"right_time,omitempty"`
	// Order, of an AsofJoin, is `>=`, `>`, `<=` or `<`: LeftTime Order RightTime.
	Order string `json:"order,omitempty"`
	// LeftWatermark and RightWatermark bound the times of rows to come, if known.
	LeftWatermark  Watermark `json:"left_watermark,omitempty"`
	RightWatermark Watermark `json:"right_watermark,omitempty"`
	// Versions is of a VersionJoin alone.
	Versions *VersionSpec `json:"versions,omitempty"`
	// Bounds is of an AsofJoin alone; nil: it keeps all rows.
	Bounds *AsofBounds `json:"bounds,omitempty"`

	// Table, of a LookupJoin, is the dimension table: its catalog id, db.name for
	// people, and which columns of it are asked for.
	Table   uint64 `json:"table,omitempty"`
	Name    string `json:"name,omitempty"`
	Columns []int  `json:"columns,omitempty"`
}
