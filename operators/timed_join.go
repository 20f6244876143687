package operators

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// TimedSpec is what all joins have in common in which time picks the one right
// row that a left row meets: TemporalJoin, VersionJoin, AsofJoin, LookupJoin. Input
// 0 is left, 1 right. Output: left's columns, then right's, nullable if Outer.
type TimedSpec struct {
	Left, Right         []types.Type
	Outer               bool // a left row that meets none comes with NULLs
	LeftKeys, RightKeys []int
	NullSafe            []bool       // nil: none
	Residual            []*expr.Expr // over the output's positions, tested on the pair that time picked
	// AppendOnly: left rows are never taken back, so that nothing need be kept of them.
	AppendOnly bool
	// LeftTime and RightTime are columns of the inputs (VersionJoin, AsofJoin).
	LeftTime, RightTime int
	Order               string // AsofJoin: `>=`, `>`, `<=` or `<`, LeftTime Order RightTime
	// OneBatch: no other batch follows.
	OneBatch       bool
	LeftWatermark  Watermark // bounds of the times to come (none: unknown)
	RightWatermark Watermark
	// Lateness, of a VersionJoin and an AsofJoin with both watermarks, says which left
	// rows come too late: those whose time is below the watermark. RightLateness is that
	// of right rows, of an AsofJoin.
	Lateness, RightLateness Lateness
	Marks                   VersionMarks
}

// VersionMarks are the columns of a VersionJoin's right input that say what a
// change of the stream it comes from is.
type VersionMarks struct {
	Watermark int // of the row's partition before it
	Arrival   int // orders the rows of a key; a retraction has the row's own
	Deleted   int // of a retraction that ends the key, the time from which on; else NULL
}

// keyTypes are the types in which keys are compared.
func (s *TimedSpec) keyTypes() []types.Type {
	ts := make([]types.Type, len(s.LeftKeys))
	for i, k := range s.LeftKeys {
		ts[i] = s.Left[k]
		if r := s.Right[s.RightKeys[i]]; r.Class() == types.ClassDecimal {
			ts[i].Prec = max(ts[i].Prec, r.Prec)
		}
	}
	return ts
}

// output are the types of the output columns.
func (s *TimedSpec) output() []types.Type {
	out := append([]types.Type(nil), s.Left...)
	for _, t := range s.Right {
		if s.Outer {
			t = t.Nullable()
		}
		out = append(out, t)
	}
	return out
}

// unmatchable reports a NULL in a key column where NULL matches nothing.
func (s *TimedSpec) unmatchable(cols []*vector.Vector, row int) bool {
	for k, v := range cols {
		if v.IsNull(row) && (s.NullSafe == nil || !s.NullSafe[k]) {
			return true
		}
	}
	return false
}
