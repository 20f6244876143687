package servers

import (
	"bytes"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Reference is a running MariaDB whose root user has no password.
type Reference struct {
	addr string
	dir  string
	cmd  *exec.Cmd
}

// DSN names the server for go-sql-driver/mysql, without a database.
func (m *Reference) DSN() string { return "root@tcp(" + m.addr + ")/" }

// Addr is its host:port.
func (m *Reference) Addr() string { return m.addr }

var reference = struct {
	once sync.Once
	m    *Reference
	err  error
}{}

// MariaDB is the reference server, shared by the tests of a process. A package
// that uses it calls Main from its TestMain, so that the server goes when the
// tests are over.
func MariaDB(t testing.TB) *Reference {
	t.Helper()
	daemon := Tool(t, "mariadbd", "mysqld")
	install := Tool(t, "mariadb-install-db", "mysql_install_db")
	reference.once.Do(func() { reference.m, reference.err = startMariaDB(daemon, install) })
	if reference.err != nil {
		t.Fatal(reference.err)
	}
	return reference.m
}

// Tool is the path of the first of several programs that is installed; without
// one the test is skipped.
func Tool(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
		// Debian keeps servers where only root's PATH reaches.
		if path := "/usr/sbin/" + name; exec.Command("test", "-x", path).Run() == nil {
			return path
		}
	}
	Missing(t, "%s is not installed", names[0])
	return ""
}

// Main runs a package's tests and stops what they share.
func Main(m *testing.M) int {
	code := m.Run()
	if r := reference.m; r != nil {
		r.stop()
	}
	if binary.path != "" && os.Getenv("STREAMSQL_BIN") == "" {
		os.RemoveAll(filepath.Dir(binary.path))
	}
	return code
}

func startMariaDB(daemon, install string) (*Reference, error) {
	dir, err := os.MkdirTemp("", "mariadb-")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	out, err := exec.Command(install, "--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
		"--user="+userName(), "--datadir="+data).CombinedOutput()
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("mariadb-install-db: %v\n%s", err, out)
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(addr)
	m := &Reference{addr: addr, dir: dir}
	var log bytes.Buffer
	m.cmd = exec.Command(daemon, "--no-defaults", "--user="+userName(), "--datadir="+data, "--bind-address=127.0.0.1", "--port="+port,
		"--socket="+filepath.Join(dir, "s"), "--pid-file="+filepath.Join(dir, "pid"), "--skip-log-bin", "--skip-name-resolve",
		"--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin", "--default-time-zone=+00:00", "--max-connections=200")
	m.cmd.Stderr = &log
	m.cmd.SysProcAttr = dieWithParent()
	if err := m.cmd.Start(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	db, err := sql.Open("mysql", m.DSN())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if err = db.Ping(); err == nil {
			return m, nil
		}
		if time.Now().After(deadline) {
			m.stop()
			return nil, fmt.Errorf("MariaDB does not answer: %v\n%s", err, log.String())
		}
	}
}

func (m *Reference) stop() {
	m.cmd.Process.Signal(syscall.SIGKILL) // its data is thrown away
	m.cmd.Wait()
	os.RemoveAll(m.dir)
}

// userName keeps MariaDB from refusing to run as root.
func userName() string {
	if os.Getuid() == 0 {
		return "root"
	}
	return os.Getenv("USER")
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}
