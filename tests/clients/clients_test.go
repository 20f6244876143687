// Package clients runs stock clients against the server.
package clients

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// client runs a script through the mysql client, as a user does who types
// mysql < script.sql, and returns what it prints.
func client(t *testing.T, addr, script string) string {
	t.Helper()
	path := servers.Tool(t, "mariadb", "mysql")
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--no-defaults", "--protocol=tcp", "-h", host, "-P", port, "-u", "root", "--default-character-set=utf8mb4")
	cmd.Stdin = strings.NewReader(script)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s\nafter printing\n%s", path, err, errs.String(), tail(out.String(), 10))
	}
	return out.String()
}

func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func TestMySQL200(t *testing.T) {
	text, err := os.ReadFile("mysql200.sql")
	if err != nil {
		t.Fatal(err)
	}
	script := string(text)
	if n := strings.Count(script, ";\n"); n < 200 {
		t.Fatalf("%d statements, want 200", n)
	}
	plain := strings.NewReplacer("CREATE STREAM TABLE", "CREATE TABLE", "MATERIALIZED VIEW", "VIEW",
		"CREATE DATABASE mysql200", "CREATE DATABASE mysql200 CHARACTER SET utf8mb4 COLLATE utf8mb4_bin").Replace(script)
	want := client(t, servers.MariaDB(t).Addr(), plain)
	got := client(t, servers.StreamSQL(t).Addr(), script)
	compare(t, strings.Split(want, "\n"), strings.Split(got, "\n"))
}

// compare names the first line that differs, with what stands before it.
func compare(t *testing.T, want, got []string) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		w, g := line(want, i), line(got, i)
		if w != g {
			t.Fatalf("line %d differs from MariaDB's after\n%s\n- %s\n+ %s", i+1, strings.Join(want[max(0, i-5):min(i, len(want))], "\n"), w, g)
		}
	}
}

func line(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
