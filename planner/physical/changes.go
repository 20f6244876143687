package physical

// ChangesSpec makes a Source read what batches changed in a materialized view,
// after one and up to the one that the query reads. Its columns are those of
// bind.ChangeColumns.
type ChangesSpec struct {
	After uint64 `json:"after"`
}
