package mysqlwire

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-sql-driver/mysql"
)

func open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func code(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

func TestLogin(t *testing.T) {
	_, _, addr := start(t, Options{Accounts: users(t)})
	for _, c := range []struct {
		dsn  string
		want string // in the error; empty: success
	}{
		{"root@tcp(%s)/", ""},
		{"root:x@tcp(%s)/", "Access denied for user 'root'@'localhost' (using password: YES)"},
		{"old:secret@tcp(%s)/shop", ""},
		{"old:wrong@tcp(%s)/", "(using password: YES)"},
		{"old@tcp(%s)/", "(using password: NO)"},
		{"new:secret@tcp(%s)/", ""}, // full, over RSA
		{"new:secret@tcp(%s)/", ""}, // from the cache
		{"new:wrong@tcp(%s)/", "(using password: YES)"},
		{"new@tcp(%s)/", "(using password: NO)"},
		{"nobody:x@tcp(%s)/", "Access denied for user 'nobody'@'localhost' (using password: YES)"},
		{"nobody@tcp(%s)/", "Access denied for user 'nobody'@'localhost' (using password: NO)"},
		{"root@tcp(%s)/nowhere", "Unknown database 'nowhere'"},
	} {
		err := open(t, fmt.Sprintf(c.dsn, addr)).Ping()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.dsn, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %s", c.dsn, err, c.want)
		}
	}
}

func TestText(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/")
	var (
		id               int64
		name, amount, ts string
	)
	if err := db.QueryRow("rows 1").Scan(&id, &name, &amount, &ts); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(id, name, amount, ts); got != "0customer0.002025-12-01 00:00:00.123" {
		t.Error(got)
	}
	n := 0
	rows, err := db.Query("rows 8192")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		n++
	}
	if rows.Err() != nil || n != 8192 {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
	r, err := db.Exec("update")
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := r.RowsAffected(); a != 1 {
		t.Errorf("affected %d", a)
	}
	if _, err := db.Exec("bad"); code(err) != 1105 {
		t.Error(err)
	}
}

func TestErrorAfterRowsKeepsCodeAndConnection(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/")
	db.SetMaxOpenConns(1)
	for _, text := range []string{"fail", "fail ?"} { // text, then prepared
		var args []any
		if strings.Contains(text, "?") {
			args = append(args, 1)
		}
		rows, err := db.Query(text, args...)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for rows.Next() {
			n++
		}
		var e *mysql.MySQLError
		if n != 3 || !errors.As(rows.Err(), &e) || e.Number != 1690 || string(e.SQLState[:]) != "22003" {
			t.Errorf("%s: %d rows, then %v", text, n, rows.Err())
		}
	}
	if err := db.Ping(); err != nil {
		t.Error(err)
	}
}

func TestPanicEndsOneConnection(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/")
	if _, err := db.Exec("panic"); code(err) != 1105 {
		t.Errorf("a panic answers %v", err)
	}
	c := dial(t, addr) // the server lives on
	c.login("root", "")
}

// TestParameters sends values of every kind and reads them back as a binary row.
func TestParameters(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/?parseTime=true&loc=UTC")
	at := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	in := []any{int64(-5), uint64(1<<63 + 1), 1.5, "héllo", []byte{0xff, 0}, at, nil, strings.Repeat("x", 70000), true}
	out := make([]any, len(in))
	ptr := make([]any, len(in))
	for i := range out {
		ptr[i] = &out[i]
	}
	text := "echo" + strings.Repeat(" ?", len(in))
	if err := db.QueryRow(text, in...).Scan(ptr...); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"-5", "9223372036854775809", "1.5", "héllo", "\xff\x00", "2024-02-29 23:59:58.123456", "<nil>", strings.Repeat("x", 70000), "1"} {
		got := fmt.Sprint(out[i])
		if b, ok := out[i].([]byte); ok {
			got = string(b)
		}
		if got != want {
			t.Errorf("parameter %d: %.40q, want %.40q", i, got, want)
		}
	}
}

