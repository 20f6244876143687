package physical

import "streamsql/sql/jsontable"

// Unfold is a flat map: rows of JSON documents.
const Unfold Kind = "Unfold"

// UnfoldSpec gives each row of the input as often as the document in it has rows.
// Output: the input's fields Keep, then the table's columns.
type UnfoldSpec struct {
	Document int              `json:"document"`
	Keep     []int            `json:"keep"`
	Table    *jsontable.Table `json:"table"`
	Outer    bool             `json:"outer,omitempty"` // at least once
}
