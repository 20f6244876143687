package session

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func (s *Session) showDatabases() *table {
	t := newTable("Database")
	for _, d := range s.server.engine.Catalog().Databases() {
		t.add(d.Name)
	}
	return t
}

// database is the one that a SHOW names, or the current one.
func (s *Session) database(name string) (string, error) {
	if name == "" {
		name = s.db
	}
	if name == "" {
		return "", sqlerr.New(sqlerr.NoDB, "No database selected")
	}
	if _, ok := s.server.engine.Catalog().Database(name); !ok {
		return "", catalog.UnknownDatabase(name)
	}
	return name, nil
}

// tableType is what SHOW FULL TABLES calls a kind: clients know these three words only.
func tableType(k catalog.Kind) string {
	switch k {
	case catalog.View, catalog.MaterializedView:
		return "VIEW"
	case catalog.Virtual:
		return "SYSTEM VIEW"
	}
	return "BASE TABLE"
}

func (s *Session) showTables(n *ast.ShowStmt) (*table, error) {
	db, err := s.database(n.DBName)
	if err != nil {
		return nil, err
	}
	columns := []string{"Tables_in_" + db}
	if n.Full {
		columns = append(columns, "Table_type")
	}
	t := newTable(columns...)
	for _, o := range s.server.engine.Catalog().Tables(db) {
		if n.Full {
			t.add(o.Name, tableType(o.Kind))
		} else {
			t.add(o.Name)
		}
	}
	return t, nil
}

func (s *Session) showTableStatus(n *ast.ShowStmt) (*table, error) {
	db, err := s.database(n.DBName)
	if err != nil {
		return nil, err
	}
	t := newTable("Name", "Engine", "Version#", "Row_format", "Rows#", "Avg_row_length#", "Data_length#", "Max_data_length#",
		"Index_length#", "Data_free#", "Auto_increment#", "Create_time", "Update_time", "Check_time", "Collation", "Checksum#",
		"Create_options", "Comment")
	for _, o := range s.server.engine.Catalog().Tables(db) {
		created := string(types.AppendDateTime(nil, types.ToClock(o.CreatedAt, s.settings.location), 0))
		if o.Kind == catalog.View || o.Kind == catalog.Virtual {
			t.add(o.Name, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, created, nil, nil, nil, nil, nil, "VIEW")
			continue
		}
		t.add(o.Name, "StreamSQL", 10, "Dynamic", nil, nil, nil, nil, nil, nil, nil, created, nil, nil, defaultCollation, nil, "",
			commentOf(o))
	}
	return t, nil
}

// commentOf is a table's comment, or its kind if that is not a plain table.
func commentOf(o *catalog.Table) string {
	if o.Comment == "" && o.Kind != catalog.BaseTable {
		return string(o.Kind)
	}
	return o.Comment
}

// namedTable finds the object that a SHOW names, if the user may see it.
func (s *Session) namedTable(n *ast.TableName, db string) (*catalog.Table, error) {
	schema, name := tableName(n)
	if db == "" {
		db = schema
	}
	return s.table(db, name)
}

func (s *Session) showColumns(n *ast.ShowStmt) (*table, error) {
	o, err := s.namedTable(n.Table, n.DBName)
	if err != nil {
		return nil, err
	}
	columns := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if n.Full {
		columns = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	t := newTable(columns...)
	for i, c := range o.Columns {
		if c.Hidden {
			continue
		}
		null := "YES"
		if c.Type.NotNull {
			null = "NO"
		}
		def, extra := shownDefault(c)
		if n.Full {
			t.add(c.Name, c.Type.String(), collationOf(c.Type), null, keyOf(o, i), def, extra, "select,insert,update,references", c.Comment)
		} else {
			t.add(c.Name, c.Type.String(), null, keyOf(o, i), def, extra)
		}
	}
	return t, nil
}

// shownDefault is the default of a column as SHOW prints it: a literal without
// its quotes; nil: none or NULL.
func shownDefault(c catalog.Column) (def any, extra string) {
	if c.AutoIncrement {
		return nil, "auto_increment"
	}
	if c.Default == nil || strings.EqualFold(*c.Default, "NULL") {
		return nil, ""
	}
	d := *c.Default
	switch {
	case len(d) >= 2 && d[0] == '\'' && d[len(d)-1] == '\'':
		return strings.ReplaceAll(d[1:len(d)-1], "''", "'"), ""
	case strings.Trim(d, "0123456789.-") == "":
		return d, ""
	default:
		return d, "DEFAULT_GENERATED"
	}
}

// collationOf is the name of a column's collation; nil: it is not text.
func collationOf(t types.Type) any {
	if !t.IsText() && t.Kind != types.Enum {
		return nil
	}
	switch t.Collation {
	case types.UTF8MB4GeneralCI:
		return "utf8mb4_general_ci"
	case types.UTF8MB40900AICI:
		return "utf8mb4_0900_ai_ci"
	case types.BinaryCollation:
		return "binary"
	default:
		return "utf8mb4_bin"
	}
}

// keyOf is PRI for a column of the primary key, UNI for a unique key of its own,
// MUL for the first column of a longer one.
func keyOf(o *catalog.Table, column int) string {
	for _, p := range o.Primary {
		if p == column {
			return "PRI"
		}
	}
	for _, u := range o.Unique {
		switch {
		case u.Columns[0] != column:
		case len(u.Columns) == 1:
			return "UNI"
		default:
			return "MUL"
		}
	}
	return ""
}

// keysOf are the keys of an object that a user sees, the primary key first.
func keysOf(o *catalog.Table) []catalog.Key {
	var keys []catalog.Key
	if len(o.Primary) > 0 && !o.Columns[o.Primary[0]].Hidden {
		keys = append(keys, catalog.Key{Name: "PRIMARY", Columns: o.Primary})
	}
	return append(keys, o.Unique...)
}

func (s *Session) showIndex(n *ast.ShowStmt) (*table, error) {
	o, err := s.namedTable(n.Table, n.DBName)
	if err != nil {
		return nil, err
	}
	t := newTable("Table", "Non_unique#", "Key_name", "Seq_in_index#", "Column_name", "Collation", "Cardinality#", "Sub_part#",
		"Packed", "Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression")
	for _, k := range keysOf(o) {
		for i, c := range k.Columns {
			null := "YES"
			if o.Columns[c].Type.NotNull {
				null = ""
			}
			t.add(o.Name, 0, k.Name, i+1, o.Columns[c].Name, "A", 0, nil, nil, null, "BTREE", "", "", "YES", nil)
		}
	}
	return t, nil
}
