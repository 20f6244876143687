package main

import (
	"bytes"
	"context"
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
		{[]string{"version", "-x"}, exitUsage, "", "not defined: -x"},
		{[]string{"serve", "-h"}, 0, "", "checkpoint-interval"},
		{[]string{"serve", "extra"}, exitUsage, "", `unexpected argument "extra"`},
		{[]string{"run"}, exitUsage, "", "usage: streamsql run"},
		{[]string{"test"}, exitUsage, "", "no files given"},
		{[]string{"test", "-engine", "oracle", "x"}, exitUsage, "", `unknown engine "oracle"`},
		{[]string{"test", "-engine", "mariadb", "."}, exitUsage, "", "no .slt file"},
	} {
		code, stdout, stderr := run(c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%q: code %d, want %d\nstdout %q\nstderr %q", c.args, code, c.code, stdout, stderr)
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
	c, err := parseServe(e, []string{"--mysql=0.0.0.0:3307", "--log-level=debug"})
	if err != nil {
		t.Fatal(err)
	}
	if c.MySQL != "0.0.0.0:3307" || c.Data != "/srv/s" || c.CheckpointInterval != 3*time.Second || !c.Log.Enabled(context.Background(), -4) {
		t.Errorf("%+v", c)
	}
	for _, args := range [][]string{{"--workers=-1"}, {"--checkpoint-interval=0"}, {"--log-format=xml"}, {"--log-level=loud"}, {"--data="}} {
		if _, err := parseServe(e, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
