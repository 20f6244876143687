package catalog

import (
	"cmp"
	"slices"
)

// Share says that a continuous query takes the rows of a node of its plan from
// another one, whose result they are, instead of computing them.
type Share struct {
	Node    int   `json:"node"`    // its id in the plan
	Object  ID    `json:"object"`  // who computes it
	Columns []int `json:"columns"` // of the object, in the order of the node's fields
	// For is the view that the node names as a source, where that has handed its work
	// over to Object: the query stands still whenever the view does. 0: none.
	For ID `json:"for,omitempty"`
}

// needs are the objects that t cannot run without.
func (t *Table) needs() []ID {
	ids := t.Reads
	for _, s := range t.Shares {
		ids = append(slices.Clip(ids), s.Object)
	}
	return ids
}

// InOrder sorts objects so that each comes after those among them that it reads, or
// takes rows from; those that do not depend on each other are in the order of ts.
func InOrder(ts []*Table) []*Table {
	byID := make(map[ID]*Table, len(ts))
	for _, t := range ts {
		byID[t.ID] = t
	}
	out := make([]*Table, 0, len(ts))
	seen := make(map[ID]bool, len(ts))
	var visit func(t *Table)
	visit = func(t *Table) {
		if seen[t.ID] {
			return
		}
		seen[t.ID] = true
		for _, id := range t.needs() {
			if n := byID[id]; n != nil {
				visit(n)
			}
		}
		out = append(out, t)
	}
	for _, t := range ts {
		visit(t)
	}
	return out
}

// Sharers lists the queries that take rows from an object, by id.
func (s *Snapshot) Sharers(id ID) []*Table {
	var out []*Table
	for _, t := range s.Objects() {
		if slices.ContainsFunc(t.Shares, func(x Share) bool { return x.Object == id }) {
			out = append(out, t)
		}
	}
	return out
}

// Retire says what becomes of the objects that a change leaves without a name
// (going) or without those that shared them. gone end, each before what it takes rows
// from. kept work on for queries that stay, and are to be hidden.
func (s *Snapshot) Retire(going []*Table) (gone, kept []*Table) {
	sharers := map[ID][]ID{}
	hidden := []*Table{}
	for _, t := range s.Objects() {
		for _, x := range t.Shares {
			sharers[x.Object] = append(sharers[x.Object], t.ID)
		}
		if t.IndexOf != 0 {
			sharers[t.ID] = append(sharers[t.ID], t.IndexOf) // it lives as long
		}
		if t.Hidden {
			hidden = append(hidden, t)
		}
	}
	ended := map[ID]bool{}
	left := slices.Concat(going, hidden)
	for again := true; again; {
		again = false
		left = slices.DeleteFunc(left, func(t *Table) bool {
			if slices.ContainsFunc(sharers[t.ID], func(id ID) bool { return !ended[id] }) {
				return false
			}
			if !ended[t.ID] {
				ended[t.ID], again = true, true
				gone = append(gone, t)
			}
			return true
		})
	}
	slices.SortStableFunc(gone, func(a, b *Table) int { // an index reads what it is of
		return cmp.Compare(min(b.IndexOf, 1), min(a.IndexOf, 1))
	})
	for _, t := range left {
		if !t.Hidden {
			kept = append(kept, t)
		}
	}
	return gone, kept
}
