// Package jsontable makes rows of JSON documents: it is JSON_TABLE.
package jsontable

import "streamsql/sql/types"

// Table says which rows a document has, and what stands in them. A value at Path is
// a row; with several columns Nested, it is a row for each value that one of them
// finds in it, the others NULL, and one row where none finds any.
type Table struct {
	Path    string   `json:"path"`
	Columns []Column `json:"columns"`
}

// Column is a column, or with Nested, those of a table inside the row's value.
type Column struct {
	Name string     `json:"name,omitempty"`
	Type types.Type `json:"type"`
	Path string     `json:"path,omitempty"` // of the value in the row's
	// Ordinality: the number of the row in its table, from 1. Exists: whether anything
	// is at Path.
	Ordinality bool `json:"ordinality,omitempty"`
	Exists     bool `json:"exists,omitempty"`
	// OnEmpty says what stands where nothing is at Path, OnError where it does not fit.
	OnEmpty Response `json:"on_empty"`
	OnError Response `json:"on_error"`
	Nested  *Table   `json:"nested,omitempty"`
}

// Response is what stands in place of a value: an error, a default, else NULL.
type Response struct {
	Error   bool   `json:"error,omitempty"`
	Default string `json:"default,omitempty"` // a JSON text; empty: NULL
}

// Flat are the columns in the order in which they were written, those of nested
// tables in their place.
func (t *Table) Flat() []Column {
	var out []Column
	for _, c := range t.Columns {
		if c.Nested != nil {
			out = append(out, c.Nested.Flat()...)
		} else {
			out = append(out, c)
		}
	}
	return out
}
