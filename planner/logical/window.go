package logical

import (
	"fmt"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// Window gives each row of its input as often as it is in a window, with the
// window's bounds in two further columns. A row without a time is in none.
type Window struct {
	Input Node
	Kind  bind.WindowKind
	Time  Col // ID 0: the batch's time
	// Microseconds; see bind.WindowSpec.
	Size, Slide, Offset int64
	Partition           []Col // of sessions
	Start, End          Col
	// Late is the column that tells the watermark of the row's partition before the
	// row: the row is left out of windows that were over by then. ID 0: the input has
	// no such column, and what the table's watermark says before the batch counts.
	Late Col
	// Retracted is the column that tells of a row which is taken back the watermark by
	// then: windows that were over keep the row. ID 0: there is no such column.
	Retracted Col
	// IDs, of sessions: Start is Gap after the row, End an id of its session.
	IDs bool
	// Lateness is how long after its end a window is still open.
	Lateness int64
	// Own are the columns of the stream that the rows come from, if rows that are
	// left out are to be told of.
	Own []Col
}

// Columns of a window: its input's, then the bounds.
func (w *Window) Columns() []Col {
	in := w.Input.Columns()
	return append(append(make([]Col, 0, len(in)+2), in...), w.Start, w.End)
}

// Inputs of a window.
func (w *Window) Inputs() []Node { return []Node{w.Input} }

// WithInputs puts the window over another input.
func (w *Window) WithInputs(in []Node) Node {
	out := *w
	out.Input = in[0]
	return &out
}

// Exprs of a window: the columns that it reads.
func (w *Window) Exprs() []*expr.Expr {
	var list []*expr.Expr
	for _, c := range w.Reads() {
		list = append(list, Ref(c))
	}
	return list
}

// WithExprs returns w: plain columns are not rewritten.
func (w *Window) WithExprs(func(*expr.Expr) *expr.Expr) Node { return w }

// Reads are the columns of the input that the window needs.
func (w *Window) Reads() []Col {
	var cols []Col
	for _, c := range []Col{w.Time, w.Late, w.Retracted} {
		if c.ID != 0 {
			cols = append(cols, c)
		}
	}
	return append(append(cols, w.Partition...), w.Own...)
}

func (w *Window) String() string {
	time := "PROCTIME()"
	if w.Time.ID != 0 {
		time = colName(w.Time)
	}
	s := fmt.Sprintf("Window %s of %s size %d slide %d", w.Kind, time, w.Size, w.Slide)
	if w.Offset != 0 {
		s += fmt.Sprintf(" offset %d", w.Offset)
	}
	if len(w.Partition) > 0 {
		s += " by " + colText(w.Partition)
	}
	if w.Late.ID != 0 {
		s += " late by " + colName(w.Late)
	}
	if w.Retracted.ID != 0 {
		s += " closed by " + colName(w.Retracted)
	}
	if w.IDs {
		s += " by id"
	}
	return s + " → " + colText([]Col{w.Start, w.End})
}

// FixedSize reports that all windows of the kind are at most Size long.
func (w *Window) FixedSize() bool { return w.Kind != bind.Session }
