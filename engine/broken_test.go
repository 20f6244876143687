package engine

import (
	"bytes"
	"strings"
	"testing"

	"streamsql/catalog"
)

// TestPlanOfAnotherRelease: a view whose stored plan cannot be run does not keep the
// server from its start. It says why, and so does what reads it; others work on.
func TestPlanOfAnotherRelease(t *testing.T) {
	h := open(t, Config{})
	h.exec(`
CREATE DATABASE d;
CREATE TABLE t (id INT PRIMARY KEY, k INT);
CREATE MATERIALIZED VIEW old AS SELECT k, COUNT(*) AS n FROM t GROUP BY k;
CREATE MATERIALIZED VIEW above AS SELECT SUM(n) AS n FROM old;
CREATE MATERIALIZED VIEW other AS SELECT SUM(k) AS k FROM t;
INSERT INTO t VALUES (1, 1), (2, 1), (3, 2)`)
	h.want(`SELECT * FROM above`, "3")
	old, _ := h.e.Catalog().Table("d", "old")
	changed := *old
	changed.Plan = bytes.ReplaceAll(old.Plan, []byte(`"fn":"count"`), []byte(`"fn":"tally"`))
	if bytes.Equal(changed.Plan, old.Plan) {
		t.Fatal("there is no COUNT in the plan")
	}
	if _, err := h.e.change(t.Context(), []*catalog.Table{&changed}); err != nil {
		t.Fatal(err)
	}
	for _, again := range []func(){h.reopen, h.crash, func() { _ = h.try(`RESTART CONTINUOUS QUERY old`) }} {
		again()
		h.want(`SELECT * FROM other`, "4")
		for _, s := range h.e.Status() {
			table, _ := h.e.Catalog().TableByID(s.View)
			if table.Name == "other" && s.State == "running" {
				continue
			}
			if s.State != "failed" || !strings.Contains(s.Error, "create it again") {
				t.Errorf("%s is %s: %s", table.Name, s.State, s.Error)
			}
		}
		h.exec(`INSERT INTO t VALUES (9, 0); DELETE FROM t WHERE id = 9`)
	}
	h.exec(`
DROP MATERIALIZED VIEW above;
DROP MATERIALIZED VIEW old;
CREATE MATERIALIZED VIEW old AS SELECT k, COUNT(*) AS n FROM t GROUP BY k`)
	h.want(`SELECT * FROM old ORDER BY k`, "1 2; 2 1")
	h.reopen()
	h.want(`SELECT * FROM old ORDER BY k`, "1 2; 2 1")
}
