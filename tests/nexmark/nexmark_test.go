// Package nexmark runs the queries of the Nexmark benchmark as materialized views
// over a small set of events.
package nexmark

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"streamsql/tests/servers"
	"streamsql/tests/workload"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// pending are the queries that need a feature which is not there yet, and the feature.
var pending = map[int]string{
	5: "HOP", 6: "window functions", 7: "TUMBLE", 8: "TUMBLE", 9: "window functions", 11: "SESSION", 12: "TUMBLE",
	18: "window functions", 19: "window functions",
}

// byTime: which window a bid falls into depends on when the test runs.
const byTime = 12

// watermark is the clause that the streams have for the windows' sake. It is taken
// out for as long as WATERMARK FOR is refused.
var watermark = regexp.MustCompile(`,\s*WATERMARK FOR [^\n]*`)

func TestNexmark(t *testing.T) {
	srv := servers.StreamSQL(t)
	for _, c := range []struct {
		title string
		late  bool // the views are made over the loaded rows
	}{{"views first", false}, {"views last", true}} {
		t.Run(c.title, func(t *testing.T) { queries(t, srv.DSN(), c.late) })
	}
}

func queries(t *testing.T, dsn string, late bool) {
	s := workload.Open(t, servers.Open(t, dsn+"?collation=utf8mb4_bin"), "nexmark")
	s.Load(t, "schema.sql", func(q string) string { return watermark.ReplaceAllString(q, "") })
	made := map[int]error{}
	makeViews := func() {
		for q := range 23 {
			for _, text := range workload.Statements(t, fmt.Sprintf("q%d.sql", q)) {
				made[q] = s.Exec(t.Context(), text)
			}
		}
	}
	if !late {
		makeViews()
	}
	s.Load(t, "load.sql", nil)
	if late {
		makeViews()
	}
	for q := range 23 {
		if q == byTime && pending[q] == "" {
			continue
		}
		t.Run(fmt.Sprintf("q%d", q), func(t *testing.T) {
			err := made[q]
			if err == nil {
				err = s.Compare(t, fmt.Sprintf("q%d.check.sql", q), fmt.Sprintf("q%d.expected.tsv", q))
			}
			workload.Expect(t, pending[q], err)
		})
	}
}
