// Package manual runs the examples of docs/sql.md: each says what it gives, and
// gives that.
//
// The page's sql blocks run in order, in a database of its own for each section
// ("## …"), as the built-in shell runs them. Where a text block follows, it is
// what the shell prints, to the character; an error is printed there too. Where
// none follows, the block prints no error.
//
//	go test ./tests/manual -update     writes the text blocks anew
package manual
