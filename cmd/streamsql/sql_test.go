package main

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"streamsql/cmd/streamsql/shell"
)

func TestParseSQL(t *testing.T) {
	base := shell.Options{Host: "127.0.0.1", Port: 4000, User: "root"}
	with := func(f func(*shell.Options)) shell.Options {
		o := base
		f(&o)
		return o
	}
	for args, want := range map[string]shell.Options{
		"":                        base,
		"-h db -P 3307 -u me":     with(func(o *shell.Options) { o.Host, o.Port, o.User = "db", 3307, "me" }),
		"-hdb -P3307 -ume":        with(func(o *shell.Options) { o.Host, o.Port, o.User = "db", 3307, "me" }),
		"--host=db --port 3307":   with(func(o *shell.Options) { o.Host, o.Port = "db", 3307 }),
		"-p":                      with(func(o *shell.Options) { o.AskPassword = true }),
		"-psecret x.sql":          with(func(o *shell.Options) { o.Password, o.File = "secret", "x.sql" }),
		"-p x.sql":                with(func(o *shell.Options) { o.AskPassword, o.File = true, "x.sql" }),
		"-D shop -e SELECT -f -t": with(func(o *shell.Options) { o.Database, o.Execute, o.Force, o.Table = "shop", "SELECT", true, true }),
		"-u -p":                   with(func(o *shell.Options) { o.User = "-p" }),
		"-- -x.sql":               with(func(o *shell.Options) { o.File = "-x.sql" }),
	} {
		e := env{stdout: io.Discard, stderr: io.Discard, lookup: func(string) (string, bool) { return "", false }}
		got, _, err := parseSQL(e, strings.Fields(args))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", args, got, err, want)
		}
	}
	e := env{stderr: io.Discard, lookup: func(name string) (string, bool) { return "fromenv", name == "MYSQL_PWD" }}
	if o, _, err := parseSQL(e, nil); err != nil || o.Password != "fromenv" {
		t.Errorf("password %q, %v", o.Password, err)
	}
	if _, _, err := parseSQL(e, []string{"a.sql", "b.sql"}); err == nil {
		t.Error("two files were taken")
	}
}
