package planner_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/catalog"
	"streamsql/planner"
	"streamsql/planner/explain"
	"streamsql/planner/physical"
	"streamsql/planner/rule"
	"streamsql/sql/bind"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

const sqlMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES"

// world is a catalog in memory.
type world struct {
	cat     *catalog.Snapshot
	session catalog.Session
	next    catalog.ID
}

func newWorld(t testing.TB) *world {
	cat, err := catalog.NewSnapshot().WithDatabase(&catalog.Database{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return &world{cat: cat, session: catalog.Session{Database: "shop", SQLMode: sqlMode, DivPrecision: 4, TimeZone: "+00:00"}}
}

func (w *world) bind(sql string) (bind.Statement, error) {
	stmt, err := parser.New().Parse(sql, bind.ParserMode(sqlMode))
	if err != nil {
		return nil, err
	}
	return bind.Bind(stmt, &bind.Env{Catalog: w.cat, Session: w.session, Mode: bind.ParseMode(sqlMode)})
}

// create runs the statements of a schema.
func (w *world) create(script string) error {
	split := parser.Split(script)
	for {
		text, _, ok := split.Next()
		if !ok {
			return nil
		}
		stmt, err := w.bind(text)
		if err != nil {
			return err
		}
		s, ok := stmt.(*bind.CreateTable)
		if !ok {
			return fmt.Errorf("a schema has no %T", stmt)
		}
		w.next++
		t := *s.Table
		t.ID, t.Session = w.next, w.session
		if t.Kind == catalog.MaterializedView {
			p, err := planner.Plan(s.Query, planner.Options{Continuous: true})
			if err != nil {
				return err
			}
			if t.Plan, err = physical.Encode(p); err != nil {
				return err
			}
			t.Primary = p.Key
		}
		if w.cat, err = w.cat.WithTable(&t); err != nil {
			return err
		}
	}
}

// plan plans a SELECT; trace are the rules that fired.
func (w *world) plan(sql string, o planner.Options) (p *physical.Plan, trace []string, err error) {
	stmt, err := w.bind(sql)
	if err != nil {
		return nil, nil, err
	}
	var q *bind.Query
	switch s := stmt.(type) {
	case *bind.SelectStatement:
		q = s.Query
	case *bind.Update:
		q = s.Query
	case *bind.Delete:
		q = s.Query
	default:
		return nil, nil, fmt.Errorf("no query in a %T", stmt)
	}
	o.Trace = func(name string) { trace = append(trace, name) }
	p, err = planner.Plan(q, o)
	return p, trace, err
}

// TestPlans runs the scripts in testdata. A script has
//
//	schema: CREATE statements
//	plan [view | settled] [key]: the plan of a query, one-off or of a materialized
//	view; with its key
//	rule name=…: a rule that must fire in planning it as a view
//	no-rule name=…: one that must not
//	dot, json: the plan of a view in another form
func TestPlans(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "schema" {
				if err := w.create(d.Input); err != nil {
					return errorText(err)
				}
				return "ok"
			}
			o := planner.Options{Continuous: d.Cmd != "plan" || d.HasArg("view"), Settled: d.HasArg("settled")}
			p, trace, err := w.plan(d.Input, o)
			if err != nil {
				return errorText(err)
			}
			checkStored(t, p)
			switch d.Cmd {
			case "dot":
				return explain.Dot(p)
			case "json":
				return explain.JSON(p)
			case "rule", "no-rule":
				return fired(t, d, trace)
			}
			return explain.Text(p) + keyText(d, p)
		})
	})
}

// fired says whether the rule that d names was among those that fired, and fails
// the test if it should be the other way round.
func fired(t *testing.T, d *datadriven.TestData, trace []string) string {
	var name string
	d.ScanArgs(t, "name", &name)
	known := slices.ContainsFunc(rule.Rules, func(r rule.Rule) bool { return r.Name == name })
	if got := slices.Contains(trace, name); !known || got != (d.Cmd == "rule") {
		d.Fatalf(t, "%s: fired %v; these did: %s", name, got, strings.Join(trace, " "))
	}
	return map[string]string{"rule": "fired", "no-rule": "did not fire"}[d.Cmd]
}

func keyText(d *datadriven.TestData, p *physical.Plan) string {
	if !d.HasArg("key") {
		return ""
	}
	if p.Key == nil {
		return "a bag\n"
	}
	names := make([]string, len(p.Key))
	for i, k := range p.Key {
		names[i] = p.Output[k].Name
	}
	return "unique by (" + strings.Join(names, ", ") + ")\n"
}

func errorText(err error) string {
	e := sqlerr.From(err)
	return fmt.Sprintf("ERROR %d (%s): %s", e.Code, e.State, e.Message)
}

// checkStored verifies that a plan survives being stored.
func checkStored(t *testing.T, p *physical.Plan) {
	b, err := physical.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	q, err := physical.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(p, q) {
		t.Errorf("stored, the plan is another:\n%s", b)
	}
}
