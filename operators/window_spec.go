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

// WindowSpec gives each row once for each window that it is in. Output: the
// input's columns Keep, then start and end of the window, of the type Bound.
// Lengths are microseconds. Tumbling windows begin every Size, hopping ones every
// Slide; cumulating ones begin every Size and end Slide, 2·Slide … later.
type WindowSpec struct {
	Input               []types.Type
	Kind                WindowKind
	Time                int // column; −1: the batch's time
	Size, Slide, Offset int64
	Keep                []int
	Bound               types.Type
	Lateness
}

// Lateness says which windows a row comes too late for: those whose end, plus
// Allowed, is not above the watermark. That is the value of column Late where it
// is not −1; else the one of Closed before the batch, if it has any.
type Lateness struct {
	Late    int
	Allowed int64
	Closed  Watermark
	// Stream is the stream that the rows come from, 0: several. Own are its columns
	// in the input, if rows that are in no window for that reason are to be kept.
	Stream uint64
	Own    []int
}
