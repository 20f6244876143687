package bind

import (
	"time"
	"unsafe"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/ingest"
	"streamsql/sql/parser"
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
//
// A TIMESTAMP is read on the clock of loc.
func FastInsert(iv *parser.InsertValues, env *Env, loc *time.Location) (*FastRows, bool) {
	if iv.Rows == 0 {
		return nil, false
	}
	p := plainRows{db: iv.DB, table: iv.Table, columns: iv.Columns, replace: iv.Replace, rows: iv.Rows, width: len(iv.Lits) / iv.Rows}
	return p.read(&literals{iv: iv}, env, loc)
}

// plainRows is an INSERT or REPLACE of rows that are of plain values, without a tree.
type plainRows struct {
	db, table   string
	columns     []string // that values are given for; none: all
	replace     bool
	rows, width int // values are by rows: those of a row are width
}

// plainValues are the values of plainRows.
type plainValues interface {
	// value is the i-th, good until the next call; nil: it is none to be stored plainly.
	value(i int) *ingest.Value
}

func (p *plainRows) read(values plainValues, env *Env, loc *time.Location) (*FastRows, bool) {
	db := p.db
	if db == "" {
		db = env.Session.Database
	}
	t, ok := env.Catalog.Table(db, p.table)
	if !ok || t.Kind != catalog.BaseTable && (t.Kind != catalog.StreamTable || p.replace && !t.Upsert()) {
		return nil, false
	}
	if hasGenerated(t) {
		return nil, false
	}
	in := newInserting(t, env)
	if !in.fastColumns(p.columns) || in.count != p.width {
		return nil, false
	}
	ctx := &builtin.Context{Location: loc}
	out := &FastRows{Table: t, Replace: p.replace, N: p.rows, Columns: make([]*vector.Vector, len(t.Columns))}
	for c, g := range in.given {
		if g < 0 {
			out.Columns[c], ok = in.fastDefault(c, p.rows)
		} else {
			out.Columns[c], ok = in.fastColumn(c, p, values, g, ctx)
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

// fastColumn reads column c from the g-th value of each row.
func (in *inserting) fastColumn(c int, p *plainRows, values plainValues, g int, ctx *builtin.Context) (*vector.Vector, bool) {
	col := ingest.NewColumn(in.spec(c), ctx, p.rows)
	for i := g; i < p.rows*p.width; i += p.width {
		if v := values.value(i); v == nil || !col.Plain(v) {
			return nil, false
		}
	}
	return col.Values, true
}

// literals turns the literals of a statement into values, one by one.
type literals struct {
	iv    *parser.InsertValues
	one   ingest.Value
	bytes []byte // of a text with escapes
}

var literalKinds = [...]ingest.Kind{
	parser.LitNull: ingest.Null, parser.LitTrue: ingest.True, parser.LitFalse: ingest.False,
	parser.LitInt: ingest.Int, parser.LitDecimal: ingest.Decimal, parser.LitFloat: ingest.Float, parser.LitString: ingest.Text,
}

// value implements plainValues; DEFAULT is no plain value.
func (f *literals) value(i int) *ingest.Value {
	l := f.iv.Lits[i]
	if l.Kind == parser.LitDefault {
		return nil
	}
	f.one.Kind, f.one.Small = literalKinds[l.Kind], false
	if l.Escaped {
		f.bytes = f.iv.AppendText(f.bytes[:0], l)
		f.one.Bytes = f.bytes
		return &f.one
	}
	s := f.iv.Signed(l)
	f.one.Bytes = unsafe.Slice(unsafe.StringData(s), len(s)) // only read
	return &f.one
}
