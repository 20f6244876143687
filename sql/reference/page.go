package reference

import (
	"fmt"
	"strings"
)

// Page is docs/functions.md: a table for each family.
func Page() string {
	var b strings.Builder
	here, refused := Count()
	fmt.Fprintf(&b, `# Functions
All functions and operators of MySQL 8.0's manual, and which of them are there: %d names, %d of them refused (error 1235, with the reason below); besides
them whole families are left out, which stand at the end. They give what MySQL 8.0 gives, in a view as in a query that is asked once. In a materialized view
what depends on the moment is the time of the batch, and what depends on chance or on the session is refused.

This page is made of package sql/reference: change that, then run `+"`go test ./sql/bind -run Functions -update`"+`.
`, here+refused, refused)
	for _, f := range Families {
		fmt.Fprintf(&b, "\n## %s\n", f.Title)
		if f.Excluded != "" {
			fmt.Fprintf(&b, "Not there: %s.\n\n", f.Excluded)
			var all []string
			for _, fn := range f.Functions {
				all = append(all, "`"+fn.Usage+"`")
			}
			b.WriteString(strings.Join(all, ", ") + "\n")
			continue
		}
		b.WriteString("| written | gives |\n|---|---|\n")
		for _, fn := range f.Functions {
			fmt.Fprintf(&b, "| %s | %s |\n", written(fn.Usage), fn.text())
		}
	}
	return b.String()
}

// written shows usages as code; a bar inside a table has to be escaped.
func written(usage string) string {
	return "`" + strings.ReplaceAll(usage, "|", "\\|") + "`"
}

func (f Function) text() string {
	switch {
	case f.Refused != "":
		return "refused: " + f.Refused
	case f.Varies == Clock:
		return f.Gives + " (in a materialized view that of the batch)"
	case f.Varies == Row, f.Varies == Session:
		return f.Gives + " (refused in a materialized view)"
	}
	return f.Gives
}

// Count is how many names of families that are not left out are there, and how
// many are refused.
func Count() (here, refused int) {
	for _, f := range Families {
		for _, fn := range f.Functions {
			switch n := len(distinct(fn.Names())); {
			case f.Excluded != "":
			case fn.Refused != "":
				refused += n
			default:
				here += n
			}
		}
	}
	return here, refused
}

func distinct(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
