package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/sql/sqlerr"
)

func TestKillQueryLeavesTheSession(t *testing.T) {
	e, v, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT)")
	e.block = make(chan struct{})
	other, err := v.Open(context.Background(), Client{ID: 8, User: "root", Host: "localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	out := make(chan string)
	go func() { out <- do(s, "SELECT a FROM t") }()
	for !strings.Contains(do(other, "SHOW PROCESSLIST"), "SELECT a FROM t") {
		time.Sleep(time.Millisecond)
	}
	mustDo(t, other, "KILL QUERY 7")
	if got := <-out; !strings.Contains(got, "error 1317 (70100)") {
		t.Error(got)
	}
	close(e.block)
	mustDo(t, s, "SELECT a FROM t")
	hung := false
	s.client.Hangup = func() { hung = true }
	if mustDo(t, other, "KILL 7"); !hung {
		t.Error("KILL leaves the connection")
	}
	if got := do(s, "KILL QUERY 7"); !strings.Contains(got, "error 1317") {
		t.Errorf("killing oneself: %s", got)
	}
}

func TestMaxExecutionTime(t *testing.T) {
	e, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT)")
	e.block = make(chan struct{})
	mustDo(t, s, "SET max_execution_time = 20")
	for _, query := range []string{
		"SELECT a FROM t", "/* as a program says it */ select a FROM t", "(SELECT a FROM t)", "WITH x AS (SELECT a FROM t) SELECT a FROM x", "TABLE t",
	} {
		if got := do(s, query); !strings.Contains(got, "error 3024") {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// A statement that another transaction overtook is tried again on its own, but
// not a transaction of several.
func TestRetryAfterConflict(t *testing.T) {
	e, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT)")
	e.conflicts = 3
	mustDo(t, s, "INSERT INTO t VALUES (1)")
	if e.inserts != 4 {
		t.Errorf("%d tries, want 4", e.inserts)
	}
	e.conflicts = 1
	if got := do(s, "BEGIN; INSERT INTO t VALUES (2); COMMIT"); !strings.Contains(got, "error 1213 (40001)") {
		t.Error(got)
	}
	if s.State().InTransaction {
		t.Error("the lost transaction is still open")
	}
	e.conflicts = 1000
	if got := do(s, "INSERT INTO t VALUES (3)"); !strings.Contains(got, "error 1213") {
		t.Error(got)
	}
}

func TestReadYourWrites(t *testing.T) {
	e, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)")
	if mustDo(t, s, "SELECT a FROM t"); e.after != 2 {
		t.Errorf("the query reads after %d, want 2", e.after)
	}
	if mustDo(t, s, "SET streamsql_read_your_writes = OFF; SELECT a FROM t"); e.after != 0 {
		t.Errorf("the query waits for %d though it need not", e.after)
	}
}

// A SELECT is compiled once for all sessions, until the catalog or what it was
// compiled for changes.
func TestPlanCache(t *testing.T) {
	_, v, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT); INSERT INTO t VALUES (1)")
	const text = "SELECT a, 1/3 FROM t"
	want := mustDo(t, s, text)
	if s.cachedSelect(text) == nil {
		t.Fatal("not kept")
	}
	other, err := v.Open(context.Background(), Client{ID: 8, User: "root", Host: "localhost", DB: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if other.cachedSelect(text) == nil {
		t.Error("not shared")
	}
	if got := mustDo(t, other, text); got != want {
		t.Errorf("from the cache: %s", got)
	}
	mustDo(t, other, "SET div_precision_increment = 2")
	if got := mustDo(t, other, text); got == want || other.cachedSelect(text) == s.cachedSelect(text) {
		t.Errorf("another session's precision is used: %s", got)
	}
	mustDo(t, s, "CREATE TABLE u (a INT)")
	if s.cachedSelect(text) != nil {
		t.Error("kept over a change of the catalog")
	}
	mustDo(t, s, "SET @x = 1")
	for _, private := range []string{"SELECT @x", "SELECT @@sql_mode", "SELECT CONNECTION_ID()", "SELECT USER()"} {
		if mustDo(t, s, private); s.cachedSelect(private) != nil {
			t.Errorf("%s is kept for others", private)
		}
	}
}

func TestPrivileges(t *testing.T) {
	e := newFake()
	v := NewServer(e, Options{Users: func(user, host string) *catalog.User {
		if user == "root" {
			return catalog.Superuser(user, host)
		}
		return &catalog.User{Name: user, Host: host, Grants: []catalog.Grant{{Privileges: catalog.Select, Database: "shop"}}}
	}})
	open := func(id uint32, user string) *Session {
		s, err := v.Open(context.Background(), Client{ID: id, User: user, Host: "localhost", DB: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	root, guest := open(1, "root"), open(2, "guest")
	mustDo(t, root, "CREATE TABLE t (a INT)")
	mustDo(t, guest, "SELECT a FROM t")
	for text, code := range map[string]string{
		"INSERT INTO t VALUES (1)": "1142", "INSERT INTO t SELECT 1": "1142", "UPDATE t SET a = 1": "1142",
		"DELETE FROM t": "1142", "DROP TABLE t": "1142", "CREATE TABLE u (a INT)": "1142", "CREATE DATABASE d": "1044",
	} {
		if got := do(guest, text); !strings.Contains(got, "error "+code) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestPrepareDescribes(t *testing.T) {
	_, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(20))")
	for _, c := range []struct {
		text           string
		params, fields int
	}{
		{"SELECT id, name FROM t WHERE id > ? AND name = ?", 2, 2},
		{"INSERT INTO t VALUES (?, ?)", 2, 0},
		{"UPDATE t SET name = ? WHERE id = ?", 2, 0},
		{"DELETE FROM t WHERE id = ?", 1, 0},
		{"SHOW TABLES", 0, 1},
		{"SET autocommit = 1", 0, 0},
		{"COMMIT", 0, 0},
	} {
		p, err := s.Prepare(context.Background(), c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if len(p.Params) != c.params || len(p.Fields) != c.fields {
			t.Errorf("%s: %d parameters, %d columns; want %d, %d", c.text, len(p.Params), len(p.Fields), c.params, c.fields)
		}
	}
	_, err := s.Prepare(context.Background(), "SELECT nothing FROM t")
	if e := sqlerr.From(err); e.Code != sqlerr.BadField || e.State != "42S22" {
		t.Error(err)
	}
}

// Only what goes into a table is held to a strict sql_mode.
func TestStrictIsForChanges(t *testing.T) {
	e, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (a INT)")
	for text, want := range map[string]bool{
		"SELECT a FROM t": false, "INSERT INTO t SELECT a FROM t": true, "INSERT IGNORE INTO t SELECT a FROM t": false,
		"UPDATE t SET a = 1": true, "DELETE FROM t WHERE a = 1": true,
	} {
		if mustDo(t, s, text); e.strict != want {
			t.Errorf("%s: strict %v", text, e.strict)
		}
	}
	if mustDo(t, s, "SET sql_mode=''; UPDATE t SET a = 1"); e.strict {
		t.Error("strict without the mode")
	}
}

func TestExplain(t *testing.T) {
	_, _, s := newTest(t)
	mustDo(t, s, "CREATE TABLE t (id BIGINT PRIMARY KEY)")
	for text, want := range map[string]string{
		"EXPLAIN SELECT id FROM t": "shop.t", "EXPLAIN FORMAT=json SELECT id FROM t": `"root"`, "EXPLAIN FORMAT=dot SELECT id FROM t": "digraph",
		"EXPLAIN t": "bigint",
	} {
		if got := mustDo(t, s, text); !strings.Contains(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestMatchLike(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"%", "", true}, {"a%", "abc", true}, {"%c", "abc", true}, {"a_c", "abc", true}, {"a_c", "aéc", true}, {"a_c", "ac", false},
		{`a\_c`, "abc", false}, {`a\_c`, "a_c", true}, {"%b%", "abc", true}, {"", "a", false}, {"%%x", "yyx", true},
	} {
		if got := matchLike(c.pattern, c.s); got != c.want {
			t.Errorf("%q LIKE %q: %v", c.s, c.pattern, got)
		}
	}
}
