package logical

import (
	"fmt"

	"streamsql/sql/expr"
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

func (k JoinKind) String() string { return [...]string{"inner", "left", "full", "semi", "anti"}[k] }

// PadsLeft reports that left's columns may be NULL for want of a match.
func (k JoinKind) PadsLeft() bool { return k == FullJoin }

// PadsRight reports that right's columns may be NULL for want of a match.
func (k JoinKind) PadsRight() bool { return k == LeftJoin || k == FullJoin }

// LeftOnly reports that the output has left's columns alone.
func (k JoinKind) LeftOnly() bool { return k == SemiJoin || k == AntiJoin }

// JoinKey is a pair of columns, one of each side, that must be equal. Equal
// values of the two have equal representations.
type JoinKey struct {
	Left, Right Col
	NullSafe    bool // NULL equals NULL
}

// Join pairs the rows of its inputs: the output has Left's columns, then
// Right's (not in a semi or anti join), nullable where the kind pads them.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	Keys        []JoinKey
	On          []*expr.Expr // further conditions over both sides' columns
	// Straight: the user wants Left read before Right; the order stays.
	Straight bool
	// Ordered: the planner chose in which order inner joins stand here.
	Ordered bool
	// LeftUntil and RightUntil say until when rows of a side can match rows that come;
	// nil: for ever. On says it too, of each row by what it knows itself.
	LeftUntil, RightUntil *Until
}

// Until says when a row of one side of a join can match no row to come of the
// other: once its column Own is not above the watermark of Other less Delay.
type Until struct {
	Own, Other Col
	Delay      int64 // microseconds
}

// Columns of a join: left's, then right's.
func (j *Join) Columns() []Col {
	l := j.Left.Columns()
	if j.Kind.LeftOnly() {
		return l
	}
	r := j.Right.Columns()
	cols := append(make([]Col, 0, len(l)+len(r)), l...)
	cols = append(cols, r...)
	for i := range cols {
		if pads := j.Kind.PadsRight(); i >= len(l) && pads || i < len(l) && j.Kind.PadsLeft() {
			cols[i].Type = cols[i].Type.Nullable()
		}
	}
	return cols
}

// Inputs of a join: left, right.
func (j *Join) Inputs() []Node { return []Node{j.Left, j.Right} }

// WithInputs puts the join over other inputs.
func (j *Join) WithInputs(in []Node) Node {
	out := *j
	out.Left, out.Right = in[0], in[1]
	return &out
}

// Exprs of a join: its conditions beside the keys.
func (j *Join) Exprs() []*expr.Expr { return j.On }

// WithExprs rewrites the conditions beside the keys.
func (j *Join) WithExprs(f func(*expr.Expr) *expr.Expr) Node {
	on := rewriteExprs(j.On, f)
	if same(on, j.On) {
		return j
	}
	out := *j
	out.On = on
	return &out
}

func (j *Join) String() string {
	s := "Join " + j.Kind.String()
	for i, k := range j.Keys {
		op := " = "
		if k.NullSafe {
			op = " <=> "
		}
		s += []string{" on ", " AND "}[min(i, 1)] + colName(k.Left) + op + colName(k.Right)
	}
	if len(j.On) > 0 {
		s += " if " + exprText(j.On, " AND ")
	}
	for i, u := range []*Until{j.LeftUntil, j.RightUntil} {
		if u != nil {
			s += fmt.Sprintf(" %s until %s, by %s and %d", []string{"left", "right"}[i], colName(u.Own), colName(u.Other), u.Delay)
		}
	}
	return s
}
