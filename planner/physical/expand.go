package physical

// Expand gives each row once for each grouping set.
const Expand Kind = "Expand"

// ExpandSpec: output fields are the input's, then a field for each of Keys, which
// is that field of the input in the sets that hold it and NULL in the others, then
// the number of the set.
type ExpandSpec struct {
	Keys []int   `json:"keys"`
	Sets [][]int `json:"sets"` // positions in Keys
}
