package catalog

// ReadsFrom reports whether id is target or reads it, over any number of views.
func ReadsFrom(r Reader, id, target ID) bool {
	if id == target {
		return true
	}
	t, ok := r.TableByID(id)
	if !ok {
		return false
	}
	for _, next := range t.Reads {
		if ReadsFrom(r, next, target) {
			return true
		}
	}
	return false
}

// Feeds reports whether rows of source come, sooner or later, into what is made of id:
// it is source, reads it, or takes the result of a query that does.
func Feeds(r Reader, source, id ID) bool {
	f := feeding{reader: r, source: source, seen: map[ID]bool{}}
	return f.visit(id)
}

type feeding struct {
	reader Reader
	source ID
	seen   map[ID]bool
}

func (f *feeding) visit(id ID) bool {
	if id == f.source {
		return true
	}
	t, ok := f.reader.TableByID(id)
	if !ok || f.seen[id] {
		return false
	}
	f.seen[id] = true
	for _, next := range t.Reads {
		if next != t.Into && next != t.LateRows && f.visit(next) {
			return true
		}
	}
	for _, w := range f.reader.Readers(id) { // who writes to it has it among its Reads
		if (w.Into == id || w.LateRows == id) && f.visit(w.ID) {
			return true
		}
	}
	return false
}
