package slt

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		name string
		recs []string
		want int
	}{
		{"second half", []string{"statement ok\na", "statement ok\nb", "statement ok\nc", "statement ok\nd"}, 2},
		{"not before a query", []string{"statement ok\na", "statement ok\nb", "query I\nc\n----\n1", "statement ok\nd"}, 3},
		{"not in a transaction", []string{"statement ok\nBEGIN", "statement ok\nb", "statement ok\nc", "statement ok\nCOMMIT", "statement ok\ne"}, 4},
		{"another connection's transaction", []string{"connection x", "statement ok\nSTART TRANSACTION", "connection default", "statement ok\nc", "statement ok\nd"}, -1},
		{"autocommit off", []string{"statement ok\nSET autocommit = 0", "statement ok\nb", "statement ok\nc"}, -1},
		{"a savepoint ends nothing", []string{"statement ok\nBEGIN", "statement ok\nROLLBACK TO x", "statement ok\nc", "statement ok\nd"}, -1},
		{"restarts itself", []string{"statement ok\na", "restart", "statement ok\nc", "statement ok\nd"}, -1},
		{"one record", []string{"statement ok\na"}, -1},
	} {
		s, err := parseScript("x.slt", strings.Join(c.recs, "\n\n")+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.middle(); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

const interruptible = `statement ok
CREATE TABLE t (a INT)

statement ok
SET @x = 5

statement ok
INSERT INTO t VALUES (1)

statement ok
INSERT INTO t VALUES (@x)

query I rowsort
SELECT a FROM t
----
1
5
`

// TestInterrupt: scripts share a restart, keep their settings, and go on.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"a.slt", "b.slt", "c.slt", "broken.slt"} {
		text := interruptible
		if name == "broken.slt" {
			text = "query I\nSELECT 1\n----\n2\n" // has no middle, and must not hold up the others
		}
		files = append(files, filepath.Join(dir, name))
		if err := os.WriteFile(files[len(files)-1], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var restarts atomic.Int64
	opt := Options{
		DSN: servers.MariaDB(t).DSN(), Engine: MariaDB, Interrupt: true, Parallel: 2, Timeout: 20 * time.Second,
		Restart: func(context.Context) error { restarts.Add(1); return nil },
	}
	rep := Run(t.Context(), files, opt)
	if rep.Passed != 15 || rep.Failed != 1 || restarts.Load() != 2 {
		t.Errorf("%v with %d restarts; want 15 passed, 1 failed, 2 restarts", rep, restarts.Load())
	}
	opt.Restart = func(context.Context) error { return errors.New("no way back") }
	if rep = Run(t.Context(), files[:1], opt); rep.Failed == 0 || !strings.Contains(rep.Files[0].Error, "no way back") {
		t.Errorf("a restart that fails: %v, %q", rep, rep.Files[0].Error)
	}
}

func TestReports(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "r.slt")
	text := "query I\nSELECT 1\n----\n1\n\nquery I\nSELECT 2\n----\n'<&>'\n\nonlyif streamsql\nstatement ok\nX\n"
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	jsonFile, junitFile := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.xml")
	args := []string{"-dsn", servers.MariaDB(t).DSN(), "-engine", "mariadb", "-json", jsonFile, "-junit", junitFile, script}
	code := Main(t.Context(), args, &out, &errs, func(context.Context) (Server, error) {
		t.Error("a private server, though -dsn is given")
		return nil, errors.New("none")
	})
	if code != exitFailed || !strings.HasSuffix(out.String(), "1 passed, 1 failed, 1 skipped\n") {
		t.Errorf("code %d\n%s%s", code, out.String(), errs.String())
	}
	var results []FileResult
	raw, err := os.ReadFile(jsonFile)
	if err == nil {
		err = json.Unmarshal(raw, &results)
	}
	if err != nil || len(results) != 1 || len(results[0].Records) != 3 {
		t.Errorf("%v in %s", err, raw)
	}
	var root junitRoot
	raw, err = os.ReadFile(junitFile)
	if err == nil {
		err = xml.Unmarshal(raw, &root)
	}
	if err != nil || root.Tests != 3 || root.Failures != 1 || root.Skipped != 1 || len(root.Suites) != 1 || len(root.Suites[0].Cases) != 3 {
		t.Fatalf("%v in %s", err, raw)
	}
	if f := root.Suites[0].Cases[1].Failure; f == nil || !strings.Contains(f.Text, "'<&>'") {
		t.Errorf("the failure is %+v", f)
	}
}

// fake is a private server.
type fake struct {
	dsn     string
	stopped bool
}

func (f *fake) DSN() string                   { return f.dsn }
func (f *fake) Restart(context.Context) error { return nil }
func (f *fake) Stop() error                   { f.stopped = true; return nil }

func TestPrivateServer(t *testing.T) {
	script := filepath.Join(t.TempDir(), "p.slt")
	if err := os.WriteFile(script, []byte("query I\nSELECT 1\n----\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := &fake{dsn: servers.MariaDB(t).DSN()}
	var out, errs bytes.Buffer
	code := Main(t.Context(), []string{script}, &out, &errs, func(context.Context) (Server, error) { return f, nil })
	if code != exitOK || !f.stopped {
		t.Errorf("code %d, stopped %v\n%s%s", code, f.stopped, out.String(), errs.String())
	}
	code = Main(t.Context(), []string{script}, &out, &errs, func(context.Context) (Server, error) { return nil, errors.New("no port") })
	if code != exitUsage || !strings.Contains(errs.String(), "no port") {
		t.Errorf("code %d: %s", code, errs.String())
	}
}
