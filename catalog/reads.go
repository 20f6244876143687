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
