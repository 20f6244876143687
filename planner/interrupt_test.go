package planner_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"streamsql/planner"
	"streamsql/sql/bind"
)

// TestInterrupted: a plan of many joins is given up when somebody says so, soon,
// and not for nothing.
func TestInterrupted(t *testing.T) {
	w := newWorld(t)
	if err := w.create("CREATE TABLE t (id INT PRIMARY KEY, n INT)"); err != nil {
		t.Fatal(err)
	}
	var tables, conds []string
	for i := range 12 {
		tables = append(tables, fmt.Sprintf("t AS t%d", i))
		if i > 0 {
			conds = append(conds, fmt.Sprintf("t%d.id = t%d.n", i, i-1))
		}
	}
	stmt, err := w.bind("SELECT COUNT(*) FROM " + strings.Join(tables, ", ") + " WHERE " + strings.Join(conds, " AND "))
	if err != nil {
		t.Fatal(err)
	}
	q := stmt.(*bind.SelectStatement).Query
	var rules []string
	asked := 0
	options := planner.Options{
		Trace:       func(name string) { rules = append(rules, name) },
		Interrupted: func() error { asked++; return nil },
	}
	if _, err := planner.Plan(q, options); err != nil {
		t.Fatal(err)
	}
	all, whole := len(rules), asked
	if all < 5 || whole < all {
		t.Fatalf("%d rules, asked %d times", all, whole)
	}
	enough := errors.New("enough")
	for _, after := range []int{0, 10, whole / 2, whole - 1} {
		rules, asked = nil, 0
		options.Interrupted = func() error {
			if asked++; asked > after {
				return enough
			}
			return nil
		}
		if _, err := planner.Plan(q, options); !errors.Is(err, enough) {
			t.Errorf("after %d questions: %v", after, err)
		}
		if len(rules) > after || after < whole/2 && len(rules) == all {
			t.Errorf("after %d questions %d of %d rules changed the tree", after, len(rules), all)
		}
		if asked > after+3 {
			t.Errorf("asked %d times, and was told to stop after %d", asked, after)
		}
	}
}
