package crash

import (
	"bufio"
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"streamsql/tests/servers"
)

// TestSyncBeforeOK: in the trace of system calls, the block of
// the commit log that a statement wrote is synced before its OK goes out.
func TestSyncBeforeOK(t *testing.T) {
	if _, err := osexec.LookPath("strace"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("strace is not installed; tests/setup.sh does that")
		}
		t.Skip("strace is not installed")
	}
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN()+options)
	db.SetMaxOpenConns(1)
	exec(t, db, "CREATE DATABASE r2", "CREATE STREAM TABLE r2.s (a INT)", "CREATE TABLE r2.t (a INT PRIMARY KEY)",
		"CREATE MATERIALIZED VIEW r2.v AS SELECT COUNT(*) AS n FROM r2.s")
	file := filepath.Join(t.TempDir(), "trace")
	tracer := osexec.Command("strace", "-f", "-yy", "-qq", "-s", "0", "-e", "trace=fsync,fdatasync,pwrite64,write", "-p", fmt.Sprint(s.Ready().PID), "-o", file)
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); traced(s.Ready().PID) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			tracer.Process.Kill()
			t.Skipf("the server cannot be traced here: %v", traced(s.Ready().PID))
		}
	}
	const commits = 200
	for i := range commits / 2 {
		exec(t, db, fmt.Sprintf("INSERT INTO r2.s VALUES (%d)", i), fmt.Sprintf("INSERT INTO r2.t VALUES (%d)", i))
	}
	tracer.Process.Signal(syscall.SIGINT)
	tracer.Wait() // it ends by the signal
	oks, early, err := readTrace(file)
	if err != nil {
		t.Fatal(err)
	}
	if oks != commits || early > 0 {
		t.Errorf("%d answers of %d commits, %d of them before their rows were synced", oks, commits, early)
	}
	t.Logf("%d commits, each synced before its OK", oks)
}

// traced says which thread of a process is not traced yet.
func traced(pid int) error {
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) == 0 {
		return fmt.Errorf("process %d has no threads: %v", pid, err)
	}
	for _, file := range tasks {
		if text, err := os.ReadFile(file); err == nil && strings.Contains(string(text), "TracerPid:\t0\n") {
			return fmt.Errorf("%s is not traced", file)
		}
	}
	return nil
}

// A line of the trace: thread, then a call with its descriptor's path, whole,
// begun or resumed.
var traceLine = regexp.MustCompile(`^(\d+) +(?:<\.\.\. )?(\w+)(?:\(\d+<([^>]*)(?:->[^>]*)?>| resumed)`)

// readTrace counts the answers to the one client, and those that went out while
// a write to the commit log was not synced, or none had been.
func readTrace(file string) (answers, early int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	begun := map[string]string{}                  // thread → path of the sync that it waits for
	written, dirty, synced := false, false, false // of the commit log, since the last answer
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		m := traceLine.FindStringSubmatch(scan.Text())
		if m == nil {
			continue
		}
		thread, call, path := m[1], m[2], m[3]
		unfinished := strings.Contains(scan.Text(), "<unfinished")
		log := strings.Contains(path, "/streams/main/msgs/")
		switch {
		case call == "pwrite64" && log:
			written, dirty = true, true
		case strings.HasSuffix(call, "sync") && path != "" && unfinished:
			begun[thread] = path
		case strings.HasSuffix(call, "sync"):
			if path == "" { // resumed
				path = begun[thread]
			}
			if strings.Contains(path, "/streams/main/msgs/") && written {
				dirty, synced = false, true
			}
		case call == "write" && strings.HasPrefix(path, "TCP:"):
			answers++
			if dirty || !synced {
				early++
			}
			written, dirty, synced = false, false, false
		}
	}
	return answers, early, scan.Err()
}
