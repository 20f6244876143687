package crash

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

const geoMean = `CREATE AGGREGATE FUNCTION f.geo_js(x DOUBLE) RETURNS DOUBLE LANGUAGE JAVASCRIPT AS $$
	exports.init = () => ({ n: 0, sum: 0 });
	const take = (s, x, sign) => {
		if (x === null || x <= 0) return;
		s.n += sign;
		s.sum += sign * Math.round(Math.log(x) * 1099511627776);
	};
	exports.accumulate = (s, x) => take(s, x, 1);
	exports.retract = (s, x) => take(s, x, -1);
	exports.merge = (s, other) => { s.n += other.n; s.sum += other.sum; };
	exports.finish = (s) => s.n > 0 ? Math.exp(s.sum / 1099511627776 / s.n) : null; $$`

// What TestFunctions does: so many rows are changed, a statement's worth at a time,
// and the server is killed so often meanwhile.
const (
	functionChanges = 10_000
	functionRows    = 200
	functionKills   = 3
)

// TestFunctions holds a geometric mean in JavaScript and in WebAssembly to the same
// formula by built-in functions, in views and in queries that run once, under random
// changes and kills.
func TestFunctions(t *testing.T) {
	s := servers.StreamSQL(t, "--function-dir="+filepath.Join(servers.Root(t), "examples", "functions"))
	db := servers.Open(t, s.DSN())
	rng := rand.New(rand.NewPCG(*seed, 6))
	queries := map[string]string{
		"js":      "SELECT g, ROUND(f.geo_js(x), 3) AS m, COUNT(*) AS n FROM f.t GROUP BY g",
		"wasm":    "SELECT g, ROUND(f.geo_wasm(x), 3) AS m, COUNT(*) AS n FROM f.t GROUP BY g",
		"builtin": "SELECT g, ROUND(EXP(AVG(CASE WHEN x > 0 THEN LN(x) END)), 3) AS m, COUNT(*) AS n FROM f.t GROUP BY g",
	}
	exec(t, db, "CREATE DATABASE f", "CREATE TABLE f.t (id INT PRIMARY KEY, g INT, x DOUBLE)", geoMean,
		"CREATE AGGREGATE FUNCTION f.geo_wasm(x DOUBLE) RETURNS DOUBLE LANGUAGE WASM AS SONAME 'geo_mean.wasm'")
	for name, q := range queries {
		exec(t, db, "CREATE MATERIALIZED VIEW f.v_"+name+" AS "+q)
	}
	const statements = functionChanges / functionRows
	for i := range statements {
		statement := changeValues(rng)
		if i%(statements/functionKills) == statements/functionKills/2 {
			cut := make(chan struct{})
			go func() { // its OK may be lost: the change is there or not, in all views alike
				defer close(cut)
				db.ExecContext(t.Context(), statement)
			}()
			time.Sleep(time.Duration(rng.IntN(4000)) * time.Microsecond) // the moment is what the test is about
			s.Kill()
			<-cut
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			sameMeans(t, db, queries)
			continue
		}
		exec(t, db, statement)
	}
	sameMeans(t, db, queries)
}

// changeValues is a statement that changes functionRows rows of 2000, in 20 groups.
func changeValues(rng *rand.Rand) string {
	if rng.IntN(4) == 0 {
		ids := make([]string, functionRows)
		for i := range ids {
			ids[i] = fmt.Sprint(rng.IntN(2000))
		}
		return "DELETE FROM f.t WHERE id IN (" + strings.Join(ids, ",") + ")"
	}
	values := make([]string, functionRows)
	for i := range values {
		x := fmt.Sprint(float64(rng.IntN(1_000_000)) / 1000)
		if rng.IntN(10) == 0 {
			x = []string{"NULL", "0", "-3.5"}[rng.IntN(3)]
		}
		values[i] = fmt.Sprintf("(%d, %d, %s)", rng.IntN(2000), rng.IntN(20), x)
	}
	return "REPLACE INTO f.t VALUES " + strings.Join(values, ",")
}

// sameMeans compares all views, and all queries run once.
func sameMeans(t *testing.T, db *sql.DB, queries map[string]string) {
	t.Helper()
	exec(t, db, "FLUSH STREAMS")
	want := linesOf(t, db, queries["builtin"]+" ORDER BY g")
	if !strings.Contains(want, "\n") {
		t.Fatalf("too few rows to compare: %q", want)
	}
	for name, q := range queries {
		for _, read := range []string{q + " ORDER BY g", "SELECT * FROM f.v_" + name + " ORDER BY g"} {
			if got := linesOf(t, db, read); got != want {
				t.Errorf("%s gives\n%s\nnot\n%s", read, got, want)
			}
		}
	}
}

