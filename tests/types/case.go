// Package types holds what a column takes to a table of cases: column type × value ×
// sql_mode, and what is stored then, with its warnings, as MySQL 8.0 does it. Each is
// asked over the wire, and of MariaDB; where MariaDB differs the reason stands beside
// the case.
//
// A file of testdata holds sections:
//
//	[TINYINT UNSIGNED] strict lax
//	-1
//	  strict: error 1264 Out of range value for column 'c' at row 1
//	  lax: 0  ! 1264 Out of range value for column 'c' at row 1
//	  mariadb lax: gives no warning
//
// that is a column's type and the sql_modes, then per value a line for each mode: what
// is stored and the warnings, or the error; and if MariaDB answers otherwise, why (in
// the mode named, or in all). Lines that begin with # are comments. The flag -update
// writes what the server answers; read it then.
package types

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// answer is what is stored, or an error; and the warnings (number, space, message).
type answer struct {
	value    string
	warnings []string
}

// section are the cases of a column.
type section struct {
	column string // its type and attributes
	modes  []string
	cases  []*item
}

// item is a value, or a comment of its own.
type item struct {
	comment string
	value   string
	want    map[string]answer // by mode
	mariadb map[string]string // by mode, "" for all: why MariaDB differs
}

// read reads a file of cases. What stands before the first section is a comment.
func read(t *testing.T, file string) []*section {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := []*section{{}}
	for n, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		s := out[len(out)-1]
		inside, indented := strings.CutPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "["):
			column, modes, ok := strings.Cut(line[1:], "] ")
			if !ok {
				t.Fatalf("%s:%d: no modes", file, n+1)
			}
			out = append(out, &section{column: column, modes: strings.Fields(modes)})
		case line == "" || strings.HasPrefix(line, "#"):
			s.cases = append(s.cases, &item{comment: line})
		case !indented:
			s.cases = append(s.cases, &item{value: line, want: map[string]answer{}, mariadb: map[string]string{}})
		default:
			name, rest, ok := strings.Cut(inside, ": ")
			if !ok || len(s.cases) == 0 || s.cases[len(s.cases)-1].value == "" {
				t.Fatalf("%s:%d: not a mode's line below a value", file, n+1)
			}
			c := s.cases[len(s.cases)-1]
			if mode, ok := strings.CutPrefix(name, "mariadb"); ok {
				c.mariadb[strings.TrimSpace(mode)] = rest
				continue
			}
			parts := strings.Split(rest, "  ! ")
			c.want[name] = answer{parts[0], parts[1:]}
		}
	}
	return out
}

// write is the reverse of read.
func write(t *testing.T, file string, sections []*section) {
	t.Helper()
	var b strings.Builder
	for _, s := range sections {
		if s.column != "" {
			fmt.Fprintf(&b, "[%s] %s\n", s.column, strings.Join(s.modes, " "))
		}
		for _, c := range s.cases {
			if c.value == "" {
				b.WriteString(c.comment + "\n")
				continue
			}
			b.WriteString(c.value + "\n")
			for _, m := range s.modes {
				fmt.Fprintf(&b, "  %s: %s\n", m, c.want[m])
			}
			for _, m := range append([]string{""}, s.modes...) {
				if why := c.mariadb[m]; why != "" {
					fmt.Fprintf(&b, "  %s: %s\n", strings.TrimSpace("mariadb "+m), why)
				}
			}
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
		value = "error " + first(n)
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

func (a answer) String() string {
	return strings.Join(append([]string{a.value}, a.warnings...), "  ! ")
}
