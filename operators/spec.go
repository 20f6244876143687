package operators

import (
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// AggSpec says what a Reduce or a Merge does. Output: the keys in order, then,
// for a Reduce, each aggregate's partial columns (agg.Partial), for a Merge one
// result column each. Arguments of aggregates are columns (or none: COUNT(*)).
//
// A Reduce's rows carry in their weight how many input rows are in them (the
// sum of their weights; it may be 0 or negative while the partials are not
// nothing), which a Merge with Partial counts a group's rows by.
type AggSpec struct {
	Input      []types.Type // of the input columns
	Keys       []int
	Aggs       []agg.Call
	Partial    bool // Merge: the input is a Reduce's output; Keys are 0 … n−1
	AppendOnly bool // no retraction will come: MIN and MAX keep one value
	// Whole, of a Merge: within a batch, a row is taken back only with all others that
	// its group had, and none comes to the group then. MIN and MAX keep one value.
	Whole bool
	// Bounds, of a Merge, are the numbers of keys that are bounds of windows, which
	// follow one another every Step µs: groups that differ in these alone are asked for
	// together, and lie together.
	Bounds []int
	Step   int64
	// Expiry, of a Merge, forgets groups by a column of the output; nil: none.
	Expiry *Expiry
}

// SortSpec orders the rows of the one batch: NULLs first (last with Desc), ties
// by the row's own columns, from the first to the last.
type SortSpec struct {
	Input  []types.Type
	Keys   []OrderKey
	Limit  int64 // −1: none
	Offset int64
	// AppendOnly: no row is taken back, so that with a small limit the others can go at once.
	AppendOnly bool
}

// ViewSpec is the result of a query that stays. With Key, no two rows agree in
// these columns; without, it is a bag.
type ViewSpec struct {
	Input []types.Type
	Key   []int
	// Index is how many of the first columns rows can be looked up by, and of the first
	// of these any number; 0: by none.
	Index int
}
