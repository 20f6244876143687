package bind

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// statement binds any statement that has names or types.
func (b *binder) statement(s *parser.Statement) (Statement, error) {
	switch {
	case s.MatView != nil, s.Sink != nil, s.Query != nil:
		create, err := b.createContinuous(s)
		if s.ExplainFormat != "" && err == nil {
			return &Explain{Format: s.ExplainFormat, Statement: create}, nil
		}
		return create, err
	case s.Control != nil:
		return b.control(s.Control)
	case s.Alter != nil:
		return b.alterObject(s.Alter)
	case s.Analyze != nil:
		return b.analyze(s.Analyze)
	case s.Subscribe != nil:
		return b.subscribe(s.Subscribe)
	case s.Drop != nil:
		return b.drop(s.Drop)
	case s.CreateFunction != nil:
		return b.createFunction(s)
	case s.CreateSecret != nil:
		return b.createSecret(s.CreateSecret)
	case s.DropSecret != nil:
		return &DropSecret{Name: s.DropSecret.Name, IfExists: s.DropSecret.IfExists}, nil
	case s.DropFunction != nil:
		return b.dropFunction(s.DropFunction)
	}
	switch n := s.Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		q, err := b.query(n)
		if err != nil {
			return nil, err
		}
		at, err := b.asOf(s.AsOf)
		if err != nil {
			return nil, err
		}
		return &SelectStatement{Query: q, AsOf: at, Params: b.params, Reads: b.reads}, nil
	case *ast.InsertStmt:
		return b.insert(n, s.NewRow)
	case *ast.LoadDataStmt:
		return b.loadData(n)
	case *ast.UpdateStmt:
		return b.update(n)
	case *ast.DeleteStmt:
		return b.delete(n)
	case *ast.CreateDatabaseStmt:
		return b.createDatabase(n)
	case *ast.DropDatabaseStmt:
		return &DropDatabase{Name: n.Name.O, IfExists: n.IfExists}, nil
	case *ast.CreateTableStmt:
		return b.createTable(n, s)
	case *ast.CreateViewStmt:
		return b.createView(n, s)
	case *ast.DropTableStmt:
		return b.dropTables(n)
	case *ast.RenameTableStmt:
		return b.renameTables(n)
	case *ast.CreateIndexStmt:
		return b.createIndexStatement(n)
	case *ast.DropIndexStmt:
		return b.dropIndexStatement(n)
	case *ast.AlterTableStmt:
		return b.alterTable(n, s.AlterStream)
	case *ast.ExplainStmt:
		return b.explain(n, s)
	case *ast.TruncateTableStmt:
		return b.truncate(n)
	default:
		return nil, refuseStatement(s)
	}
}

// refuseStatement is error 1235 for a statement that is not there yet.
func refuseStatement(s *parser.Statement) error {
	switch s.Node.(type) {
	case *ast.AlterDatabaseStmt:
		return sqlerr.Unsupported("ALTER DATABASE")
	case *ast.CallStmt:
		return sqlerr.Unsupported("CALL")
	default:
		words := strings.Fields(strings.ToUpper(s.Text))
		return sqlerr.Unsupported(strings.Join(words[:min(len(words), 2)], " "))
	}
}

// truncate binds TRUNCATE as a DELETE of all rows.
func (b *binder) truncate(n *ast.TruncateTableStmt) (Statement, error) {
	src, sel, err := b.changed(&ast.Join{Left: &ast.TableSource{Source: n.Table}}, "TRUNCATE", nil)
	if err != nil {
		return nil, err
	}
	scan := src.rel.(*Scan)
	return &Delete{Table: scan.Table, Query: b.changedRows(scan, sel), Params: b.params, Reads: b.reads, Truncate: true}, nil
}

// explain binds EXPLAIN of what has a plan.
func (b *binder) explain(n *ast.ExplainStmt, s *parser.Statement) (Statement, error) {
	inner := *s
	inner.Node = n.Stmt
	stmt, err := b.statement(&inner)
	if err != nil {
		return nil, err
	}
	if _, reads := stmt.(*SelectStatement); n.Analyze && !reads {
		return nil, sqlerr.Unsupported("EXPLAIN ANALYZE of a statement that changes something")
	}
	return &Explain{Format: n.Format, Analyze: n.Analyze, Statement: stmt}, nil
}

func (b *binder) createDatabase(n *ast.CreateDatabaseStmt) (Statement, error) {
	if err := checkIdentifier(n.Name.O, sqlerr.WrongDBName, "database"); err != nil {
		return nil, err
	}
	out := &CreateDatabase{Name: n.Name.O, IfNotExists: n.IfNotExists}
	for _, o := range n.Options {
		switch o.Tp {
		case ast.DatabaseOptionCharset:
			if err := checkCharset(o.Value); err != nil {
				return nil, err
			}
		case ast.DatabaseOptionCollate:
			c, ok, err := collationOf(o.Value)
			if err != nil {
				return nil, err
			}
			if ok {
				out.Collation = c
			}
		default:
			b.env.warn(sqlerr.NotSupportedYet, "An option of CREATE DATABASE has no effect")
		}
	}
	return out, nil
}
