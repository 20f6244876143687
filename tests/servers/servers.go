// Package servers gives tests the servers they talk to from outside: streamsql
// as a child process, and a MariaDB as the reference.
//
// Each is started at first use, once per test process, on a free loopback port
// and a temporary directory. Where MariaDB is not installed a test is skipped with
// the reason; in CI (environment CI=true) that is a failure.
package servers

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/child"
)

// The driver would log each connection that a kill breaks.
func init() { mysql.SetLogger(&mysql.NopLogger{}) }

// Missing skips a test that needs something which this machine lacks; in CI it
// fails it.
func Missing(t testing.TB, format string, args ...any) {
	t.Helper()
	text := fmt.Sprintf(format, args...)
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s (CI=true: a skip is a failure; run tests/setup.sh)", text)
	}
	t.Skipf("%s (run tests/setup.sh to install it)", text)
}

// Root is the directory of the repository.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the source path is not known")
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

var binary = struct {
	once sync.Once
	path string
	err  error
}{}

// Binary is the streamsql executable: STREAMSQL_BIN, or built once from source.
func Binary(t testing.TB) string {
	t.Helper()
	root := Root(t)
	binary.once.Do(func() {
		if binary.path = os.Getenv("STREAMSQL_BIN"); binary.path != "" {
			binary.path, binary.err = filepath.Abs(binary.path)
			return
		}
		dir, err := os.MkdirTemp("", "streamsql-bin-")
		if err != nil {
			binary.err = err
			return
		}
		binary.path = filepath.Join(dir, "streamsql")
		cmd := exec.Command("go", "build", "-o", binary.path, "./cmd/streamsql")
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("go build: %v\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// StreamSQL starts a server of the test's own, stopped at its end. When the test
// has failed, the end of the server's log is part of its output.
func StreamSQL(t testing.TB, args ...string) *child.Server {
	t.Helper()
	s, err := child.Start(context.Background(), child.Options{
		Binary: Binary(t), Data: filepath.Join(t.TempDir(), "data"), Args: args,
	})
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

// Open connects to a server; the pool is closed at the test's end.
func Open(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Eventually repeats try every 20 ms until it succeeds; after the time is over
// the test fails with its last error.
func Eventually(t testing.TB, within time.Duration, try func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %v: %v", within, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
