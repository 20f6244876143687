package logical

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryKind: what tells nodes apart knows every kind of node.
func TestEveryKind(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	cases := map[string]map[string]bool{"Deriver.derive": {}, "copier.node": {}}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			recv := fn.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			name := recv.(*ast.Ident).Name
			if fn.Name.Name == "WithInputs" {
				kinds[name] = true
			}
			known := cases[name+"."+fn.Name.Name]
			if known == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if c, ok := n.(*ast.CaseClause); ok {
					for _, e := range c.List {
						if star, ok := e.(*ast.StarExpr); ok {
							known[star.X.(*ast.Ident).Name] = true
						}
					}
				}
				return true
			})
		}
	}
	if len(kinds) < 10 {
		t.Fatalf("only %d kinds of nodes found", len(kinds))
	}
	// An Emit is the root of a tree, under which nothing is copied; an Apply is gone
	// before properties are asked.
	beside := "copier.node Emit, Deriver.derive Apply"
	for fn, known := range cases {
		for k := range kinds {
			if !known[k] && !strings.Contains(beside, fn+" "+k) {
				t.Errorf("%s does not know %s", fn, k)
			}
		}
	}
}
