package shell

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"streamsql/tests/servers"
)

// pseudoTerminal opens a terminal; what is written to the first is typed on the
// second.
func pseudoTerminal(t *testing.T) (keyboard, screen *os.File) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		servers.Missing(t, "no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// screenText collects what a terminal shows, without its control sequences.
type screenText struct {
	mu   sync.Mutex
	text string
}

var control = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|[\r\a]`)

func (s *screenText) read(f *os.File) {
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.text += string(buf[:n])
		s.mu.Unlock()
	}
}

// take waits until want is shown, and drops all up to it.
func (s *screenText) take(t *testing.T, want string) {
	t.Helper()
	servers.Eventually(t, 20*time.Second, func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		shown := control.ReplaceAllString(s.text, "")
		i := strings.Index(shown, want)
		if i < 0 {
			return fmt.Errorf("%q is not shown, but %q", want, shown)
		}
		s.text = shown[i+len(want):]
		return nil
	})
}

// TestPrompt types at the shell: statements over several lines, completion,
// ctrl-C at the prompt and within a statement, and what the history keeps.
func TestPrompt(t *testing.T) {
	o := options(t)
	o.HistoryFile = filepath.Join(t.TempDir(), "history")
	db := servers.Open(t, servers.MariaDB(t).DSN())
	keyboard, terminal := pseudoTerminal(t)
	var screen screenText
	go screen.read(keyboard)
	done := make(chan int, 1)
	o.Database = "mysql"
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt) // as main does
	defer stop()
	go func() { done <- Run(ctx, o, terminal, terminal, terminal) }()

	press := func(keys string) {
		t.Helper()
		if _, err := keyboard.WriteString(keys); err != nil {
			t.Fatal(err)
		}
	}
	screen.take(t, "streamsql [mysql]> ")
	press("create database prompt_test; use prompt_test;\r")
	screen.take(t, "Query OK, 1 row affected")
	screen.take(t, "streamsql [prompt_test]> ")
	press("create table unlikely_name (a int);\r")
	screen.take(t, "Query OK, 0 rows affected")
	press("insert into unlik\t")
	screen.take(t, "insert into unlikely_name ")
	press("values (1),\r")
	screen.take(t, "-> ")
	press("(2);\r")
	screen.take(t, "Query OK, 2 rows affected")
	press("select a, 'it\rs' from unlikely_name where a = 1;\r")
	screen.take(t, "1 row in set")
	press("select nothing;\r")
	screen.take(t, "ERROR 1054 (42S22): Unknown column 'nothing'")
	press("half a statement\r\x03")
	screen.take(t, "streamsql [prompt_test]> ")
	press("set @password = 1;\r")
	screen.take(t, "Query OK")
	press("select sleep(300) as prompt_sleep;\r")
	servers.Eventually(t, 20*time.Second, func() error {
		var n int
		err := db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'select sleep%prompt_sleep%'").Scan(&n)
		if err != nil || n == 0 {
			return errors.Join(err, errors.New("the statement does not run yet"))
		}
		return nil
	})
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil { // as the terminal does on ctrl-C
		t.Fatal(err)
	}
	screen.take(t, "streamsql [prompt_test]> ")
	press("select 6*7\\G\r")
	screen.take(t, "6*7: 42")
	press("exit\r")
	select {
	case code := <-done:
		if code != exitOK {
			t.Errorf("exit %d", code)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the shell goes on after exit")
	}
	history, err := os.ReadFile(o.HistoryFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"insert into unlikely_name values (1), (2);\n", "select a, 'it s' from", "select 6*7\\G\n"} {
		if !strings.Contains(string(history), want) {
			t.Errorf("the history lacks %q: %q", want, history)
		}
	}
	for _, no := range []string{"password", "half a"} {
		if strings.Contains(string(history), no) {
			t.Errorf("the history has %q", no)
		}
	}
}
