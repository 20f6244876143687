package operators

import (
	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/vector"
)

// aggregate is one aggregate of a Merge: some bytes of each group's row and, for
// what needs to see each value, a multiset beside it.
type aggregate interface {
	// size is how many bytes of a row it has, a multiple of 8.
	size() int
	// add takes rows in; groups[i] is the group of row lo+i, rows[i] its row.
	add(groups []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error
	// refresh brings the row of a group that was added to up to date with what lies
	// beside it. warn may be nil.
	refresh(group state.Ref, row []byte, warn func(code uint16, message string)) error
	// refreshes reports that refresh does something.
	refreshes() bool
	// multiset is what lies beside the rows; nil: nothing.
	multiset() *multiset
	// results reads results out of rows, and out of a heap and the rows of a multiset:
	// the operator's own ones, or images of them.
	results(heap agg.Heap, values rows) results
	// handle is what a group's row has in the heap; 0: nothing.
	handle(row []byte) uint64
}

// results gives the results of groups.
type results interface {
	// AppendResult is as that of agg.State.
	AppendResult(rows [][]byte, out *vector.Vector, fail func(i int, err error))
}

// rows finds rows of a store, or of its image.
type rows interface {
	Get(r state.Ref) []byte
}

// newAggregate makes the aggregate whose state lies at at. cols are the columns
// of its arguments or partials, seen what knows the values of the DISTINCT ones.
func newAggregate(c agg.Call, cols []int, at int, spec AggSpec, seen *[]*distinctValues, heap agg.Heap, a *account.Account) (aggregate, error) {
	switch kept := c.Keeping(); {
	case c.Fn == "count" && len(c.Args) == 0:
		return rowCount{}, nil
	case kept == agg.Rank:
		return newRankAggregate(c, cols, at, a), nil
	case kept == agg.List:
		return newListAggregate(c, cols, at, heap, a), nil
	case kept == agg.End && !spec.AppendOnly && !spec.Whole:
		return newEndAggregate(c, cols, at, a), nil
	case kept == agg.End && !agg.Splits(c, true):
		return newOneAggregate(c, cols, at, heap), nil
	}
	if c.Distinct && !spec.Partial {
		return newDistinctTotal(c, cols, at, spec, seen, heap, a)
	}
	t := &totalAggregate{call: c, cols: cols, at: at, partial: spec.Partial}
	var err error
	t.State, err = agg.New(c, cols, spec.Partial, at, heap)
	return t, err
}

// totalAggregate keeps a total.
type totalAggregate struct {
	agg.State
	call    agg.Call
	cols    []int
	at      int
	partial bool
}

func (t *totalAggregate) size() int { return t.Size() }

func (t *totalAggregate) refreshes() bool { return false }

func (t *totalAggregate) refresh(state.Ref, []byte, func(uint16, string)) error { return nil }

func (t *totalAggregate) multiset() *multiset { return nil }

func (t *totalAggregate) results(heap agg.Heap, _ rows) results {
	s, _ := agg.New(t.call, t.cols, t.partial, t.at, heap) // it was made before: it cannot fail
	return s
}

func (t *totalAggregate) add(_ []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	if t.partial {
		return t.AddPartial(rows, in, lo)
	}
	return t.Add(rows, in, lo, weights)
}

// rowCount is COUNT(*): how many rows a group has stands in its row anyway.
type rowCount struct{}

func (rowCount) size() int { return 0 }

func (rowCount) refreshes() bool { return false }

func (rowCount) refresh(state.Ref, []byte, func(uint16, string)) error { return nil }

func (rowCount) multiset() *multiset { return nil }

func (rowCount) handle([]byte) uint64 { return 0 }

func (r rowCount) results(agg.Heap, rows) results { return r }

func (rowCount) add([]state.Ref, [][]byte, []*vector.Vector, int, []int64) error { return nil }

// AppendResult appends the numbers of rows.
func (rowCount) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, row := range rows {
		out.AppendInt(getInt(row))
	}
}
