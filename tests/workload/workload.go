// Package workload runs the query sets of tests/tpch and tests/nexmark: files of
// SQL, and beside them the rows that must come out as `mysql --batch
// --skip-column-names` prints them.
package workload

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"testing"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

// Way is one of the ways in which a workload is run; its rows are the same in each.
type Way struct {
	Title string
	// Late: the views are made over the loaded rows, not before.
	Late bool
	// Killed: the server is killed by SIGKILL and started again in the middle of each load.
	Killed bool
	// Workers is the parallelism; 0: as many as cores.
	Workers int
}

// Ways are all of them.
var Ways = []Way{
	{Title: "views first"},
	{Title: "views last", Late: true},
	{Title: "killed midway", Killed: true},
	{Title: "one worker", Workers: 1},
	{Title: "five workers, views last", Workers: 5, Late: true},
}

// Session is one connection, so that it reads its own writes.
type Session struct {
	way      Way
	server   *child.Server
	pool     *sql.DB
	database string
	conn     *sql.Conn
}

// Open starts a server for the way, makes the database and a session in it.
func Open(t *testing.T, way Way, database string) *Session {
	t.Helper()
	var args []string
	if way.Workers > 0 {
		args = []string{fmt.Sprintf("--workers=%d", way.Workers)}
	}
	s := &Session{way: way, server: servers.StreamSQL(t, args...), database: database}
	s.pool = servers.Open(t, s.server.DSN()+"?collation=utf8mb4_bin")
	s.connect(t)
	for _, q := range []string{"CREATE DATABASE " + database, "USE " + database} {
		if err := s.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *Session) connect(t *testing.T) {
	t.Helper()
	var err error
	if s.conn, err = s.pool.Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.conn.Close() })
}

// restart kills the server, starts it again and opens the session anew.
func (s *Session) restart(t *testing.T) {
	t.Helper()
	if err := s.server.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.conn.Close()
	s.connect(t)
	if err := s.Exec(t.Context(), "USE "+s.database); err != nil {
		t.Fatal(err)
	}
}

// Exec runs one statement.
func (s *Session) Exec(ctx context.Context, text string) error {
	if _, err := s.conn.ExecContext(ctx, text); err != nil {
		return fmt.Errorf("%.200s: %w", text, err)
	}
	return nil
}

// Load runs all statements of a file.
func (s *Session) Load(t *testing.T, path string) {
	t.Helper()
	statements := Statements(t, path)
	for i, q := range statements {
		if s.way.Killed && i == len(statements)/2 {
			s.restart(t)
		}
		if err := s.Exec(t.Context(), q); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
}

// Statements splits a file at the semicolons that end a line.
func Statements(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, q := range strings.Split(string(text), ";\n") {
		if q = strings.TrimSpace(q); q != "" {
			out = append(out, q)
		}
	}
	return out
}

// Compare runs the query of one file and compares its rows, in order, with another.
func (s *Session) Compare(t *testing.T, queryFile, rowsFile string) error {
	t.Helper()
	q := Statements(t, queryFile)
	if len(q) != 1 {
		t.Fatalf("%s holds %d statements, want one", queryFile, len(q))
	}
	text, err := os.ReadFile(rowsFile)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	if len(text) > 0 {
		want = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	}
	got, err := servers.Rows(t.Context(), s.conn, q[0])
	if err != nil {
		return err
	}
	for i := range max(len(want), len(got)) {
		if w, g := at(want, i), at(got, i); w != g {
			return fmt.Errorf("%s: %d rows, want %d; row %d differs\n- %s\n+ %s", queryFile, len(got), len(want), i+1, w, g)
		}
	}
	return nil
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return "(no row)"
}

// Expect turns what a pending query did into a failure or none: one that waits
// for a feature must fail, and any other must not.
func Expect(t *testing.T, pending string, err error) {
	t.Helper()
	switch {
	case pending == "" && err != nil:
		t.Error(err)
	case pending != "" && err == nil:
		t.Errorf("it waits for %s no longer: take it off the pending list", pending)
	}
}
