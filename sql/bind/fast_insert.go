package bind

import (
	"streamsql/catalog"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// FastRows are the rows of an INSERT or REPLACE of plain literals, as columns.
type FastRows struct {
	Table   *catalog.Table
	Replace bool
	N       int
	// Columns are as Insert.Source gives them: all of Table's, in order, hidden ones
	// too; a NULL in an AUTO_INCREMENT or RowID column stands for the next number.
	Columns []*vector.Vector
}

// FastInsert reads literals straight into columns. False means that something
// is not plain — a conversion, a default that is computed, a value that does
// not fit, an unknown name — and that Bind must see the statement: it either
// gives the same rows or says what is wrong.
func FastInsert(iv *parser.InsertValues, env *Env) (*FastRows, bool) {
	db := iv.DB
	if db == "" {
		db = env.Session.Database
	}
	t, ok := env.Catalog.Table(db, iv.Table)
	if !ok || iv.Rows == 0 || t.Kind != catalog.BaseTable && (t.Kind != catalog.StreamTable || iv.Replace && !t.Upsert()) {
		return nil, false
	}
	if hasGenerated(t) {
		return nil, false
	}
	in := &inserting{
		binder: &binder{session: &session{}, env: env, scalar: env.scalar()},
		table:  t, defaults: make([]*expr.Expr, len(t.Columns)),
	}
	width := len(iv.Lits) / iv.Rows
	if !in.fastColumns(iv.Columns) || in.count != width {
		return nil, false
	}
	out := &FastRows{Table: t, Replace: iv.Replace, N: iv.Rows, Columns: make([]*vector.Vector, len(t.Columns))}
	for c, g := range in.given {
		if g < 0 {
			out.Columns[c], ok = in.fastDefault(c, iv.Rows)
		} else {
			out.Columns[c], ok = in.fastColumn(c, iv, g, width)
		}
		if !ok {
			return nil, false
		}
	}
	return out, true
}

// fastColumns is columns for names without a tree.
func (in *inserting) fastColumns(list []string) bool {
	in.unnamed(len(list) == 0)
	for n, name := range list {
		found := false
		for i, c := range in.table.Columns {
			if !c.Hidden && in.given[i] < 0 && sameName(c.Name, name) {
				in.given[i], found = n, true
				in.count++
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// fastDefault is a column of n defaults, if they are constant.
func (in *inserting) fastDefault(c, n int) (*vector.Vector, bool) {
	e, err := in.defaultOf(c)
	if err != nil || e.Op != expr.OpConst {
		return nil, false
	}
	one := e.Value.Vector(in.table.Columns[c].Type)
	return one.Gather(make([]int32, n)), true
}

// fastColumn reads column c from the g-th literal of each row.
func (in *inserting) fastColumn(c int, iv *parser.InsertValues, g, width int) (*vector.Vector, bool) {
	col := &in.table.Columns[c]
	f := filler{iv: iv, t: col.Type, v: vector.New(col.Type, iv.Rows), nullable: !col.Type.NotNull || col.AutoIncrement}
	fill := f.choose()
	if fill == nil {
		return nil, false
	}
	f.zeroIsNull = col.AutoIncrement && in.env.Mode&NoAutoValueOnZero == 0
	for i := g; i < len(iv.Lits); i += width {
		if l := iv.Lits[i]; l.Kind == parser.LitNull {
			if !f.nullable {
				return nil, false
			}
			f.v.AppendNull()
		} else if !fill(&f, l) {
			return nil, false
		}
	}
	return f.v, true
}

// filler appends literals to one column.
type filler struct {
	iv         *parser.InsertValues
	t          types.Type
	v          *vector.Vector
	lo, hi     int64 // of an integer
	nullable   bool
	zeroIsNull bool
	scratch    []byte
}

// choose is the method for the column's type; nil if there is none.
func (f *filler) choose() func(*filler, parser.Lit) bool {
	switch f.t.Kind {
	case types.TinyInt, types.SmallInt, types.MediumInt, types.Int, types.BigInt:
		f.lo, f.hi = f.t.IntRange()
		if f.t.Unsigned && f.t.Kind == types.BigInt {
			f.hi = 1<<63 - 1 // larger ones are Bind's
		}
		return (*filler).int
	case types.Decimal:
		return (*filler).decimal
	case types.Double, types.Float:
		if f.t.Scale == types.NotFixed && !f.t.Unsigned {
			return (*filler).float
		}
	case types.Char, types.VarChar, types.Text, types.VarBinary, types.Blob:
		return (*filler).bytes
	case types.Date, types.DateTime:
		return (*filler).dateTime
	case types.Time:
		return (*filler).time
	case types.Enum:
		return (*filler).enum
	}
	return nil
}
