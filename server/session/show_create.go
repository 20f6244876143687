package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/sql/bind"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func (s *Session) showCreateDatabase(n *ast.ShowStmt) (*table, error) {
	db, err := s.database(n.DBName)
	if err != nil {
		return nil, err
	}
	collation := defaultCollation
	if d, ok := s.server.catalog().Database(db); ok && d.Collation != "" {
		collation = d.Collation
	}
	t := newTable("Database", "Create Database")
	t.add(db, "CREATE DATABASE "+quoteName(db)+" /*!40100 DEFAULT CHARACTER SET utf8mb4 COLLATE "+collation+" */")
	return t, nil
}

// showCreate answers SHOW CREATE TABLE and SHOW CREATE VIEW. As in MySQL the
// first shows a view as the second does.
func (s *Session) showCreate(n *ast.ShowStmt) (*table, error) {
	o, err := s.namedTable(n.Table, n.DBName)
	if err != nil {
		return nil, err
	}
	if n.Tp == ast.ShowCreateView && o.Kind != catalog.View && o.Kind != catalog.MaterializedView {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not VIEW", o.Database, o.Name)
	}
	return s.createTable(o), nil
}

func (s *Session) createTable(o *catalog.Table) *table {
	if o.Kind == catalog.View || o.Kind == catalog.MaterializedView { // dump programs tell views by the first title
		t := newTable("View", "Create View", "character_set_client", "collation_connection")
		t.add(o.Name, s.readable(createText(o)), defaultCharset, o.Session.Collation)
		return t
	}
	t := newTable("Table", "Create Table")
	t.add(o.Name, s.readable(createText(o)))
	return t
}

// readable is a statement as the session's sql_mode reads it.
func (s *Session) readable(text string) string { return parser.Requote(text, 0, s.settings.parserMode) }

// definition is the text of an object's query, as sql_mode's default reads it.
func definition(o *catalog.Table) string {
	return parser.Requote(o.Query, bind.ParserMode(o.Session.SQLMode), 0)
}

// createText is a statement that makes the object again, as sql_mode's default reads it.
func createText(o *catalog.Table) string {
	switch o.Kind {
	case catalog.View:
		return "CREATE VIEW " + quoteName(o.Name) + columnList(o) + " AS " + definition(o)
	case catalog.Sink:
		return "CREATE SINK " + quoteName(o.Name) + options(o) + " AS " + definition(o)
	case catalog.MaterializedView:
		return "CREATE MATERIALIZED VIEW " + quoteName(o.Name) + columnList(o) + options(o) + " AS " + definition(o)
	}
	var lines []string
	for _, c := range o.Visible() {
		lines = append(lines, "  "+columnText(o.Columns[c]))
	}
	for _, k := range infoschema.Keys(o) {
		names := make([]string, len(k.Columns))
		for i, c := range k.Columns {
			names[i] = quoteName(o.Columns[c].Name)
		}
		head := "UNIQUE KEY " + quoteName(k.Name)
		if k.Name == "PRIMARY" {
			head = "PRIMARY KEY"
		}
		lines = append(lines, "  "+head+" ("+strings.Join(names, ",")+")")
	}
	if o.Kind == catalog.BaseTable || o.Upsert() {
		for _, x := range o.Indexes {
			names := make([]string, len(x.Columns))
			for i, c := range x.Columns {
				names[i] = quoteName(o.Columns[c].Name)
			}
			lines = append(lines, "  KEY "+quoteName(x.Name)+" ("+strings.Join(names, ",")+")")
		}
	}
	if w := o.EventTime; w != nil {
		name := quoteName(o.Columns[w.Column].Name)
		line := "  WATERMARK FOR " + name + " AS " + name
		if w.Delay > 0 {
			line += " - INTERVAL " + delayText(w.Delay)
		}
		lines = append(lines, line)
	}
	if o.Kind == catalog.StreamTable || o.Kind == catalog.DimensionTable {
		kind := strings.ToUpper(string(o.Kind))
		if o.Temporary {
			kind = "TEMPORARY " + kind
		}
		return "CREATE " + kind + " " + quoteName(o.Name) + " (\n" + strings.Join(lines, ",\n") + "\n)" + options(o)
	}
	text := "CREATE TABLE " + quoteName(o.Name) + " (\n" + strings.Join(lines, ",\n") +
		"\n) ENGINE=StreamSQL DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
	if o.Comment != "" {
		text += " COMMENT=" + quoteText(o.Comment)
	}
	return text
}

// continuousQueryText is a statement that makes a continuous query again. What it writes
// into may have another name by now.
func (s *Session) continuousQueryText(o *catalog.Table) string {
	into, columns := "", ""
	if t, ok := s.server.catalog().TableByID(o.Into); ok {
		into = quoteName(t.Name)
		if t.Database != o.Database {
			into = quoteName(t.Database) + "." + into
		}
		var names []string
		for _, i := range o.IntoColumns {
			names = append(names, quoteName(t.Columns[i].Name))
		}
		if len(names) > 0 {
			columns = " (" + strings.Join(names, ",") + ")"
		}
	}
	return "CREATE CONTINUOUS QUERY " + quoteName(o.Name) + " INTO " + into + columns + options(o) + " AS " + definition(o)
}

// delayText is a number of microseconds in the largest unit that it is whole in.
func delayText(us int64) string {
	for _, u := range []struct {
		name string
		us   int64
	}{{"DAY", types.Day}, {"HOUR", types.Hour}, {"MINUTE", types.Minute}, {"SECOND", types.Second}} {
		if us%u.us == 0 {
			return fmt.Sprintf("%d %s", us/u.us, u.name)
		}
	}
	return fmt.Sprintf("%d MICROSECOND", us)
}

// columnText is a column's definition.
func columnText(c catalog.Column) string {
	text := quoteName(c.Name) + " " + c.Type.String()
	if name := infoschema.Collation(c.Type); name != nil && name != defaultCollation {
		text += fmt.Sprint(" COLLATE ", name)
	}
	if c.Generated != "" {
		kind := " VIRTUAL"
		if c.Stored {
			kind = " STORED"
		}
		text += " GENERATED ALWAYS AS (" + c.Generated + ")" + kind
	}
	if c.Type.NotNull {
		text += " NOT NULL"
	}
	switch {
	case c.Generated != "":
	case c.AutoIncrement:
		text += " AUTO_INCREMENT"
	case c.Default != nil:
		text += " DEFAULT " + *c.Default
	case !c.Type.NotNull:
		text += " DEFAULT NULL"
	}
	if c.Comment != "" {
		text += " COMMENT " + quoteText(c.Comment)
	}
	return text
}

func columnList(o *catalog.Table) string {
	var names []string
	for _, c := range o.Visible() {
		names = append(names, quoteName(o.Columns[c].Name))
	}
	return " (" + strings.Join(names, ",") + ")"
}

func options(o *catalog.Table) string {
	if len(o.Options) == 0 {
		return ""
	}
	var list []string
	for _, k := range slices.Sorted(maps.Keys(o.Options)) {
		value := quoteText(o.Options[k])
		if secret, ok := parser.SecretOf(o.Options[k]); ok {
			value = "SECRET " + quoteName(secret)
		}
		list = append(list, k+" = "+value)
	}
	return " WITH (" + strings.Join(list, ", ") + ")"
}

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

func quoteText(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
}
