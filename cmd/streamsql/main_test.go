package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func run(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	e := env{strings.NewReader(""), &out, &errs, func(string) (string, bool) { return "", false }}
	code = dispatch(context.Background(), e, args)
	return code, out.String(), errs.String()
}

func TestDispatch(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{nil, exitUsage, "", "usage: streamsql COMMAND"},
		{[]string{"help"}, 0, "serve", ""},
		{[]string{"nonsense"}, exitUsage, "", `unknown command "nonsense"`},
		{[]string{"version"}, 0, "streamsql devel", ""},
		{[]string{"--version"}, 0, "streamsql devel", ""},
		{[]string{"version", "-x"}, exitUsage, "", "unknown flag -x"},
		{[]string{"serve", "-h"}, 0, "  --checkpoint-interval DURATION\n", ""},
		{[]string{"serve", "-bogus"}, exitUsage, "", "streamsql serve: unknown flag -bogus (streamsql serve --help says more)\n"},
		{[]string{"serve", "-workers"}, exitUsage, "", "a value is missing behind -workers"},
		{[]string{"serve", "-config", "/nowhere.yaml"}, exitUsage, "", "open /nowhere.yaml: no such file"},
		{[]string{"serve", "-mysql", "nowhere", "-data", os.TempDir()}, exitFailed, "", "--mysql=nowhere: listen tcp"},
		{[]string{"sql", "-h"}, 0, "  -D, --database DATABASE\n", ""},
		{[]string{"sql", "-h", "127.0.0.1", "-P", "1", "-e", "DO 1"}, exitFailed, "", "ERROR 2003 (HY000): Can't connect to server on '127.0.0.1:1'"},
		{[]string{"sql", "x.sql", "-t"}, exitUsage, "", `one file at a time: what is "-t"?`},
		{[]string{"run", "nowhere.sql"}, exitFailed, "", "streamsql run: stat nowhere.sql: no such file"},
		{[]string{"run", "-x"}, exitUsage, "", "unknown flag -x"},
		{[]string{"run", "--help"}, 0, "usage: streamsql run", ""},
		{[]string{"test", "-h"}, 0, "  --interrupt\n", ""},
		{[]string{"serve", "extra"}, exitUsage, "", `unexpected argument "extra"`},
		{[]string{"run"}, exitUsage, "", "no file given"},
		{[]string{"test"}, exitUsage, "", "no files given"},
		{[]string{"test", "-engine", "oracle", "x"}, exitUsage, "", `unknown engine "oracle"`},
		{[]string{"test", "-engine", "mariadb", "."}, exitUsage, "", "no .slt file"},
	} {
		code, stdout, stderr := run(c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%q: code %d, want %d\nstdout %q\nstderr %q", c.args, code, c.code, stdout, stderr)
		}
		if code != 0 && len(c.args) > 0 && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: what is wrong takes more than a line: %q", c.args, stderr)
		}
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	_, stdout, _ := run("--help")
	for _, c := range commands() {
		if !strings.Contains(stdout, "\n  "+c.name+" ") {
			t.Errorf("%s is not in the help", c.name)
		}
	}
}

func TestServeConfig(t *testing.T) {
	var errs bytes.Buffer
	vars := map[string]string{"STREAMSQL_DATA": "/srv/s", "STREAMSQL_CHECKPOINT_INTERVAL": "3s"}
	e := env{stderr: &errs, lookup: func(n string) (string, bool) { v, ok := vars[n]; return v, ok }}
	c, _, err := parseServe(e, []string{"--mysql=0.0.0.0:3307", "--log-level=debug"})
	if err != nil {
		t.Fatal(err)
	}
	if c.MySQL != "0.0.0.0:3307" || c.Data != "/srv/s" || c.CheckpointInterval != 3*time.Second || !c.Log.Enabled(context.Background(), -4) {
		t.Errorf("%+v", c)
	}
	for _, args := range [][]string{{"--workers=-1"}, {"--checkpoint-interval=0"}, {"--log-format=xml"}, {"--log-level=loud"}, {"--data="}} {
		if _, _, err := parseServe(e, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
