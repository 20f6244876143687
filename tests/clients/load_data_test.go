package clients

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

// loads are files with the options of the statement that reads them.
var loads = []struct{ name, text, options string }{
	{"plain", "1\tone\t1.50\t2024-01-02 03:04:05\n2\ttwo\t-3\t2024-12-31 23:59:59\n", ""},
	{"nulls", "1\t\\N\t\\N\t\\N\n2\tx\\N\t0\t\\N\n", ""},
	{"escapes", "1\ta\\tb\\nc\\\\d\\qe\\0f\\Zg\t1\t\\N\n2\ta\\\nb\t2\t\\N\n", ""},
	{"no end of the last line", "1\tone\t1\t\\N\n2\ttwo\t2\t\\N", ""},
	{"csv", "id,name\r\n1,\"a \"\"q\"\", b\",1,2024-01-02\r\n2,NULL,2,NULL\r\n3,\"NULL\",\"3\",\\N\r\n",
		`FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"' LINES TERMINATED BY '\r\n' IGNORE 1 LINES`},
	{"a quote inside", "1,\"a\"b\",1,NULL\n2,a\"b\"c,2,NULL\n", `FIELDS TERMINATED BY ',' ENCLOSED BY '"'`},
	{"no escapes", "1,a\\nb,1,\n", `FIELDS TERMINATED BY ',' ESCAPED BY '' (id, name, price, @nothing)`},
	{"long terminators", "xx1||a|b||1||\\N##yy xx2||c#d||2||\\N##3||no||3||\\N##", `FIELDS TERMINATED BY '||' LINES STARTING BY 'xx' TERMINATED BY '##'`},
	{"too few and too many", "1\tone\n2\ttwo\t2\t\\N\tmore\n", ""},
	{"columns", "one\t1\ntwo\t2\n", `(name, id)`},
	{"variables and SET", "1\tone\t5\n2\ttwo\t\\N\n", `(id, @name, @n) SET name = UPPER(CONCAT(@name, '-', id)), price = IFNULL(@n, 7) * 2`},
	{"out of range", "1\tone\t12345678901\t\\N\n2\ta name that is too long\tx\t\\N\n", ""},
	{"nothing", "", ""},
	{"fewer lines than are ignored", "1\tone\t1\t\\N\n", "IGNORE 5 LINES"},
	{"duplicates", "1\tone\t1\t\\N\n1\tagain\t2\t\\N\n", ""},
	{"character set", "1\té海\t1\t\\N\n", "CHARACTER SET utf8mb4"},
}

// loadingDB is a database of a server, on which files of the client are read.
type loadingDB struct {
	*sql.DB
	conn *sql.Conn
}

func newLoading(t *testing.T, dsn string, setup ...string) loadingDB {
	t.Helper()
	db := servers.Open(t, dsn+"?collation=utf8mb4_bin&multiStatements=true")
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	l := loadingDB{db, conn}
	for _, s := range append([]string{"DROP DATABASE IF EXISTS loading", "CREATE DATABASE loading", "USE loading"}, setup...) {
		l.exec(t, s)
	}
	return l
}

