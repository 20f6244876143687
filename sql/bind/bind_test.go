package bind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/catalog"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

const defaultMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES"

// world is a catalog in memory that statements are bound against.
type world struct {
	cat     *catalog.Snapshot
	session catalog.Session
	next    catalog.ID
	parser  *parser.Parser
	warned  []string
	params  []types.Type
}

func newWorld(t testing.TB) *world {
	cat, err := catalog.NewSnapshot().WithDatabase(&catalog.Database{Name: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	return &world{cat: cat, parser: parser.New(),
		session: catalog.Session{Database: "shop", SQLMode: defaultMode, DivPrecision: 4}}
}

func (w *world) bind(sql string) (bind.Statement, error) {
	w.warned = nil
	stmt, err := w.parser.Parse(sql, bind.ParserMode(w.session.SQLMode))
	if err != nil {
		return nil, err
	}
	return bind.Bind(stmt, &bind.Env{
		Catalog: w.cat, Session: w.session, Mode: bind.ParseMode(w.session.SQLMode), ParamTypes: w.params,
		Warn: func(code uint16, m string) { w.warned = append(w.warned, fmt.Sprintf("warning %d: %s", code, m)) },
		Info: bind.Info{ConnectionID: 7, User: "root@localhost", CurrentUser: "root@%", Version: "8.0.36-StreamSQL", LastInsertID: 5},
		Vars: func(name string, _ bool) (*expr.Expr, error) {
			if name != "sql_mode" {
				return nil, sqlerr.New(sqlerr.UnknownSystemVariable, "Unknown system variable '%s'", name)
			}
			return expr.NewConst(expr.Value{S: []byte(w.session.SQLMode)}, types.MakeVarChar(64)), nil
		},
	})
}

// exec binds DDL and puts what it makes into the catalog.
func (w *world) exec(sql string) error {
	stmt, err := w.bind(sql)
	if err != nil {
		return err
	}
	cat := w.cat
	switch s := stmt.(type) {
	case *bind.CreateDatabase:
		cat, err = w.cat.WithDatabase(&catalog.Database{Name: s.Name})
	case *bind.CreateTable:
		w.next++
		t := *s.Table
		t.ID = w.next
		cat, err = w.cat.WithTable(&t)
	case *bind.DropTables:
		order, _, err := s.Resolve(w.cat)
		if err != nil {
			return err
		}
		for _, t := range order {
			cat = cat.WithoutTable(t.ID)
		}
	default:
		return fmt.Errorf("%T is no DDL", stmt)
	}
	if err == nil {
		w.cat = cat
	}
	return err
}

func statements(sql string) (out []string) {
	s := parser.Split(sql)
	for {
		text, _, ok := s.Next()
		if !ok {
			return out
		}
		if strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
	}
}

// The directives:
//
//	ddl                       the statements, put into the catalog
//	bind [mode=…] [db=…]      one statement as its bound tree
//	errors [mode=…] [db=…]    each statement with its error
func TestBind(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.session.SQLMode, w.session.Database = defaultMode, "shop"
			for _, a := range d.CmdArgs {
				value := strings.Join(a.Vals, ",")
				switch a.Key {
				case "mode":
					w.session.SQLMode = value
				case "db":
					w.session.Database = value
				default:
					t.Fatalf("%s: unknown argument %s", d.Pos, a.Key)
				}
			}
			var out strings.Builder
			switch d.Cmd {
			case "ddl":
				for _, sql := range statements(d.Input) {
					if err := w.exec(sql); err != nil {
						fmt.Fprintf(&out, "%s\n", errorText(err))
					}
				}
			case "bind":
				s, err := w.bind(d.Input)
				if err != nil {
					return errorText(err) + "\n"
				}
				out.WriteString(bind.Format(s))
				for _, m := range w.warned {
					out.WriteString(m + "\n")
				}
			case "errors":
				for _, sql := range statements(d.Input) {
					_, err := w.bind(sql)
					if err == nil {
						t.Errorf("%s: no error from %s", d.Pos, sql)
						continue
					}
					fmt.Fprintf(&out, "%s\n  %s\n", strings.TrimSpace(sql), errorText(err))
				}
			default:
				t.Fatalf("%s: unknown directive %s", d.Pos, d.Cmd)
			}
			return out.String()
		})
	})
}

func errorText(err error) string {
	e := sqlerr.From(err)
	return fmt.Sprintf("%d (%s): %s", e.Code, e.State, e.Message)
}
