package arch

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

// A source is one Go file of the repository.
type source struct {
	path string // relative to the root, with slashes
	pkg  string // directory
	text []byte
	file *ast.File
	test bool
}

func sources(t *testing.T) []source {
	t.Helper()
	root := servers.Root(t)
	var out []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || rel == "data" || rel == "bin") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(rel, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), rel, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{rel, filepath.ToSlash(filepath.Dir(rel)), text, file, strings.HasSuffix(rel, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 20 {
		t.Fatalf("only %d files found below %s", len(out), root)
	}
	return out
}

func TestImportDirection(t *testing.T) {
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			to, ours := strings.CutPrefix(path, "streamsql/")
			if !ours {
				continue
			}
			if why := forbidden(s.pkg, to, s.test); why != "" {
				t.Errorf("%s imports %s: %s", s.path, path, why)
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	has, seen := map[string]bool{}, map[string]string{}
	for _, s := range sources(t) {
		if s.test && seen[s.pkg] != "" {
			// A package that consists of tests alone documents itself in one of them.
			has[s.pkg] = has[s.pkg] || s.file.Doc != nil
			continue
		}
		seen[s.pkg] = s.path
		has[s.pkg] = has[s.pkg] || s.file.Doc != nil
	}
	for pkg, path := range seen {
		if !has[pkg] {
			t.Errorf("package %s says nothing of itself: begin %s, or a doc.go beside it, with // Package %s …", pkg, path, filepath.Base(pkg))
		}
	}
}

// vague names say where code was put, not what it is.
var vague = []string{"util", "utils", "common", "helper", "helpers", "base", "misc", "shared", "lib"}

func TestPackageNames(t *testing.T) {
	for _, s := range sources(t) {
		for _, part := range strings.Split(s.pkg, "/") {
			if slices.Contains(vague, part) {
				t.Errorf("%s: %q names no thing; call the package after what it is about", s.path, part)
			}
		}
		if slices.Contains(vague, s.file.Name.Name) {
			t.Errorf("%s: package %s names no thing; call it after what it is about", s.path, s.file.Name.Name)
		}
	}
}

// lineCap is where a file needs a reason to be longer.
const lineCap = 600

// long holds the files over lineCap, each with the reason why it is one thing.
var long = map[string]string{}

func TestFileSize(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		n := bytes.Count(s.text, []byte("\n"))
		if s.test || n <= lineCap || generated(s.file) {
			continue
		}
		seen[s.path] = true
		if long[s.path] == "" {
			t.Errorf("%s has %d lines, more than %d: split it by topic, or give the reason in long of tests/arch", s.path, n, lineCap)
		}
	}
	for path := range long {
		if !seen[path] {
			t.Errorf("%s is not over %d lines any more: take it off long", path, lineCap)
		}
	}
}

func generated(f *ast.File) bool { return ast.IsGenerated(f) }

func TestNoMarks(t *testing.T) {
	// Spelt in parts, so that this file holds none itself.
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	for _, s := range sources(t) {
		for i, line := range strings.Split(string(s.text), "\n") {
			for _, m := range marks {
				if strings.Contains(line, m) {
					t.Errorf("%s:%d: %s: finish it, or refuse the case with an error and describe the gap in an issue", s.path, i+1, m)
				}
			}
		}
	}
}

// TestNoMachine keeps what belongs to one machine out of all files under version control.
func TestNoMachine(t *testing.T) {
	root := servers.Root(t)
	marks := []string{
		"proxy." + "golang.org", "goproxy" + ".", "GOPROXY" + "=", "registry." + "npmjs", "pypi." + "org", "docker" + ".io/",
		"/home" + "/", "/root" + "/", "/Users" + "/", "/work" + "/", root + "/",
	}
	for _, path := range tracked(t, root) {
		switch filepath.Ext(path) {
		case ".csv", ".tsv", ".sum", ".slt":
			continue // data
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if os.IsNotExist(err) {
			continue // removed, not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, m := range marks {
				if strings.Contains(line, m) {
					t.Errorf("%s:%d: %q belongs to one machine or one registry: take it from the environment or leave it out", path, i+1, m)
				}
			}
		}
	}
}

func tracked(t *testing.T, root string) []string {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("no git checkout: %v", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
}

func TestFormatted(t *testing.T) {
	for _, s := range sources(t) {
		want, err := format.Source(s.text)
		if err != nil {
			t.Errorf("%s: %v", s.path, err)
		} else if !bytes.Equal(s.text, want) {
			t.Errorf("%s is not gofmt-ed: make fmt", s.path)
		}
	}
}
