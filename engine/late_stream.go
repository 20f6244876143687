package engine

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// lateStream finds the stream of WITH (late_rows = 'name') of a view, or makes its
// descriptor, with the columns of the stream whose rows it takes; made says so.
func (e *Engine) lateStream(t *catalog.Table, plan *physical.Plan) (target *catalog.Table, made bool, err error) {
	cat := e.cat.Load()
	source, err := lateSource(cat, plan)
	if err != nil {
		return nil, false, err
	}
	db, name, qualified := strings.Cut(t.Options["late_rows"], ".")
	if !qualified {
		db, name = t.Database, db
	}
	if _, ok := cat.Database(db); !ok {
		return nil, false, catalog.UnknownDatabase(db)
	}
	if name == "" || strings.Contains(name, ".") || db == t.Database && name == t.Name {
		return nil, false, sqlerr.New(sqlerr.WrongTableName, "Incorrect table name '%s'", t.Options["late_rows"])
	}
	if old, ok := cat.Table(db, name); ok {
		return old, false, fitsLate(cat, old, source, t)
	}
	target = &catalog.Table{
		ID: e.nextID(), Database: db, Name: name, Kind: catalog.StreamTable,
		Session: t.Session, CreatedAt: t.CreatedAt, LogFrom: e.log.LastSeq(), Text: t.Text,
	}
	for _, c := range source.Columns {
		if !c.Hidden {
			target.Columns = append(target.Columns, catalog.Column{Name: c.Name, Type: c.Type})
		}
	}
	return target, true, nil
}

// checkWindows is error 1210 for options that say what becomes of late rows, of a
// view without a window that a row could be late for.
func checkWindows(t *catalog.Table, plan *physical.Plan) error {
	if plan == nil {
		return nil
	}
	for _, option := range []string{"allowed_lateness", "late_rows"} {
		if _, ok := t.Options[option]; ok && !plan.HasWindows() {
			return sqlerr.New(sqlerr.WrongArguments, "%s is for a view with windows of time (TUMBLE, HOP, SESSION or CUMULATE)", option)
		}
	}
	return nil
}

// lateSource is the one stream with event time that a plan reads.
func lateSource(cat catalog.Reader, plan *physical.Plan) (*catalog.Table, error) {
	var source *catalog.Table
	for _, id := range plan.Tables() {
		s, ok := cat.TableByID(catalog.ID(id))
		if !ok || s.Kind != catalog.StreamTable || s.EventTime == nil {
			continue
		}
		if source != nil {
			return nil, sqlerr.Unsupported("late_rows of a view over several stream tables with WATERMARK FOR")
		}
		source = s
	}
	if source == nil {
		return nil, sqlerr.New(sqlerr.WrongArguments, "late_rows is for a view over a stream table with WATERMARK FOR")
	}
	return source, nil
}

// fitsLate says why an existing table cannot take the late rows of a view; nil: it can.
func fitsLate(cat catalog.Reader, target, source, view *catalog.Table) error {
	bad := func(why string) error {
		return sqlerr.New(sqlerr.WrongArguments, "'%s.%s' cannot take late rows of '%s.%s': %s",
			target.Database, target.Name, source.Database, source.Name, why)
	}
	switch {
	case target.Kind != catalog.StreamTable || target.Upsert() || target.Options["connector"] != "":
		return bad("it is not a stream table without a primary key and a connector")
	case slices.ContainsFunc(view.Reads, func(id catalog.ID) bool { return catalog.Feeds(cat, target.ID, id) }):
		return bad("the view reads it")
	}
	columns := slices.DeleteFunc(slices.Clone(source.Columns), func(c catalog.Column) bool { return c.Hidden })
	if len(columns) != len(target.Columns) {
		return bad("it has another number of columns")
	}
	for i, c := range columns {
		at := target.Columns[i].Type
		if at.NotNull && !c.Type.NotNull {
			return bad("its column '" + target.Columns[i].Name + "' is NOT NULL")
		}
		if at.NotNull = c.Type.NotNull; at != c.Type {
			return bad("its column '" + target.Columns[i].Name + "' has another type")
		}
	}
	return nil
}

// withLate adds a stream for late rows that a view brings along to what a DDL
// statement makes, and starts it with the view.
func (e *Engine) withLate(next *catalog.Snapshot, target *catalog.Table, start func(bool)) (*catalog.Snapshot, func(bool), error) {
	next, err := next.WithTable(target)
	if err != nil {
		start(false)
		return nil, nil, err
	}
	own, err := e.prepareStream(target)
	if err != nil {
		start(false)
		return nil, nil, err
	}
	return next, func(yes bool) { own(yes); start(yes) }, nil
}
