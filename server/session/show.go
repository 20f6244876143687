package session

import (
	"context"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// show runs SHOW and DESCRIBE: it makes the whole table, then LIKE, WHERE and
// LIMIT keep rows of it.
func (s *Session) show(_ context.Context, n *ast.ShowStmt) (*Result, error) {
	t, err := s.showTable(n)
	if err != nil {
		return nil, err
	}
	if n.Pattern != nil {
		l, ok := n.Pattern.Pattern.(*parser.Literal)
		if !ok {
			return nil, sqlerr.Unsupported("SHOW … LIKE of an expression")
		}
		t.like(l.GetString())
		if n.Tp == ast.ShowDatabases || n.Tp == ast.ShowTables { // MySQL names the pattern
			t.fields[0].Name += " (" + l.GetString() + ")"
		}
	}
	if n.Column != nil { // DESCRIBE t column
		t.like(n.Column.Name.O)
	}
	if n.Where != nil {
		if err := s.where(t, n.Where); err != nil {
			return nil, err
		}
	}
	if n.Limit != nil {
		t.limit(n.Limit)
	}
	return t.result(), nil
}

// limit keeps the rows of a LIMIT of literals.
func (t *table) limit(l *ast.Limit) {
	number := func(n ast.ExprNode, otherwise int) int {
		if lit, ok := n.(*parser.Literal); ok {
			if v, ok := lit.GetValue().(int64); ok {
				return int(min(v, int64(t.chunk.N)))
			}
		}
		return otherwise
	}
	from := number(l.Offset, 0)
	t.chunk = t.chunk.Slice(from, min(t.chunk.N, from+number(l.Count, t.chunk.N)))
}

// emptyShows are the columns of what there is never a row of.
var emptyShows = map[ast.ShowStmtType][]string{
	ast.ShowTriggers: {"Trigger", "Event", "Table", "Statement", "Timing", "Created", "sql_mode", "Definer",
		"character_set_client", "collation_connection", "Database Collation"},
	ast.ShowEvents: {"Db", "Name", "Definer", "Time zone", "Type", "Execute at", "Interval value", "Interval field",
		"Starts", "Ends", "Status", "Originator#", "character_set_client", "collation_connection", "Database Collation"},
	ast.ShowProcedureStatus: routineColumns,
	ast.ShowFunctionStatus:  routineColumns,
	ast.ShowPlugins:         {"Name", "Status", "Type", "Library", "License"},
	ast.ShowOpenTables:      {"Database", "Table", "In_use#", "Name_locked#"},
	ast.ShowProfiles:        {"Query_ID#", "Duration", "Query"},
	ast.ShowProfile:         {"Status", "Duration"},
	ast.ShowMasterStatus:    {"File", "Position#", "Binlog_Do_DB", "Binlog_Ignore_DB", "Executed_Gtid_Set"},
}

var routineColumns = []string{"Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment",
	"character_set_client", "collation_connection", "Database Collation"}

// showTable makes what a SHOW shows, before any filter.
func (s *Session) showTable(n *ast.ShowStmt) (*table, error) {
	switch n.Tp {
	case ast.ShowDatabases:
		return s.showDatabases(), nil
	case ast.ShowTables:
		return s.showTables(n)
	case ast.ShowTableStatus:
		return s.showTableStatus(n)
	case ast.ShowColumns:
		return s.showColumns(n)
	case ast.ShowIndex:
		return s.showIndex(n)
	case ast.ShowCreateTable, ast.ShowCreateView:
		return s.showCreate(n)
	case ast.ShowCreateDatabase:
		return s.showCreateDatabase(n)
	case ast.ShowVariables:
		return s.showVariables(n.GlobalScope), nil
	case ast.ShowStatus:
		return s.showStatus(), nil
	case ast.ShowWarnings, ast.ShowErrors:
		return s.showDiagnostics(n), nil
	case ast.ShowProcessList:
		return s.showProcesses(n.Full), nil
	case ast.ShowFunctionStatus:
		return s.showFunctions(), nil
	case ast.ShowEngines:
		t := newTable("Engine", "Support", "Comment", "Transactions", "XA", "Savepoints")
		t.add("StreamSQL", "DEFAULT", "Tables, streams and continuous queries", "YES", "NO", "YES")
		return t, nil
	case ast.ShowCharset:
		return showCharsets(), nil
	case ast.ShowCollation:
		return showCollations(), nil
	case ast.ShowGrants:
		return s.showGrants(n)
	case ast.ShowPrivileges:
		return showPrivileges(), nil
	}
	if columns, ok := emptyShows[n.Tp]; ok {
		return newTable(columns...), nil
	}
	return nil, sqlerr.Unsupported("this SHOW statement")
}
