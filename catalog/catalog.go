// Package catalog holds what exists: immutable descriptors of databases,
// tables, streams and views. Plans are opaque bytes here.
package catalog

import (
	"streamsql/sql/types"
)

// ID names an object for ever; it is never given again. 0 is nobody's.
type ID uint64

// Kind of an object.
type Kind string

// The kinds of objects.
const (
	StreamTable      Kind = "stream table"
	BaseTable        Kind = "table"
	DimensionTable   Kind = "dimension table" // its rows are elsewhere
	View             Kind = "view"
	MaterializedView Kind = "materialized view"
	Sink             Kind = "sink"             // a continuous query whose result goes elsewhere
	ContinuousQuery  Kind = "continuous query" // one whose result goes into a stream table or table
	Virtual          Kind = "system view"      // computed when read; not in the log
)

// Database is a namespace.
type Database struct {
	ID        ID     `json:"id"`
	Name      string `json:"name"`
	Collation string `json:"collation"`
}

// Column of a table, stream or view.
type Column struct {
	Name          string     `json:"name"`
	Type          types.Type `json:"type"`
	Default       *string    `json:"default,omitempty"` // the DEFAULT's SQL text; nil: none
	AutoIncrement bool       `json:"auto_increment,omitempty"`
	Generated     string     `json:"generated,omitempty"` // the SQL text of AS (…); empty: a value is given
	Stored        bool       `json:"stored,omitempty"`    // as written; it is computed when a row is written either way
	Comment       string     `json:"comment,omitempty"`
	// Hidden columns are not in `*` nor in SHOW: the row id of a table without a
	// primary key.
	Hidden bool `json:"hidden,omitempty"`
	// Since is an id given when ALTER added the column, and greater than those of all
	// objects before; 0: the table was created with it.
	Since ID `json:"since,omitempty"`
	// Initial is the value in rows that were written before the column was added: a row
	// of that one column, as package state encodes it.
	Initial []byte `json:"initial,omitempty"`
	// Dropped: nobody sees the column any more. Its place stays, since plans and rows know
	// columns by their places; it is Hidden, and new rows have NULL there.
	Dropped bool `json:"dropped,omitempty"`
}

// RowID is the name of the hidden key column of a table without a primary key.
const RowID = "_row_id"

// Key is a unique key.
type Key struct {
	Name    string `json:"name"` // PRIMARY for the primary key
	Columns []int  `json:"columns"`
}

// SecondaryIndex finds rows by columns. It is kept by a continuous query without a name, Object,
// over the table: its rows are the values of Columns and then those of FoundBy.
type SecondaryIndex struct {
	Name    string `json:"name"`
	Columns []int  `json:"columns"`
	Object  ID     `json:"object"`
}

// Session is what a definition captured of the session that made it.
type Session struct {
	Database     string `json:"database"`
	TimeZone     string `json:"time_zone"`
	SQLMode      string `json:"sql_mode"`
	Collation    string `json:"collation"`
	DivPrecision int    `json:"div_precision_increment"`
	ConcatMaxLen int    `json:"group_concat_max_len"`
	// Apart: the query neither takes rows from others nor gives them any.
	Apart     bool   `json:"apart,omitempty"`
	BlockMode string `json:"block_encryption_mode,omitempty"`
}

