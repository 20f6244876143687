package physical

// SetOp is INTERSECT or EXCEPT: a Merge by all columns that counts each row in
// every input. Its inputs have the same columns, shuffled by all of them.
const SetOp Kind = "SetOp"

// SetOpKind tells set operations apart.
type SetOpKind string

// The set operations.
const (
	Intersect SetOpKind = "intersect" // rows that all inputs have
	Except    SetOpKind = "except"    // rows of input 0 that no other has
)

// SetOpSpec is what a SetOp does; All keeps duplicates, as SQL's ALL does.
type SetOpSpec struct {
	Kind SetOpKind `json:"kind"`
	All  bool      `json:"all,omitempty"`
}
