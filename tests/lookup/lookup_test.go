// Package lookup tests dimension tables over the wire: what they answer, that an
// answer is kept for as long as its row lives, and what a file that goes away does.
package lookup

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// world is a server and its directory of files.
type world struct {
	t   *testing.T
	dir string
	db  *sql.DB
}

func newWorld(t *testing.T) (*world, *child.Server) {
	w := &world{t: t, dir: t.TempDir()}
	srv := servers.StreamSQL(t, "--files="+w.dir)
	w.connect(srv.DSN())
	w.exec("CREATE DATABASE d")
	return w, srv
}

func (w *world) connect(dsn string) {
	w.db = servers.Open(w.t, dsn)
	w.db.SetMaxOpenConns(1)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	// A new file in its place: readers see the old one or the new one, whole.
	at := filepath.Join(w.dir, name)
	if err := os.WriteFile(at+".new", []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(at+".new", at); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exec(text string) {
	w.t.Helper()
	if _, err := w.db.Exec(text); err != nil {
		w.t.Fatalf("%s: %v", text, err)
	}
}

func (w *world) want(query string, rows ...string) {
	w.t.Helper()
	got, err := servers.Rows(w.t.Context(), w.db, query)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	slices.Sort(got)
	slices.Sort(rows)
	for i, r := range rows {
		rows[i] = strings.ReplaceAll(r, "|", "\t")
	}
	if !slices.Equal(got, rows) {
		w.t.Fatalf("%s:\ngot  %q\nwant %q", query, got, rows)
	}
}

const customers = `CREATE DIMENSION TABLE d.customers (id BIGINT PRIMARY KEY, city VARCHAR(32), points DECIMAL(8,2))
	WITH (connector = 'file', path = 'c.%s', format = '%[1]s', cache = '%d rows', cache_ttl = '1 h')`

func TestAnswersAreKept(t *testing.T) {
	for format, text := range map[string][2]string{
		"csv": {"city,id,points\nBerlin,1,2.5\n\"a, b\",2,\n", "id,city,points\n1,Paris,7\n3,Rome,1\n"},
		"json": {`{"id": 1, "city": "Berlin", "points": 2.50}` + "\n\n" + `{"id": "2", "city": "a, b"}`,
			`{"id": 1, "city": "Paris", "points": 7}` + "\n" + `{"id": 3, "city": "Rome", "points": 1}`},
	} {
		t.Run(format, func(t *testing.T) {
			w, srv := newWorld(t)
			w.write("c."+format, text[0])
			w.exec(fmt.Sprintf(customers, format, 0))
			w.want("SELECT * FROM d.customers", "1|Berlin|2.50", "2|a, b|NULL")
			w.want("SELECT city FROM d.customers WHERE id = 2", "a, b")
			w.want("SELECT COUNT(*) FROM d.customers WHERE id = 9", "0")
			w.exec("CREATE STREAM TABLE d.orders (n INT, cid INT)")
			w.exec("CREATE TABLE d.carts (n INT PRIMARY KEY, cid INT, what INT)")
			w.exec("INSERT INTO d.orders VALUES (0, 1)") // history
			w.exec("CREATE MATERIALIZED VIEW d.o AS SELECT o.n, c.city FROM d.orders o JOIN d.customers c ON o.cid = c.id")
			w.exec("CREATE MATERIALIZED VIEW d.k AS SELECT k.n, k.what, c.city FROM d.carts k LEFT JOIN d.customers c ON k.cid = c.id")
			w.exec("CREATE MATERIALIZED VIEW d.cities AS SELECT city, COUNT(*) AS n FROM d.k GROUP BY city")
			w.exec("INSERT INTO d.orders VALUES (1, 1), (2, 2), (3, 3), (4, NULL)")
			w.exec("INSERT INTO d.carts VALUES (1, 1, 0), (2, 2, 0), (3, 3, 0), (4, 1, 0)")
			w.want("SELECT * FROM d.o", "0|Berlin", "1|Berlin", "2|a, b")
			w.want("SELECT * FROM d.k", "1|0|Berlin", "2|0|a, b", "3|0|NULL", "4|0|Berlin")

			w.write("c."+format, text[1])
			w.exec("INSERT INTO d.orders VALUES (5, 1), (6, 2), (7, 3)")
			w.exec("UPDATE d.carts SET what = 1 WHERE n IN (1, 3)")
			w.exec("DELETE FROM d.carts WHERE n = 2")
			after := func() {
				w.want("SELECT * FROM d.o", "0|Berlin", "1|Berlin", "2|a, b", "5|Paris", "7|Rome")
				w.want("SELECT * FROM d.k", "1|1|Paris", "3|1|Rome", "4|0|Berlin")
				w.want("SELECT * FROM d.cities", "Berlin|1", "Paris|1", "Rome|1")
			}
			after()
			// Checkpointed answers outlive the server, whatever the file says then.
			w.checkpointed("k")
			w.write("c."+format, map[string]string{"csv": "id,city,points\n", "json": ""}[format])
			if err := srv.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.connect(srv.DSN())
			after()
			w.exec("DELETE FROM d.carts")
			w.want("SELECT * FROM d.cities")
		})
	}
}

// checkpointed waits until the newest batch, which has changed the view, is in a checkpoint.
func (w *world) checkpointed(view string) {
	w.t.Helper()
	servers.Eventually(w.t, 20*time.Second, func() error {
		rows, err := servers.Rows(w.t.Context(), w.db, "SELECT name FROM streamsql.jobs WHERE name = '"+view+"' AND checkpoint_batch >= batch_id")
		if err == nil && len(rows) == 0 {
			err = fmt.Errorf("%s is in no checkpoint", view)
		}
		return err
	})
}

func TestCacheAndChange(t *testing.T) {
	w, _ := newWorld(t)
	w.write("c.csv", "id,city,points\n1,Berlin,1\n2,Bonn,2\n")
	w.exec(fmt.Sprintf(customers, "csv", 2))
	w.exec("CREATE STREAM TABLE d.orders (n INT, cid INT)")
	w.exec("CREATE MATERIALIZED VIEW d.o AS SELECT o.n, c.city FROM d.orders o LEFT JOIN d.customers FOR SYSTEM_TIME AS OF PROCTIME() AS c ON o.cid = c.id AND c.points < 5")
	w.exec("INSERT INTO d.orders VALUES (1, 1), (2, 2), (3, 1)")
	w.want("SELECT * FROM d.o", "1|Berlin", "2|Bonn", "3|Berlin")
	w.write("c.csv", "id,city,points\n1,Paris,1\n2,Bonn,7\n3,Rome,1\n")
	for _, row := range []string{"(4, 1)", "(5, 2)", // the cache has both
		"(6, 3)", // it has not: the file is read, key 1 goes
		"(7, 1)"} {
		w.exec("INSERT INTO d.orders VALUES " + row)
		w.exec("FLUSH STREAMS d.o")
	}
	w.want("SELECT * FROM d.o WHERE n > 3", "4|Berlin", "5|Bonn", "6|Rome", "7|Paris")
	w.want("SELECT database_name, table_name, connector, entries, failures, last_error FROM streamsql.dimension_tables", "d|customers|file|2|0|NULL")
}

func TestFileThatGoesAway(t *testing.T) {
	w, _ := newWorld(t)
	w.write("c.csv", "id,city,points\n1,Berlin,1\n")
	w.exec(fmt.Sprintf(customers, "csv", 0))
	w.exec("CREATE STREAM TABLE d.orders (n INT, cid INT)")
	w.exec("CREATE MATERIALIZED VIEW d.o AS SELECT o.n, c.city FROM d.orders o LEFT JOIN d.customers c ON o.cid = c.id")
	w.exec("CREATE MATERIALIZED VIEW d.other AS SELECT COUNT(*) AS n FROM d.orders")
	if err := os.Remove(filepath.Join(w.dir, "c.csv")); err != nil {
		t.Fatal(err)
	}
	w.exec("INSERT INTO d.orders VALUES (1, 1)")
	w.want("SELECT n FROM d.other", "1") // others go on
	if _, err := w.db.Exec("SELECT * FROM d.orders o JOIN d.customers c ON o.cid = c.id"); err == nil {
		t.Error("a query of a file that is not there gives rows")
	}
	servers.Eventually(t, 10*time.Second, func() error {
		rows, err := servers.Rows(t.Context(), w.db, "SELECT last_error FROM streamsql.dimension_tables WHERE failures > 0")
		if err != nil || len(rows) != 1 || rows[0] != "The file 'c.csv' cannot be read: no such file or directory" {
			return fmt.Errorf("got %q, %v", rows, err)
		}
		return nil
	})
	w.write("c.csv", "id,city,points\n1,Bonn,1\n")
	w.want("SELECT * FROM d.o", "1|Bonn") // it waits until the view has caught up
	w.want("SELECT o.n, c.city FROM d.orders o JOIN d.customers c ON o.cid = c.id", "1|Bonn")
}

func TestRefusals(t *testing.T) {
	w, _ := newWorld(t)
	w.write("c.csv", "id,city\n1,Berlin\n")
	w.write("bad.json", `{"id": 1, "city": {"x": 1}}`)
	w.exec("CREATE DIMENSION TABLE d.c (id BIGINT PRIMARY KEY, city VARCHAR(32)) WITH (connector = 'file', path = 'c.csv')")
	w.exec("CREATE TABLE d.t (a INT)")
	w.exec("CREATE MATERIALIZED VIEW d.v AS SELECT t.a, c.city FROM d.t JOIN d.c ON t.a = c.id")
	for text, want := range map[string]string{
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = '../c.csv')":                             "Error 1290",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = '/etc/passwd')":                          "Error 1290",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = 'no.csv')":                               "Error 1017",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY, town TEXT) WITH (connector = 'file', path = 'c.csv')":                     "it has no column 'town'",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY, city INT) WITH (connector = 'file', path = 'c.csv')":                      "line 2: column 'city'",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY, city TEXT) WITH (connector = 'file', path = 'bad.json', format = 'json')": "an object or array",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = 'c.csv', format = 'xml')":                "is 'csv' or 'json'",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = 'c.csv', cache = 'a lot')":               "cache is a number of rows",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file', path = 'c.csv', cache_ttl = 'soon')":            "cache_ttl",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'file')":                                                "needs the option 'path'",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY) WITH (connector = 'nexmark', table = 'person')":                           "cannot be looked up by key",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY)":                                                                          "needs WITH (connector",
		"CREATE DIMENSION TABLE d.x (id INT) WITH (connector = 'file', path = 'c.csv')":                                            "needs a PRIMARY KEY",
		"CREATE DIMENSION TABLE d.x (id INT PRIMARY KEY, a INT UNIQUE) WITH (connector = 'file', path = 'c.csv')":                  "UNIQUE in a",
		"INSERT INTO d.c VALUES (2, 'x')":                   "Error 1471",
		"UPDATE d.c SET city = 'x'":                         "Error 1288",
		"DELETE FROM d.c":                                   "Error 1288",
		"DROP TABLE d.c":                                    "use DROP DIMENSION TABLE",
		"DROP DIMENSION TABLE d.c":                          "Error 3730",
		"CREATE MATERIALIZED VIEW d.w AS SELECT * FROM d.c": "it tells nobody of its changes",
		"CREATE MATERIALIZED VIEW d.w AS SELECT * FROM d.t RIGHT JOIN d.c ON t.a = c.id": "it tells nobody of its changes",
		"CREATE MATERIALIZED VIEW d.w AS SELECT * FROM d.t JOIN d.c ON t.a < c.id":       "it tells nobody of its changes",
		"CREATE MATERIALIZED VIEW d.w AS SELECT * FROM d.t ASOF JOIN d.c ON t.a >= c.id": "it tells nobody of its changes",
	} {
		_, err := w.db.Exec(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	w.exec("DROP DIMENSION TABLE d.c CASCADE")
	w.want("SHOW DIMENSION TABLES FROM d")
}
