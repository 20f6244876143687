// Package slt runs SQL scripts with expected results over the MySQL protocol:
// what `streamsql test` does.
//
// A script is a text file of records, separated by blank lines; README.md has
// the format in full. Every script runs in a fresh database of its own, so that
// scripts can run side by side on one server, which is StreamSQL or, as the
// reference, MariaDB (rewrite.go translates the dialect for it).
//
// script.go parses, file.go steps through one script, check.go compares,
// run.go runs many scripts, report.go writes what came out, command.go is the
// command line.
package slt
