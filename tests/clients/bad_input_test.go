package clients

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

// mistakes are statements that users send, with the error that each is. A text
// behind the number must be in its message.
var mistakes = []struct {
	text  string
	code  uint16
	hints string
}{
	{"SELEC pric FROM t", 1064, "near 'SELEC pric FROM t' at line 1 column 1"},
	{"SELECT id,\n  FROM t", 1064, "at line 2 column 3"},
	{"SELECT 'abc", 1064, "near ''abc'"},
	{"/* never closed", 1064, ""},
	{"", 1065, "Query was empty"},
	{"SELECT pric FROM t", 1054, "did you mean 'price'?"},
	{"SELECT price FROM prodcts", 1146, "did you mean 'products'?"},
	{"SELECT price FROM nodb.t", 1049, "nodb"},
	{"SELECT lenght(name) FROM t", 1305, "did you mean"},
	{"SELECT ABS(1, 2)", 1582, "ABS"},
	{"SELECT id FROM t, t", 1066, "t"},
	{"SELECT id FROM t ORDER BY 5", 1054, "5"},
	{"SELECT SUM(SUM(price)) FROM t", 1111, ""},
	{"SELECT 9223372036854775807 + 1", 1690, "9223372036854775807 + 1"},
	{"INSERT INTO t VALUES ('x', 'a', 1)", 1366, "'x' for column 'id'"},
	{"INSERT INTO t VALUES (99999999999, 'a', 1)", 1264, "'id'"},
	{"INSERT INTO t VALUES (1, 'eleven chars', 1)", 1406, "'name'"},
	{"INSERT INTO t VALUES (1, NULL, 1)", 1048, "'name'"},
	{"INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 1000)", 1264, "'price' at row 2"},
	{"INSERT INTO t VALUES (1, 'a')", 1136, "row 1"},
	{"INSERT INTO t VALUES (1, '\xff\xfe', 1)", 1300, "FFFE"},
	{"SELECT '\xe9'", 1300, "E9"},
	{"CREATE TABLE t (id INT)", 1050, "'t'"},
	{"CREATE TABLE u (d DECIMAL(66, 2))", 1426, "65"},
	{"CREATE STREAM TABLE u (k INT) WITH (partitions = 'many')", 1210, "partitions"},
	{"CREATE STREAM TABLE u (k INT) WITH (partitons = '2')", 1210, "partitons"},
	{"CREATE STREAM TABLE u (k INT) WITH (connector = 'nope')", 1210, "nope"},
	{"CREATE MATERIALIZED VIEW m AS SELECT nme FROM t", 1054, "did you mean 'name'?"},
	{"CREATE MATERIALIZED VIEW m AS SELECT * FROM m", 1146, "m"},
	{"DROP TABLE gone", 1051, "gone"},
	{"DROP TABLE t", 3730, "v"},
	{"USE nodb", 1049, "nodb"},
	{"SET time_zone = 'Mars/Base'", 1298, "Mars/Base"},
	{"KILL 999999", 1094, "999999"},
}

