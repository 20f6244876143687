package bind

import (
	"flag"
	"os"
	"slices"
	"testing"

	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/reference"
)

var update = flag.Bool("update", false, "write docs/functions.md")

// TestFunctionsPage compares docs/functions.md with what it is made of.
func TestFunctionsPage(t *testing.T) {
	const file = "../../docs/functions.md"
	if *update {
		if err := os.WriteFile(file, []byte(reference.Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != reference.Page() {
		t.Error("docs/functions.md is not what package reference says: run with -update")
	}
}

// bound are the functions that the binder and the grammar answer themselves.
var bound = []string{
	"database", "schema", "version", "user", "session_user", "system_user", "current_user", "current_role", "connection_id", "last_insert_id", "row_count", "found_rows", "icu_version",
	"json_table", "cast", "convert", "values", "grouping", "name_const",
	"cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number",
}

// TestFunctionsAreThere asks of each function of the list whether there is one. A name
// that is not in the list cannot be called.
func TestFunctionsAreThere(t *testing.T) {
	for _, family := range reference.Families {
		for _, f := range family.Functions {
			for _, name := range f.Names() {
				if s, ok := synonyms[name]; ok {
					name = s
				}
				there := builtin.Known(name) || agg.IsAggregate(name) || slices.Contains(bound, name)
				if said := f.Refused == "" && family.Excluded == ""; there != said {
					t.Errorf("%s: the list says %v, it is there: %v", name, said, there)
				}
			}
		}
	}
	if here, refused := reference.Count(); refused*20 > here+refused {
		t.Errorf("%d functions are there, but %d refused: more than one in twenty", here, refused)
	}
}
