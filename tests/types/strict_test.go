package types

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

var update = flag.Bool("update", false, "write what the server answers into testdata")

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// modes are the sql_modes that cases are asked in.
var modes = map[string]string{
	"strict":  "STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO",
	"lax":     "",
	"dates":   "NO_ZERO_IN_DATE,NO_ZERO_DATE",
	"zeros":   "STRICT_TRANS_TABLES",
	"divide":  "ERROR_FOR_DIVISION_BY_ZERO",
	"divides": "STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO",
}

// connect gives one connection of a server, in a database of its own.
func connect(t *testing.T, dsn string) *sql.Conn {
	t.Helper()
	conn, err := servers.Open(t, dsn).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, s := range []string{"CREATE DATABASE IF NOT EXISTS types", "USE types", "SET timestamp = 1714979289, time_zone = '+00:00'",
		"SET NAMES utf8mb4 COLLATE utf8mb4_bin"} {
		exec(t, conn, s)
	}
	return conn
}

func exec(t *testing.T, conn *sql.Conn, text string) {
	t.Helper()
	if _, err := conn.ExecContext(t.Context(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// TestStore stores each value into a column of each type, in each sql_mode that the
// file names: by INSERT of the literal, which is asked of MariaDB too, and by one of
// the other statements that store, in turn, which must answer the same.
func TestStore(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	ours, reference := connect(t, servers.StreamSQL(t).DSN()), connect(t, servers.MariaDB(t).DSN())
	for _, conn := range []*sql.Conn{ours, reference} {
		exec(t, conn, "CREATE TABLE one (k INT PRIMARY KEY)")
		exec(t, conn, "INSERT INTO one VALUES (1)")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			sections := read(t, file)
			for _, s := range sections[1:] {
				s.run(t, ours, reference)
			}
			if *update {
				write(t, file, sections)
			}
		})
	}
}

// run asks the cases of a column.
func (s *section) run(t *testing.T, ours, reference *sql.Conn) {
	for _, conn := range []*sql.Conn{ours, reference} {
		exec(t, conn, "SET sql_mode = ''")
		exec(t, conn, "CREATE TABLE t (k INT PRIMARY KEY, c "+s.column+")")
		defer exec(t, conn, "DROP TABLE t")
	}
	asked := 0
	for _, c := range s.cases {
		if c.value == "" {
			continue
		}
		for _, mode := range s.modes {
			label := fmt.Sprintf("%s ← %s (%s)", s.column, c.value, mode)
			got := store(t, ours, mode, "INSERT INTO t (k, c) VALUES (1, "+c.value+")")
			if *update {
				c.want[mode] = got
			}
			if want := c.want[mode]; got.String() != want.String() {
				t.Errorf("%s\n got %s\nwant %s", label, got, want)
			}
			asked++
			form := fmt.Sprintf(forms[asked%len(forms)], c.value)
			if strings.HasPrefix(got.value, "error 1048") {
				form = "INSERT INTO t SET k = 1, c = " + c.value // the error of an INSERT of one row alone
			}
			if other := store(t, ours, mode, form); other.String() != got.String() {
				t.Errorf("%s\n%s\n got %s\nwant %s", label, form, other, got)
			}
			c.check(t, label, mode, got, store(t, reference, mode, "INSERT INTO t (k, c) VALUES (1, "+c.value+")"))
		}
	}
}

// forms are the other statements that store a value into the column.
var forms = []string{
	"INSERT INTO t (k, c) SELECT 1, %s FROM one",
	"INSERT INTO t SET k = 1, c = %s",
	"REPLACE INTO t (k, c) VALUES (1, %s)",
	"UPDATE t SET c = %s WHERE k = 1",
	"INSERT INTO t SELECT k, c FROM t AS old ON DUPLICATE KEY UPDATE c = %s",
}

// check compares with MariaDB, whose reason to differ stands beside the case.
func (c *item) check(t *testing.T, label, mode string, got, theirs answer) {
	why := c.mariadb[mode]
	if why == "" {
		why = c.mariadb[""]
	}
	switch same := theirs.numbers() == got.numbers(); {
	case !same && why == "":
		t.Errorf("%s\nwe say  %s\nMariaDB %s", label, got, theirs)
	case same && c.mariadb[mode] != "":
		t.Errorf("%s: MariaDB says so too: take the line away", label)
	}
}

// store runs a statement that stores into t.c of row 1, says what is there then, and
// takes it back.
func store(t *testing.T, conn *sql.Conn, mode, text string) answer {
	t.Helper()
	ctx := t.Context()
	exec(t, conn, "BEGIN")
	defer exec(t, conn, "ROLLBACK")
	if strings.HasPrefix(text, "UPDATE") || strings.Contains(text, "DUPLICATE") {
		exec(t, conn, "SET sql_mode = ''")
		exec(t, conn, "INSERT INTO t (k) VALUES (1)")
	}
	exec(t, conn, "SET sql_mode = '"+modes[mode]+"'")
	if _, err := conn.ExecContext(ctx, text); err != nil {
		return answer{value: failure(err)}
	}
	a := answer{warnings: warnings(ctx, conn)}
	rows, err := servers.Rows(ctx, conn, "SELECT c FROM t")
	if err != nil {
		t.Fatal(err)
	}
	a.value = printable(strings.Join(rows, " / "))
	return a
}

// printable writes bytes that are no text as \xFF.
func printable(s string) string {
	if strconv.CanBackquote(strings.ReplaceAll(s, "`", "")) {
		return s
	}
	q := strconv.Quote(strings.ReplaceAll(s, `"`, `'`))
	return strings.ReplaceAll(q[1:len(q)-1], `\\`, `\`)
}

func failure(err error) string {
	var my *mysql.MySQLError
	if errors.As(err, &my) {
		return printable(fmt.Sprintf("error %d %s", my.Number, my.Message))
	}
	return "error " + err.Error()
}

func warnings(ctx context.Context, conn *sql.Conn) []string {
	rows, err := servers.Rows(ctx, conn, "SHOW WARNINGS")
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, row := range rows {
		_, rest, _ := strings.Cut(row, "\t")
		number, text, _ := strings.Cut(rest, "\t")
		out = append(out, printable(number+" "+text))
	}
	return out
}
