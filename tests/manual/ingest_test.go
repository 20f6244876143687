package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

// command is a command of a console block, with the output that it should have.
type command struct {
	line      int
	text, out string
}

// commands finds the commands of the console blocks of a page: each begins with
// "$ ", goes on while a quote is open, and has its output behind it.
func commands(page string) []command {
	var all []command
	inside := false
	for i, line := range strings.Split(page, "\n") {
		switch text, begins := strings.CutPrefix(line, "$ "); {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case begins:
			all = append(all, command{line: i + 1, text: text})
		case strings.Count(all[len(all)-1].text, "'")%2 == 1:
			all[len(all)-1].text += "\n" + line
		default:
			all[len(all)-1].out += line + "\n"
		}
	}
	return all
}

// TestIngestPage runs the examples of docs/ingest.md.
func TestIngestPage(t *testing.T) {
	for _, tool := range []string{"mysql", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			servers.Missing(t, "%s is not installed", tool)
		}
	}
	page, err := os.ReadFile(filepath.Join(servers.Root(t), "docs", "ingest.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := servers.StreamSQL(t, "--http=127.0.0.1:0")
	_, port, _ := strings.Cut(s.Addr(), ":")
	here := strings.NewReplacer("127.0.0.1:8040", s.Ready().HTTP, "-P4000", "-P"+port)
	position := regexp.MustCompile(`"position":\d+`) // depends on what else the server wrote
	dir := t.TempDir()
	list := commands(string(page))
	if len(list) < 10 {
		t.Fatalf("only %d commands were found", len(list))
	}
	for _, c := range list {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", here.Replace(c.text))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		got, want := position.ReplaceAllString(string(out), "position"), position.ReplaceAllString(c.out, "position")
		if err != nil || got != want {
			t.Errorf("docs/ingest.md:%d: %s\n%v\ngot:\n%swant:\n%s", c.line, c.text, err, got, want)
		}
	}
}
