package clients

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

// TestDump writes a database out as mysqldump does, and reads it into another one.
func TestDump(t *testing.T) {
	dump, err := exec.LookPath("mysqldump")
	if err != nil {
		servers.Missing(t, "mysqldump is not installed")
	}
	client, err := exec.LookPath("mysql")
	if err != nil {
		servers.Missing(t, "the mysql command line is not installed")
	}
	s := servers.StreamSQL(t)
	host, port, _ := strings.Cut(s.Addr(), ":")
	to := []string{"-h" + host, "-P" + port, "-uroot"}
	run := func(input []byte, program string, args ...string) []byte {
		t.Helper()
		var stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), program, append(to, args...)...)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", program, args, err, &stderr)
		}
		return out
	}
	run(nil, client, "-e", `CREATE DATABASE a; CREATE DATABASE b; USE a;
CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(10) COMMENT 'it''s', n DECIMAL(10,2) DEFAULT 1.5, at DATETIME(3), KEY by_v (v), UNIQUE KEY u (n, id));
INSERT INTO t VALUES (1, 'a', 2, '2024-01-01 00:00:00.123'), (2, 'b''\\"', NULL, NULL), (3, 'é', 4.25, NULL);
CREATE TABLE empty (x INT);
CREATE VIEW few AS SELECT id, v /* the first */ FROM t WHERE id < 3;`)
	run(run(nil, dump, "a"), client, "b")
	for _, q := range []string{"SELECT * FROM t ORDER BY id", "SHOW CREATE TABLE t", "SELECT * FROM few ORDER BY id", "SELECT COUNT(*) FROM empty", "INSERT INTO t (v) VALUES ('z'); SELECT MAX(id) FROM t"} {
		if want, got := run(nil, client, "a", "-e", q), run(nil, client, "b", "-e", q); !bytes.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s\n%s\nwant\n%s", q, got, want)
		}
	}
}
