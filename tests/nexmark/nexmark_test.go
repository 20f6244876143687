// Package nexmark runs the queries of the Nexmark benchmark as materialized views
// over a small set of events, which `streamsql bench nexmark` has too.
package nexmark

import (
	"fmt"
	"os"
	"testing"

	"streamsql/tests/servers"
	"streamsql/tests/workload"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// pending are the queries that need a feature which is not there yet, and the feature.
var pending = map[int]string{}

// byTime: which window a bid falls into depends on when the test runs.
const byTime = 12

func TestNexmark(t *testing.T) {
	for _, w := range workload.Ways {
		t.Run(w.Title, func(t *testing.T) { queries(t, w) })
	}
}

// small is where the queries, the events and the expected rows are.
const small = "../../cmd/streamsql/bench/nexmark/small/"

func queries(t *testing.T, way workload.Way) {
	s := workload.Open(t, way, "nexmark")
	s.Load(t, small+"schema.sql")
	made := map[int]error{}
	makeViews := func() {
		for q := range 23 {
			for _, text := range workload.Statements(t, fmt.Sprintf(small+"q%d.sql", q)) {
				made[q] = s.Exec(t.Context(), text)
			}
		}
	}
	if !way.Late {
		makeViews()
	}
	s.Load(t, small+"load.sql")
	if way.Late {
		makeViews()
	}
	for q := range 23 {
		if q == byTime && pending[q] == "" {
			continue
		}
		t.Run(fmt.Sprintf("q%d", q), func(t *testing.T) {
			err := made[q]
			if err == nil {
				err = s.Compare(t, fmt.Sprintf(small+"q%d.check.sql", q), fmt.Sprintf(small+"q%d.expected.tsv", q))
			}
			workload.Expect(t, pending[q], err)
		})
	}
}
