package engine

import (
	"time"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/planner/physical"
)

// OperatorFigures is what the operator of a plan node has done.
type OperatorFigures = task.Figures

// Analyzed is Rows of a query with ReadOptions.Analyze.
type Analyzed interface {
	Rows
	// Figures are by the id of the plan node. They are whole once Next has come to the end.
	Figures() map[int]OperatorFigures
}

// Figures are by the id of the plan node.
func (r *rows) Figures() map[int]OperatorFigures { return r.flow.Figures() }

// Analysis is a continuous query at work.
type Analysis struct {
	Plan      *physical.Plan
	Shared    map[int]string // by the id of the plan node: the view that computes it too
	Status    ViewStatus
	Operators map[int]OperatorFigures // by the id of the plan node; 0 is the view
}

// Analyze looks at a materialized view; false: there is none.
func (e *Engine) Analyze(id catalog.ID) (*Analysis, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	j := e.jobs[id]
	if j == nil {
		return nil, false
	}
	return &Analysis{Plan: j.whole, Shared: e.sharedWith(j.id, j.table.Shares), Status: e.statusOf(j), Operators: j.flow.Figures()}, true
}

// cpu is what the job's operators have used.
func (j *job) cpu() (d time.Duration) {
	for _, f := range j.flow.Figures() {
		d += f.CPU
	}
	return d
}
