// Package formats opens data directories that earlier formats were written in.
package formats

import (
	"archive/tar"
	"compress/gzip"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

var write = flag.String("write", "", "the number of a format: make its data directory anew from testdata/NUMBER.sql, and note what it answers; for a format that is new")

// TestFormats opens each data directory of testdata with this release. All that was
// there answers as it did, goes on when rows come and go, and is there after a kill. A
// continuous query whose state cannot be read any more is computed anew, or, where its
// rows are not kept, says so and can be begun anew.
func TestFormats(t *testing.T) {
	if *write != "" {
		writeFormat(t, *write)
	}
	archives, err := filepath.Glob("testdata/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatal("no data directory is in testdata", err)
	}
	for _, archive := range archives {
		number := strings.TrimSuffix(filepath.Base(archive), ".tar.gz")
		t.Run(number, func(t *testing.T) {
			data := filepath.Join(t.TempDir(), "data")
			if err := unpack(archive, data); err != nil {
				t.Fatal(err)
			}
			s := serve(t, data)
			db := servers.Open(t, s.DSN()+"d")
			want, err := os.ReadFile("testdata/" + number + ".want")
			if err != nil {
				t.Fatal(err)
			}
			beginAnew(t, db)
			if got := answers(t, db, objects(t, number)); got != string(want) {
				t.Errorf("it answers\n%s\nnot\n%s", got, want)
			}
			change(t, db)
			recompute(t, db, number)
			s.Kill()
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			recompute(t, db, number)
		})
	}
}

// serve runs a server on a data directory until the test's end.
func serve(t *testing.T, data string) *child.Server {
	t.Helper()
	s, err := child.Start(t.Context(), child.Options{Binary: servers.Binary(t), Data: data})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of the server%s", s.Log())
		}
	})
	return s
}

// change adds to, changes and deletes from everything.
func change(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, q := range []string{
		"INSERT INTO moments VALUES (11, '2024-01-01 00:00:22', 1, 4), (12, '2024-01-01 00:00:26', 2, NULL), (13, '2024-01-01 00:00:30', 3, 8.75)",
		"INSERT INTO latest VALUES (4, 40, 'á'), (2, 21, NULL)",
		"DELETE FROM latest WHERE k = 3",
		"INSERT INTO items (owner, n, j) VALUES ('z', 5, '1'), ('x', 1, NULL)",
		"UPDATE items SET n = n + 10 WHERE id = 2",
		"DELETE FROM items WHERE id = 1",
	} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(q, err)
		}
	}
}

// views maps the views, and what continuous queries write INTO, of testdata/NUMBER.sql
// to their queries; objects are their names, in order.
func views(t *testing.T, number string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + number + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		head, query, ok := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ";"), " AS SELECT ")
		words := strings.Fields(head)
		if ok && !strings.HasPrefix(head, "CREATE SINK") {
			out[words[len(words)-1]] = "SELECT " + strings.TrimSuffix(strings.TrimSuffix(query, " EMIT CHANGES"), " EMIT ON WINDOW CLOSE")
		}
	}
	return out
}

func objects(t *testing.T, number string) []string {
	var names []string
	for name := range views(t, number) {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// recompute compares all views with their queries as asked now.
func recompute(t *testing.T, db *sql.DB, number string) {
	t.Helper()
	exec(t, db, "FLUSH STREAMS WITH TIMEOUT 30")
	for name, query := range views(t, number) {
		switch name {
		case "closed": // only windows that are over
			query += " HAVING window_start IN (SELECT window_start FROM closed)"
		case "trimmed": // has what is gone
			continue
		}
		got, want := rows(t, db, "SELECT * FROM "+name), rows(t, db, query)
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s has\n%s\nbut %s gives\n%s", name, strings.Join(got, "\n"), query, strings.Join(want, "\n"))
		}
	}
}

// beginAnew restarts what failed for the reason that its state is of another release.
func beginAnew(t *testing.T, db *sql.DB) {
	t.Helper()
	for _, row := range rows(t, db, "SELECT name, reason FROM streamsql.jobs WHERE state = 'failed'") {
		name, why, _ := strings.Cut(row, "\t")
		if name != "trimmed" || !strings.Contains(why, "RESTART CONTINUOUS QUERY") {
			t.Errorf("%s has failed: %s", name, why)
		}
		exec(t, db, "RESTART CONTINUOUS QUERY "+name)
		exec(t, db, "INSERT INTO brief VALUES (1, '2024-01-01 00:00:01', 1), (2, '2024-01-01 00:00:03', 1), (3, '2024-01-01 00:00:09', 2)")
	}
	exec(t, db, "FLUSH STREAMS WITH TIMEOUT 30")
}

// answers are the rows of all objects, as text.
func answers(t *testing.T, db *sql.DB, names []string) string {
	t.Helper()
	var out strings.Builder
	for _, name := range append([]string{"items", "latest", "moments", "brief"}, names...) {
		fmt.Fprintf(&out, "%s\n", name)
		if name == "brief" { // one that hides old rows has none
			continue
		}
		for _, row := range rows(t, db, "SELECT * FROM "+name) {
			fmt.Fprintf(&out, "  %s\n", row)
		}
	}
	return out.String()
}

func exec(t *testing.T, db *sql.DB, q string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), q); err != nil {
		t.Fatal(q, err)
	}
}

func rows(t *testing.T, db *sql.DB, q string) []string {
	t.Helper()
	out, err := servers.Rows(t.Context(), db, q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	slices.Sort(out)
	return out
}

// writeFormat makes a data directory by the statements of testdata/NUMBER.sql, ends it
// by a kill behind a checkpoint, so that there is something to replay, and packs it.
func writeFormat(t *testing.T, number string) {
	data := filepath.Join(t.TempDir(), "data")
	s := serve(t, data)
	db := servers.Open(t, s.DSN())
	db.SetMaxOpenConns(1)
	text, err := os.ReadFile("testdata/" + number + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--") {
			exec(t, db, line)
		}
	}
	servers.Eventually(t, 60*time.Second, func() error {
		got, err := servers.Rows(t.Context(), db, "SELECT * FROM brief")
		if err == nil && len(got) > 0 {
			err = errors.New("the rows of brief are not hidden")
		}
		return err
	})
	for range 3 { // checkpoints, of which the last has the mark
		exec(t, db, "INSERT INTO latest VALUES (9, 0, NULL)")
		exec(t, db, "DELETE FROM latest WHERE k = 9")
		time.Sleep(1500 * time.Millisecond) // what is written is timed, not what is tested
	}
	exec(t, db, "INSERT INTO latest VALUES (5, 50, 'c')")
	exec(t, db, "FLUSH STREAMS")
	got := answers(t, db, objects(t, number))
	s.Kill()
	if err := os.WriteFile("testdata/"+number+".want", []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pack(data, "testdata/"+number+".tar.gz"); err != nil {
		t.Fatal(err)
	}
}

func pack(dir, archive string) error {
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(dir)); err != nil {
		return err
	}
	return errors.Join(w.Close(), z.Close(), f.Sync())
}

func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			err = os.MkdirAll(to, 0o700)
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), unpackFile(to, h.FileInfo().Mode(), r))
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(to string, mode fs.FileMode, r io.Reader) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
