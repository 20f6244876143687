// Package reference is the list of MySQL 8.0's functions: what each gives, whether
// its answer depends on more than its arguments, and of those that are not there
// why. The binder takes its refusals from it, and docs/functions.md is made of it. It
// is a leaf; the signatures and the code of the functions are package builtin's.
package reference

import "strings"

// Varies says what a function's answer depends on besides its arguments.
type Varies uint8

// What a function's answer may depend on.
const (
	Never   Varies = iota
	Clock          // the moment: in a continuous query the time of the batch
	Row            // chance: another value for each row
	Session        // who asks
)

// Function is an entry of the list, under one name or several that mean the same.
type Function struct {
	Usage   string // how it is written; synonyms follow after commas
	Gives   string // what it gives, in a few words
	Varies  Varies
	Refused string // why it is not there; empty: it is
}

// Family is a section of the list.
type Family struct {
	Title     string
	Excluded  string // why the whole family is left out; empty: it is not
	Functions []Function
}

// Families are all sections, in the order of the manual.
var Families = []Family{
	operators, control, numeric, dates, text, patterns, casts, bits, secrets, information, json, miscellaneous,
	aggregates, windows, locking, replication, xml, spatial, fullText,
}

// Names are the names under which the function is called, in lower case; operators
// have none.
func (f Function) Names() []string {
	var out []string
	for rest := f.Usage; rest != ""; rest = afterCall(rest) {
		if i := strings.IndexAny(rest, " (,"); i > 0 && rest[i] == '(' {
			out = append(out, strings.ToLower(rest[:i]))
		}
	}
	return out
}

// afterCall is what follows the first usage of a list of them.
func afterCall(s string) string {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				return strings.TrimSpace(s[i+1:])
			}
		}
	}
	return ""
}

// Entry is a function with its family.
type Entry struct {
	Function
	Family *Family
}

// Why says why the function is not there; empty: it is.
func (e Entry) Why() string {
	if e.Refused == "" {
		return e.Family.Excluded
	}
	return e.Refused
}

var byName = func() map[string]Entry {
	m := map[string]Entry{}
	for i := range Families {
		for _, f := range Families[i].Functions {
			for _, name := range f.Names() {
				m[name] = Entry{f, &Families[i]}
			}
		}
	}
	return m
}()

// Find finds a function by its name in lower case.
func Find(name string) (Entry, bool) {
	if e, ok := byName[name]; ok {
		return e, true
	}
	for _, prefix := range spatialPrefixes {
		if strings.HasPrefix(name, prefix) {
			return Entry{Function{Usage: strings.ToUpper(name) + "()"}, &Families[len(Families)-2]}, true
		}
	}
	return Entry{}, false
}

// VariesBy is what the answer of a function depends on besides args arguments.
func VariesBy(name string, args int) Varies {
	if name == "unix_timestamp" && args > 0 {
		return Never
	}
	return byName[name].Varies
}
