package infoschema

import "streamsql/catalog"

// Errors is streamsql.errors: the rows that continuous queries could not compute.
// The engine knows them.
const Errors catalog.ID = engineFirst + 1

// LateRows is streamsql.late_rows: how many rows of each stream came too late for
// all windows of a view.
const LateRows catalog.ID = engineFirst + 2

// engineDefinitions are the views of streamsql, whose rows the engine makes.
var engineDefinitions = []definition{
	{`errors: database_name view_name batch_id# operator code# reason+ row_values+ count#`, nil},
	{`late_rows: database_name view_name stream_database stream_name row_count#`, nil},
}
