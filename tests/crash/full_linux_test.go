package crash

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

// diskFull is MySQL's error for a write that finds no space.
const diskFull = 1021

// TestDiskFull: on a full disk the server refuses writes and
// goes on answering; once space is back it takes them again, and nothing is lost.
func TestDiskFull(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=900m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	s, err := child.Start(t.Context(), child.Options{Binary: servers.Binary(t), Data: filepath.Join(disk, "data")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, "CREATE DATABASE r5", "CREATE STREAM TABLE r5.s (a INT)", "CREATE TABLE r5.t (id INT AUTO_INCREMENT PRIMARY KEY, a INT)",
		"CREATE MATERIALIZED VIEW r5.v AS SELECT COUNT(*) AS n, SUM(a) AS s FROM r5.s")
	acked := 0
	write := func() error {
		_, err := db.ExecContext(t.Context(), fmt.Sprintf("INSERT INTO r5.s VALUES (%d)", acked+1))
		if err == nil {
			acked++
		}
		return err
	}
	refused := func(err error) bool {
		var my *mysql.MySQLError
		return errors.As(err, &my) && my.Number == diskFull
	}
	for _, left := range []int64{300 << 20, 0} { // below the watermark, and nothing at all
		filler := fill(t, disk, left)
		time.Sleep(time.Second) // the server looks at the space more often than that
		if err := write(); !refused(err) {
			t.Fatalf("with %d bytes left a write got: %v", left, err)
		}
		if _, err := db.ExecContext(t.Context(), "INSERT INTO r5.t (a) VALUES (1)"); !refused(err) {
			t.Errorf("a write to a table: %v", err)
		}
		time.Sleep(2 * time.Second) // checkpoints would be taken meanwhile
		wantCount(t, db, acked)
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		servers.Eventually(t, 5*time.Second, write)
		t.Logf("with %d MB left writes were refused and reads answered; writes came back after %v", left>>20, time.Since(begin).Round(time.Millisecond))
	}
	select {
	case <-s.Exited():
		t.Fatal("the server has ended")
	default:
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantCount(t, db, acked)
}

func wantCount(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	for _, q := range []string{"SELECT n FROM r5.v", "SELECT COUNT(*) FROM r5.s"} {
		var got int
		if err := db.QueryRowContext(t.Context(), q).Scan(&got); err != nil || got != n {
			t.Errorf("%s: %d, %v; want %d", q, got, err, n)
		}
	}
}

// fill takes the space of a disk, all but left bytes, and returns the file that has it.
func fill(t *testing.T, disk string, left int64) string {
	t.Helper()
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var st syscall.Statfs_t
	if err := syscall.Statfs(disk, &st); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(st.Bavail)*st.Bsize-left); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}
