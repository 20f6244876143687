package catalog

// InSight are the places of the columns in the order in which people see them, with the
// hidden ones where they stand.
func (t *Table) InSight() []int {
	if t.Order != nil {
		return t.Order
	}
	out := make([]int, len(t.Columns))
	for i := range out {
		out[i] = i
	}
	return out
}

// Visible are the places of the columns that are not hidden, in the order in which people
// see them.
func (t *Table) Visible() []int {
	var out []int
	for _, i := range t.InSight() {
		if !t.Columns[i].Hidden {
			out = append(out, i)
		}
	}
	return out
}

// FoundBy are the columns by which an index finds a row: of a table or an upsert stream
// the primary key, of a view all.
func (t *Table) FoundBy() []int {
	if t.Kind != MaterializedView {
		return t.Primary
	}
	all := make([]int, len(t.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}
