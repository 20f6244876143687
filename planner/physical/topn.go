package physical

// RankFunc names the function by which rows are numbered.
type RankFunc string

// The functions that number.
const (
	RowNumber RankFunc = "row_number"
	Rank      RankFunc = "rank"
	DenseRank RankFunc = "dense_rank"
)

// MostFew is how many rows of a partition can be a list.
const MostFew = 16

// TopNSpec keeps of each partition the rows whose number, from 1 on, is above
// Offset and at most Offset + Limit. Rows are ordered by Order, ties by all
// fields, from the first to the last. With Number the output has that as a last field.
type TopNSpec struct {
	Partition []int     `json:"partition,omitempty"`
	Order     []SortKey `json:"order,omitempty"`
	Func      RankFunc  `json:"func"`
	Limit     int64     `json:"limit"` // −1: none
	Offset    int64     `json:"offset,omitempty"`
	Number    bool      `json:"number,omitempty"`
	// AppendOnly: no retraction will come, so that only the rows that can be in the
	// result are kept.
	AppendOnly bool `json:"append_only,omitempty"`
	// Leaders: the rows that RANK() numbers 1, of an input that takes a row back only
	// for one of its partition that does not come behind it. Only these rows are kept.
	Leaders bool `json:"leaders,omitempty"`
	// PerBatch, of Leaders: what can be among them of a batch's rows. Nothing is kept.
	PerBatch bool `json:"per_batch,omitempty"`
	// First: it is AppendOnly and keeps one row by ROW_NUMBER, the first, for which no
	// order among the others is kept.
	First bool `json:"first,omitempty"`
	// Few: it is AppendOnly and keeps more rows than one by ROW_NUMBER, but so few
	// that they are a list in their partition.
	Few bool `json:"few,omitempty"`
	// Expiry, of a field of the partition, says when partitions are over.
	Expiry *Expiry `json:"expiry,omitempty"`
}
