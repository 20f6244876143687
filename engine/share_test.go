package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/sql/bind"
)

// sharers is who takes rows from whom, by names: "a<b" is that a takes rows from b.
func (h *harness) sharers() string {
	cat := h.e.cat.Load()
	var out []string
	for _, t := range cat.Objects() {
		for _, s := range t.Shares {
			of, _ := cat.TableByID(s.Object)
			out = append(out, t.Name+"<"+of.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func (h *harness) wantSharers(want string) {
	h.t.Helper()
	if got := h.sharers(); got != want {
		h.t.Errorf("sharers: got %q, want %q", got, want)
	}
}

// hidden lists the objects without a name.
func (h *harness) hidden() string {
	var out []string
	for _, t := range h.e.cat.Load().Objects() {
		if t.Hidden {
			out = append(out, t.Name)
		}
	}
	return strings.Join(out, " ")
}

func (h *harness) idOf(name string) catalog.ID {
	t, ok := h.e.Catalog().Table("d", name)
	if !ok {
		h.t.Fatalf("no %s", name)
	}
	return t.ID
}

const shareSchema = `CREATE DATABASE d; CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, k BIGINT NOT NULL, n BIGINT NOT NULL);
	INSERT INTO t VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5);
	CREATE MATERIALIZED VIEW sums AS SELECT k, SUM(n) AS s FROM t GROUP BY k`

const topQuery = `SELECT MAX(s) AS m, COUNT(*) AS c FROM (SELECT k AS x, SUM(n) AS s FROM t GROUP BY k) AS g`

// check compares the views with what their queries give now.
func (h *harness) check(views map[string]string) {
	h.t.Helper()
	for name, q := range views {
		h.want("SELECT * FROM "+name, h.query(q))
	}
}

// TestSharedViewHandsItsWorkOver: whatever happens to a view, what others take from it
// goes on; nothing is left when the last of them is gone.
func TestSharedViewHandsItsWorkOver(t *testing.T) {
	sums := "SELECT k, SUM(n) AS s FROM t GROUP BY k"
	for name, step := range map[string]struct {
		sql     string
		views   map[string]string
		sharers string
		hidden  string
	}{
		"drop":    {"DROP MATERIALIZED VIEW sums", map[string]string{"tops": topQuery}, "tops<sums#3", "sums#3"},
		"restart": {"RESTART CONTINUOUS QUERY sums", map[string]string{"tops": topQuery, "sums": sums, "upon": "SELECT COUNT(*) FROM (" + sums + ") x"}, "tops<sums#3", "sums#3"},
		"pause and resume": {"PAUSE CONTINUOUS QUERY sums; INSERT INTO t VALUES (100, 8, 1); RESUME CONTINUOUS QUERY sums",
			map[string]string{"tops": topQuery, "sums": sums, "upon": "SELECT COUNT(*) FROM (" + sums + ") x"}, "sums<sums#3 tops<sums#3 upon<sums#3", "sums#3"},
		"restart the reader": {"RESTART CONTINUOUS QUERY tops", map[string]string{"tops": topQuery, "sums": sums}, "", ""},
		"all in turn": {"PAUSE CONTINUOUS QUERY sums; RESUME CONTINUOUS QUERY sums; RESTART CONTINUOUS QUERY sums; PAUSE CONTINUOUS QUERY tops; RESUME CONTINUOUS QUERY tops",
			map[string]string{"tops": topQuery, "sums": sums, "upon": "SELECT COUNT(*) FROM (" + sums + ") x"}, "tops<sums#3", "sums#3"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Dir: t.TempDir(), CheckpointEvery: 20 * time.Millisecond}
			h := open(t, cfg)
			h.exec(shareSchema + "; CREATE MATERIALIZED VIEW tops AS " + topQuery)
			h.wantSharers("tops<sums")
			if _, ok := step.views["upon"]; ok {
				h.exec("CREATE MATERIALIZED VIEW upon AS SELECT COUNT(*) FROM sums; CREATE VIEW plain AS SELECT k FROM sums")
			}
			h.exec(step.sql)
			h.wantSharers(step.sharers)
			if got := h.hidden(); got != step.hidden {
				t.Errorf("hidden: %q, want %q", got, step.hidden)
			}
			for i := range 3 {
				h.exec(fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 7); DELETE FROM t WHERE id = %d", 10+i, i, i))
				h.check(step.views)
				h.reopen()
				h.wantSharers(step.sharers)
				h.check(step.views)
			}
			for _, v := range []string{"plain", "upon", "tops", "sums"} {
				if tab, ok := h.e.Catalog().Table("d", v); ok {
					h.exec("DROP " + strings.ToUpper(string(tab.Kind)) + " " + v)
				}
			}
			if n := len(h.e.Status()); n != 0 || h.hidden() != "" {
				t.Errorf("%d queries run for nobody, hidden %q", n, h.hidden())
			}
		})
	}
}

// TestPausedSharerStandsStill: a view that shares its work shows what it held when it
// was paused, and so do those that read it by its name; the others go on.
func TestPausedSharerStandsStill(t *testing.T) {
	h := open(t, Config{CheckpointEvery: 10 * time.Millisecond})
	h.exec(shareSchema + "; CREATE MATERIALIZED VIEW tops AS " + topQuery + "; CREATE MATERIALIZED VIEW upon AS SELECT COUNT(*) AS c, SUM(s) AS s FROM sums")
	h.want("SELECT * FROM upon", "2 35")
	h.exec("PAUSE CONTINUOUS QUERY sums; INSERT INTO t VALUES (4, 3, 100)")
	h.want("SELECT * FROM tops", "100 3")
	h.pos = 0 // what was written is not asked for
	h.want("SELECT * FROM sums", "1 30; 2 5")
	h.want("SELECT * FROM upon", "2 35")
	h.exec("RESUME CONTINUOUS QUERY sums; INSERT INTO t VALUES (5, 3, 1)")
	h.want("SELECT * FROM sums", "1 30; 2 5; 3 101")
	h.want("SELECT * FROM upon", "3 136")
	h.want("SELECT * FROM tops", "101 3")
}

// TestSessionsAreAlike: what an expression means hangs on the session.
func TestSessionsAreAlike(t *testing.T) {
	h := open(t, Config{})
	h.exec(shareSchema)
	change := map[string]func(*catalog.Session){
		"":                        func(*catalog.Session) {},
		"database":                func(s *catalog.Session) { s.Database = "e" },
		"time_zone":               func(s *catalog.Session) { s.TimeZone = "+02:00" },
		"sql_mode":                func(s *catalog.Session) { s.SQLMode = "" },
		"collation":               func(s *catalog.Session) { s.Collation = "utf8mb4_general_ci" },
		"div_precision_increment": func(s *catalog.Session) { s.DivPrecision++ },
		"share_subplans":          func(s *catalog.Session) { s.Apart = true },
	}
	b, err := h.bind("CREATE MATERIALIZED VIEW tops AS " + topQuery)
	if err != nil {
		t.Fatal(err)
	}
	create := b.(*bind.CreateTable)
	plan, _, err := build.Plan(create.Query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range change {
		s := testSession
		f(&s)
		shared := len(h.e.Shares(create.Table, plan, s)) > 0
		if want := name == "" || name == "database"; shared != want {
			t.Errorf("another %s: shared %v", name, shared)
		}
	}
}

// TestWhatIsShared: the second view takes no row of the source in.
func TestWhatIsShared(t *testing.T) {
	for _, c := range []struct {
		first, second string // after AS
		with          string // of the second
		shared        bool
	}{
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: "SELECT k AS a, SUM(n) AS b FROM t GROUP BY k", shared: true},
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: topQuery, shared: true},
		{first: "SELECT SUM(n) AS s, k FROM t GROUP BY k", second: topQuery, shared: true}, // in another order
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: "SELECT k, SUM(n) AS s FROM t GROUP BY k HAVING SUM(n) > 6", shared: true},
		{first: "SELECT a.id, a.n, b.n AS m FROM t a JOIN t b ON a.k = b.k", second: "SELECT id, SUM(m) FROM (SELECT a.id, a.n, b.n AS m FROM t a JOIN t b ON a.k = b.k) x GROUP BY id", shared: false}, // n is not read
		{first: "SELECT a.id, b.n FROM t a JOIN t b ON a.k = b.k", second: "SELECT id, SUM(n) FROM (SELECT a.id, b.n FROM t a JOIN t b ON a.k = b.k) x GROUP BY id", shared: true},
		{first: "SELECT DISTINCT k FROM t", second: "SELECT COUNT(*) FROM (SELECT DISTINCT k FROM t) x", shared: true},
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: "SELECT k, SUM(n + 1) AS s FROM t GROUP BY k"},
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: "SELECT k, SUM(n) AS s FROM t WHERE n > 5 GROUP BY k"},
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: "SELECT k, COUNT(n) AS s FROM t GROUP BY k"},
		{first: "SELECT k, n FROM t", second: "SELECT k, n FROM t"}, // no state
		{first: "SELECT k, SUM(n) AS s FROM t GROUP BY k", second: topQuery, with: "WITH (on_error = 'fail')"},
		{first: "SELECT k, SUM(n) AS s FROM t WHERE n < RAND() GROUP BY k", second: "SELECT k, SUM(n) AS s FROM t WHERE n < RAND() GROUP BY k"},
	} {
		h := open(t, Config{})
		h.exec(`CREATE DATABASE d; CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, k BIGINT NOT NULL, n BIGINT NOT NULL)`)
		if err := h.try("CREATE MATERIALIZED VIEW v AS " + c.first); err != nil {
			continue // refused
		}
		h.exec("CREATE MATERIALIZED VIEW w " + c.with + " AS " + c.second)
		if got := h.sharers() != ""; got != c.shared {
			t.Errorf("%s\n%s\nshared: %v, want %v", c.first, c.second, got, c.shared)
			continue
		}
		h.exec("INSERT INTO t VALUES (1, 1, 3), (2, 1, 4), (3, 2, 5), (4, 3, 6); UPDATE t SET n = n + 1 WHERE k = 1; DELETE FROM t WHERE id = 3")
		h.check(map[string]string{"v": c.first, "w": c.second})
		if !c.shared {
			continue
		}
		w, _ := h.e.Catalog().Table("d", "w")
		a, _ := h.e.Analyze(w.ID)
		if len(a.Shared) != 1 {
			t.Errorf("%s\nEXPLAIN shows %v", c.second, a.Shared)
		}
		h.e.mu.Lock()
		for _, s := range h.e.jobs[w.ID].flow.Sources {
			if tab, _ := h.e.cat.Load().TableByID(catalog.ID(s.Table)); tab.Kind != catalog.MaterializedView {
				t.Errorf("%s\nreads %s", c.second, tab.Name)
			}
		}
		h.e.mu.Unlock()
	}
}