func (l loadingDB) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := l.conn.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// load reads text into t, replacing what is there, and tells what it did and which
// rows there are.
func (l loadingDB) load(t *testing.T, modifier, text, options string) string {
	t.Helper()
	l.exec(t, "DELETE FROM t")
	mysql.RegisterReaderHandler("text", func() io.Reader { return strings.NewReader(text) })
	defer mysql.DeregisterReaderHandler("text")
	r, err := l.conn.ExecContext(t.Context(), "LOAD DATA LOCAL INFILE 'Reader::text' "+modifier+" INTO TABLE t "+options)
	var out strings.Builder
	if err != nil {
		fmt.Fprintln(&out, err)
	} else {
		n, _ := r.RowsAffected()
		fmt.Fprintf(&out, "%d rows\n", n)
	}
	rows, err := l.conn.QueryContext(t.Context(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var lines []string
	for rows.Next() {
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		line := ""
		for _, v := range values {
			if v.Valid {
				line += fmt.Sprintf("%q ", v.String)
			} else {
				line += "NULL "
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return out.String() + strings.Join(lines, "\n") + "\n"
}

// TestLoadData compares what LOAD DATA LOCAL makes of files with MariaDB.
func TestLoadData(t *testing.T) {
	schema := "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(12), price DECIMAL(10,2), at DATETIME)"
	ours := newLoading(t, servers.StreamSQL(t).DSN(), "SET GLOBAL local_infile = ON", schema)
	theirs := newLoading(t, servers.MariaDB(t).DSN(), "SET GLOBAL local_infile = ON", schema)
	for _, c := range loads {
		for _, modifier := range []string{"", "REPLACE", "IGNORE"} {
			got, want := ours.load(t, modifier, c.text, c.options), theirs.load(t, modifier, c.text, c.options)
			if got != want {
				t.Errorf("%s %s:\n%s\nours:\n%stheirs:\n%s", c.name, modifier, c.text, got, want)
			}
		}
	}
}

// TestLoadDataOfAnyForm reads random lines, with random options, as MariaDB does.
func TestLoadDataOfAnyForm(t *testing.T) {
	schema := "CREATE TABLE t (a VARCHAR(200), b VARCHAR(200), c VARCHAR(200))"
	ours := newLoading(t, servers.StreamSQL(t).DSN(), "SET GLOBAL local_infile = ON", schema)
	theirs := newLoading(t, servers.MariaDB(t).DSN(), "SET GLOBAL local_infile = ON", schema)
	rng := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"a", "b", "N", "NULL", ",", ";", ";;", "\n", "\r\n", `"`, `""`, `'`, `\`, `\\`, `\N`, `\n`, "x,", "\t"}
	for range 600 {
		options := "FIELDS TERMINATED BY " + pick(rng, `','`, `';;'`, `'\t'`, `';'`)
		options += pick(rng, "", ` ENCLOSED BY '"'`, ` OPTIONALLY ENCLOSED BY '"'`)
		options += pick(rng, "", "", ` ESCAPED BY ''`) + " LINES"
		options += pick(rng, "", "", ` STARTING BY 'a'`) + " TERMINATED BY " + pick(rng, `'\n'`, `'\r\n'`, `'\n'`)
		options += pick(rng, "", "", " IGNORE 1 LINES")
		var text strings.Builder
		for range rng.IntN(20) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		got, want := ours.load(t, "", text.String(), options), theirs.load(t, "", text.String(), options)
		if got != want {
			t.Errorf("%q\n%s\nours:\n%stheirs:\n%s", text.String(), options, got, want)
		}
	}
}

func pick(rng *rand.Rand, of ...string) string { return of[rng.IntN(len(of))] }

// TestLoadDataOfServer reads files on the server: only those that it may.
func TestLoadDataOfServer(t *testing.T) {
	dir := t.TempDir()
	files := filepath.Join(dir, "files")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(files, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("files/a.txt", "1\n2\n")
	write("files/below/b.txt", "3\n")
	write("files/wrong.txt", "4\nx\n5\n")
	write("secret.txt", "6\n")
	if err := os.Symlink("../secret.txt", filepath.Join(files, "link")); err != nil {
		t.Fatal(err)
	}
	off := newLoading(t, servers.StreamSQL(t).DSN(), "CREATE STREAM TABLE t (n INT)")
	on := newLoading(t, servers.StreamSQL(t, "--secure-file-priv="+files).DSN(), "CREATE STREAM TABLE t (n INT)")
	for _, c := range []struct {
		db         loadingDB
		file, want string
	}{
		{off, "a.txt", "Error 1290"}, {on, "a.txt", ""}, {on, "below/b.txt", ""}, {on, filepath.Join(files, "a.txt"), ""},
		{on, "link", "Error 1290"}, {on, "../secret.txt", "Error 1290"}, {on, filepath.Join(dir, "secret.txt"), "Error 1290"},
		{on, "/etc/passwd", "Error 1290"}, {on, "below", "Error 1290"}, {on, "none.txt", "Error 13"}, {on, "wrong.txt", "Error 1366 (HY000): Incorrect integer value: 'x' for column 'n' at row 2"},
	} {
		_, err := c.db.conn.ExecContext(t.Context(), "LOAD DATA INFILE '"+c.file+"' INTO TABLE t")
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
	var sum int
	if err := on.conn.QueryRowContext(t.Context(), "SELECT SUM(n) FROM t").Scan(&sum); err != nil || sum != 1+2+3+1+2 {
		t.Errorf("the sum is %d, %v", sum, err)
	}
}

// TestLoadDataByCommandLine reads a file with the client that most people use, and
// one that is larger than a piece of a load.
func TestLoadDataByCommandLine(t *testing.T) {
	client, err := exec.LookPath("mysql")
	if err != nil {
		servers.Missing(t, "the mysql command line is not installed")
	}
	s := servers.StreamSQL(t)
	l := newLoading(t, s.DSN(), "SET GLOBAL local_infile = ON", "CREATE STREAM TABLE t (n INT, s VARCHAR(20))")
	path := filepath.Join(t.TempDir(), "large.csv")
	const rows = 600_000
	var text strings.Builder
	for i := range rows {
		fmt.Fprintf(&text, "%d,\"row %d\"\n", i, i)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, _ := strings.Cut(s.Addr(), ":")
	cmd := exec.CommandContext(context.Background(), client, "-h"+host, "-P"+port, "-uroot", "--local-infile=1", "-vvv", "loading", "-e",
		"LOAD DATA LOCAL INFILE '"+path+"' INTO TABLE t FIELDS TERMINATED BY ',' ENCLOSED BY '\"'")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Records: 600000  Deleted: 0  Skipped: 0  Warnings: 0") {
		t.Fatalf("%v\n%s", err, out)
	}
	l.exec(t, "INSERT INTO t VALUES (NULL, NULL)") // then all before it is seen
	var n, ids int
	if err := l.conn.QueryRowContext(t.Context(), "SELECT COUNT(n), COUNT(DISTINCT n) FROM t").Scan(&n, &ids); err != nil || n != rows || ids != rows {
		t.Errorf("%d rows, %d different ones, %v", n, ids, err)
	}
}
