package operators

import "streamsql/sql/types"

// SessionSpec puts rows into sessions: those of equal Keys, with no two rows
// that follow one another in Time more than Gap apart, but that a row joins none
// that was over when it came (session_links.go). Output: the input's columns Keep,
// then
//
//   - the start of the row's session, and its end, which is Gap after its last
//     row, both of the type Bound;
//   - or with IDs, Gap after the row itself, of the type Bound, and a BIGINT that
//     tells the sessions of a key apart. It changes for few rows where the bounds
//     would for all.
//
// Rows without a time are in no session. Lengths are microseconds.
type SessionSpec struct {
	Input []types.Type
	Keys  []int
	Time  int // -1: all rows have the batch's
	Gap   int64
	Keep  []int
	IDs   bool
	Bound types.Type
	Lateness
	// Over, if there is one, is the watermark at whose passing of its last row a
	// session is forgotten.
	Over Watermark
}
