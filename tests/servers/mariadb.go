package servers

import (
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
	addr   string
	dir    string
	daemon string // its program
	mu     sync.Mutex
	cmd    *exec.Cmd // guarded by mu
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
		"--user="+userName(), "--datadir="+data, "--tmpdir="+dir).CombinedOutput()
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("mariadb-install-db: %v\n%s", err, out)
	}
	addr, err := freeAddress()
	if err != nil {
		return nil, err
	}
	m := &Reference{addr: addr, dir: dir, daemon: daemon}
	if err := m.start(); err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return m, nil
}

// start starts the program and waits until it answers.
func (m *Reference) start() error {
	_, port, _ := net.SplitHostPort(m.addr)
	log := &firstBytes{most: 64 << 10}
	m.cmd = exec.Command(m.daemon, "--no-defaults", "--user="+userName(), "--datadir="+filepath.Join(m.dir, "data"), "--tmpdir="+m.dir, "--bind-address=127.0.0.1", "--port="+port,
		"--socket="+filepath.Join(m.dir, "s"), "--pid-file="+filepath.Join(m.dir, "pid"), "--skip-log-bin", "--skip-name-resolve",
		"--innodb-buffer-pool-size=64M", "--tmp-disk-table-size=1G", // of a query that would fill the disk
		"--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin", "--default-time-zone=+00:00", "--max-connections=200")
	m.cmd.Stderr = log
	m.cmd.SysProcAttr = dieWithParent()
	if err := m.cmd.Start(); err != nil {
		return err
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := m.ping()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			m.kill()
			return fmt.Errorf("MariaDB does not answer: %v\n%s", err, log)
		}
	}
}

func (m *Reference) ping() error {
	db, err := sql.Open("mysql", m.DSN())
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Ping()
}

// firstBytes keeps the first bytes that are written to it. There are queries over
// which MariaDB complains without end.
type firstBytes struct {
	mu   sync.Mutex
	most int
	text []byte
}

func (f *firstBytes) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.text = append(f.text, p[:min(len(p), f.most-len(f.text))]...)
	return len(p), nil
}

func (f *firstBytes) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.text)
}

// Restart starts the server again: some queries make it crash, or never end.
func (m *Reference) Restart() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kill()
	return m.start()
}

func (m *Reference) kill() {
	m.cmd.Process.Signal(syscall.SIGKILL)
	m.cmd.Wait()
}

func (m *Reference) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kill() // its data is thrown away
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
