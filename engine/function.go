package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/sql/bind"
	"streamsql/sql/routine"
	"streamsql/sql/sqlerr"
)

// createFunction compiles a function of the user's own, and makes it known. One that
// is replaced keeps its id; continuous queries go on with the code that they have.
func (e *Engine) createFunction(ctx context.Context, s *bind.CreateFunction, captured catalog.Session) ([]Warning, error) {
	cat := e.cat.Load()
	f := *s.Function
	f.Session = captured
	f.CreatedAt = time.Now().UnixMicro()
	f.AlteredAt = f.CreatedAt
	d := f.Definition
	old, exists := cat.Function(d.Database, d.Name)
	if exists && !s.OrReplace {
		err := sqlerr.New(sqlerr.SPAlreadyExists, "FUNCTION %s already exists", d.Name)
		if s.IfNotExists {
			return note(err), nil
		}
		return nil, err
	}
	if s.File != "" {
		var err error
		if d.Code, err = e.functionFile(s.File); err != nil {
			return nil, err
		}
	}
	code, err := routine.Open(d)
	if err != nil {
		return nil, err
	}
	d.CannotRetract = d.Aggregate && !code.Retracts()
	if exists {
		f.ID, f.CreatedAt = old.ID, old.CreatedAt
	} else {
		f.ID = e.nextID()
	}
	next, err := cat.WithFunction(&f)
	if err != nil {
		return nil, err
	}
	return nil, e.logDDL(ctx, next, store.Entry{Text: f.Text, Functions: []*catalog.Function{&f}})
}

// functionFile reads a module from the directory of functions. Errors: 1124 for a
// name with a path in it, 1126 for a file that cannot be read.
func (e *Engine) functionFile(name string) ([]byte, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
		return nil, sqlerr.New(sqlerr.UDFNoPaths, "No paths allowed for shared library")
	}
	cannot := func(why string) error {
		return sqlerr.New(sqlerr.CantOpenLibrary, "Can't open shared library '%s' (errno: 0 %s)", name, why)
	}
	if e.cfg.Functions == "" {
		return nil, cannot("this server has no directory for functions: start it with one, or write the module in base 64 behind AS")
	}
	path := filepath.Join(e.cfg.Functions, name)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, cannot("there is no such file in the server's directory for functions")
	case info.Size() > routine.MaxModule:
		return nil, cannot("it is too large")
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return nil, cannot(err.Error())
	}
	return code, nil
}

// dropFunction drops a function, with CASCADE what calls it too.
func (e *Engine) dropFunction(ctx context.Context, s *bind.DropFunction) ([]Warning, error) {
	cat := e.cat.Load()
	f, ok := cat.Function(s.Name.DB, s.Name.Name)
	if !ok {
		err := sqlerr.New(sqlerr.SPDoesNotExist, "FUNCTION %s.%s does not exist", s.Name.DB, s.Name.Name)
		if s.IfExists {
			return note(err), nil
		}
		return nil, err
	}
	going, err := catalog.DropFunctionPlan(cat, f, s.Cascade)
	if err != nil {
		return nil, err
	}
	next, entry, done, err := e.retire(cat, going)
	if err != nil {
		return nil, err
	}
	entry.DropFunctions = []catalog.ID{f.ID}
	if err := e.logDDL(ctx, next.WithoutFunction(f), entry); err != nil {
		return nil, err
	}
	done()
	return nil, nil
}
