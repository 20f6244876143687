package shell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// TestCutter runs testdata/cutter: how text is cut into statements and
// commands. Each case is fed line by line.
func TestCutter(t *testing.T) {
	datadriven.RunTest(t, "testdata/cutter", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		c := newCutter()
		c.noEscapes = d.HasArg("nobackslash")
		lines := strings.Split(d.Input, "\n")
		for i, line := range lines {
			for p := range c.feed([]byte(line), i == len(lines)-1) {
				fmt.Fprintf(&out, "%d: ", p.line)
				if p.command != 0 {
					fmt.Fprintf(&out, "command %c ", p.command)
				}
				fmt.Fprintf(&out, "%q", p.text)
				if p.vertical {
					out.WriteString(" vertical")
				}
				out.WriteByte('\n')
			}
		}
		return out.String()
	})
}

// options are those for the reference server.
func options(t *testing.T) Options {
	host, port, err := net.SplitHostPort(servers.MariaDB(t).Addr())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Host: host, Port: n}
}

// wording is what of an error may change with the server's version.
var wording = regexp.MustCompile(`(?m)^(ERROR .*?\)(?: at line \d+)?:) .*$`)

// TestScripts runs testdata/scripts against a server: what is printed, on both
// outputs, and the exit code.
func TestScripts(t *testing.T) {
	o := options(t)
	datadriven.RunTest(t, "testdata/scripts", func(t *testing.T, d *datadriven.TestData) string {
		o := o
		o.Table, o.Force = d.HasArg("table"), d.HasArg("force")
		var in string
		switch d.Cmd {
		case "stdin":
			in = d.Input
		case "execute":
			o.Execute = d.Input
		case "file":
			o.File = filepath.Join(t.TempDir(), "script.sql")
			if err := os.WriteFile(o.File, []byte(d.Input), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, errOut bytes.Buffer
		code := Run(t.Context(), o, strings.NewReader(in), &out, &errOut)
		return fmt.Sprintf("%s%s(exit %d)\n", &out, wording.ReplaceAllString(errOut.String(), "$1 …"), code)
	})
}

// TestSource runs a file from a script, and one that runs itself.
func TestSource(t *testing.T) {
	o := options(t)
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner.sql")
	loop := filepath.Join(dir, "loop.sql")
	for name, text := range map[string]string{inner: "SELECT 1;\nSELECT nope;\n", loop: "source " + loop + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, errOut bytes.Buffer
	code := Run(t.Context(), o, strings.NewReader("\nsource "+inner+"\nSELECT 2;"), &out, &errOut)
	if code != exitFailed || out.String() != "1\n1\n" || !strings.HasPrefix(errOut.String(), "ERROR 1054 (42S22) at line 2: ") {
		t.Errorf("exit %d, printed %q and %q", code, &out, &errOut)
	}
	errOut.Reset()
	code = Run(t.Context(), o, strings.NewReader("source "+loop), &out, &errOut)
	if code != exitFailed || !strings.Contains(errOut.String(), "too deeply") {
		t.Errorf("exit %d, printed %q", code, &errOut)
	}
}

// TestConnect says what a failed connection looks like.
func TestConnect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := Options{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port}
	l.Close()
	stranger := options(t)
	stranger.User, stranger.Password = "nobody", "x"
	nowhere := options(t)
	nowhere.Database = "no_such_database"
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"closed":   {closed, "ERROR 2003 (HY000): Can't connect to server on '127.0.0.1:"},
		"stranger": {stranger, "ERROR 1045 (28000): Access denied for user 'nobody'"},
		"nowhere":  {nowhere, "ERROR 1049 (42000): Unknown database 'no_such_database'"},
	} {
		var out, errOut bytes.Buffer
		if code := Run(t.Context(), c.o, strings.NewReader("SELECT 1"), &out, &errOut); code != exitFailed ||
			!strings.HasPrefix(errOut.String(), c.want) || out.Len() > 0 {
			t.Errorf("%s: exit %d, printed %q and %q", name, code, &out, &errOut)
		}
	}
}

// TestInterrupt ends a statement that would run for long.
func TestInterrupt(t *testing.T) {
	o := options(t)
	db := servers.Open(t, servers.MariaDB(t).DSN())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		var out, errOut bytes.Buffer
		code := Run(ctx, o, strings.NewReader("SELECT 1; SELECT SLEEP(300) AS long_sleep, 1/(SELECT 0 UNION SELECT 1);"), &out, &errOut)
		if code != exitFailed {
			done <- fmt.Errorf("exit %d, printed %q and %q", code, &out, &errOut)
			return
		}
		done <- nil
	}()
	running := func() (n int, err error) {
		err = db.QueryRow("SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP%long_sleep%'").Scan(&n)
		return n, err
	}
	servers.Eventually(t, 10*time.Second, func() error {
		if n, err := running(); err != nil || n == 0 {
			return errors.Join(err, errors.New("the statement does not run yet"))
		}
		return nil
	})
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the shell goes on")
	}
	servers.Eventually(t, 10*time.Second, func() error {
		if n, err := running(); err != nil || n != 0 {
			return errors.Join(err, errors.New("the statement runs on"))
		}
		return nil
	})
}

