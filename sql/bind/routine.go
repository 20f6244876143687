package bind

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/reference"
	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// CreateFunction makes a function of the user's own. Function has no ID and no times
// yet; with File set, it has no code either: that is in the file.
type CreateFunction struct {
	Function    *catalog.Function
	File        string
	OrReplace   bool
	IfNotExists bool
}

// DropFunction drops one.
type DropFunction struct {
	Name     Name
	IfExists bool
	Cascade  bool
}

// createFunction binds CREATE FUNCTION. The code is looked at when it is compiled.
func (b *binder) createFunction(s *parser.Statement) (Statement, error) {
	n := s.CreateFunction
	db, err := b.database(n.Name.Schema)
	if err != nil {
		return nil, err
	}
	if _, ok := b.env.Catalog.Database(db); !ok {
		return nil, catalog.UnknownDatabase(db)
	}
	name := n.Name.Name
	if err := checkIdentifier(name.O, sqlerr.SPWrongName, "routine"); err != nil {
		return nil, err
	}
	if native(name.L) {
		return nil, sqlerr.New(sqlerr.NativeFunctionName, "This function '%s' has the same name as a native function", name.O)
	}
	d := &routine.Definition{Database: db, Name: name.O, Aggregate: n.Aggregate, Language: n.Language}
	if len(n.Params) > routine.MaxParams {
		return nil, sqlerr.New(sqlerr.WrongArguments, "A function has at most %d parameters", routine.MaxParams)
	}
	seen := map[string]bool{}
	for _, p := range n.Params {
		if seen[p.Name.Name.L] {
			return nil, sqlerr.New(sqlerr.SPDuplicateParam, "Duplicate parameter: %s", p.Name.Name.O)
		}
		seen[p.Name.Name.L] = true
		t, err := b.routineType(p)
		if err != nil {
			return nil, err
		}
		d.Params = append(d.Params, routine.Param{Name: p.Name.Name.O, Type: t})
	}
	if d.Returns, err = b.routineType(n.Returns); err != nil {
		return nil, err
	}
	out := &CreateFunction{
		Function:  &catalog.Function{Definition: d, Comment: n.Comment, Text: s.Text, Session: b.env.Session},
		OrReplace: n.OrReplace, IfNotExists: n.IfNotExists,
	}
	switch {
	case n.File && n.Language != "wasm":
		return nil, sqlerr.Unsupported("AS SONAME, except of LANGUAGE WASM")
	case n.File:
		out.File = n.Code
	case n.Language == "wasm":
		if d.Code, err = base64.StdEncoding.DecodeString(strings.Join(strings.Fields(n.Code), "")); err != nil {
			return nil, sqlerr.New(sqlerr.WrongArguments, "The code in LANGUAGE WASM is SONAME 'file', or the module in base 64: %v", err)
		}
	default:
		d.Code = []byte(n.Code)
	}
	return out, nil
}

// routineType is the type of a parameter or of a result.
func (b *binder) routineType(c *ast.ColumnDef) (types.Type, error) {
	return columnType(c.Name.Name.O, c.Tp, types.UTF8MB4Bin)
}

// native reports a name that a function of the user's own cannot be called by.
func native(fn string) bool {
	_, synonym := synonyms[fn]
	_, listed := reference.Find(fn)
	return synonym || listed || agg.IsAggregate(fn)
}

// dropFunction binds DROP FUNCTION.
func (b *binder) dropFunction(d *parser.DropFunction) (Statement, error) {
	db, err := b.database(d.Name.Schema)
	if err != nil {
		return nil, err
	}
	return &DropFunction{Name: Name{DB: db, Name: d.Name.Name.O}, IfExists: d.IfExists, Cascade: d.Cascade}, nil
}

// routine finds the function of the user's own that a call means, nil: none.
func (b *binder) routine(schema, name ast.CIStr) *routine.Definition {
	db := schema.O
	if db == "" {
		if db = b.env.Session.Database; db == "" || native(name.L) {
			return nil
		}
	}
	if b.env.Catalog == nil {
		return nil
	}
	f, ok := b.env.Catalog.Function(db, name.O)
	if !ok {
		return nil
	}
	if !slices.Contains(b.calls, f.ID) {
		b.calls = append(b.calls, f.ID)
	}
	return f.Definition
}

// routineCall binds a call of a function of the user's own.
func (b *binder) routineCall(d *routine.Definition, nodes []ast.ExprNode, in *names) (*expr.Expr, error) {
	if d.Aggregate {
		return b.aggregate(&writtenCall{fn: strings.ToLower(d.Name), args: nodes, routine: d}, in)
	}
	args, err := b.exprs(nodes, in)
	if err != nil {
		return nil, err
	}
	b.settle(args)
	return builtin.CallRoutine(b.scalar, d, args...)
}