func badInput(t *testing.T, args ...string) *sql.DB {
	t.Helper()
	s := servers.StreamSQL(t, args...)
	t.Cleanup(func() {
		select {
		case <-s.Exited():
			t.Error("the server has ended")
		default:
		}
	})
	db := servers.Open(t, s.DSN()+"bad?maxAllowedPacket=67108864")
	setUp := servers.Open(t, s.DSN())
	for _, q := range []string{
		"CREATE DATABASE bad",
		"CREATE TABLE bad.t (id INT PRIMARY KEY, name VARCHAR(10) NOT NULL, price DECIMAL(5, 2))",
		"CREATE TABLE bad.products (id INT PRIMARY KEY)",
		"CREATE MATERIALIZED VIEW bad.v AS SELECT COUNT(*) AS n FROM bad.t",
	} {
		if _, err := setUp.ExecContext(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return db
}

func wantError(t *testing.T, what string, err error, code uint16, hint string) {
	t.Helper()
	var my *mysql.MySQLError
	if !errors.As(err, &my) || my.Number != code || !strings.Contains(my.Message, hint) {
		t.Errorf("%s: %v, want error %d with %q", what, err, code, hint)
	}
}

// alive: the server still answers.
func alive(t *testing.T, db *sql.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var n int
	if err := db.QueryRowContext(ctx, "SELECT n FROM v").Scan(&n); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestMistakes(t *testing.T) {
	db := badInput(t)
	for _, m := range mistakes {
		_, err := db.ExecContext(t.Context(), m.text)
		wantError(t, fmt.Sprintf("%q", m.text), err, m.code, m.hints)
	}
	alive(t, db)
}

// TestLargeStatements: statements of 5 MB and more, good and bad.
func TestLargeStatements(t *testing.T) {
	db := badInput(t)
	long := strings.Repeat("x", 5<<20)
	var rows strings.Builder
	rows.WriteString("INSERT INTO t VALUES (0, 'a', 1)")
	for i := 1; rows.Len() < 5<<20; i++ {
		fmt.Fprintf(&rows, ", (%d, 'name %d', %d.25)", i, i%1000, i%900)
	}
	for _, c := range []struct {
		what, text string
		code       uint16 // 0: it is right
		hint       string
	}{
		{"a literal", "SELECT LENGTH('" + long + "')", 0, ""},
		{"a value that is too long", "INSERT INTO t VALUES (1, '" + long + "', 1)", 1406, "name"},
		{"a name", "SELECT " + long + " FROM t", 1054, "Unknown column 'xxx"},
		{"no statement", long, 1064, "at line 1 column 1"},
		{"a comment", "SELECT 1 /* " + long + " */", 0, ""},
		{"a sum", "SELECT 1" + strings.Repeat(" + 1", 400_000), 1064, "nested too deeply"},
		{"brackets", "SELECT " + strings.Repeat("(", 400_000) + "1" + strings.Repeat(")", 400_000), 1064, "nested too deeply"},
		{"words", "SELECT 1" + strings.Repeat(", 1", 2<<20), 1064, "words"},
		{"brackets left open", "SELECT " + strings.Repeat("(", 5<<20), 1064, ""},
		{"subqueries", "SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 100_000) + "t" + strings.Repeat(") AS x", 100_000), 1064, ""},
		{"functions", "SELECT " + strings.Repeat("ABS(", 3000) + "1" + strings.Repeat(")", 3000), 1473, "nesting"},
		{"a list", "SELECT COUNT(*) FROM t WHERE id IN (1" + strings.Repeat(", 1", 400_000) + ")", 0, ""},
		{"rows", rows.String(), 0, ""},
		{"rows that are there", rows.String(), 1062, "'0'"},
	} {
		begin := time.Now()
		_, err := db.ExecContext(t.Context(), c.text)
		if took := time.Since(begin); took > 30*time.Second {
			t.Errorf("%s: took %v", c.what, took)
		}
		if c.code == 0 && err != nil {
			t.Errorf("%s: %.300v", c.what, err)
		} else if c.code != 0 {
			wantError(t, c.what, err, c.code, c.hint)
			if len(fmt.Sprint(err)) > 1000 {
				t.Errorf("%s: the message has %d bytes", c.what, len(fmt.Sprint(err)))
			}
		}
	}
	alive(t, db)
}

// TestGone: what a prepared statement or a transaction uses is dropped under it.
func TestGone(t *testing.T) {
	db := badInput(t)
	ctx := t.Context()
	exec := func(q string) {
		t.Helper()
		if _, err := db.ExecContext(ctx, q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	exec("CREATE TABLE g (id INT PRIMARY KEY)")
	read, err := db.PrepareContext(ctx, "SELECT COUNT(*) FROM g WHERE id > ?")
	if err != nil {
		t.Fatal(err)
	}
	write, err := db.PrepareContext(ctx, "INSERT INTO g VALUES (?)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = write.ExecContext(ctx, "not a number")
	wantError(t, "a parameter of the wrong type", err, 1366, "not a number")
	_, err = write.ExecContext(ctx, int64(1)<<40)
	wantError(t, "a parameter out of range", err, 1264, "id")
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO g VALUES (1)"); err != nil {
		t.Fatal(err)
	}
	exec("DROP TABLE g")
	wantError(t, "COMMIT", tx.Commit(), 1146, "")
	var n int
	wantError(t, "a prepared SELECT", read.QueryRowContext(ctx, 0).Scan(&n), 1146, "bad.g")
	_, err = write.ExecContext(ctx, 2)
	wantError(t, "a prepared INSERT", err, 1146, "bad.g")
	alive(t, db)
}

// TestSlowClient: a client that does not read on holds up nobody, and does not
// make the server keep its result.
func TestSlowClient(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN())
	var values []string
	for i := range 3000 {
		values = append(values, fmt.Sprintf("(%d, '%s')", i, strings.Repeat("v", 50)))
	}
	for _, q := range []string{
		"CREATE DATABASE slow", "CREATE TABLE slow.r (id INT PRIMARY KEY, v VARCHAR(50))",
		"INSERT INTO slow.r VALUES " + strings.Join(values, ", "),
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// 9 million rows, 1 GB: it does not fit between server and client.
	rows, err := db.QueryContext(ctx, "SELECT a.id, a.v, b.v FROM slow.r a JOIN slow.r b ON a.id >= 0")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		begin := time.Now()
		var n int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM slow.r").Scan(&n); err != nil || n != 3000 {
			t.Fatalf("another session: %d rows, %v", n, err)
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("another session waited %v", took)
		}
	}
	if kb := resident(t, s.Ready().PID); kb > 700<<10 {
		t.Errorf("the server holds %d MB for a client that does not read", kb>>10)
	}
	cancel()
	rows.Close()
	servers.Eventually(t, 10*time.Second, func() error {
		var running, id, info sql.NullString
		rows, err := db.QueryContext(t.Context(), "SHOW FULL PROCESSLIST")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := rows.Scan(&id, &running, &running, &running, &running, &running, &running, &info); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(info.String, "slow.r a") {
				return fmt.Errorf("the query of the client that went away still runs")
			}
		}
		return rows.Err()
	})
}

// resident is how much memory of a process is in use, in KB.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // not a Linux
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb
}
