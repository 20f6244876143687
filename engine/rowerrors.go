package engine

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"

	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/sql/sqlerr"
)

// maxRowErrors bounds the entries kept per view; further ones are only counted.
const maxRowErrors = 10_000

// RowError is an entry of streamsql.errors: a row that a continuous query could
// not compute, and that is not in its result.
type RowError struct {
	View     catalog.ID `json:"-"`
	Batch    uint64     `json:"batch"` // in which it came
	Operator string     `json:"operator"`
	Code     uint16     `json:"code"`
	Reason   string     `json:"reason"`
	Row      string     `json:"row"`
	Count    int64      `json:"count"` // how often the row is there
}

type rowErrorKey struct {
	operator, reason, row string
}

// errorLog gathers the failed rows of one batch: tasks report at the same time,
// and the entries of a batch count once it is applied.
type errorLog struct {
	mu   sync.Mutex
	rows []operators.RowError
}

func (l *errorLog) add(r operators.RowError) {
	l.mu.Lock()
	l.rows = append(l.rows, r)
	l.mu.Unlock()
}

// takeErrors counts what failed in a batch that is now applied. A retraction
// takes the entry of its row back. Engine.mu is held.
func (j *job) takeErrors(batchID uint64, l *errorLog) {
	for _, r := range l.rows {
		err := sqlerr.From(r.Err)
		key := rowErrorKey{r.Operator, err.Message, r.Row}
		x := j.rowErrors[key]
		if x == nil {
			if len(j.rowErrors) >= maxRowErrors {
				j.errorsDropped += r.Weight
				continue
			}
			x = &RowError{View: j.id, Batch: batchID, Operator: r.Operator, Code: err.Code, Reason: err.Message, Row: r.Row}
			j.rowErrors[key] = x
		}
		if x.Count += r.Weight; x.Count == 0 {
			delete(j.rowErrors, key)
		}
	}
}

// intolerable is the reason to end a view made WITH (on_error = 'fail') that
// could not compute a row, or any whose function had to be stopped again and again;
// nil: there is none.
func (j *job) intolerable() error {
	for _, x := range j.rowErrors {
		if x.Code == sqlerr.QueryInterrupted { // which rows a function was still tried for is chance
			return fmt.Errorf("%s, in batch %d", x.Reason, x.Batch)
		}
	}
	if len(j.rowErrors) == 0 || j.table.Options[onErrorOption] != "fail" {
		return nil
	}
	first := slices.MinFunc(j.errorList(), func(a, b RowError) int { return strings.Compare(a.Row, b.Row) })
	return fmt.Errorf("%s, in the row %s of batch %d, and on_error is 'fail'", first.Reason, first.Row, first.Batch)
}

// Errors lists the rows that continuous queries could not compute, by view and batch.
func (e *Engine) Errors() []RowError {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []RowError
	for _, j := range e.jobs {
		if j.table.Hidden {
			continue
		}
		for _, part := range e.partsOf(j) { // of what is shared each view has lost the rows
			for _, x := range part.errorList() {
				x.View = j.id
				out = append(out, x)
			}
		}
	}
	sort.Slice(out, func(a, b int) bool {
		if out[a].View != out[b].View {
			return out[a].View < out[b].View
		}
		return out[a].Batch < out[b].Batch
	})
	return out
}

func (j *job) errorList() []RowError {
	out := make([]RowError, 0, len(j.rowErrors))
	for _, x := range j.rowErrors {
		out = append(out, *x)
	}
	return out
}
