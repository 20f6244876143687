package operators

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// JoinKind tells joins apart.
type JoinKind uint8

// The join kinds.
const (
	InnerJoin JoinKind = iota
	LeftJoin
	FullJoin
	SemiJoin // left's rows that match some right row, as often as they are there
	AntiJoin // left's rows that match none
)

// pairs reports that the output has the rows that match, beside one another.
func (k JoinKind) pairs() bool { return k <= FullJoin }

// leftOnly reports that the output has left's columns alone.
func (k JoinKind) leftOnly() bool { return k == SemiJoin || k == AntiJoin }

// counts reports that rows of the left (0) or right (1) input are in the output,
// or not, by whether they match.
func (k JoinKind) counts(side int) bool {
	return k == FullJoin || side == 0 && k != InnerJoin
}

// JoinSpec joins input 0 (left) and 1 (right). Rows match if their keys are
// equal pair by pair (NULL never, unless NullSafe says so for the pair) and all
// of Residual, over the positions of left's columns and then right's, are true.
// Without keys every row meets every other.
type JoinSpec struct {
	Kind                JoinKind
	Left, Right         []types.Type
	LeftKeys, RightKeys []int
	NullSafe            []bool // nil: none
	Residual            []*expr.Expr
	// LeftExpiry and RightExpiry say when the rows of a side are over (nil: never):
	// they are dropped then, and rows that come later though they are over already.
	// In a semi or anti join by keys alone, RightExpiry's column is one of the keys.
	LeftExpiry, RightExpiry *Expiry
	// OverMeet: rows that are over when they come meet the other side's all the same,
	// and go at the end of the batch; one without a time is not kept at all. Residual
	// says that rows which are over match none that come later. Neither input retracts
	// across batches, and a semi or anti join has a Residual.
	OverMeet bool
	// LeftAppends and RightAppends: that input never retracts. Its rows need not be
	// found by their content then; and with RightAppends a semi or anti join by keys
	// alone need not keep a left row that matches: that will not change.
	LeftAppends, RightAppends bool
	// Output are the columns of the output, by their positions among left's and then
	// right's (of a semi or anti join, among left's); nil: all.
	Output []int
	// OneBatch: no other batch follows. A side's rows are not kept once the other
	// side has given all of its own.
	OneBatch bool
	// RightFirst: the left input waits until the right one has given all of the
	// batch, so that no row is given unmatched and taken back. It needs OneBatch in a
	// full join, whose unmatched right rows come at the end.
	RightFirst bool
}

// columns are the columns of the output: Output, or all.
func (s *JoinSpec) columns() []int {
	switch {
	case s.Output != nil:
		return s.Output
	case s.Kind.leftOnly():
		return positions(len(s.Left))
	}
	return positions(len(s.Left) + len(s.Right))
}

// types are the types of the output columns.
func (s *JoinSpec) types() []types.Type {
	cols := s.columns()
	out := make([]types.Type, len(cols))
	for i, k := range cols {
		pads := s.Kind == FullJoin
		if k < len(s.Left) {
			out[i] = s.Left[k]
		} else {
			out[i], pads = s.Right[k-len(s.Left)], s.Kind != InnerJoin
		}
		if pads {
			out[i] = out[i].Nullable()
		}
	}
	return out
}

// unmatchable reports a NULL in a key column of row i where NULL matches nothing.
func (s *JoinSpec) unmatchable(g *grouping, i int) bool {
	for k, v := range g.cols {
		if v.IsNull(i) && (s.NullSafe == nil || !s.NullSafe[k]) {
			return true
		}
	}
	return false
}
