package infoschema

import "streamsql/catalog"

// The views of streamsql, whose rows the engine makes, in the order of the
// definitions: the rows that continuous queries could not compute, how many rows of each
// stream came too late for all windows of a view, the queries,
// their operators, the batches that are remembered, the partitions of streams, and
// what resource groups may use and have used, and how the caches of dimension tables do,
// and what sinks have delivered.
const (
	Errors catalog.ID = engineFirst + 1 + iota
	LateRows
	Jobs
	Operators
	Batches
	Partitions
	Tenants
	Usage
	Dimensions
	Sinks
)

// ProcessList is information_schema.PROCESSLIST, whose rows the server makes.
const ProcessList catalog.ID = FirstID + 1

var engineDefinitions = []definition{
	{`errors: database_name view_name batch_id# operator code# reason+ row_values+ count#`, nil},
	{`late_rows: database_name view_name stream_database stream_name row_count#`, nil},
	{`jobs: database_name name kind state batch_id# behind_batches# behind_rows# lag_ms# result_rows# rows_in# batches# row_errors#
		history_done# history_total# history_left_s# watermark% checkpoint_batch# changes_after# subscribers# memory_bytes# cpu_us# late_rows# reason+`, nil},
	{`operators: database_name name operator_id# operator description+ tasks# rows_in# rows_out# cpu_us# state_rows# state_bytes#`, nil},
	{`batches: batch_id# time! log_sequence# durable#`, nil},
	{`partitions: database_name name partition_id# next_offset# watermark% read_cpu_us#`, nil},
	{`tenants: name weight`, nil},
	{`usage: name cpu_us# memory_bytes# queries#`, nil},
	{`dimension_tables: database_name table_name connector entries# hits# misses# questions# failures# last_error+`, nil},
	{`sinks: database_name name connector changelog state batch_id# delivered# retractions# reason+`, nil},
}
