package clients

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

var update = flag.Bool("update", false, "write the errors received into refusals/*.sql")

// refusal is a statement of refusals/*.sql, with what is written about it.
type refusal struct {
	line   int    // where the statement begins, from 1
	before string // lines of comment and empty ones before it
	text   string // as typed, without its semicolon
	answer string // the line below it, without "-- "
}

// readRefusals reads statements, each from a new line up to a semicolon that
// ends one, and the line of its answer behind. What stands at the end of the
// file behind the last is returned by itself.
func readRefusals(text string) (list []refusal, end string) {
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); {
		var r refusal
		for i < len(lines) && (strings.HasPrefix(lines[i], "# ") || strings.TrimSpace(lines[i]) == "") {
			r.before += lines[i]
			i++
		}
		if i == len(lines) {
			return list, r.before
		}
		for r.line = i + 1; i < len(lines) && !strings.HasSuffix(lines[i], ";\n"); i++ {
			r.text += lines[i]
		}
		if i < len(lines) {
			r.text += strings.TrimSuffix(lines[i], ";\n")
			i++
		}
		if i < len(lines) && strings.HasPrefix(lines[i], "-- ") {
			r.answer = strings.TrimSpace(lines[i][3:])
			i++
		}
		list = append(list, r)
	}
	return list, ""
}

// TestRefusals sends what must be refused and compares the errors with those
// written below the statements. The server goes on, and nothing has changed.
func TestRefusals(t *testing.T) {
	s := servers.StreamSQL(t)
	setUp := servers.Open(t, s.DSN())
	if _, err := setUp.ExecContext(t.Context(), "CREATE DATABASE shop"); err != nil {
		t.Fatal(err)
	}
	db := servers.Open(t, s.DSN()+"shop")
	schema, err := os.ReadFile("refusals/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	for q := range strings.SplitSeq(strings.TrimSpace(string(schema)), ";\n") {
		if _, err := db.ExecContext(t.Context(), strings.TrimSuffix(q, ";")); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	files, err := filepath.Glob("refusals/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	begin, total := shopState(t, db), 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			total += refuseFile(t, db, file)
			if end := shopState(t, db); end != begin {
				t.Errorf("the database was\n%s\nand is\n%s", begin, end)
			}
		})
	}
	if total < 150 {
		t.Errorf("only %d statements were found in refusals/", total)
	}
}

func refuseFile(t *testing.T, db *sql.DB, file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, end := readRefusals(string(text))
	var out bytes.Buffer
	for _, r := range list {
		got, err := answer(t.Context(), db, r.text)
		if err != nil {
			t.Errorf("%s:%d: %s\n%v", file, r.line, r.text, err)
		} else if got != r.answer && !*update {
			t.Errorf("%s:%d: %s\n got %s\nwant %s", file, r.line, r.text, got, r.answer)
		}
		fmt.Fprintf(&out, "%s%s;\n-- %s\n", r.before, r.text, got)
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT n FROM counted").Scan(&n); err != nil || n != 2 {
			t.Fatalf("%s:%d: afterwards: %d rows, %v", file, r.line, n, err)
		}
	}
	if *update {
		if err := os.WriteFile(file, append(out.Bytes(), end...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return len(list)
}

// answer sends a statement on a connection of its own, so that what one sets no
// other sees, and returns its error as one line.
func answer(ctx context.Context, db *sql.DB, text string) (string, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Raw(func(any) error { return errDone })
	rows, err := conn.QueryContext(ctx, text)
	if err == nil {
		for rows.Next() {
		}
		err = errors.Join(rows.Err(), rows.Close())
	}
	var my *mysql.MySQLError
	switch {
	case err == nil:
		return "accepted", errors.New("it is accepted")
	case !errors.As(err, &my):
		return "no answer", err
	}
	return fmt.Sprintf("%d (%s): %s", my.Number, my.SQLState[:], strings.ReplaceAll(my.Message, "\n", `\n`)), nil
}

// shopState is what the database has: its objects, their definitions and rows.
func shopState(t *testing.T, db *sql.DB) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []string{
		"SHOW DATABASES", "SHOW FULL TABLES", "SHOW INDEX FROM t", "SELECT name, state FROM streamsql.jobs ORDER BY name",
		"SHOW CREATE TABLE t", "SHOW CREATE TABLE products", "SHOW CREATE STREAM TABLE bids",
		"SHOW CREATE VIEW cheap", "SHOW CREATE MATERIALIZED VIEW sales",
		"SELECT * FROM t ORDER BY id", "SELECT * FROM products ORDER BY id", "SELECT * FROM bids ORDER BY ts", "SELECT * FROM rates ORDER BY cur",
	} {
		rows, err := db.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		fmt.Fprintln(&b, q)
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				fmt.Fprintf(&b, "\t%s", v.String)
			}
			b.WriteByte('\n')
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return b.String()
}
