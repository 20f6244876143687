package physical

import (
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// OverSpec adds a field for each window function to the input's. Rows are ordered
// by Order, ties by all fields, from the first to the last.
type OverSpec struct {
	Partition []int      `json:"partition,omitempty"`
	Order     []SortKey  `json:"order,omitempty"`
	Funcs     []OverFunc `json:"funcs"`
	// Expiry, of a field of the partition, says when partitions are over.
	Expiry *Expiry `json:"expiry,omitempty"`
}

// OverFunc is one window function.
type OverFunc struct {
	Fn string `json:"fn,omitempty"` // lower case; empty: Call, over the frame
	// Call is an aggregate; its arguments are columns of the input.
	Call *agg.Call `json:"call,omitempty"`
	// Args are fields: the value; of lag and lead, then the default.
	Args  []int      `json:"args,omitempty"`
	N     int64      `json:"n,omitempty"` // tiles, rows away, or the row of the frame
	Frame *Frame     `json:"frame,omitempty"`
	Type  types.Type `json:"type"`
}

// FrameUnit is what the bounds of a frame count.
type FrameUnit string

// The units of frames.
const (
	FrameRows   FrameUnit = "rows"
	FrameRange  FrameUnit = "range"
	FrameGroups FrameUnit = "groups"
)

// Frame is which rows of the partition a function sees.
type Frame struct {
	Unit  FrameUnit `json:"unit"`
	Start Bound     `json:"start"`
	End   Bound     `json:"end"`
}

// BoundKind is where a frame begins or ends.
type BoundKind string

// The bounds of frames.
const (
	UnboundedPreceding BoundKind = "unbounded preceding"
	Preceding          BoundKind = "preceding"
	CurrentRow         BoundKind = "current row"
	Following          BoundKind = "following"
	UnboundedFollowing BoundKind = "unbounded following"
)

// Bound is one end of a frame: N rows or groups away; of a range, where the ORDER
// BY column has the value of field Col.
type Bound struct {
	Kind BoundKind `json:"kind"`
	N    int64     `json:"n,omitempty"`
	Col  int       `json:"col,omitempty"`
}
