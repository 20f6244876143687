package functions

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

var update = flag.Bool("update", false, "write what the server answers into testdata")

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// moment is where the clock of both servers stands.
const moment = "SET timestamp = 1714979289.123456, time_zone = '+00:00'"

// connect gives one connection of a server, with a database of its own.
func connect(t *testing.T, dsn string) *sql.Conn {
	t.Helper()
	conn, err := servers.Open(t, dsn).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	for _, s := range []string{"CREATE DATABASE IF NOT EXISTS functions", "USE functions", moment, "SET NAMES utf8mb4 COLLATE utf8mb4_bin"} {
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

// ask is a server's answer to an expression.
func ask(ctx context.Context, conn *sql.Conn, expr string) answer {
	rows, err := servers.Rows(ctx, conn, "SELECT "+expr)
	if err != nil {
		return answer{value: failure(err)}
	}
	return answer{value: printable(strings.Join(rows, " / ")), warnings: warnings(ctx, conn)}
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

// TestFunctions asks the cases of a file, then as columns of views.
func TestFunctions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	ours := connect(t, servers.StreamSQL(t).DSN())
	reference := connect(t, servers.MariaDB(t).DSN())
	for _, conn := range []*sql.Conn{ours, reference} {
		exec(t, conn, "CREATE TABLE one (k INT PRIMARY KEY)")
		exec(t, conn, "INSERT INTO one VALUES (0), (1), (2)")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			items := read(t, file)
			for _, c := range unequal(t, ours, reference, items) {
				compare(t, ours, reference, c)
			}
			if *update {
				write(t, file, items)
			}
			columns(t, ours, items)
		})
	}
}

// unequal asks many cases at a time and returns those that are to be asked one by
// one: that have warnings or errors, and those asked beside one that is not as it should be.
func unequal(t *testing.T, ours, reference *sql.Conn, items []item) []*item {
	const width = 50
	var single, batch []*item
	flush := func() {
		if len(batch) > 0 && (!together(t.Context(), ours, batch) || !together(t.Context(), reference, batch)) {
			single = append(single, batch...)
		}
		batch = nil
	}
	for i := range items {
		c := &items[i]
		switch {
		case c.expr == "":
		case *update || c.mariadb != "" || len(c.want.warnings) > 0 || strings.HasPrefix(c.want.value, "error"):
			single = append(single, c)
		default:
			if batch = append(batch, c); len(batch) == width {
				flush()
			}
		}
	}
	flush()
	return single
}

// together asks cases in one statement, and reports whether all are as they should be.
func together(ctx context.Context, conn *sql.Conn, batch []*item) bool {
	exprs := make([]string, len(batch))
	for i, c := range batch {
		exprs[i] = c.expr
	}
	rows, err := servers.Rows(ctx, conn, "SELECT "+strings.Join(exprs, ", "))
	if err != nil || len(rows) != 1 || len(warnings(ctx, conn)) > 0 {
		return false
	}
	values := strings.Split(rows[0], "\t")
	for i, c := range batch {
		if len(values) != len(batch) || printable(values[i]) != c.want.value {
			return false
		}
	}
	return true
}

func compare(t *testing.T, ours, reference *sql.Conn, c *item) {
	got := ask(t.Context(), ours, c.expr)
	switch {
	case *update:
		c.want = got
	case got.String() != c.want.String():
		t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
	}
	theirs := ask(t.Context(), reference, c.expr)
	if strings.HasPrefix(theirs.value, "error") || len(theirs.warnings) > 0 {
		exec(t, reference, "DO (SELECT COUNT(*) FROM one)") // MariaDB keeps warnings until a table is read
	}
	switch same := theirs.numbers() == got.numbers(); {
	case !same && c.mariadb == "":
		t.Errorf("%s\nwe say %s\nMariaDB %s", c.expr, got, theirs)
	case same && c.mariadb != "":
		t.Errorf("%s: MariaDB says so too: take the line away", c.expr)
	}
}

// literal is the first argument that is a literal of its own.
var literal = regexp.MustCompile(`^(.*?[(,] ?)('(?:[^'\\]|\\.|'')*'|-?\d+(?:\.\d+)?(?:e-?\d+)?)([,)].*| AS .*)$`)

// inRow is a case with its first literal in a row; false: it has none, but in a type.
func inRow(c item) (expr string, ok bool) {
	m := literal.FindStringSubmatch(c.expr)
	if m == nil || strings.Contains(m[1], " AS ") {
		return "", false
	}
	return m[1] + "IF(k, " + m[2] + ", NULL)" + m[3], true
}

// columns asks the cases of a column: in each the first literal stands in a row
// instead, so that nothing can be computed beforehand. The view has a row in which it
// is NULL and two in which it is what the case says.
func columns(t *testing.T, ours *sql.Conn, items []item) {
	const width = 60
	var batch []item
	flush := func() {
		if len(batch) > 0 {
			view(t, ours, batch)
		}
		batch = nil
	}
	for _, c := range items {
		if c.expr == "" || c.constant != "" || strings.HasPrefix(c.want.value, "error") {
			continue
		}
		if _, ok := inRow(c); !ok {
			continue
		}
		if batch = append(batch, c); len(batch) == width {
			flush()
		}
	}
	flush()
}

// view makes one view of many cases and reads it.
func view(t *testing.T, ours *sql.Conn, batch []item) {
	t.Helper()
	cols := make([]string, len(batch))
	for i, c := range batch {
		expr, _ := inRow(c)
		cols[i] = fmt.Sprintf("%s AS c%d", expr, i)
	}
	text := "CREATE MATERIALIZED VIEW asked AS SELECT k, " + strings.Join(cols, ", ") + " FROM one"
	if _, err := ours.ExecContext(t.Context(), text); err != nil {
		if len(batch) == 1 {
			t.Errorf("%s cannot be asked of a column: %v", batch[0].expr, err)
			return
		}
		for i := range batch {
			view(t, ours, batch[i:i+1])
		}
		return
	}
	defer exec(t, ours, "DROP MATERIALIZED VIEW asked")
	names := make([]string, len(batch))
	for i := range names {
		names[i] = fmt.Sprintf("c%d", i)
	}
	for _, k := range []string{"1", "2"} {
		rows, err := servers.Rows(t.Context(), ours, "SELECT "+strings.Join(names, ", ")+" FROM asked WHERE k = "+k)
		if err != nil || len(rows) != 1 {
			t.Fatalf("%s: %v %v", text, rows, err)
		}
		for i, v := range strings.Split(rows[0], "\t") {
			if printable(v) != batch[i].want.value {
				t.Errorf("%s of a column: %s, not %s", batch[i].expr, printable(v), batch[i].want.value)
			}
		}
	}
}
