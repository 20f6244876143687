package bind

import (
	"streamsql/catalog"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// Ingest prepares rows that come into t from outside, not as expressions: what
// its columns are, what they hold without a value, and how generated ones are
// computed. Context says on whose clock and how strictly values are read.
func Ingest(t *catalog.Table, env *Env, ctx eval.Context) (ingest.Config, error) {
	if err := insertable(t); err != nil {
		return ingest.Config{}, err
	}
	in := newInserting(t, env)
	c := ingest.Config{Context: ctx, Columns: make([]ingest.Spec, len(t.Columns))}
	for i := range t.Columns {
		c.Columns[i] = in.spec(i)
		c.Columns[i].Implicit = implicitDefault(t.Columns[i].Type).Value.Vector(t.Columns[i].Type)
		var err error
		if c.Columns[i].Default, err = in.defaultVector(i, &ctx); err != nil {
			return c, err
		}
	}
	if hasGenerated(t) {
		var err error
		if c.Generated, err = in.generators(); err != nil {
			return c, err
		}
	}
	return c, nil
}

// insertable is error 1471 for what takes no INSERT.
func insertable(t *catalog.Table) error {
	switch {
	case t.Kind == catalog.BaseTable, t.Kind == catalog.StreamTable && t.Options["connector"] == "":
		return nil
	case t.Kind == catalog.StreamTable:
		return sqlerr.New(sqlerr.NonInsertableTable, "The stream table %s is fed by its connector; it takes no INSERT", t.Name)
	}
	return sqlerr.New(sqlerr.NonInsertableTable, "The target table %s of the INSERT is not insertable-into", t.Name)
}

func newInserting(t *catalog.Table, env *Env) *inserting {
	return &inserting{
		binder: &binder{session: &session{}, env: env, scalar: env.scalar()},
		table:  t, defaults: make([]*expr.Expr, len(t.Columns)),
	}
}

// spec is what column c does with values.
func (in *inserting) spec(c int) ingest.Spec {
	col := &in.table.Columns[c]
	return ingest.Spec{
		Name: col.Name, Type: col.Type, Numbered: col.AutoIncrement,
		ZeroIsNull: col.AutoIncrement && in.env.Mode&NoAutoValueOnZero == 0,
		Closed:     col.Hidden || col.Generated != "",
	}
}

// defaultVector is the one value that column c has when it is given none; nil if it
// must be given one.
func (in *inserting) defaultVector(c int, ctx *eval.Context) (*vector.Vector, error) {
	e, err := in.defaultOf(c)
	if err != nil {
		if sqlerr.From(err).Code == sqlerr.NoDefaultForField {
			return nil, nil
		}
		return nil, err
	}
	value, err := eval.Const(e, ctx)
	if err != nil {
		return nil, err
	}
	t := in.table.Columns[c].Type
	t.NotNull = t.NotNull && !value.Null
	return value.Vector(t), nil
}

// generators are the generated columns as programs over the table's columns.
func (in *inserting) generators() ([]ingest.Generated, error) {
	from := in.columnScope(in.table)
	position := positions(from)
	var out []ingest.Generated
	for i, col := range in.table.Columns {
		if col.Generated == "" {
			continue
		}
		e, err := in.generatedValue(in.table, i, from)
		if err != nil {
			return nil, err
		}
		p, err := overColumns(e, position)
		if err != nil {
			return nil, err
		}
		out = append(out, ingest.Generated{Column: i, Program: p})
	}
	return out, nil
}

// positions are the places of the columns of a scope, by id.
func positions(s *scope) map[int]int {
	at := make(map[int]int, len(s.cols))
	for i, v := range s.cols {
		at[v.ID] = i
	}
	return at
}

// overColumns compiles e over columns at the positions that are given by id.
func overColumns(e *expr.Expr, position map[int]int) (*eval.Program, error) {
	return eval.Compile(e.Rewrite(func(x *expr.Expr) *expr.Expr {
		if x.Op != expr.OpColumn {
			return x
		}
		return expr.NewColumn(position[x.Col], x.Name, x.Type)
	}))
}
