package crash

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// definitions changes definitions while TestInto's load runs and the server is killed. A
// statement whose OK is lost may have been done or not: names come from a number that is
// not used again.
type definitions struct {
	db     *sql.DB
	rng    *rand.Rand
	number int
}

// indexed are columns that get indexes, and a value that some rows have there.
var indexed = []struct{ table, column, value string }{
	{"names", "name", "'n1'"}, {"sums", "k", "7"}, {"by_n", "n", "(SELECT MIN(n) FROM d.by_n)"}, {"sums", "total", "(SELECT MIN(total) FROM d.sums)"},
}

// changes makes definitions until the context ends.
func (d *definitions) changes(ctx context.Context) {
	for ctx.Err() == nil {
		d.number++
		n := d.number
		switch d.rng.IntN(4) {
		case 0:
			d.db.ExecContext(ctx, fmt.Sprintf("ALTER TABLE d.names ADD COLUMN c%d INT NOT NULL DEFAULT %d FIRST", n, n))
			d.db.ExecContext(ctx, fmt.Sprintf("REPLACE INTO d.names (k, name, c%d) VALUES (%d, 'n1', %d)", n, d.rng.IntN(30), 1000+n))
		case 1:
			d.db.ExecContext(ctx, fmt.Sprintf("ALTER STREAM TABLE d.s ADD COLUMN c%d BIGINT DEFAULT %d AFTER k", n, n))
			d.db.ExecContext(ctx, fmt.Sprintf("INSERT INTO d.s (id, k, v, c%d) VALUES (%d, 2, 3, %d)", n, d.rng.Int64N(1e12), 1000+n))
		case 2:
			d.db.ExecContext(ctx, fmt.Sprintf("CREATE MATERIALIZED VIEW d.low%d AS SELECT k, SUM(n) AS n FROM d.sums GROUP BY k", n))
			d.db.ExecContext(ctx, fmt.Sprintf("CREATE MATERIALIZED VIEW d.high%d AS SELECT SUM(n) AS n FROM d.low%d", n, n))
			if d.rng.IntN(3) > 0 {
				d.db.ExecContext(ctx, fmt.Sprintf("DROP MATERIALIZED VIEW d.low%d CASCADE", n))
			}
		case 3:
			on := indexed[d.rng.IntN(len(indexed))]
			d.db.ExecContext(ctx, fmt.Sprintf("CREATE INDEX i%d ON d.%s (%s)", n, on.table, on.column))
			if d.rng.IntN(3) == 0 {
				d.db.ExecContext(ctx, fmt.Sprintf("DROP INDEX i%d ON d.%s", n, on.table))
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(20+d.rng.IntN(100)) * time.Millisecond):
		}
	}
}

// check looks at what became of it: each column that was added holds its default or what
// was written, a view over it says what a query does, and views that are there are right.
func (d *definitions) check(t *testing.T) {
	added := 0
	for _, c := range values(t, d.db, "SELECT CONCAT(table_name, '.', column_name) FROM information_schema.columns WHERE table_schema = 'd' AND column_name REGEXP '^c[0-9]+$'") {
		var table string
		var n int
		if _, err := fmt.Sscanf(c, "s.c%d", &n); err == nil {
			table = "d.s"
		} else if _, err := fmt.Sscanf(c, "names.c%d", &n); err == nil {
			table = "d.names"
		} else {
			t.Fatal(c)
		}
		added++
		if bad := values(t, d.db, fmt.Sprintf("SELECT COUNT(*) FROM %s WHERE COALESCE(c%d, -1) NOT IN (%d, %d)", table, n, n, 1000+n)); bad[0] != "0" {
			t.Errorf("%s: %s rows have neither the default nor what was written", c, bad[0])
		}
		if added > 5 {
			continue // views over all would take long
		}
		exec(t, d.db, fmt.Sprintf("CREATE MATERIALIZED VIEW d.over_c%d AS SELECT c%d, COUNT(*) AS n FROM %s GROUP BY c%d", n, n, table, n))
		same(t, d.db, fmt.Sprintf("SELECT * FROM d.over_c%d", n), fmt.Sprintf("SELECT c%d, COUNT(*) FROM %s GROUP BY c%d", n, table, n))
	}
	if added == 0 {
		t.Error("no column was added")
	}
	for _, x := range indexed {
		value := values(t, d.db, "SELECT "+x.value)[0]
		if x.column == "name" {
			value = x.value
		}
		same(t, d.db, fmt.Sprintf("SELECT * FROM d.%s WHERE %s = %s", x.table, x.column, value),
			fmt.Sprintf("SELECT * FROM d.%s WHERE %s BETWEEN %s AND %s", x.table, x.column, value, value))
	}
	if values(t, d.db, "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = 'd' AND index_name LIKE 'i%'")[0] == "0" {
		t.Error("no index was made")
	}
	for _, v := range values(t, d.db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'd' AND table_name REGEXP '^(low|high)'") {
		query := "SELECT k, SUM(n) FROM d.sums GROUP BY k"
		if v[0] == 'h' {
			query = "SELECT SUM(n) FROM d.sums"
		}
		same(t, d.db, "SELECT * FROM d."+v, query)
	}
}

// values are the values of a query of one column.
func values(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	out, err := rows(t.Context(), db, query)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
