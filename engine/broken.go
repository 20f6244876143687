package engine

import (
	"log/slog"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// brokenJob stands for a continuous query whose stored plan this release cannot run, as
// those of older ones that group by JSON: the server starts, and who asks for the
// query or for what reads it is told why. It has no rows and reads nothing.
func (e *Engine) brokenJob(t *catalog.Table, plan *physical.Plan, why error) (*job, error) {
	alone := *t
	alone.Shares = nil
	empty := &physical.Plan{Version: plan.Version, Output: plan.Output}
	empty.Root = &physical.Node{ID: plan.Root.ID, Kind: physical.Values, Fields: plan.Root.Fields}
	j, err := e.newJob(&alone, empty)
	if err != nil {
		return nil, err
	}
	j.table = t
	slog.Error("a continuous query cannot be run from its stored plan", "kind", t.Kind, "name", nameOf(t), "error", why)
	e.stopJob(j, sqlerr.New(sqlerr.UnknownError, "its stored plan, of another release, cannot be run here (%s). DROP it and create it again: SHOW CREATE gives its statement", sqlerr.From(why).Message))
	return j, nil
}

// failReaders fails what reads a query that was broken from the start. Engine.mu is held.
func (e *Engine) failReaders() {
	for _, j := range e.jobs {
		if j.failed == nil {
			continue
		}
		for _, r := range j.readers {
			e.jobFailed(r, readsFailed(j))
		}
	}
}
