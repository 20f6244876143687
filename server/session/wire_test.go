package session_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/server"
	"streamsql/server/session"
)

// serve starts a server over the fake engine and returns its address.
func serve(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(l, session.NewFake(), server.Options{})
	go s.Serve()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		s.Shutdown(ctx)
	})
	return l.Addr().String()
}

func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestDriver takes the usual steps of a program: text and prepared statements,
// a transaction, errors, column types.
func TestDriver(t *testing.T) {
	db := open(t, "root@tcp("+serve(t)+")/shop?parseTime=true&clientFoundRows=true")
	exec := func(text string, args ...any) sql.Result {
		t.Helper()
		r, err := db.Exec(text, args...)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return r
	}
	exec("CREATE TABLE t (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL, price DECIMAL(10,2), at DATETIME(3))")
	at := time.Date(2024, 2, 29, 1, 2, 3, 500e6, time.UTC)
	r := exec("INSERT INTO t (name, price, at) VALUES (?, ?, ?), (?, ?, ?)", "ann", "1.50", at, "bob", nil, nil)
	if n, _ := r.RowsAffected(); n != 2 {
		t.Errorf("%d rows", n)
	}
	if id, _ := r.LastInsertId(); id != 1 {
		t.Errorf("id %d", id)
	}
	rows, err := db.Query("SELECT id, name, price, at FROM t WHERE id < ?", 10)
	if err != nil {
		t.Fatal(err)
	}
	cols, _ := rows.ColumnTypes()
	var got []string
	for _, c := range cols {
		null, _ := c.Nullable()
		p, s, _ := c.DecimalSize()
		got = append(got, fmt.Sprint(c.Name(), " ", c.DatabaseTypeName(), " ", null, " ", p, ",", s))
	}
	want := "id BIGINT false 0,0; name VARCHAR false 0,0; price DECIMAL true 10,2; at DATETIME true 3,3"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("columns %s\nwant    %s", s, want)
	}
	var lines []string
	for rows.Next() {
		var (
			id    int
			name  string
			price sql.NullString
			when  sql.NullTime
		)
		if err := rows.Scan(&id, &name, &price, &when); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(id, name, price.String, when.Valid && when.Time.Equal(at)))
	}
	if s := strings.Join(lines, " "); s != "1ann1.50true 2bobfalse" {
		t.Error(s)
	}
	if n, _ := exec("UPDATE t SET name = 'ann' WHERE id = ?", 1).RowsAffected(); n != 1 {
		t.Errorf("%d rows are found by an UPDATE that changes nothing", n)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("DELETE FROM t"); err != nil {
		t.Fatal(err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRow("SELECT id FROM t WHERE id = 2").Scan(&n); err != nil || n != 2 {
		t.Errorf("after the rollback: %d, %v", n, err)
	}
	var e *mysql.MySQLError
	if _, err := db.Query("SELECT x FROM nowhere WHERE a = ?", 1); !errors.As(err, &e) || e.Number != 1146 || string(e.SQLState[:]) != "42S02" {
		t.Errorf("a prepared error: %v", err)
	}
}

func TestKillFromAnotherConnection(t *testing.T) {
	addr := serve(t)
	db := open(t, "root@tcp("+addr+")/shop")
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var id int
	if err := c.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(fmt.Sprint("KILL ", id)); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(3 * time.Second)
	for c.PingContext(context.Background()) == nil {
		if time.Now().After(deadline) {
			t.Fatal("the connection lives on")
		}
	}
}

// TestStockClient runs the command line client as people do.
func TestStockClient(t *testing.T) {
	path, err := exec.LookPath("mariadb")
	if err != nil {
		t.Skip("no command line client here")
	}
	_, port, _ := strings.Cut(serve(t), ":")
	run := func(input string, args ...string) string {
		cmd := exec.Command(path, append([]string{"--no-defaults", "-h127.0.0.1", "-P" + port, "-uroot"}, args...)...)
		cmd.Stdin = strings.NewReader(input)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q: %v: %s", input, err, out)
		}
		return string(out)
	}
	run("CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(5));\nINSERT INTO t VALUES (1, 'x'), (2, NULL);\n", "shop")
	if got := run("SELECT * FROM t;", "shop", "--table"); got != "+----+------+\n| id | v    |\n+----+------+\n|  1 | x    |\n|  2 | NULL |\n+----+------+\n" {
		t.Error(got)
	}
	if got := run("\\s\n", "shop", "--comments"); !strings.Contains(got, "Server version:\t\t8.0.36-StreamSQL") || !strings.Contains(got, "Uptime:") {
		t.Error(got)
	}
	if got := run("delimiter //\nSELECT 1; SELECT 2//\n", "shop", "-N"); got != "1\n2\n" {
		t.Errorf("%q", got)
	}
	if got := run("use shop\nshow warnings;\nselect database();\n", "-N"); got != "shop\n" {
		t.Errorf("%q", got)
	}
	if got := run("SELECT 1; SELECT nothing; SELECT 3;", "-N", "--force"); got != "1\nERROR 1054 (42S22) at line 1: Unknown column 'nothing' in 'field list'\n3\n" &&
		!strings.Contains(got, "ERROR 1054 (42S22) at line 1: Unknown column 'nothing'") {
		t.Errorf("%q", got)
	}
}

func BenchmarkSelectOne(b *testing.B) {
	db := open(b, "root@tcp("+serve(b)+")/shop")
	db.SetMaxOpenConns(1)
	var n int
	for b.Loop() {
		if err := db.QueryRow("SELECT 1").Scan(&n); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrepared(b *testing.B) {
	db := open(b, "root@tcp("+serve(b)+")/shop")
	db.SetMaxOpenConns(1)
	st, err := db.Prepare("SELECT ? + 1")
	if err != nil {
		b.Fatal(err)
	}
	var n int
	for b.Loop() {
		if err := st.QueryRow(1).Scan(&n); err != nil {
			b.Fatal(err)
		}
	}
}
