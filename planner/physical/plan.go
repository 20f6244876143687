// Package physical is the plan that runs: a tree of the five primitives and
// what is built on them, with positions for columns and ids for operators. It
// is stored in the catalog with each continuous query, and never re-planned.
package physical

import (
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Version of the stored form. A newer one is refused, older ones open.
const Version = 1

// Plan is a whole query.
type Plan struct {
	Version int     `json:"version"`
	Output  []Field `json:"output"` // what the client or the view sees; len ≤ len(Root.Fields): further fields are hidden
	// Key: positions of Output that are unique together in the result; nil when
	// the result is a bag.
	Key []int `json:"key,omitempty"`
	// Index is how many of the first columns of the result rows can be looked up by; 0: by
	// none.
	Index int `json:"index,omitempty"`
	// AppendOnly: the result never retracts.
	AppendOnly bool `json:"append_only,omitempty"`
	// Grows: the number of the result's rows has no bound but time.
	Grows bool `json:"grows,omitempty"`
	// Times are the positions of Output that are bound to a watermark: who reads the
	// result can drop state by it.
	Times map[int]Time `json:"times,omitempty"`
	// Root is last, so that what is known of the result stands before it: see Head.
	Root *Node `json:"root"`
}

// Field is a column of a node's output.
type Field struct {
	Name string     `json:"name"`
	Type types.Type `json:"type"`
}

// Kind names a node as EXPLAIN shows it.
type Kind string

// The kinds. Their spec is the field of Node with that name.
const (
	Source   Kind = "Source"   // rows of a table, stream, view, or none
	Values   Kind = "Values"   // constant rows
	Map      Kind = "Map"      // filter and project
	Shuffle  Kind = "Shuffle"  // which partition a row goes to; a stage ends here
	Reduce   Kind = "Reduce"   // per batch: rows of a key → one partial row
	Merge    Kind = "Merge"    // across batches: partials or rows of a key → changes of one row
	Distinct Kind = "Distinct" // a Merge that keeps each row once
	Join     Kind = "Join"     // a Merge of two inputs
	Union    Kind = "Union"    // bag union of any number of inputs
	Sort     Kind = "Sort"     // one-off only: order, limit, offset of the one batch
	TopN     Kind = "TopN"     // the first rows of each partition
	Over     Kind = "Over"     // window functions
)

// Node is one operator of the plan. Exactly the spec of its kind is set. A node
// may be among the inputs of several others, and then computes for all of them.
type Node struct {
	ID     int     `json:"id"` // stable: names the operator's state
	Kind   Kind    `json:"kind"`
	Inputs []*Node `json:"inputs,omitempty"`
	Fields []Field `json:"fields"`

	Source  *SourceSpec    `json:"source,omitempty"`
	Values  [][]*expr.Expr `json:"values,omitempty"`
	Map     *MapSpec       `json:"map,omitempty"`
	Shuffle *ShuffleSpec   `json:"shuffle,omitempty"`
	Agg     *AggSpec       `json:"agg,omitempty"` // Reduce and Merge; a Distinct that forgets
	Expand  *ExpandSpec    `json:"expand,omitempty"`
	Join    *JoinSpec      `json:"join,omitempty"`
	Sort    *SortSpec      `json:"sort,omitempty"`
	Window  *WindowSpec    `json:"window,omitempty"`
	Unfold  *UnfoldSpec    `json:"unfold,omitempty"`
	Emit    *EmitSpec      `json:"emit,omitempty"`
	Session *SessionSpec   `json:"session,omitempty"`

	TimeFilter *TimeFilterSpec `json:"time_filter,omitempty"`
	SetOp      *SetOpSpec      `json:"set_op,omitempty"`
	Timed      *TimedJoinSpec  `json:"timed,omitempty"` // TemporalJoin, VersionJoin, AsofJoin, LookupJoin
	TopN       *TopNSpec       `json:"topn,omitempty"`
	Over       *OverSpec       `json:"over,omitempty"`

	Props Props `json:"props"`
}

// Props are what is known of a node's output; EXPLAIN prints them. In a one-off
// plan an append-only Source gives its rows with positive weights, in one batch.
type Props struct {
	Keys       [][]int `json:"keys,omitempty"` // each: positions that are unique together
	AppendOnly bool    `json:"append_only,omitempty"`
	// State: what the node remembers across batches, for people; empty when nothing.
	State string `json:"state,omitempty"`
	// Unbounded is State when that grows with the number of input rows or keys for
	// ever, else empty. (The rows of a base table do not grow by themselves, and in
	// a one-off plan nothing does.)
	Unbounded string `json:"unbounded,omitempty"`
}

// SourceSpec reads columns of a catalog object.
type SourceSpec struct {
	Table   uint64 `json:"table"` // catalog object id; 0: one row without columns
	Name    string `json:"name"`  // db.name, for people
	Columns []int  `json:"columns"`
	// Recursion, one-off only: the rows are a recursive expression's.
	Recursion *RecursionSpec `json:"recursion,omitempty"`
	// Equals, one-off only: what the filter above demands of columns. It still
	// filters; this says where the rows may be looked up by key instead of read through.
	Equals []ColumnValue `json:"equals,omitempty"`
	// Index, one-off only: by which the rows may be looked up; nil: by none.
	Index *IndexUse `json:"index,omitempty"`
	// Changes, one-off only: what changed in a materialized view, not its rows.
	Changes *ChangesSpec `json:"changes,omitempty"`
}

// ColumnValue says that a column of a catalog object must equal a constant that
// lies in memory as the column's values do.
type ColumnValue struct {
	Column int        `json:"column"`
	Value  *expr.Expr `json:"value"`
}

// IndexUse says that rows may be looked up in an index of their table.
type IndexUse struct {
	Name    string `json:"name"`
	Object  uint64 `json:"object"`  // catalog object id of what holds the index
	Columns []int  `json:"columns"` // of the table, that are among Equals: the index's first ones
	// Bounds of the column behind them; none: it is any. The filter above demands them.
	Bounds []ColumnBound `json:"bounds,omitempty"`
}

// ColumnBound says how a column of a catalog object must compare with a constant that
// lies in memory as the column's values do.
type ColumnBound struct {
	Column int        `json:"column"`
	Op     string     `json:"op"` // "<", "<=", ">" or ">="
	Value  *expr.Expr `json:"value"`
}

// MapSpec keeps the rows for which all of Filter are true, then computes
// Project (nil: all columns as they are).
type MapSpec struct {
	Filter []*expr.Expr `json:"filter,omitempty"`
	// Project is stored when empty too: no columns is not all columns.
	Project []*expr.Expr `json:"project,omitzero"`
}

// ShuffleKind is where a row may go.
type ShuffleKind string

// The shuffle kinds.
const (
	Hash      ShuffleKind = "hash"      // to the partition of its key columns
	Single    ShuffleKind = "single"    // all rows to one task
	Broadcast ShuffleKind = "broadcast" // each row to every task
)

// ShuffleSpec sends rows to partitions.
type ShuffleSpec struct {
	Kind ShuffleKind `json:"kind"`
	Keys []int       `json:"keys,omitempty"`
}

// AggSpec is what Reduce and Merge do. Output fields: the keys in order, then,
// for a Reduce, each aggregate's partial columns (agg.Partial), for a Merge one
// result column each.
//
//   - Reduce: input rows are raw.
//   - Merge with Partial: input is a Reduce's output (Keys are 0 … n−1). Aggs are
//     the Reduce's, with arguments as columns of the Reduce's input.
//   - Merge without: input rows are raw, aggregates read them by position.
//
// Without keys there is one group, which exists even over nothing. Each argument
// of an aggregate is a column of the input.
type AggSpec struct {
	Keys       []int      `json:"keys"`
	Aggs       []agg.Call `json:"aggs"`
	Partial    bool       `json:"partial,omitempty"`
	AppendOnly bool       `json:"append_only,omitempty"` // no retraction will come: MIN and MAX keep one value
	// Whole, of a Merge: a row is taken back only with all others of its group, and the
	// group stays empty in that batch, so that MIN and MAX keep one value.
	Whole bool `json:"whole,omitempty"`
	// Bounds, of a Merge, are the numbers of keys that are bounds of windows that
	// overlap, which follow one another every Step µs.
	Bounds []int `json:"bounds,omitempty"`
	Step   int64 `json:"step,omitempty"`
	// Expiry, of a Merge or Distinct, forgets groups by a column of the output.
	Expiry *Expiry `json:"expiry,omitempty"`
}

// JoinKind tells joins apart.
type JoinKind string

// The join kinds.
const (
	InnerJoin JoinKind = "inner"
	LeftJoin  JoinKind = "left"
	FullJoin  JoinKind = "full"
	SemiJoin  JoinKind = "semi"
	AntiJoin  JoinKind = "anti"
)

// JoinSpec joins input 0 (left) and 1 (right). Output: left's fields, then
// right's, but of a semi or anti join only left's, as far as Output asks for them.
// Rows match if their keys are
// equal pair by pair (NULL never, unless NullSafe says so for the pair) and
// Residual, over the positions of left's fields and then right's, is true.
type JoinSpec struct {
	Kind      JoinKind     `json:"kind"`
	LeftKeys  []int        `json:"left_keys"`
	RightKeys []int        `json:"right_keys"`
	NullSafe  []bool       `json:"null_safe,omitempty"`
	Residual  []*expr.Expr `json:"residual,omitempty"`
	// RightFirst: the left input waits until the right one has given all of the
	// batch. In a plan of one batch a left row without a match is final then.
	RightFirst bool `json:"right_first,omitempty"`
	// LeftExpiry and RightExpiry say when the rows of a side are over, by a column of
	// the side; nil: never.
	LeftExpiry  *Expiry `json:"left_expiry,omitempty"`
	RightExpiry *Expiry `json:"right_expiry,omitempty"`
	// OverMeet: rows that are over when they come meet the other side's all the same.
	// They are not kept. Neither input retracts.
	OverMeet bool `json:"over_meet,omitempty"`
	// LeftAppends and RightAppends: that input never retracts. Its rows are kept
	// without an index by content then; and with RightAppends a semi or anti join by
	// keys alone does not keep left rows that match.
	LeftAppends  bool `json:"left_appends,omitempty"`
	RightAppends bool `json:"right_appends,omitempty"`
	// Output are the fields of the output, by their positions among left's and then
	// right's; nil: all.
	Output []int `json:"output,omitempty"`
	// OneBatch: no other batch follows, so that a side's rows need not be kept once
	// the other side's have all come.
	OneBatch bool `json:"one_batch,omitempty"`
}

// SortSpec orders the rows of the one batch. Ties break by the row's own columns.
type SortSpec struct {
	Keys   []SortKey `json:"keys,omitempty"`
	Limit  int64     `json:"limit"` // −1: none
	Offset int64     `json:"offset,omitempty"`
	// AppendOnly: no row of the batch is taken back.
	AppendOnly bool `json:"append_only,omitempty"`
}

// SortKey is one ORDER BY key.
type SortKey struct {
	Col  int  `json:"col"`
	Desc bool `json:"desc,omitempty"`
}
