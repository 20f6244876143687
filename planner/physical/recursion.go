package physical

// RecursionSpec makes a Source, of a one-off plan, give the rows of a recursive
// common table expression: those of Plan over a working table without rows, then
// those of Plan for these as the working table's further rows, and so on, batch
// by batch, until a batch gives none. Plan keeps its state from batch to batch.
type RecursionSpec struct {
	Plan    *Plan  `json:"plan"`
	Working uint64 `json:"working"` // what the Source of the working table has for a Table
	Limit   int64  `json:"limit"`   // of all rows; −1: none
	Offset  int64  `json:"offset,omitempty"`
}

// LocalTable is where the ids begin of what is no catalog object, but made
// within a query: working tables and the rows of recursions.
const LocalTable = uint64(1) << 56
