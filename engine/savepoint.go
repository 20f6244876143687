package engine

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

// savepoint is where a transaction stood: how far the write set of each table
// was, and how many chunks each stream had.
type savepoint struct {
	name    string
	touched int // of the transaction's order
	marks   map[catalog.ID]int
}

func (t *tx) Savepoint(name string) {
	if at := t.savedAt(name); at >= 0 {
		t.saved = slices.Delete(t.saved, at, at+1)
	}
	s := savepoint{name: name, touched: len(t.order), marks: map[catalog.ID]int{}}
	for _, id := range t.order {
		if w := t.tables[id]; w != nil {
			s.marks[id] = w.Mark()
		} else {
			s.marks[id] = len(t.streams[id])
		}
	}
	t.saved = append(t.saved, s)
}

func (t *tx) RollbackTo(name string) error {
	at := t.savedAt(name)
	if at < 0 {
		return noSavepoint(name)
	}
	s := t.saved[at]
	for _, id := range t.order[s.touched:] {
		delete(t.tables, id)
		delete(t.streams, id)
	}
	t.order = t.order[:s.touched]
	for id, mark := range s.marks {
		if w := t.tables[id]; w != nil {
			w.UndoTo(mark)
		} else {
			t.streams[id] = t.streams[id][:mark]
		}
	}
	t.saved = t.saved[:at+1]
	return nil
}

func (t *tx) Release(name string) error {
	at := t.savedAt(name)
	if at < 0 {
		return noSavepoint(name)
	}
	t.saved = t.saved[:at]
	return nil
}

func (t *tx) savedAt(name string) int {
	return slices.IndexFunc(t.saved, func(s savepoint) bool { return strings.EqualFold(s.name, name) })
}

func noSavepoint(name string) error {
	return sqlerr.New(sqlerr.SPDoesNotExist, "SAVEPOINT %s does not exist", name)
}
