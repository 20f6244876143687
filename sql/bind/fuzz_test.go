package bind_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

// FuzzBind: any statement ends in a tree or in an error that a client can be
// given, and a tree can be printed.
func FuzzBind(f *testing.F) {
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	w := newWorld(f)
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			directive, rest, _ := strings.Cut(block, "\n")
			body, _, _ := strings.Cut(rest, "\n----")
			for _, sql := range statements(body) {
				f.Add(sql)
				if strings.HasPrefix(directive, "ddl") || strings.HasPrefix(sql, "CREATE") {
					_ = w.exec(sql) // some exist, some are wrong: what remains is a catalog
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if len(sql) > 1<<12 {
			return
		}
		stmt, err := w.parser.Parse(sql, 0)
		if err != nil {
			return
		}
		s, err := bind.Bind(stmt, w.env())
		if err != nil {
			if e := sqlerr.From(err); e.Code == sqlerr.UnknownError || e.Message == "" {
				t.Errorf("%q: %d %s", sql, e.Code, e.Message)
			}
			return
		}
		if bind.Format(s) == "" {
			t.Errorf("%q: bound to nothing", sql)
		}
	})
}
