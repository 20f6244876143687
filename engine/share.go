package engine

import (
	"maps"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/planner/physical"
)

// Views whose plans have an equal part that keeps state compute it once: a new view
// takes the rows of such a node from the view whose result they are already, as a view
// over that would. Its own plan stays whole in the catalog, with a list of the nodes
// that are shared; the job has Sources in their place. Nobody sees who computes: a view
// that is dropped, paused or begun anew hands its work over first (handover.go). A part
// that is the whole of no view yet gets a query without a name (common.go).

// sharing reports a query that may take rows from others and give them its own: nothing
// of it is seen but the rows of its result.
func sharing(t *catalog.Table) bool {
	return t.Kind == catalog.MaterializedView && t.IndexOf == 0 && !t.Session.Apart && t.Options["late_rows"] == "" && t.Options[onErrorOption] != "fail"
}

// alike reports that expressions mean the same in two sessions.
func alike(a, b catalog.Session) bool {
	a.Database, b.Database = "", "" // names are resolved
	return a == b
}

// shares finds the nodes of a new view's plan that others compute already. A share
// without an object is of a node that view with[node] computes among others.
func (e *Engine) shares(t *catalog.Table, plan *physical.Plan) (found []catalog.Share, with map[int]catalog.ID) {
	if !sharing(t) || len(plan.Watermarks()) > 0 {
		return nil, nil
	}
	offers, parts := map[string]catalog.Share{}, map[string]*catalog.Table{}
	for _, g := range e.givers() {
		if !alike(g.table.Session, t.Session) {
			continue
		}
		for signature, columns := range g.offers {
			if _, ok := offers[signature]; !ok {
				offers[signature] = catalog.Share{Object: g.table.ID, Columns: columns}
			}
		}
		for signature := range g.parts {
			if parts[signature] == nil {
				parts[signature] = g.table
			}
		}
	}
	own := build.Parts(plan, nil)
	with = map[int]catalog.ID{}
	found = build.Match(plan, func(signature string) (catalog.ID, []int, bool) {
		if o, ok := offers[signature]; ok {
			return o.Object, o.Columns, true
		}
		n, of := own[signature], parts[signature]
		if n == nil || of == nil || !e.adoptable(of) || e.adopted(of, map[string]*catalog.Table{signature: {Session: t.Session}}) == nil {
			return 0, nil, false // it would go on computing the part for itself
		}
		with[n.ID] = of.ID
		return 0, identity(len(n.Fields)), true
	})
	return slices.DeleteFunc(found, func(s catalog.Share) bool { return !e.stays(build.Tables(plan, []catalog.Share{s})) }), with
}

// identity is the columns of an object as they are.
func identity(n int) []int {
	columns := make([]int, n)
	for i := range columns {
		columns[i] = i
	}
	return columns
}

// giver is a view that others may take rows from, with what it computes.
type giver struct {
	table  *catalog.Table
	whole  *physical.Plan
	offers map[string][]int
	parts  map[string]*physical.Node
}

// givers are those at work, the oldest first. Of a view that keeps its history, which
// is its own, nothing is taken.
func (e *Engine) givers() (out []*giver) {
	e.mu.Lock()
	var unknown []*giver
	for _, id := range slices.Sorted(maps.Keys(e.jobs)) {
		j := e.jobs[id]
		if _, history := j.table.Options[historyOption]; history || !sharing(j.table) || j.failed != nil || e.stillBehind(j) != nil {
			continue
		}
		g := j.gives
		if g == nil || g.table != j.table {
			g = &giver{table: j.table, whole: j.whole}
			unknown = append(unknown, g)
		}
		out = append(out, g)
	}
	e.mu.Unlock()
	for _, g := range unknown {
		g.offers, g.parts = build.Offers(g.whole), build.Parts(g.whole, g.table.Shares)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, g := range unknown {
		if j := e.jobs[g.table.ID]; j != nil && j.table == g.table {
			j.gives = g
		}
	}
	return out
}

// stays reports that a query which begins now finds the same rows in the objects, of
// which it reads the given columns, as one that began earlier has taken in: nothing of
// them is forgotten. What only arrival says of a row is left out.
func (e *Engine) stays(objects map[catalog.ID][]int) bool {
	cat := e.cat.Load()
	for id, columns := range objects {
		if id == 0 {
			continue
		}
		t, ok := cat.TableByID(id)
		if !ok || slices.ContainsFunc(columns, func(c int) bool { return c >= len(t.Columns) }) {
			return false
		}
		switch t.Kind {
		case catalog.BaseTable, catalog.MaterializedView:
		case catalog.StreamTable:
			if forgets(t) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// Shares says of the nodes of a plan that CREATE would not have computed, with whom the
// view would share them, by their ids.
func (e *Engine) Shares(t *catalog.Table, plan *physical.Plan, captured catalog.Session) map[int]string {
	c := *t
	c.Session = captured
	shares, with := e.shares(&c, plan)
	for i, s := range shares {
		if s.Object == 0 {
			shares[i].Object = with[s.Node]
		}
	}
	return e.sharedWith(0, shares)
}

// sharedWith says in people's words with whom a query shares nodes of its plan.
func (e *Engine) sharedWith(id catalog.ID, shares []catalog.Share) map[int]string {
	if len(shares) == 0 {
		return nil
	}
	cat := e.cat.Load()
	out := map[int]string{}
	for _, s := range shares {
		of, ok := cat.TableByID(s.Object)
		if !ok || s.For != 0 {
			continue
		}
		out[s.Node] = nameOf(of)
		if of.Hidden { // say who else there is
			for _, t := range cat.Sharers(s.Object) {
				if t.ID != id && !t.Hidden {
					out[s.Node] = nameOf(t)
					break
				}
			}
		}
	}
	return out
}

func nameOf(t *catalog.Table) string { return t.Database + "." + t.Name }

// nameByID is what people call an object.
func (e *Engine) nameByID(id catalog.ID) string {
	if t, ok := e.cat.Load().TableByID(id); ok {
		return nameOf(t)
	}
	return ""
}

// partsOf are the jobs that compute a query: its own, and those that it takes rows
// from. Engine.mu is held.
func (e *Engine) partsOf(j *job) []*job {
	parts := []*job{j}
	for i := 0; i < len(parts); i++ {
		for _, s := range parts[i].table.Shares {
			if of := e.jobs[s.Object]; of != nil && s.For == 0 && !slices.Contains(parts, of) {
				parts = append(parts, of)
			}
		}
	}
	return parts
}

// sharesFilling reports that a query is to take rows from one that is being filled, or
// is yet to be.
func (e *Engine) sharesFilling(j *job) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(j.table.Shares, func(s catalog.Share) bool {
		of := e.jobs[s.Object]
		return of == nil || of.filling
	})
}
