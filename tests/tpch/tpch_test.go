// Package tpch runs the 22 queries of TPC-H, as SELECTs and as materialized
// views, before and after a stream of changes.
package tpch

import (
	"fmt"
	"os"
	"testing"

	"streamsql/tests/servers"
	"streamsql/tests/workload"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// pendingSelects and pendingViews are the queries that need a feature which is
// not there yet, and the feature.
var (
	pendingSelects = map[int]string{}
	pendingViews   = map[int]string{}
)

func TestTPCH(t *testing.T) {
	for _, w := range workload.Ways {
		t.Run(w.Title, func(t *testing.T) { queries(t, w) })
	}
}

func queries(t *testing.T, way workload.Way) {
	s := workload.Open(t, way, "tpch")
	s.Load(t, "schema.sql")
	made := map[int]error{}
	makeViews := func() {
		for q := 1; q <= 22; q++ {
			for _, text := range workload.Statements(t, fmt.Sprintf("q%d.mv.sql", q)) {
				made[q] = s.Exec(t.Context(), text)
			}
		}
	}
	if !way.Late {
		makeViews()
	}
	s.Load(t, "load.sql")
	if way.Late {
		makeViews()
	}
	compareAll(t, s, made, "expected")
	s.Load(t, "updates.sql")
	compareAll(t, s, made, "after")
}

func compareAll(t *testing.T, s *workload.Session, made map[int]error, step string) {
	for q := 1; q <= 22; q++ {
		rows := fmt.Sprintf("q%d.%s.tsv", q, step)
		t.Run(fmt.Sprintf("%s/select q%d", step, q), func(t *testing.T) {
			workload.Expect(t, pendingSelects[q], s.Compare(t, fmt.Sprintf("q%d.sql", q), rows))
		})
		t.Run(fmt.Sprintf("%s/view q%d", step, q), func(t *testing.T) {
			err := made[q]
			if err == nil {
				err = s.Compare(t, fmt.Sprintf("q%d.check.sql", q), rows)
			}
			workload.Expect(t, pendingViews[q], err)
		})
	}
}
