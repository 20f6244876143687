package manual

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

var update = flag.Bool("update", false, "write the examples' output into the page")

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

// example is a sql block with the text block behind it, if there is one.
type example struct {
	section  string
	line     int // of the page, from 1
	sql      string
	want     string
	has      bool // a text block follows
	from, to int  // lines of the text block's inside, from 0, half open
}

// read finds the examples of a page.
func read(page string) ([]example, []string) {
	lines := strings.Split(page, "\n")
	var out []example
	section := ""
	for i := 0; i < len(lines); i++ {
		if s, ok := strings.CutPrefix(lines[i], "## "); ok {
			section = s
		}
		if lines[i] != "```sql" && lines[i] != "```text" {
			continue
		}
		kind, from := lines[i], i+1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		inside := strings.Join(lines[from:min(i, len(lines))], "\n")
		switch {
		case kind == "```sql":
			out = append(out, example{section: section, line: from, sql: inside})
		case len(out) > 0 && !out[len(out)-1].has && out[len(out)-1].section == section:
			e := &out[len(out)-1]
			e.want, e.has, e.from, e.to = inside, true, from, i
		}
	}
	return out, lines
}

// varying are parts of an output that are not the same each time, as the page writes them.
var varying = regexp.MustCompile(`\((\d+\.\d\d) sec\)`)

func TestManual(t *testing.T) {
	for _, name := range []string{"sql.md", "user-functions.md"} {
		t.Run(name, func(t *testing.T) { checkPage(t, name) })
	}
}

// checkPage runs a page's examples, and holds what it says against what comes out.
func checkPage(t *testing.T, name string) {
	path := filepath.Join(servers.Root(t), "docs", name)
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	examples, lines := read(string(page))
	if len(examples) == 0 {
		t.Fatal("the page has no examples")
	}
	server := servers.StreamSQL(t, "--function-dir="+filepath.Join(servers.Root(t), "examples", "functions"))
	db, section := "", "\x00"
	got := make([]string, len(examples))
	for i, e := range examples {
		if e.section != section {
			section, db = e.section, fmt.Sprintf("manual_%d", i)
			run(t, server.Addr(), "", "CREATE DATABASE "+db)
		}
		// Messages name the database: its number says nothing to a reader, and moves.
		out := strings.ReplaceAll(run(t, server.Addr(), db, e.sql), db, "manual")
		got[i] = strings.TrimRight(varying.ReplaceAllString(out, "(0.00 sec)"), "\n")
		switch {
		case *update:
		case e.has && got[i] != strings.TrimRight(e.want, "\n"):
			t.Errorf("docs/%s:%d: the example gives\n%s\nand the page says\n%s", name, e.line, got[i], e.want)
		case !e.has && strings.Contains(got[i], "ERROR "):
			t.Errorf("docs/%s:%d: %s", name, e.line, got[i])
		}
	}
	if *update {
		for i := len(examples) - 1; i >= 0; i-- {
			if e := examples[i]; e.has {
				lines = append(lines[:e.from], append(strings.Split(got[i], "\n"), lines[e.to:]...)...)
			}
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run gives statements to the shell and returns all that it prints.
func run(t *testing.T, addr, db, text string) string {
	t.Helper()
	host, port, _ := strings.Cut(addr, ":")
	if _, err := strconv.Atoi(port); err != nil {
		t.Fatalf("address %q", addr)
	}
	cmd := exec.Command(servers.Binary(t), "sql", "--host", host, "--port", port, "--table", "--force", "--database", db)
	cmd.Stdin = strings.NewReader(text + "\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if _, is := err.(*exec.ExitError); !is {
			t.Fatal(err)
		}
	}
	return out.String()
}
