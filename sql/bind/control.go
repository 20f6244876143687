package bind

import (
	"strings"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// Verb is what is done to a continuous query.
type Verb string

// The verbs.
const (
	Pause   Verb = "pause"   // it stays where it is
	Resume  Verb = "resume"  // it goes on from there
	Restart Verb = "restart" // it is filled anew, from history
)

// Control is PAUSE, RESUME or RESTART CONTINUOUS QUERY.
type Control struct {
	Verb  Verb
	Query *catalog.Table
}

// Analyze is EXPLAIN [ANALYZE] of a continuous query that runs.
type Analyze struct {
	Query    *catalog.Table
	Format   string
	PlanOnly bool // without ANALYZE
}

func (b *binder) control(n *parser.Control) (Statement, error) {
	t, err := b.table(n.Name)
	if err != nil {
		return nil, err
	}
	return &Control{Verb: Verb(n.Verb), Query: t}, continuous(t)
}

func (b *binder) analyze(n *parser.Analyze) (Statement, error) {
	t, err := b.table(n.Name)
	if err != nil {
		return nil, err
	}
	if t.Kind == catalog.View {
		return b.analyzePlain(t, n)
	}
	return &Analyze{Query: t, Format: n.Format, PlanOnly: n.PlanOnly}, continuous(t)
}

// analyzePlain binds EXPLAIN of a view that does not run as that of the query of all
// its rows.
func (b *binder) analyzePlain(t *catalog.Table, n *parser.Analyze) (Statement, error) {
	name := strings.NewReplacer("`", "``", "\x00", "`.`").Replace(t.Database + "\x00" + t.Name)
	q, err := parser.New().Parse("TABLE `"+name+"`", 0)
	if err != nil {
		return nil, err
	}
	stmt, err := b.statement(q)
	if err != nil {
		return nil, err
	}
	return &Explain{Format: n.Format, Analyze: !n.PlanOnly, Statement: stmt}, nil
}

// continuous refuses what does not run.
func continuous(t *catalog.Table) error {
	if !t.Continuous() {
		return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not a CONTINUOUS QUERY, but a %s", t.Database, t.Name, t.Kind)
	}
	return nil
}
