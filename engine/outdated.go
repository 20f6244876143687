package engine

import (
	"log/slog"
	"maps"

	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/sql/sqlerr"
)

// layout notes how the rows of an operator's state are laid out.
func (m *savedMeta) layout(node int, op operators.Stateful) {
	if v := operators.StateVersion(op); v != 1 {
		if m.Layouts == nil {
			m.Layouts = map[int]uint32{}
		}
		m.Layouts[node] = v
	}
}

// fits reports that the states of a job were saved as its operators lay them out now.
func (m *savedMeta) fits(j *job) bool {
	var now savedMeta
	for _, s := range j.flow.Stateful {
		now.layout(s.Node, s.Operator)
	}
	return maps.Equal(now.Layouts, m.Layouts)
}

// outdated stops a job whose saved state another release laid out otherwise. A view all
// of whose rows are still there is to be filled anew: true. Another stays as it was
// saved, and tells what to do; and so does a sink, since it would deliver again what it
// has delivered. Engine.mu need not be held: nothing runs yet.
func (e *Engine) outdated(j *job) (anew bool) {
	name := nameOf(j.table)
	var why error = errRestarted
	switch {
	case j.table.Delivers():
		why = sqlerr.New(sqlerr.UnknownError, "its state is of another release, and it would deliver everything again if it began anew. DROP it and create it again: SHOW CREATE gives its statement")
	case e.readsTrimmed(j):
		why = sqlerr.New(sqlerr.UnknownError, "its state is of another release, and not all the rows that it was made of are kept. RESTART CONTINUOUS QUERY %s begins anew with those there are", name)
	default:
		slog.Warn("the state of a view is of another release: it is computed anew", "view", name)
		anew = true
	}
	e.stopJob(j, why)
	if j.outdated = !anew; j.outdated {
		slog.Error("the state of a continuous query is of another release", "kind", j.table.Kind, "name", name, "error", why)
	}
	return anew
}

// readsTrimmed reports that of a stream which a job reads rows are gone by retention.
func (e *Engine) readsTrimmed(j *job) bool {
	for _, s := range j.flow.Sources {
		if e.upkeep.marks()[catalog.ID(s.Table)] != 0 {
			return true
		}
		if t, ok := e.Catalog().TableByID(catalog.ID(s.Table)); ok && t.Temporary {
			return true
		}
	}
	return false
}
