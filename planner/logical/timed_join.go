package logical

import (
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Timing says how a TimedJoin picks the right row that a left row meets.
type Timing uint8

// The timings.
const (
	AtArrival   Timing = iota // what the right side holds after the batch that the left row comes with
	AtEventTime               // what it held at the left row's time
	Closest                   // the nearest of those for which LeftTime Order RightTime holds
	Outside                   // what a dimension table answers when it is asked
)

func (t Timing) String() string {
	return [...]string{"at arrival", "at event time", "closest", "outside"}[t]
}

// TimedJoin joins each left row with at most one right row, the one that time
// picks of those that Keys pair it with: the output has Left's columns, then
// Right's. If there is none, or On is not true for it, an inner join leaves the
// left row out, and an outer one pads it with NULLs. (Of Closest, On is empty in
// the end.) Only the left side's changes, and of Closest both sides', make
// output.
type TimedJoin struct {
	Timing      Timing
	Outer       bool
	Left, Right Node
	Keys        []JoinKey
	On          []*expr.Expr // further conditions over both sides' columns
	// LeftTime and RightTime are ids of time columns, of AtEventTime from the start,
	// of Closest once Order is set: `>=`, `>`, `<=` or `<`.
	LeftTime, RightTime int
	Order               string
	// Late, of AtEventTime, is the column that tells the watermark of the left row's
	// partition before the row: one whose time is below is left out. ID 0: there is no
	// such column, and what the watermark says before the batch counts. Own are the
	// columns of the stream that the left rows come from, if rows that are left out
	// are to be told of.
	Late Col
	Own  []Col
	// RightLate, of Closest, is Late of the right side. Both sides have it, or none has
	// (ID 0): then no row is late, and all are kept.
	RightLate Col
	// Watermark, Arrival and Deleted, of AtEventTime, are the system columns of the
	// right stream.
	Watermark, Arrival, Deleted Col
}

// Columns of a timed join: left's, then right's.
func (j *TimedJoin) Columns() []Col {
	l, r := j.Left.Columns(), j.Right.Columns()
	cols := append(append(make([]Col, 0, len(l)+len(r)), l...), r...)
	if j.Outer {
		for i := range r {
			cols[len(l)+i].Type = cols[len(l)+i].Type.Nullable()
		}
	}
	return cols
}

// Inputs of a timed join: left, right.
func (j *TimedJoin) Inputs() []Node { return []Node{j.Left, j.Right} }

// WithInputs puts the join over other inputs.
func (j *TimedJoin) WithInputs(in []Node) Node {
	out := *j
	out.Left, out.Right = in[0], in[1]
	return &out
}

// Exprs of a timed join: its conditions beside the keys.
func (j *TimedJoin) Exprs() []*expr.Expr { return j.On }

// WithExprs rewrites the conditions beside the keys.
func (j *TimedJoin) WithExprs(f func(*expr.Expr) *expr.Expr) Node {
	on := rewriteExprs(j.On, f)
	if same(on, j.On) {
		return j
	}
	out := *j
	out.On = on
	return &out
}

// Reads are the ids of columns that the join needs beside Keys and On.
func (j *TimedJoin) Reads() (left, right []int) {
	if j.Timed() {
		left, right = append(left, j.LeftTime), append(right, j.RightTime)
	}
	if j.Late.ID != 0 {
		left = append(left, j.Late.ID)
	}
	if j.RightLate.ID != 0 {
		right = append(right, j.RightLate.ID)
	}
	if j.Timing != AtEventTime {
		return left, right
	}
	for _, c := range j.Own {
		left = append(left, c.ID)
	}
	return left, append(right, j.Watermark.ID, j.Arrival.ID, j.Deleted.ID)
}

// Bounds are, of AtEventTime and Closest, the watermarks of the sides' times; nil: there is none.
func (j *TimedJoin) Bounds() (left, right physical.Watermark) {
	d := NewDeriver(true)
	return d.Props(j.Left).Times[j.LeftTime].Watermark, d.Props(j.Right).Times[j.RightTime].Watermark
}

// times: when the watermarks have passed a row's time it has been given out.
func (j *TimedJoin) times(left *Props) map[int]physical.Time {
	if j.Timing != AtEventTime || !left.AppendOnly {
		return nil
	}
	l, r := j.Bounds()
	return map[int]physical.Time{j.LeftTime: {Watermark: l.Least(r).Later(1)}}
}

// Timed reports that LeftTime and RightTime are set.
func (j *TimedJoin) Timed() bool { return j.Timing == AtEventTime || j.Order != "" }

func (j *TimedJoin) String() string {
	s := "TimedJoin " + j.Timing.String()
	if j.Outer {
		s += " outer"
	}
	for i, k := range j.Keys {
		op := " = "
		if k.NullSafe {
			op = " <=> "
		}
		s += []string{" on ", " AND "}[min(i, 1)] + colName(k.Left) + op + colName(k.Right)
	}
	if j.Timed() {
		s += fmt.Sprintf(" by #%d %s #%d", j.LeftTime, j.Order, j.RightTime)
	}
	if len(j.On) > 0 {
		s += " if " + exprText(j.On, " AND ")
	}
	if j.RightLate.ID != 0 {
		s += " late by " + colName(j.Late) + " and " + colName(j.RightLate)
	}
	return s
}

// timedJoin: a left row meets one right row at most, so that what is unique on
// the left is so in the output, and what comes out is taken back only if the
// left row is. A right row that comes closer takes back too.
func (d *Deriver) timedJoin(n *TimedJoin) *Props {
	l, r := d.Props(n.Left), d.Props(n.Right)
	p := &Props{Keys: l.Keys, AppendOnly: l.AppendOnly, Grows: l.Grows}
	if n.Timing == Closest {
		p.AppendOnly = l.AppendOnly && r.AppendOnly && d.oneBatch
	}
	return p
}

func (b *builder) timedJoin(r *bind.TimedJoin) (Node, error) {
	left, err := b.rel(r.Left)
	if err != nil {
		return nil, err
	}
	right, err := b.rel(r.Right)
	if err != nil {
		return nil, err
	}
	j := &TimedJoin{Outer: r.Outer, Left: left, Right: right}
	if j.On, err = b.exprs(r.On, &TimedJoin{Left: left, Right: right}); err != nil {
		return nil, err
	}
	if s, ok := right.(*Scan); ok && s.Table.Kind == catalog.DimensionTable && r.Timing != bind.Closest {
		// It is asked when a row comes, said or not.
		plain := &Join{Kind: InnerJoin, Left: left, Right: right, On: j.On}
		if r.Outer {
			plain.Kind = LeftJoin
		}
		return plain, nil
	}
	switch r.Timing {
	case bind.Closest:
		j.Timing = Closest
	case bind.AtEventTime:
		return b.versioned(j, r.Time)
	}
	return j, nil
}

// versioned sets what AS OF a time column means: event time if the right side is
// a stream with a key and a watermark; a table holds no versions, so it is the
// batch's time.
func (b *builder) versioned(j *TimedJoin, time *expr.Expr) (Node, error) {
	s, ok := j.Right.(*Scan)
	if !ok || s.Table.Kind != catalog.StreamTable {
		return j, nil
	}
	if s.Table.EventTime == nil || !slices.ContainsFunc(s.Table.Primary, func(k int) bool { return !s.Table.Columns[k].Hidden }) {
		return nil, sqlerr.Unsupported(fmt.Sprintf("FOR SYSTEM_TIME AS OF a column over stream '%s', which needs a PRIMARY KEY and a WATERMARK for that", s.Table.Name))
	}
	j.Timing, j.LeftTime = AtEventTime, b.resolve(time.Col)
	for i, pos := range s.Positions {
		if pos == s.Table.EventTime.Column {
			j.RightTime = s.Cols[i].ID
		}
	}
	if of := s.Table.Columns[s.Table.EventTime.Column].Type; of.Kind != time.Type.Kind {
		return nil, sqlerr.Unsupported(fmt.Sprintf("FOR SYSTEM_TIME AS OF a %s over stream '%s', whose time is a %s", kindName(time.Type), s.Table.Name, kindName(of)))
	}
	return j, b.versionColumns(j, s)
}

func kindName(t types.Type) string {
	if t.Kind == types.Timestamp {
		return "TIMESTAMP"
	}
	return "DATETIME"
}

// versionColumns adds the system columns that a join AtEventTime with s reads.
func (b *builder) versionColumns(j *TimedJoin, s *Scan) error {
	right, mark, _ := scanMark(b.ids, s, j.RightTime, catalog.WatermarkColumn)
	right, arrival, _ := b.scanArrival(right.(*Scan))
	out := *right.(*Scan)
	j.Watermark, j.Arrival = mark, arrival
	j.Deleted = Col{ID: b.ids.Next(), Name: "deletion from " + s.Table.Name, Type: mark.Type}
	out.Cols, out.Positions = append(slices.Clip(out.Cols), j.Deleted), append(slices.Clip(out.Positions), catalog.DeletedColumn)
	j.Right = &out
	carrying, late, ok := WithWatermark(b.ids, j.Left, j.LeftTime)
	if !ok {
		return nil
	}
	j.Left, j.Late = carrying, late
	if !b.KeepLate {
		return nil
	}
	var err error
	j.Left, j.Own, err = b.withOwn(j.Left)
	return err
}
