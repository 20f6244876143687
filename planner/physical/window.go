package physical

// Window puts rows into windows of a fixed length, row by row.
const Window Kind = "Window"

// WindowKind tells windows apart.
type WindowKind string

// The kinds of windows that a row falls into by itself.
const (
	Tumble   WindowKind = "tumble"
	Hop      WindowKind = "hop"
	Cumulate WindowKind = "cumulate"
)

// WindowForm is what a Window gives.
type WindowForm string

// The forms. A pane is a stretch of time that is in the same windows from its
// beginning to its end.
const (
	// OfRows gives each row once for each window that it is in, with start and end of
	// the window.
	OfRows WindowForm = ""
	// IntoPanes gives each row once, with the beginning of its pane and how many of
	// the pane's windows, those that end last, it does not come too late for.
	IntoPanes WindowForm = "into panes"
	// OfPanes gives each row, which has both in Time and Count, once for each of these
	// windows, as OfRows does.
	OfPanes WindowForm = "of panes"
)

// WindowSpec puts the rows of the input into windows. Output: the input's fields
// Keep, then the two that Form says. Lengths are microseconds. A window [start, end) is aligned to 1970-01-01 00:00 on the clock
// of the time's column, plus Offset: tumbling ones begin every Size, hopping ones
// every Slide, cumulating ones begin every Size and end Slide, 2·Slide … later.
type WindowSpec struct {
	Kind   WindowKind `json:"kind"`
	Form   WindowForm `json:"form,omitempty"`
	Time   int        `json:"time"` // −1: the batch's time
	Count  int        `json:"count,omitempty"`
	Size   int64      `json:"size"`
	Slide  int64      `json:"slide"`
	Offset int64      `json:"offset,omitempty"`
	Keep   []int      `json:"keep"`
	Lateness
}

// Lateness says which windows a row comes too late for: those whose end, plus
// Allowed, is not above the watermark. That is the value of column Late where it
// is not −1; else the one of Closed before the batch, if it has any. A row that is
// taken back stays in windows that were over by column Retracted, if Retracts.
type Lateness struct {
	Late      int       `json:"late"`
	Retracts  bool      `json:"retracts,omitempty"`
	Retracted int       `json:"retracted,omitempty"`
	Allowed   int64     `json:"allowed,omitempty"` // microseconds
	Closed    Watermark `json:"closed,omitempty"`
	// Stream is the stream that the rows come from, 0: several. Own are its columns
	// in the input, if rows that are in no window for that reason are to be kept.
	Stream uint64 `json:"stream,omitempty"`
	Own    []int  `json:"own,omitempty"`
}
