package operators

import "streamsql/sql/types"

// WindowKind tells windows apart.
type WindowKind uint8

// The kinds of windows that a row falls into by itself.
const (
	Tumble WindowKind = iota
	Hop
	Cumulate
)

// WindowForm is what a Window gives.
type WindowForm uint8

// The forms. A pane is a stretch of time that is in the same windows from its
// beginning to its end; rows of one are combined once for all these windows.
const (
	// OfRows gives each row once for each window that it is in, with start and end of
	// the window.
	OfRows WindowForm = iota
	// IntoPanes gives each row once, with the beginning of its pane and, a BIGINT, how
	// many of the pane's windows, those that end last, it does not come too late for.
	IntoPanes
	// OfPanes gives each row, which has such a beginning (Time) and a number (Count),
	// once for each of these windows, as OfRows does.
	OfPanes
)

// WindowSpec puts rows into windows. Output: the input's columns Keep, then two
// that Form says; a time has the type Bound. Lengths are microseconds. Tumbling
// windows begin every Size, hopping ones every Slide; cumulating ones begin every
// Size and end Slide, 2·Slide … later.
type WindowSpec struct {
	Input               []types.Type
	Kind                WindowKind
	Form                WindowForm
	Time                int // column; −1: the batch's time
	Count               int // OfPanes: column
	Size, Slide, Offset int64
	Keep                []int
	Bound               types.Type
	Lateness            // not OfPanes
}

// Lateness says which windows a row comes too late for: those whose end, plus
// Allowed, is not above the watermark. That is the value of column Late where it
// is not −1; else the one of Closed before the batch, if it has any. A row that is
// taken back stays in windows that were over by column Retracted, if Retracts.
type Lateness struct {
	Late      int
	Retracts  bool
	Retracted int
	Allowed   int64
	Closed    Watermark
	// Stream is the stream that the rows come from, 0: several. Own are its columns
	// in the input, if rows that are in no window for that reason are to be kept.
	Stream uint64
	Own    []int
}
