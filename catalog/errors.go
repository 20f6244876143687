package catalog

import "streamsql/sql/sqlerr"

// UnknownDatabase is error 1049.
func UnknownDatabase(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.BadDB, "Unknown database '%s'", name)
}

// NoSuchTable is error 1146.
func NoSuchTable(db, name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", db, name)
}
