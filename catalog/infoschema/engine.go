package infoschema

import "streamsql/catalog"

// Errors is streamsql.errors: the rows that continuous queries could not compute.
// The engine knows them.
const Errors catalog.ID = engineFirst + 1

// engineDefinitions are the views of streamsql, whose rows the engine makes.
var engineDefinitions = []definition{
	{`errors: database_name view_name batch_id# operator code# reason+ row_values+ count#`, nil},
}
