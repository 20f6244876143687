// Package random makes random programs — tables, streams, changes, queries as
// materialized views made before, between and after the changes — and checks
// after each few steps that every view equals the one-off SELECT of its text, and
// that both equal what MariaDB says, where the views are plain ones.
//
//	go test ./tests/random -programs 2000 -seed 7 -workers 4
//
// A program is a function of its seed. One that fails is shrunk and printed as a
// .sql script. Arguments come after the package, and -run program picks one:
//
//	go test ./tests/random -run TestPrograms -programs 1 -seed 1234
//
// What only the dialect has (window table functions, FULL JOIN, FILTER, LATERAL,
// grouping sets, frames of GROUPS) is made in two forms (forms.go, dialect.go, cube.go,
// frame.go): ours, and a plain query of the same meaning for MariaDB. TestVariants runs programs in two ways on two servers
// of ours: rows in other portions and another order, one worker against eight,
// killed in the middle.
//
// The generator keeps to what MySQL and MariaDB define equally. It leaves out
// comparisons between text and numbers, DOUBLE that rounds or is -0, trailing spaces, overflow,
// comparisons of a quotient or AVG (MariaDB's of the digits that show), and division
// in changes (an error in strict mode). What it leaves out of JSON, text without regard
// to case and other types stands in kinds.go. Rows are compared by <=> only: where
// (a, b) = (c, d) is NULL, MariaDB says that it IS NOT NULL. FIELD, INTERVAL and
// others that a NULL does not make NULL are left out, since MariaDB takes a LEFT
// JOIN for an inner one by them; arithmetic with a row number, which is unsigned in
// MySQL alone; and HAVING without GROUP BY, where it finds
// MIN(x) > 1 true of no rows.
package random
