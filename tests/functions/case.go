// Package functions holds MySQL's functions, conversions and column types to tables
// of cases: an expression, its value and its warnings as MySQL 8.0 gives them. Each is
// asked over the wire, of columns in a materialized view, and of MariaDB; where
// MariaDB differs the reason stands beside the case.
//
// A file of testdata holds one family. A case is an expression on a line of its own and
// indented lines below it:
//
//	LOG(0)
//	  NULL
//	  ! 3020 Invalid argument for logarithm
//	  mariadb: gives no warning
//
// that is the value (or `error`, a number and a message), a line for each warning, and
// if MariaDB answers otherwise, why. `constant: …` says why the expression cannot be
// asked of a column. Lines that begin with # are comments. The flag -update writes
// what the server answers; read it then.
package functions

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// answer is what a server says of an expression: a value or an error, and warnings.
type answer struct {
	value    string
	warnings []string // number, space, message
}

// item is a case, or a comment of its own.
type item struct {
	comment  string
	expr     string
	want     answer
	mariadb  string // why MariaDB differs; empty: it does not
	constant string // why it is not asked of a column
}

// read reads a file of cases.
func read(t *testing.T, file string) []item {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []item
	valued := false
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		inside, indented := strings.CutPrefix(line, "  ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			out = append(out, item{comment: line})
			continue
		case !indented:
			out, valued = append(out, item{expr: line}), false
			continue
		case len(out) == 0 || out[len(out)-1].expr == "":
			t.Fatalf("%s:%d: no expression above", file, n+1)
		}
		c := &out[len(out)-1]
		if w, ok := strings.CutPrefix(inside, "! "); ok {
			c.want.warnings = append(c.want.warnings, w)
		} else if why, ok := strings.CutPrefix(inside, "mariadb: "); ok {
			c.mariadb = why
		} else if why, ok := strings.CutPrefix(inside, "constant: "); ok {
			c.constant = why
		} else if !valued {
			c.want.value, valued = inside, true
		} else {
			t.Fatalf("%s:%d: a second value", file, n+1)
		}
	}
	return out
}

// write is the reverse of read.
func write(t *testing.T, file string, items []item) {
	t.Helper()
	var b strings.Builder
	for _, c := range items {
		if c.expr == "" {
			b.WriteString(c.comment + "\n")
			continue
		}
		fmt.Fprintf(&b, "%s\n  %s\n", c.expr, c.want.value)
		for _, w := range c.want.warnings {
			fmt.Fprintf(&b, "  ! %s\n", w)
		}
		if c.mariadb != "" {
			fmt.Fprintf(&b, "  mariadb: %s\n", c.mariadb)
		}
		if c.constant != "" {
			fmt.Fprintf(&b, "  constant: %s\n", c.constant)
		}
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// numbers are an answer without the words of its warnings and error, in which the
// servers differ.
func (a answer) numbers() string {
	value := a.value
	if n, ok := strings.CutPrefix(value, "error "); ok {
		if value = "error " + first(n); first(n) == "1064" { // arguments that the other's grammar counts
			value = "error 1582"
		}
	}
	var w []string
	for _, text := range a.warnings {
		w = append(w, first(text))
	}
	return value + " " + strings.Join(w, ",")
}

func first(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

func (a answer) String() string { return a.value + "  " + strings.Join(a.warnings, "; ") }
