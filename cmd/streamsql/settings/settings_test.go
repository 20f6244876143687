package settings

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func parse(t *testing.T, file string, env map[string]string, args ...string) (map[string]string, error) {
	t.Helper()
	fs := flag.NewFlagSet("serve", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.String("mysql", "127.0.0.1:4000", "")
	fs.Int("workers", 0, "")
	fs.Duration("checkpoint-interval", time.Second, "")
	fs.String(FileFlag, "", "")
	if file != "" {
		path := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", path)
	}
	err := Parse(fs, args, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	got := map[string]string{}
	fs.VisitAll(func(f *flag.Flag) { got[f.Name] = f.Value.String() })
	return got, err
}

func TestPrecedence(t *testing.T) {
	file := "mysql: 0.0.0.0:1\nworkers: 7\ncheckpoint:\n  interval: 5s\n"
	env := map[string]string{"STREAMSQL_WORKERS": "3", "STREAMSQL_MYSQL": "0.0.0.0:2"}
	got, err := parse(t, file, env, "--mysql", "0.0.0.0:3")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"mysql": "0.0.0.0:3", "workers": "3", "checkpoint-interval": "5s"} {
		if got[name] != want {
			t.Errorf("%s = %s, want %s", name, got[name], want)
		}
	}
}

func TestDefaults(t *testing.T) {
	got, err := parse(t, "workers:\n", nil)
	if err != nil || got["workers"] != "0" || got["mysql"] != "127.0.0.1:4000" {
		t.Errorf("%v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want       string
	}{
		{"unknown key", "wokers: 2", nil, "unknown setting wokers"},
		{"bad value", "workers: many", nil, `"many" is no value for --workers`},
		{"bad variable", "", map[string]string{"STREAMSQL_WORKERS": "x"}, "environment STREAMSQL_WORKERS"},
		{"list", "workers: [1, 2]", nil, "workers is a list"},
		{"no yaml", "a: b: c", nil, "yaml"},
		{"file within file", "config: x", nil, "unknown setting config"},
	} {
		if _, err := parse(t, c.file, c.env); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.name, err, c.want)
		}
	}
	if _, err := parse(t, "", nil, "--config", filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file is no error")
	}
}
