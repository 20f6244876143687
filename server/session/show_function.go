package session

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// showFunctions answers SHOW FUNCTION STATUS: the functions of all databases.
func (s *Session) showFunctions() *table {
	t := newTable(routineColumns...)
	cat := s.server.catalog()
	for _, d := range cat.Databases() {
		for _, f := range cat.Functions(d.Name) {
			t.add(f.Database(), f.Name(), "FUNCTION", "", s.clock(f.AlteredAt), s.clock(f.CreatedAt), "DEFINER", f.Comment,
				defaultCharset, f.Session.Collation, databaseCollation(d))
		}
	}
	return t
}

// clock is a point of time as the session's clock shows it.
func (s *Session) clock(us int64) string {
	return string(types.AppendDateTime(nil, types.ToClock(us, s.settings.location), 0))
}

func databaseCollation(d *catalog.Database) string {
	if d.Collation == "" {
		return defaultCollation
	}
	return d.Collation
}

// showCreateFunction answers SHOW CREATE FUNCTION.
func (s *Session) showCreateFunction(n *ast.TableName) (*table, error) {
	db, name := tableName(n)
	db, err := s.database(db)
	if err != nil {
		return nil, err
	}
	cat := s.server.catalog()
	f, ok := cat.Function(db, name)
	if !ok {
		return nil, sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s does not exist", name)
	}
	d, _ := cat.Database(db)
	t := newTable("Function", "sql_mode", "Create Function", "character_set_client", "collation_connection", "Database Collation")
	t.add(f.Name(), f.Session.SQLMode, s.readable(functionText(f)), defaultCharset, f.Session.Collation, databaseCollation(d))
	return t, nil
}

// functionText is a statement that makes the function again.
func functionText(f *catalog.Function) string {
	d := f.Definition
	var b strings.Builder
	b.WriteString("CREATE ")
	if d.Aggregate {
		b.WriteString("AGGREGATE ")
	}
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = quoteName(p.Name) + " " + typeText(p.Type)
	}
	fmt.Fprintf(&b, "FUNCTION %s(%s) RETURNS %s\n", quoteName(d.Name), strings.Join(params, ", "), typeText(d.Returns))
	if f.Comment != "" {
		b.WriteString("COMMENT " + quoteText(f.Comment) + "\n")
	}
	b.WriteString("LANGUAGE " + strings.ToUpper(d.Language) + " AS ")
	switch d.Language {
	case "wasm":
		b.WriteString(quoteText(base64.StdEncoding.EncodeToString(d.Code)))
	case "javascript":
		mark := "$$"
		for i := 0; strings.Contains(string(d.Code), mark); i++ {
			mark = fmt.Sprintf("$code%d$", i)
		}
		b.WriteString(mark + string(d.Code) + mark)
	default:
		b.WriteString(quoteText(string(d.Code)))
	}
	return b.String()
}

// typeText is a type as CREATE FUNCTION takes it.
func typeText(t types.Type) string {
	text := t.String()
	if name := infoschema.Collation(t); name != nil && name != defaultCollation {
		text += fmt.Sprint(" COLLATE ", name)
	}
	return text
}