// TestCommonPartIsComputedOnce: a part that is the whole of neither view gets a query
// of its own, and the first view is switched over to it, for who looks on unseen.
func TestCommonPartIsComputedOnce(t *testing.T) {
	cfg := Config{Dir: t.TempDir(), CheckpointEvery: 20 * time.Millisecond}
	h := open(t, cfg)
	h.exec(`CREATE DATABASE d; CREATE TABLE t (id BIGINT NOT NULL PRIMARY KEY, k BIGINT NOT NULL, n BIGINT NOT NULL);
		CREATE STREAM TABLE s (k BIGINT NOT NULL, n BIGINT NOT NULL);
		INSERT INTO t VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5); INSERT INTO s VALUES (1, 1), (2, 5), (1, 7)`)
	group := "(SELECT k, SUM(n) AS s, COUNT(*) AS c FROM %s GROUP BY k) AS g"
	views := map[string]string{}
	for _, from := range []string{"t", "s"} {
		views["max_"+from] = fmt.Sprintf("SELECT MAX(s) AS m, SUM(c) AS c FROM "+group, from)
		views["hist_"+from] = fmt.Sprintf("SELECT c, COUNT(*) AS n, SUM(s) AS s FROM "+group+" GROUP BY c", from)
		h.exec("CREATE MATERIALIZED VIEW max_" + from + " AS " + views["max_"+from])
	}
	before := h.e.timeline.Last().ID
	h.exec("INSERT INTO t VALUES (4, 4, 40)")
	tx, err := h.e.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	read := func() int64 {
		b, err := h.bind("SELECT m FROM max_t")
		if err != nil {
			t.Fatal(err)
		}
		return h.collect(tx, b.(*bind.SelectStatement).Query, h.pos).Cols[0].I[0]
	}
	if got := read(); got != 40 {
		t.Fatalf("%d", got)
	}
	for _, from := range []string{"t", "s"} {
		h.exec("CREATE MATERIALIZED VIEW hist_" + from + " AS " + views["hist_"+from])
	}
	h.check(views)
	want := "hist_s<hist_s#9 hist_t<hist_t#7 max_s<hist_s#9 max_t<hist_t#7"
	if err := h.e.await(within(t, 10*time.Second), func() bool { return h.sharers() == want }); err != nil {
		t.Fatalf("%s: %v", h.sharers(), err)
	}
	h.check(views)
	h.exec("INSERT INTO t VALUES (5, 4, 400)")
	h.check(views)
	if got := read(); got != 40 {
		t.Errorf("a transaction that began before the view was switched over reads %d, and read 40", got)
	}
	h.e.mu.Lock()
	if oldest := h.e.jobs[h.idOf("max_t")].log.oldest(); oldest.Batch > before {
		t.Errorf("what changed after batch %d is forgotten, it was there after %d", oldest.Batch, before)
	}
	h.e.mu.Unlock()
	tx.Rollback()
	taken := func() (rows []uint64) { // in by the query without a name, and the two views
		for _, st := range h.e.Status() {
			if tab, ok := h.e.cat.Load().TableByID(st.View); ok && (tab.Name == "hist_t#7" || tab.Name == "max_t" || tab.Name == "hist_t") {
				rows = append(rows, st.RowsIn)
			}
		}
		return rows
	}
	h.check(views)
	was := taken()
	var rows []string
	for i := range 100 {
		rows = append(rows, fmt.Sprintf("(%d, 1, 1)", 1000+i))
	}
	h.exec("INSERT INTO t VALUES " + strings.Join(rows, ", "))
	h.check(views)
	for i, n := range taken() {
		most := was[i] + 2 // the group as it was, and as it is
		if i == 2 {
			most = was[i] + 100
		}
		if n > most {
			t.Errorf("query %d of 3 took %d rows in, and before 100 rows of a group %d", i, n, was[i])
		}
	}
	for i := range 3 {
		h.exec(fmt.Sprintf("INSERT INTO t VALUES (%d, %d, 7); DELETE FROM t WHERE id = %d; INSERT INTO s VALUES (%d, %d)", 10+i, i, i, i, i))
		h.check(views)
		h.reopen()
		h.wantSharers(want)
		h.check(views)
	}
	h.exec("DROP MATERIALIZED VIEW hist_t; RESTART CONTINUOUS QUERY max_s; INSERT INTO t VALUES (20, 2, 7); INSERT INTO s VALUES (1, 1)")
	delete(views, "hist_t")
	h.check(views)
	h.wantSharers("hist_s<hist_s#9 max_t<hist_t#7")
	h.reopen()
	h.check(views)
	h.wantSharers("hist_s<hist_s#9 max_t<hist_t#7")
	h.exec("DROP MATERIALIZED VIEW hist_s; DROP MATERIALIZED VIEW max_t; DROP MATERIALIZED VIEW max_s")
	if n := len(h.e.Status()); n != 0 || h.hidden() != "" {
		t.Errorf("%d queries run for nobody, hidden %q", n, h.hidden())
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