func TestMultipleStatements(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/?multiStatements=true")
	rows, err := db.Query("rows 2; update; rows 1; bad; rows 1")
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for more := true; more; more = rows.NextResultSet() {
		for rows.Next() {
		}
		sets++
	}
	if code(rows.Err()) != 1105 {
		t.Errorf("after %d results: %v", sets, rows.Err())
	}
}

func TestKill(t *testing.T) {
	_, b, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/")
	ctx := context.Background()
	c, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []bool{true, false} {
		result := make(chan error)
		go func() { _, err := c.ExecContext(ctx, "wait"); result <- err }()
		var victim *fakeSession
		for victim == nil {
			b.mu.Lock()
			for _, s := range b.sessions {
				s.mu.Lock()
				if s.cancel != nil {
					victim = s
				}
				s.mu.Unlock()
			}
			b.mu.Unlock()
		}
		if err := victim.Kill(uint64(victim.client.ID), query); err != nil {
			t.Fatal(err)
		}
		if err := <-result; code(err) != 1317 {
			t.Fatalf("KILL (query only: %v): %v", query, err)
		}
		victim.mu.Lock()
		victim.cancel = nil
		victim.mu.Unlock()
	}
	if err := c.PingContext(ctx); err == nil {
		t.Error("the connection outlived KILL CONNECTION")
	}
}

func TestClientLossEndsTheStatement(t *testing.T) {
	_, b, addr := start(t, Options{})
	c := dial(t, addr)
	c.login("root", "")
	b.mu.Lock()
	var s *fakeSession
	for _, s = range b.sessions {
	}
	s.ended = make(chan error, 1)
	b.mu.Unlock()
	c.send(0, 3, "wait")
	c.Close()
	select {
	case err := <-s.ended:
		if !errors.Is(err, errGone) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("the statement goes on")
	}
}

func TestTooManyConnections(t *testing.T) {
	_, _, addr := start(t, Options{MaxConnections: 1})
	db := open(t, "root@tcp("+addr+")/")
	c, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := open(t, "root@tcp("+addr+")/").Ping(); code(err) != 1040 {
		t.Error(err)
	}
}

func TestGoMySQLClient(t *testing.T) {
	_, _, addr := start(t, Options{Accounts: users(t)})
	c, err := client.Connect(addr, "new", "secret", "shop")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r, err := c.Execute("db")
	if err != nil {
		t.Fatal(err)
	}
	if db, _ := r.GetString(0, 0); db != "shop" {
		t.Errorf("database %q", db)
	}
	fields, err := c.FieldList("t", "")
	if err != nil || len(fields) != 1 || string(fields[0].Name) != "id" {
		t.Errorf("COM_FIELD_LIST: %v, %v", fields, err)
	}
	if _, err := c.FieldList("u", ""); err == nil {
		t.Error("COM_FIELD_LIST of a table that is not there")
	}
	if r, err = c.Execute("echo ?", int64(7)); err != nil {
		t.Fatal(err)
	}
	if v, _ := r.GetInt(0, 0); v != 7 {
		t.Errorf("echo gives %d", v)
	}
}

// TestCommandLine runs the stock client, when there is one.
func TestCommandLine(t *testing.T) {
	path, err := exec.LookPath("mariadb")
	if err != nil {
		if path, err = exec.LookPath("mysql"); err != nil {
			t.Skip("no command line client here")
		}
	}
	_, _, addr := start(t, Options{Accounts: users(t)})
	_, port, _ := strings.Cut(addr, ":")
	run := func(args ...string) string {
		out, err := exec.Command(path, append([]string{"--no-defaults", "-h127.0.0.1", "-P" + port}, args...)...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v: %s", args, err, out)
		}
		return string(out)
	}
	if got := run("-uroot", "-e", "rows 2"); got != "id\tcustomer\tamount\tts\n0\tcustomer\t0.00\t2025-12-01 00:00:00.123\n1\tcustomer\t0.07\t2025-12-01 00:00:01.123\n" {
		t.Errorf("%q", got)
	}
	if got := run("-uold", "-psecret", "--comments", "shop", "-N", "-e", "db"); got != "shop\n" {
		t.Errorf("%q", got)
	}
}
