package session

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func (s *Session) showDatabases() *table {
	t := newTable("Database")
	for _, d := range s.server.catalog().Databases() {
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
	if _, ok := s.server.catalog().Database(name); !ok {
		return "", catalog.UnknownDatabase(name)
	}
	return name, nil
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
	for _, o := range s.server.catalog().Tables(db) {
		if o.Delivers() { // nothing that could be read
			continue
		}
		if n.Full {
			t.add(o.Name, infoschema.TableType(o.Kind))
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
	for _, o := range s.server.catalog().Tables(db) {
		if o.Delivers() { // nothing that could be read
			continue
		}
		created := string(types.AppendDateTime(nil, types.ToClock(o.CreatedAt, s.settings.location), 0))
		if o.Kind == catalog.View || o.Kind == catalog.Virtual {
			t.add(o.Name, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, created, nil, nil, nil, nil, nil, "VIEW")
			continue
		}
		t.add(o.Name, "StreamSQL", 10, "Dynamic", nil, nil, nil, nil, nil, nil, nil, created, nil, nil, defaultCollation, nil, "",
			infoschema.Comment(o))
	}
	return t, nil
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
	for _, i := range o.Visible() {
		c := o.Columns[i]
		null := "YES"
		if c.Type.NotNull {
			null = "NO"
		}
		def, extra := infoschema.Default(c)
		if n.Full {
			t.add(c.Name, c.Type.String(), infoschema.Collation(c.Type), null, infoschema.KeyOf(o, i), def, extra, "select,insert,update,references", c.Comment)
		} else {
			t.add(c.Name, c.Type.String(), null, infoschema.KeyOf(o, i), def, extra)
		}
	}
	return t, nil
}

func (s *Session) showIndex(n *ast.ShowStmt) (*table, error) {
	o, err := s.namedTable(n.Table, n.DBName)
	if err != nil {
		return nil, err
	}
	t := newTable("Table", "Non_unique#", "Key_name", "Seq_in_index#", "Column_name", "Collation", "Cardinality#", "Sub_part#",
		"Packed", "Null", "Index_type", "Comment", "Index_comment", "Visible", "Expression")
	add := func(nonUnique int, name string, columns []int) {
		for i, c := range columns {
			null := "YES"
			if o.Columns[c].Type.NotNull {
				null = ""
			}
			t.add(o.Name, nonUnique, name, i+1, o.Columns[c].Name, "A", 0, nil, nil, null, "BTREE", "", "", "YES", nil)
		}
	}
	for _, k := range infoschema.Keys(o) {
		add(0, k.Name, k.Columns)
	}
	for _, x := range o.Indexes {
		add(1, x.Name, x.Columns)
	}
	return t, nil
}
