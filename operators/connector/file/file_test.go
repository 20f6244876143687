package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"streamsql/operators/connector"
	"streamsql/sql/types"
)

var cols = []connector.Column{
	{Name: "id", Type: notNull(types.MakeBigInt())}, {Name: "name", Type: types.MakeVarChar(8)},
	{Name: "price", Type: types.MakeDecimal(6, 2)}, {Name: "extra", Type: types.Type{Kind: types.JSON}},
}

func notNull(t types.Type) types.Type {
	t.NotNull = true
	return t
}

// TestFiles reads files in every form, good and bad.
func TestFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "NAME,id,price,extra\nx,1,1.5,{}\n\"a\"\"b,\n\",2,,\\N\n,3,2,\n", "1 x 1.50 {}\n2 'a\"b,\n' NULL NULL\n3 '' 2.00 NULL\n"},
		{"twice.csv", "id,name,price,extra\n1,a,1,\n2,b,1,\n1,c,1,\n", "2 b 1.00 NULL\n1 c 1.00 NULL\n"},
		{"a.json", `{"id":1,"name":"x","price":1.5,"extra":{"a":[1]}}` + "\r\n\n" + `{"ID":2,"extra":null}` + "\n" + `{"id":"3","name":7,"extra":"s"}`, "1 x 1.50 '{\"a\": [1]}'\n2 NULL NULL NULL\n3 7 NULL \"s\"\n"},
		{"empty.csv", "", "it has no line with the names of its columns"},
		{"head.csv", "id,price,extra\n", "it has no column 'name'"},
		{"ragged.csv", "id,name,price,extra\n1,a\n", "wrong number of fields"},
		{"null.csv", "id,name,price,extra\n1,a,,\n\\N,b,,\n", "line 3: column 'id': Column 'id' cannot be null"},
		{"long.csv", "id,name,price,extra\n1,abcdefghi,,\n", "line 2: column 'name': Data too long"},
		{"bad.json", `{"id":1}` + "\n{", "line 2"},
		{"deep.json", `{"id":1,"name":{"a":1}}`, "line 1: column 'name': an object or array"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := New(dir, cols, []int{0}, connector.Values{"path": c.name, "format": filepath.Ext(c.name)[1:]})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if next, err := l.Scan(t.Context()); err != nil {
				got = err.Error()
			} else {
				for c := next(2); c != nil; c = next(2) {
					for i := range c.N {
						got += string(c.AppendRow(nil, i)) + "\n"
					}
				}
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestPaths: nothing outside of the directory is read, whatever leads there.
func TestPaths(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "files")
	for _, f := range []string{filepath.Join(base, "secret.csv"), filepath.Join(dir, "sub", "in.csv")} {
		if err := os.MkdirAll(filepath.Dir(f), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f, []byte("id,name,price,extra\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.csv", filepath.Join(dir, "link.csv")); err != nil {
		t.Fatal(err)
	}
	for path, good := range map[string]bool{
		"sub/in.csv": true, "./sub/../sub/in.csv": true, filepath.Join(dir, "sub", "in.csv"): true,
		"../secret.csv": false, "sub/../../secret.csv": false, filepath.Join(base, "secret.csv"): false, "link.csv": false, "sub": false, "no.csv": false, "": false,
	} {
		l, err := New(dir, cols, []int{0}, connector.Values{"path": path, "format": "csv"})
		if err == nil {
			_, err = l.Scan(t.Context())
		}
		if (err == nil) != good {
			t.Errorf("%q: %v", path, err)
		}
	}
}
