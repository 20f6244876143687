// Package logic runs the SQL scripts of this directory against a server of its
// own: clean, with a kill −9 and a restart in the middle of each, and at another
// parallelism.
package logic

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"streamsql/cmd/streamsql/slt"
	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// scripts returns the scripts that must pass and those that are pending.
func scripts(t *testing.T) (live, waiting []string) {
	t.Helper()
	files, err := slt.Find([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	p := servers.List(t, "pending.txt", " ")
	for _, f := range files {
		f = filepath.ToSlash(f)
		if _, ok := p[f]; ok {
			waiting = append(waiting, f)
			delete(p, f)
		} else {
			live = append(live, f)
		}
	}
	for f := range p {
		t.Errorf("pending.txt names %s, which is not there", f)
	}
	return live, waiting
}

func check(t *testing.T, files []string, interrupt bool, args ...string) {
	s := servers.StreamSQL(t, args...)
	var out strings.Builder
	rep := slt.Run(t.Context(), files, slt.Options{
		DSN: s.DSN(), Engine: slt.StreamSQL, Restart: s.Restart, Interrupt: interrupt,
		Parallel: 4, Timeout: 2 * time.Minute, Out: &out,
	})
	t.Log(rep)
	if !rep.OK() {
		t.Errorf("%d scripts\n%s", len(files), out.String())
	}
}

func TestScripts(t *testing.T) {
	live, _ := scripts(t)
	check(t, live, false)
}

// TestScriptsInterrupted also restarts the server, after kill −9, in the middle of each script.
func TestScriptsInterrupted(t *testing.T) {
	live, _ := scripts(t)
	check(t, live, true)
}

// TestScriptsParallel spreads each query over five tasks, which the other tests
// do over as many as there are cores.
func TestScriptsParallel(t *testing.T) {
	live, _ := scripts(t)
	check(t, live, false, "--workers=5")
}

// TestPending makes the list shrink: a script that passes does not wait any more.
func TestPending(t *testing.T) {
	_, waiting := scripts(t)
	if len(waiting) == 0 {
		return
	}
	s := servers.StreamSQL(t)
	rep := slt.Run(t.Context(), waiting, slt.Options{
		DSN: s.DSN(), Engine: slt.StreamSQL, Restart: s.Restart, Parallel: 4, Timeout: time.Minute,
	})
	select {
	case <-s.Exited():
		t.Error("a pending script brought the server down; it must be refused with error 1235")
	default:
	}
	var done []string
	for _, f := range rep.Files {
		if f.Failed == 0 {
			done = append(done, f.File)
		}
		if bad := misread(f); bad != "" {
			t.Logf("%s: %s", f.File, bad)
		}
	}
	if len(done) > 0 {
		t.Errorf("these scripts pass now; take them off pending.txt:\n%s", strings.Join(done, "\n"))
	}
}

// misread describes the first failure of a pending script when it is not the
// refusal with error 1235 that it should be.
func misread(f *slt.FileResult) string {
	for _, o := range f.Records {
		if o.Result == "failed" {
			if text := strings.Join(o.Diff, " "); !strings.Contains(text, "Error 1235") {
				return fmt.Sprintf("line %d fails otherwise than by error 1235: %s %s", o.Line, o.Reason, text)
			}
			return ""
		}
	}
	return ""
}

// TestReference runs all scripts against MariaDB, whose answers they must be, save
// those about reading and about queries that write, which it has no words for.
func TestReference(t *testing.T) {
	live, waiting := scripts(t)
	all := slices.DeleteFunc(append(live, waiting...), func(f string) bool {
		return strings.HasPrefix(f, "reading/") || strings.HasPrefix(f, "sink/")
	})
	m := servers.MariaDB(t)
	var out strings.Builder
	rep := slt.Run(t.Context(), all, slt.Options{
		DSN: m.DSN(), Engine: slt.MariaDB, Parallel: 4, Timeout: 2 * time.Minute, Out: &out,
	})
	t.Log(rep)
	if !rep.OK() {
		t.Error(out.String())
	}
}