// TestCompletion completes words and names.
func TestCompletion(t *testing.T) {
	o := options(t)
	var out, errOut bytes.Buffer
	if code := Run(t.Context(), o, strings.NewReader("CREATE DATABASE complete_me; CREATE TABLE complete_me.trades (seller INT, `öl` INT);"), &out, &errOut); code != 0 {
		t.Fatal(errOut.String())
	}
	o.Database = "complete_me"
	conn, err := connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	c := &completer{shell: &shell{ctx: t.Context(), conn: conn}}
	for typed, want := range map[string]string{
		"SELEC": "T ", "selec": "t ", "SELECT sel": "ler |ect ", "SELECT trades.": "", "FROM tra": "des ", "USE complete": "_me ",
		"SELECT ö": "l ", "": "", "xyzzy": "", "SELECT ": "",
	} {
		line := []rune(typed)
		rest, _ := c.Do(line, len(line))
		var got []string
		for _, r := range rest {
			got = append(got, string(r))
		}
		joined := strings.Join(got, "|")
		if typed == "SELECT trades." { // every name is offered behind a dot
			if !strings.Contains(joined, "seller") {
				t.Errorf("%q: %q", typed, joined)
			}
			continue
		}
		if joined != want {
			t.Errorf("%q: %q, want %q", typed, joined, want)
		}
	}
}

// TestLongTable prints rows beyond those that decide on the widths.
func TestLongTable(t *testing.T) {
	o := options(t)
	o.Table = true
	var out, errOut bytes.Buffer
	sql := "SELECT seq, IF(seq > 1500, 'wide text', 'x') AS s FROM seq_1_to_2000;"
	if code := Run(t.Context(), o, strings.NewReader("CREATE DATABASE long_table; USE long_table; "+sql), &out, &errOut); code != 0 {
		t.Fatal(errOut.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2004 || lines[3] != "|    1 | x |" || lines[2002] != "| 2000 | wide text |" {
		t.Errorf("%d lines, %q, %q", len(lines), lines[3], lines[len(lines)-2])
	}
}

// TestLikeMysql compares what is printed with what the mysql client prints.
func TestLikeMysql(t *testing.T) {
	mysql := servers.Tool(t, "mariadb", "mysql")
	o := options(t)
	const script = `
-- values of all kinds
CREATE DATABASE IF NOT EXISTS like_mysql; USE like_mysql;
CREATE OR REPLACE TABLE t (a INT, b VARCHAR(20), c DECIMAL(8,2), d DATETIME(3), e YEAR, f FLOAT, g TEXT, h DATE);
INSERT INTO t VALUES (1, 'x', 1.5, '2024-01-01 00:00:00.123', 2024, 0.1, 'a\tb', '2024-01-01'), (-1, '', -2, NULL, NULL, 1e10, 'it''s; "x"', NULL);
SELECT * FROM t; SELECT * FROM t WHERE a > 5;
SELECT a, b, c FROM t ORDER BY a\G
select 1 as "a;b", COUNT(*) FROM t; # end
SHOW COLUMNS FROM t;
DELIMITER //
SELECT 5--5, 'a//b'//
DELIMITER ;
EXPLAIN SELECT 1;
SELECT 'last'`
	for _, table := range []bool{false, true} {
		args := []string{"--no-defaults", "-h", o.Host, "-P", strconv.Itoa(o.Port), "-u", "root", "--protocol=tcp", "--default-character-set=utf8mb4"}
		if table {
			args = append(args, "-t")
		}
		cmd := exec.CommandContext(t.Context(), mysql, args...)
		cmd.Stdin = strings.NewReader(script)
		want, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, want)
		}
		var out, errOut bytes.Buffer
		o.Table = table
		if code := Run(t.Context(), o, strings.NewReader(script), &out, &errOut); code != 0 {
			t.Fatal(errOut.String())
		}
		if out.String() != string(want) {
			t.Errorf("table %t: printed\n%s\nthe mysql client\n%s", table, &out, want)
		}
	}
}
