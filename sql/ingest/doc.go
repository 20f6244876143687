// Package ingest turns rows that come as text or as Arrow into columns of a
// table: the literals of an INSERT, JSON, CSV, the lines of LOAD DATA. However a
// value came, it is stored as an INSERT stores it, with the same errors.
//
// A value that a column takes as it stands (a whole number in range, text that
// is not too long, a date that is written in full) goes into the column at once;
// all others go through the conversion of package builtin, one by one.
package ingest
