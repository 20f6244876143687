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

	"streamsql/tests/servers"
)

// Session is one connection, so that it reads its own writes.
type Session struct{ conn *sql.Conn }

// Open makes a database anew and a session in it.
func Open(t *testing.T, db *sql.DB, database string) Session {
	t.Helper()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	s := Session{conn}
	for _, q := range []string{"DROP DATABASE IF EXISTS " + database, "CREATE DATABASE " + database, "USE " + database} {
		if err := s.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Exec runs one statement.
func (s Session) Exec(ctx context.Context, text string) error {
	if _, err := s.conn.ExecContext(ctx, text); err != nil {
		return fmt.Errorf("%.200s: %w", text, err)
	}
	return nil
}

// Load runs all statements of a file; change may rewrite each, or be nil.
func (s Session) Load(t *testing.T, path string, change func(string) string) {
	t.Helper()
	for _, q := range Statements(t, path) {
		if change != nil {
			q = change(q)
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
func (s Session) Compare(t *testing.T, queryFile, rowsFile string) error {
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
