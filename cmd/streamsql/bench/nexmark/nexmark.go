// Package nexmark holds the queries of the Nexmark benchmark, and a small set of
// events with the rows that each query must have of it.
package nexmark

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed small/*.sql small/*.tsv
var files embed.FS

// Queries is how many there are: q0, q1, ….
const Queries = 23

// ByTime is the query whose result depends on when it runs.
const ByTime = 12

// Name is the name of a query, and of its view.
func Name(q int) string { return fmt.Sprintf("q%d", q) }

// Text is the SELECT of a query.
func Text(q int) string {
	text := file(Name(q) + ".sql")
	head := "CREATE MATERIALIZED VIEW " + Name(q) + " AS\n"
	at := strings.Index(text, head)
	return strings.TrimSuffix(strings.TrimSpace(text[at+len(head):]), ";")
}

// Title says what a query is about.
func Title(q int) string {
	line, _, _ := strings.Cut(file(Name(q)+".sql"), "\n")
	return strings.TrimPrefix(line, "-- ")
}

// Schema makes the tables of the small set.
func Schema() []string { return statements(file("schema.sql")) }

// Columns are those of a stream, in order.
func Columns(table string) (names []string) {
	for _, text := range Schema() {
		body, ok := strings.CutPrefix(text, "CREATE STREAM TABLE "+table+" (\n")
		if !ok {
			continue
		}
		for line := range strings.Lines(body) {
			if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "WATERMARK" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Load inserts its rows.
func Load() []string { return statements(file("load.sql")) }

// Check reads the view of a query, in order, and Expected is what that gives: a row
// a line, its values apart by tabs.
func Check(q int) string {
	return strings.TrimSuffix(strings.TrimSpace(file(Name(q)+".check.sql")), ";")
}

// Expected is what Check gives.
func Expected(q int) []string {
	text := strings.TrimSuffix(file(Name(q)+".expected.tsv"), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func file(name string) string {
	text, err := files.ReadFile("small/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// statements cuts a script; each statement of these files ends a line.
func statements(text string) []string {
	var out []string
	for s := range strings.SplitSeq(text, ";\n") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, strings.TrimSuffix(s, ";"))
		}
	}
	return out
}

// Tables are the streams that a query reads.
func Tables(q int) []string {
	var out []string
	for _, m := range reads.FindAllStringSubmatch(Text(q), -1) {
		if !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

var reads = regexp.MustCompile(`(?:FROM|JOIN|TUMBLE\(|HOP\(|SESSION\()\s*(person|auction|bid)\b`)

// Share is how many of 50 events are rows of a table.
var Share = map[string]int64{"person": 1, "auction": 3, "bid": 46}

// Rows is how many rows a table has after so many events, a multiple of 50.
func Rows(table string, events int64) int64 { return events / 50 * Share[table] }
