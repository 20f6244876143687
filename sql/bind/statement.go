package bind

import (
	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/ingest"
	"streamsql/sql/types"
)

// Statement is a bound statement: one of the types below. What needs no names
// or types (SHOW, SET, USE, BEGIN, KILL …) the session takes from the parser.
type Statement interface{ needs() []catalog.Need }

// SelectStatement reads.
type SelectStatement struct {
	Query *Query
	AsOf  *AsOf // nil: now
	// Params are the types found for each `?`.
	Params []types.Type
	// Reads are the tables, streams and views named, for privileges (plain views by
	// their own name, not by what is in them).
	Reads []*catalog.Table
}

// Insert is INSERT, REPLACE and INSERT … ON DUPLICATE KEY UPDATE.
type Insert struct {
	Table *catalog.Table
	// Source gives the rows: its Out are Table's columns, in order, hidden ones and
	// defaults included, cast as an assignment does. A NULL in an AUTO_INCREMENT or
	// RowID column stands for the next number.
	Source *Query
	// Rows are the same as constants, one expression per column, when the
	// statement is VALUES lists; Source is nil then.
	Rows    [][]*expr.Expr
	Replace bool
	Ignore  bool
	// OnDuplicate are the assignments for a row that is already there. Expressions
	// see the old row's columns as OldCols and the row to be inserted as NewCols.
	OnDuplicate      []Assignment
	OldCols, NewCols []Col
	Params           []types.Type
	Reads            []*catalog.Table
}

// LoadData is LOAD DATA.
type LoadData struct {
	Table   *catalog.Table
	Local   bool // the client has the file
	File    string
	Layout  ingest.Layout
	Skip    uint64 // lines at the start
	Replace bool
	Ignore  bool
	// Fields are the columns that the fields of a line go into: of Table, and behind
	// those one for each user variable of the list.
	Fields    []int
	Variables int
	Set       []ingest.Generated // the assignments of SET, over all these columns
	Reads     []*catalog.Table
}

// Assignment sets column Column (a position in the table) to Expr, cast already.
type Assignment struct {
	Column int
	Expr   *expr.Expr
}

// Update changes the rows that Query gives: its Out are first the table's
// columns as they are, then the new value for each of Columns.
type Update struct {
	Table   *catalog.Table
	Query   *Query
	Columns []int // positions in the table that are assigned, in order
	Params  []types.Type
	Reads   []*catalog.Table
}

// Delete removes the rows that Query gives: its Out are the table's columns.
type Delete struct {
	Table    *catalog.Table
	Query    *Query
	Params   []types.Type
	Reads    []*catalog.Table
	Truncate bool // TRUNCATE: a transaction of its own, which does not tell how many rows there were
}

// CreateDatabase makes a namespace.
type CreateDatabase struct {
	Name        string
	IfNotExists bool
	Collation   types.Collation // of text columns that name none
}

// DropDatabase drops it with all that is in it.
type DropDatabase struct {
	Name     string
	IfExists bool
}

// CreateTable makes a stream table, table, view, materialized view, sink or continuous
// query. Table has no ID, Plan or CreatedAt yet. Query is set for the last four.
type CreateTable struct {
	Table       *catalog.Table
	Query       *Query
	IfNotExists bool
	OrReplace   bool
	Reads       []*catalog.Table // what the views' query names
	Into        *catalog.Table   // of a continuous query: what takes its rows
	Indexes     []*CreateIndex   // of the table, to be made with it
}

// DropTables drops objects of one kind.
type DropTables struct {
	Kind     catalog.Kind
	Names    []Name
	IfExists bool
	Cascade  bool
}

// Name is a qualified name; DB is filled in from the session.
type Name struct{ DB, Name string }

// Explain shows the plan of a statement.
type Explain struct {
	Format    string // "text", "json", "dot"
	Analyze   bool   // it is run, too
	Statement Statement
}
