// Package parser turns text into statements: TiDB's parser behind a pre-pass of
// our own that knows the dialect's words and keeps positions as typed.
package parser

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// Statement is one parsed statement.
type Statement struct {
	Text string // as typed, without the final semicolon
	// Node is TiDB's tree; nil for the statements that are wholly ours.
	Node ast.StmtNode
	// Params are the `?` in the order of the text.
	Params []*Param
	// Warnings are what the parser noticed and passed over, such as an unknown
	// optimizer hint.
	Warnings []*sqlerr.Error
	// Exactly one of these is set for a statement of the dialect.
	Stream  *StreamTable // Node is the *ast.CreateTableStmt of its columns and keys
	MatView *CreateMaterializedView
	Sink    *CreateSink
	Query   *CreateContinuousQuery
	Drop    *Drop
	// CreateFunction and DropFunction: see function.go.
	CreateFunction *CreateFunction
	DropFunction   *DropFunction
	// CreateSecret and DropSecret: see secret.go.
	CreateSecret *CreateSecret
	DropSecret   *DropSecret
	Flush        *FlushStreams
	Show         *ShowStreams
	// Subscribe, of the statements about results: see reading.go.
	Subscribe *Subscribe
	Control   *Control
	Analyze   *Analyze
	// AlterView: Node is CREATE OR REPLACE VIEW, of a view that must be there.
	AlterView bool
	// Alter: see alter.go.
	Alter *Alter
	// ExplainFormat, if set: not the statement, but its plan is wanted.
	ExplainFormat string
	// AsOf of a query; nil: it reads what is there now.
	AsOf *AsOf
	// Changes are the views of CHANGES(view, batch) in FROM, by the offset of the
	// second argument. In Node each is a subquery that selects just this.
	Changes map[int]*ast.TableName
	// AlterStream: Node is ALTER TABLE, of a stream table.
	AlterStream bool
	// NewRow is the name that INSERT … VALUES (…) AS new gives the inserted row,
	// for ON DUPLICATE KEY UPDATE; nil: it has none.
	NewRow *RowAlias
	// Windows are what WindowMark stands for, by index.
	Windows []*Window
	// Named are the names of derived tables that name their columns (NamedIndex).
	Named []ColumnNames
}

// RowAlias names a row, and its columns if the list is not empty.
type RowAlias struct {
	Name    string
	Columns []string
}

// StreamTable is what CREATE STREAM TABLE has beyond CREATE TABLE.
type StreamTable struct {
	// Dimension: it is CREATE DIMENSION TABLE, which has the same parts.
	Dimension bool
	// Temporary: it is CREATE TEMPORARY STREAM TABLE, which keeps no rows.
	Temporary bool
	Options   map[string]string // WITH (…), keys in lower case
	Watermark *Watermark        // nil: no event time
}

// Watermark is WATERMARK FOR column AS column [- INTERVAL amount unit].
type Watermark struct {
	Column string
	Amount string // of the interval, "0" if there is none
	Unit   string // in lower case, "second" if there is no interval
}

// CreateMaterializedView is CREATE MATERIALIZED VIEW.
type CreateMaterializedView struct {
	Name        *ast.TableName
	Columns     []string // the optional column list
	IfNotExists bool
	Options     map[string]string
	Query       ast.StmtNode // *ast.SelectStmt, *ast.SetOprStmt …
	QueryText   string       // as typed
	EmitOnClose bool         // EMIT ON WINDOW CLOSE
}

// Drop is DROP of the objects of the dialect, and of TABLE or VIEW with CASCADE.
type Drop struct {
	Kind     string // as package catalog names it: "stream table", "materialized view", …
	Names    []*ast.TableName
	IfExists bool
	Cascade  bool
}

// FlushStreams is FLUSH STREAMS [view, …] [WITH TIMEOUT seconds].
type FlushStreams struct {
	Names   []*ast.TableName
	Timeout float64 // seconds; 0: the session's
}

// ShowStreams is SHOW STREAM TABLES | MATERIALIZED VIEWS | STREAM STATUS …
type ShowStreams struct {
	What  string // in lower case: "stream tables", "materialized views", "stream status", "create materialized view", "create stream table"
	DB    string // FROM db, or empty
	Name  *ast.TableName
	Like  string
	Where ast.ExprNode // nil: none
}
