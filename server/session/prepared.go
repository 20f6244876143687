package session

import (
	"context"
	"math"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/planner/physical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// maxNamed is how many statements PREPARE may keep in a session.
const maxNamed = 16382

// Prepare parses a statement and finds the types of its parameters and of its
// result.
func (s *Session) Prepare(ctx context.Context, text string) (p *Prepared, err error) {
	err = s.during(ctx, text, func(ctx context.Context) error {
		p, err = s.prepare(ctx, text)
		return err
	})
	return p, err
}

func (s *Session) prepare(ctx context.Context, text string) (*Prepared, error) {
	// A parser reuses nothing of a tree that it has given away.
	stmt, err := s.parser.Parse(text, s.settings.parserMode)
	if err != nil {
		return nil, err
	}
	if len(stmt.Params) > math.MaxUint16 {
		return nil, sqlerr.New(sqlerr.PSManyParam, "Prepared statement contains too many placeholders")
	}
	p := &Prepared{Text: text, stmt: stmt}
	switch n := stmt.Node.(type) {
	case *ast.ShowStmt: // has no side effects: its result says its columns
		r, err := s.show(ctx, n)
		if err != nil {
			return nil, err
		}
		p.Fields = r.Rows.Fields()
		return p, nil
	case *ast.PrepareStmt, *ast.ExecuteStmt, *ast.DeallocateStmt:
		return nil, sqlerr.New(1295, "This command is not supported in the prepared statement protocol yet")
	}
	if stmt.Show != nil {
		r, err := s.showStreams(stmt.Show)
		if err != nil {
			return nil, err
		}
		p.Fields = r.Rows.Fields()
		return p, nil
	}
	if isCommand(stmt) {
		return p, nil
	}
	return p, s.describePrepared(p)
}

// isCommand reports the statements of Session.command that give no rows.
func isCommand(stmt *parser.Statement) bool {
	switch stmt.Node.(type) {
	case *ast.UseStmt, *ast.SetStmt, *ast.BeginStmt, *ast.CommitStmt, *ast.RollbackStmt, *ast.KillStmt, *ast.DoStmt,
		*ast.FlushStmt, *ast.LockTablesStmt, *ast.UnlockTablesStmt:
		return true
	}
	return stmt.Flush != nil
}

// describePrepared binds a statement whose parameters are not known yet.
func (s *Session) describePrepared(p *Prepared) error {
	env := s.bindEnv(&compiled{}, nil)
	b, err := bind.Bind(p.stmt, env)
	if err != nil {
		return err
	}
	switch b := b.(type) {
	case *bind.SelectStatement:
		p.Params = b.Params
		p.Fields = fieldsOf(b.Query)
	case *bind.Insert:
		p.Params, p.insert = b.Params, bind.ReadInsertParameters(p.stmt)
	case *bind.Update:
		p.Params = b.Params
	case *bind.Delete:
		p.Params = b.Params
	case *bind.Subscribe:
		for _, col := range bind.ChangeColumns(b.View) {
			p.Fields = append(p.Fields, physical.Field{Name: col.Name, Type: col.Type})
		}
	case *bind.Explain, *bind.Analyze:
		p.Fields = newTable("EXPLAIN").fields
	}
	return nil
}

// Execute runs a prepared statement with a value for each parameter.
func (s *Session) Execute(ctx context.Context, p *Prepared, params []Param, emit Emit) error {
	return s.during(ctx, p.Text, func(ctx context.Context) error {
		return s.execute(ctx, p, params, false, emit)
	})
}

func (s *Session) execute(ctx context.Context, p *Prepared, params []Param, more bool, emit Emit) error {
	if len(params) != len(p.Params) {
		return sqlerr.New(sqlerr.WrongArguments, "Incorrect arguments to EXECUTE")
	}
	if len(params) == 0 {
		if c := s.cachedSelect(p.stmt.Text); c != nil {
			return s.query(ctx, c, more, emit)
		}
		params = nil
	}
	if p.insert != nil {
		if done, err := s.fastExecute(ctx, p.insert, params, more, emit); done || err != nil {
			return err
		}
	}
	if l := p.lookup; l != nil && s.fits(l, p.stmt.Text, params) {
		if done, err := s.lookUp(ctx, l, params, more, emit); done || err != nil {
			return err
		}
	} else if params != nil && p.mayLookUp() {
		if l := s.planLookup(ctx, p, params); l != nil {
			p.lookup = l
		}
	}
	return s.parsed(ctx, p.stmt, params, more, emit)
}

// prepareNamed runs PREPARE name FROM 'text' or FROM @variable.
func (s *Session) prepareNamed(ctx context.Context, n *ast.PrepareStmt) error {
	text := n.SQLText
	if n.SQLVar != nil {
		v := s.userVar(n.SQLVar.Name)
		text = string(v.Value.S)
		if v.Value.Null || text == "" {
			text = "NULL"
		}
	}
	name := strings.ToLower(n.Name)
	delete(s.named, name) // as in MySQL, also when the new one fails
	p, err := s.prepare(ctx, text)
	if err != nil {
		return err
	}
	if len(s.named) >= maxNamed {
		return sqlerr.New(1461, "Can't create more than max_prepared_stmt_count statements (current value: %d)", maxNamed)
	}
	s.named[name] = p
	return nil
}

// executeNamed runs EXECUTE name USING @a, ….
func (s *Session) executeNamed(ctx context.Context, n *ast.ExecuteStmt, more bool, emit Emit) error {
	p, ok := s.named[strings.ToLower(n.Name)]
	if !ok {
		return unknownPrepared(n.Name, "EXECUTE")
	}
	params := make([]Param, len(n.UsingVars))
	for i, e := range n.UsingVars {
		v, ok := e.(*ast.VariableExpr)
		if !ok {
			return sqlerr.Unsupported("EXECUTE … USING of an expression")
		}
		params[i] = s.userVar(v.Name)
		if params[i].Value.Null {
			params[i] = expr.NewConst(expr.Value{Null: true}, types.Type{Kind: types.Null})
		}
	}
	return s.execute(ctx, p, params, more, emit)
}

func (s *Session) deallocate(name string) error {
	key := strings.ToLower(name)
	if _, ok := s.named[key]; !ok {
		return unknownPrepared(name, "DEALLOCATE PREPARE")
	}
	delete(s.named, key)
	return nil
}

func unknownPrepared(name, to string) error {
	return sqlerr.New(sqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%s) given to %s", name, to)
}
