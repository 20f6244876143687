package infoschema

import (
	"fmt"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Rows computes the n rows of a system view over a version of the catalog, as
// columns. It knows none of a view of streamsql: see Fill.
func Rows(r catalog.Reader, id catalog.ID) (cols []*vector.Vector, n int) {
	t, d := find(id)
	if t == nil {
		return nil, 0
	}
	out := newRows(t)
	if out.catalog = Wrap(r); d.rows != nil {
		d.rows(out)
	}
	return out.cols, out.n
}

// Fill makes the n rows of a system view that fill adds: a value for each
// column, nil for NULL.
func Fill(id catalog.ID, fill func(add func(values ...any))) (cols []*vector.Vector, n int) {
	t, _ := find(id)
	out := newRows(t)
	fill(out.add)
	return out.cols, out.n
}

func newRows(t *catalog.Table) *rows {
	out := &rows{}
	for _, c := range t.Columns {
		out.cols = append(out.cols, vector.New(c.Type, 0))
	}
	return out
}

// rows is a system view while its rows are made.
type rows struct {
	catalog catalog.Reader
	cols    []*vector.Vector
	n       int
}

// add appends a row: a value for each column, nil for NULL.
func (r *rows) add(values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			r.cols[i].AppendNull()
		case int:
			r.cols[i].AppendInt(int64(v))
		case int64:
			r.cols[i].AppendInt(v)
		case uint64:
			r.cols[i].AppendInt(int64(v))
		default:
			r.cols[i].AppendString(fmt.Sprint(v))
		}
	}
	r.n++
}

// each calls f for every object that can be read, system views too.
func (r *rows) each(f func(*catalog.Table)) {
	for _, d := range r.catalog.Databases() {
		for _, t := range r.catalog.Tables(d.Name) {
			if !t.Delivers() {
				f(t)
			}
		}
	}
}

// eachKey calls f for each column of each key, at from 1.
func (r *rows) eachKey(f func(t *catalog.Table, k catalog.Key, at int, c *catalog.Column)) {
	r.each(func(t *catalog.Table) {
		for _, k := range Keys(t) {
			for i, c := range k.Columns {
				f(t, k, i+1, &t.Columns[c])
			}
		}
	})
}

const (
	charset   = "utf8mb4"
	collation = "utf8mb4_bin"
)

func schemata(r *rows) {
	for _, d := range r.catalog.Databases() {
		name := d.Collation
		if name == "" {
			name = collation
		}
		r.add("def", d.Name, charset, name, nil, "NO")
	}
}

func tables(r *rows) {
	r.each(func(t *catalog.Table) {
		var engine, version, format, coll any = "StreamSQL", 10, "Dynamic", collation
		comment := Comment(t)
		if t.Kind == catalog.View || t.Kind == catalog.Virtual {
			engine, version, format, coll, comment = nil, nil, nil, nil, "VIEW"
			if t.Kind == catalog.Virtual {
				comment = ""
			}
		}
		r.add("def", t.Database, t.Name, TableType(t.Kind), engine, version, format, nil, nil, nil, nil, nil, nil, nil,
			t.CreatedAt, nil, nil, coll, nil, "", comment)
	})
}

func columns(r *rows) {
	r.each(func(t *catalog.Table) {
		for at, i := range t.Visible() {
			c := t.Columns[i]
			null := "YES"
			if c.Type.NotNull {
				null = "NO"
			}
			def, extra := Default(c)
			typ := c.Type.String()
			name, _, _ := strings.Cut(typ, "(")
			name, _, _ = strings.Cut(name, " ")
			chars, octets := textLength(c.Type)
			prec, scale, fsp := precision(c.Type)
			var cs any
			coll := Collation(c.Type)
			if coll != nil {
				cs = charset
			}
			r.add("def", t.Database, t.Name, c.Name, at+1, def, null, name, chars, octets, prec, scale, fsp, cs, coll, typ,
				KeyOf(t, i), extra, "select,insert,update,references", c.Comment, "", nil)
		}
	})
}

// textLength is the longest value of a text type in characters and in bytes.
func textLength(t types.Type) (chars, octets any) {
	switch {
	case t.IsText():
		return t.Len, t.Len * 4
	case t.IsBinary():
		return t.Len, t.Len
	case t.Kind == types.Enum:
		n := 0
		for _, e := range t.Elements() {
			n = max(n, len([]rune(e)))
		}
		return n, n * 4
	}
	return nil, nil
}

// precision is NUMERIC_PRECISION, NUMERIC_SCALE and DATETIME_PRECISION.
func precision(t types.Type) (prec, scale, fsp any) {
	digits := map[types.Kind]int{types.TinyInt: 3, types.SmallInt: 5, types.MediumInt: 7, types.Int: 10, types.BigInt: 19}
	switch {
	case t.Kind == types.Decimal:
		return t.Prec, t.Scale, nil
	case t.Kind == types.Double:
		return 22, nil, nil
	case t.Kind == types.Float:
		return 12, nil, nil
	case t.Kind == types.BigInt && t.Unsigned:
		return 20, 0, nil
	case digits[t.Kind] > 0:
		return digits[t.Kind], 0, nil
	case t.Kind == types.DateTime, t.Kind == types.Timestamp, t.Kind == types.Time:
		return nil, nil, t.Scale
	}
	return nil, nil, nil
}

func views(r *rows) {
	r.each(func(t *catalog.Table) {
		if t.Kind == catalog.View || t.Kind == catalog.MaterializedView {
			r.add("def", t.Database, t.Name, t.Query, "NONE", "NO", "root@%", "DEFINER", charset, t.Session.Collation)
		}
	})
}

func statistics(r *rows) {
	r.eachKey(func(t *catalog.Table, k catalog.Key, at int, c *catalog.Column) {
		null := "YES"
		if c.Type.NotNull {
			null = ""
		}
		r.add("def", t.Database, t.Name, 0, t.Database, k.Name, at, c.Name, "A", nil, nil, nil, null, "BTREE", "", "", "YES", nil)
	})
	r.each(func(t *catalog.Table) {
		for _, x := range t.Indexes {
			for at, c := range x.Columns {
				null := "YES"
				if t.Columns[c].Type.NotNull {
					null = ""
				}
				r.add("def", t.Database, t.Name, 1, t.Database, x.Name, at+1, t.Columns[c].Name, "A", nil, nil, nil, null, "BTREE", "", "", "YES", nil)
			}
		}
	})
}

func keyColumns(r *rows) {
	r.eachKey(func(t *catalog.Table, k catalog.Key, at int, c *catalog.Column) {
		r.add("def", t.Database, k.Name, "def", t.Database, t.Name, c.Name, at, nil, nil, nil, nil)
	})
}

func constraints(r *rows) {
	r.each(func(t *catalog.Table) {
		for _, k := range Keys(t) {
			kind := "UNIQUE"
			if k.Name == "PRIMARY" {
				kind = "PRIMARY KEY"
			}
			r.add("def", t.Database, k.Name, t.Database, t.Name, kind, "YES")
		}
	})
}

func engines(r *rows) {
	r.add("StreamSQL", "DEFAULT", "Tables, streams and continuous queries", "YES", "NO", "NO")
}

func characterSets(r *rows) {
	for _, c := range CharacterSets {
		r.add(c.Name, c.Collation, c.Description, c.MaxLen)
	}
}

func collations(r *rows) {
	for _, c := range Collations {
		r.add(c.Name, c.Charset, c.ID, c.Default, "Yes", c.SortLen, c.Pad)
	}
}

func applicability(r *rows) {
	for _, c := range Collations {
		r.add(c.Name, c.Charset)
	}
}