// Table describes any object that can stand in FROM. It is immutable.
type Table struct {
	ID       ID       `json:"id"`
	Database string   `json:"database"`
	Name     string   `json:"name"`
	Kind     Kind     `json:"kind"`
	Columns  []Column `json:"columns"` // in the order in which they were made, in which rows have them
	// Order is the places of the columns in the order in which people see them; nil: as
	// they stand.
	Order []int `json:"order,omitempty"`
	// Primary is the primary key: of a table without one, the hidden row id; of a
	// materialized view the unique key that the planner found; nil: a bag.
	Primary []int `json:"primary,omitempty"`
	Unique  []Key `json:"unique,omitempty"` // further unique keys
	// Indexes by which rows are looked up, besides the keys.
	Indexes []SecondaryIndex  `json:"indexes,omitempty"`
	Options map[string]string `json:"options,omitempty"`
	// Temporary: a stream that keeps no rows; who reads it has those that come.
	Temporary bool `json:"temporary,omitempty"`
	// EventTime of a stream; nil: it has none.
	EventTime *EventTime `json:"event_time,omitempty"`
	// LateRows is the stream that takes the late rows of a materialized view; 0: none.
	LateRows ID `json:"late_rows,omitempty"`
	// Into is what takes the result of a ContinuousQuery; 0: of another kind.
	Into ID `json:"into,omitempty"`
	// IntoColumns are the columns of Into that its statement names, in that order; nil: none.
	IntoColumns []int `json:"into_columns,omitempty"`
	// Partitions of a stream: see PartitionCount.
	Partitions int     `json:"partitions,omitempty"`
	Text       string  `json:"text"`            // the CREATE statement as typed
	Query      string  `json:"query,omitempty"` // views: the SELECT as typed
	Session    Session `json:"session"`
	Plan       []byte  `json:"plan,omitempty"` // continuous query: the physical plan
	// Reads are the objects that the query names directly; of a materialized view,
	// whose plan holds them, also those that it reads through plain views.
	Reads []ID `json:"reads,omitempty"`
	// Sees is the last id given when a view was created: it sees no column that was added
	// since, as if its text named those that there were.
	Sees ID `json:"sees,omitempty"`
	// Calls are the functions of the user's own that the query calls, itself or through
	// plain views. A continuous query goes on with their code as it was when it was created.
	Calls   []ID   `json:"calls,omitempty"`
	Comment string `json:"comment,omitempty"`
	// AutoIncrement is the first number of its AUTO_INCREMENT column; 0: 1.
	AutoIncrement uint64 `json:"auto_increment,omitempty"`
	CreatedAt     int64  `json:"created_at"` // microseconds since 1970 UTC
	// Paused: the continuous query stands still.
	Paused bool `json:"paused,omitempty"`
	// Generation counts how often the continuous query was begun anew: each has a
	// state of its own.
	Generation uint64 `json:"generation,omitempty"`
	// Shares are the nodes of Plan whose rows the continuous query takes from others.
	Shares []Share `json:"shares,omitempty"`
	// Hidden: no name leads to it, it only works for the queries that share it. Name is
	// what it was called, and its id.
	Hidden bool `json:"hidden,omitempty"`
	// IndexOf is the table or view that the query, which is hidden, is an index of; 0: none.
	IndexOf ID `json:"index_of,omitempty"`
	// LogFrom is the end of the commit log when a stream or table was created: its rows
	// stand behind it.
	LogFrom uint64 `json:"log_from,omitempty"`
}

// Continuous reports a query that runs: its plan is kept, and kept up to date by.
func (t *Table) Continuous() bool { return t.Kind == MaterializedView || t.Delivers() }

// Delivers reports a continuous query whose result goes elsewhere: nobody reads it by
// the query's name.
func (t *Table) Delivers() bool { return t.Kind == Sink || t.Kind == ContinuousQuery }

// Reader looks things up in one version of the catalog. Database and object
// names are compared as written (lower_case_table_names = 0), column names
// without regard to case. It is immutable and safe for all.
type Reader interface {
	Version() uint64
	Database(name string) (*Database, bool)
	Databases() []*Database // by name
	Table(db, name string) (*Table, bool)
	TableByID(id ID) (*Table, bool)
	Tables(db string) []*Table                  // by name
	Readers(id ID) []*Table                     // objects with a name that have id among their Reads, by name
	Function(db, name string) (*Function, bool) // the name in any case
	Functions(db string) []*Function            // by name
	Callers(id ID) []*Table                     // objects that have id among their Calls, by name
	Secret(name string) (*Secret, bool)
	Secrets() []*Secret // by name
}