// TestHostileFunctions runs functions that loop, throw and allocate without end in
// views, and holds that the server stays up, within its memory, and goes on answering
// others.
func TestHostileFunctions(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN()+"?streamsql_wait_timeout=60")
	exec(t, db, "CREATE DATABASE f", "CREATE TABLE f.t (id INT PRIMARY KEY, x INT)", "CREATE TABLE f.others (id INT PRIMARY KEY, x INT)",
		"CREATE MATERIALIZED VIEW f.sums AS SELECT id % 10 AS k, SUM(x) AS s FROM f.others GROUP BY id % 10")
	for name, code := range map[string]string{
		"loops":     "if (x % 2 === 1) for (;;) {}",
		"throws":    "if (x % 2 === 1) throw new TypeError('odd')",
		"allocates": "if (x % 2 === 1) { const all = []; for (;;) all.push(new Array(1000).fill(x)) }",
	} {
		exec(t, db, "CREATE FUNCTION f."+name+"(x INT) RETURNS INT LANGUAGE JAVASCRIPT AS $$ "+code+"; return x $$",
			"CREATE MATERIALIZED VIEW f.v_"+name+" AS SELECT id, f."+name+"(x) AS y FROM f.t",
			"CREATE AGGREGATE FUNCTION f.sum_"+name+"(x INT) RETURNS INT LANGUAGE JAVASCRIPT AS $$ const check = (x) => { "+code+" };"+
				"const init = () => 0, accumulate = (s, x) => { check(x); return s + x }, retract = (s, x) => { check(x); return s - x },"+
				"merge = (s, o) => s + o, finish = (s) => s $$",
			"CREATE MATERIALIZED VIEW f.w_"+name+" AS SELECT id % 3 AS k, f.sum_"+name+"(x) AS s FROM f.t GROUP BY id % 3")
	}
	ctx, stop := context.WithCancel(t.Context())
	var answers, slow atomic.Int64
	done := make(chan struct{})
	go func() { // somebody else
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			began := time.Now()
			_, err := db.ExecContext(ctx, fmt.Sprintf("REPLACE INTO f.others VALUES (%d, %d)", i%100, i))
			var n int
			if err == nil {
				err = db.QueryRowContext(ctx, "SELECT COUNT(*) FROM f.sums").Scan(&n)
			}
			if err != nil && ctx.Err() == nil {
				t.Error(err)
				return
			}
			answers.Add(1)
			if time.Since(began) > time.Second {
				slow.Add(1)
			}
		}
	}()
	exec(t, db, "INSERT INTO f.t VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 6)")
	for _, name := range []string{"loops", "throws", "allocates"} {
		exec(t, db, "FLUSH STREAMS f.v_"+name+", f.w_"+name)
		if got := linesOf(t, db, "SELECT id, y FROM f.v_"+name+" ORDER BY id"); got != "2\t2\n4\t4\n5\t6" {
			t.Errorf("%s: %q", name, got)
		}
		if got := linesOf(t, db, "SELECT k, s FROM f.w_"+name); got != "2\t8" {
			t.Errorf("groups of %s: %q", name, got)
		}
	}
	exec(t, db, "UPDATE f.t SET x = 10 WHERE id = 1", "DELETE FROM f.t WHERE id = 3")
	for _, name := range []string{"loops", "throws", "allocates"} {
		exec(t, db, "FLUSH STREAMS f.v_"+name+", f.w_"+name)
		if got := linesOf(t, db, "SELECT k, s FROM f.w_"+name+" ORDER BY k"); got != "1\t14\n2\t8" {
			t.Errorf("groups of %s once the rows are gone: %q", name, got)
		}
	}
	if got := linesOf(t, db, "SELECT COUNT(*) FROM streamsql.errors WHERE database_name = 'f'"); got != "0" {
		t.Errorf("%s entries are left of rows that are gone", got)
	}
	stop()
	<-done
	// How many there are depends on how long the functions take to be stopped.
	if n := answers.Load(); n == 0 || slow.Load() > max(n/10, 2) {
		t.Errorf("of %d answers to others %d took more than a second", n, slow.Load())
	}
	if peak := peakMemory(t, s.Ready().PID); peak > 1<<30 {
		t.Errorf("the server took %d MB", peak>>20)
	}
}

// linesOf is the result of a query, a line a row.
func linesOf(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	all, err := rows(t.Context(), db, query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return strings.Join(all, "\n")
}

// peakMemory is the most that a process has had in memory, in bytes.
func peakMemory(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip(err) // not Linux
	}
	_, rest, _ := strings.Cut(string(text), "\nVmHWM:")
	kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kb << 10
}
