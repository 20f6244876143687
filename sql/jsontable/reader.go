package jsontable

import (
	"encoding/json"
	"strings"

	"streamsql/sql/builtin"
	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Reader makes the rows of documents. One goroutine at a time.
type Reader struct {
	root  *table
	cells []*cell
	rows  int
	ctx   builtin.Context
	text  []byte // scratch
}

// table is a Table, compiled.
type table struct {
	path   builtin.JSONPath
	own    []*cell // columns of the table itself
	nested []*table
}

// cell is a column while it is filled.
type cell struct {
	Column
	path    builtin.JSONPath
	values  *ingest.Column
	isJSON  bool
	onEmpty any
	onError any
}

// New makes a Reader of t: error 3143 for a path, 3141 for a DEFAULT that is no JSON.
func New(t *Table) (*Reader, error) {
	r := &Reader{}
	r.ctx.Strict = true // what does not fit is an error: OnError answers it
	var err error
	r.root, err = r.table(t)
	return r, err
}

func (r *Reader) table(t *Table) (*table, error) {
	out := &table{}
	var err error
	if out.path, err = builtin.ParseJSONPath(t.Path); err != nil {
		return nil, err
	}
	for _, c := range t.Columns {
		if c.Nested != nil {
			n, err := r.table(c.Nested)
			if err != nil {
				return nil, err
			}
			out.nested = append(out.nested, n)
			continue
		}
		x, err := r.cell(c)
		if err != nil {
			return nil, err
		}
		out.own = append(out.own, x)
	}
	return out, nil
}

func (r *Reader) cell(c Column) (*cell, error) {
	x := &cell{Column: c, isJSON: c.Type.Kind == types.JSON}
	var err error
	if !c.Ordinality {
		if x.path, err = builtin.ParseJSONPath(c.Path); err != nil {
			return nil, err
		}
	}
	for _, d := range []struct {
		text string
		to   *any
	}{{c.OnEmpty.Default, &x.onEmpty}, {c.OnError.Default, &x.onError}} {
		if d.text == "" {
			continue
		}
		if *d.to, err = builtin.ParseJSON([]byte(d.text)); err != nil {
			return nil, sqlerr.New(sqlerr.InvalidJSONTextInArg, "Invalid JSON text in argument 1 to function JSON_TABLE: \"%s\" at position 0.", err)
		}
	}
	x.values = ingest.NewColumn(ingest.Spec{Name: c.Name, Type: c.Type}, &r.ctx, 0)
	r.cells = append(r.cells, x)
	return x, nil
}

// Begin says on whose clock values are read, from now on.
func (r *Reader) Begin(ctx builtin.Context) {
	r.ctx.Now, r.ctx.Location = ctx.Now, ctx.Location
}

// Add adds the rows of a document in the normal form, and returns how many they are.
// An error leaves nothing of the document.
func (r *Reader) Add(doc []byte) (n int, err error) {
	v, err := builtin.ParseJSON(doc)
	if err != nil {
		return 0, sqlerr.New(sqlerr.InvalidJSONTextInArg, "Invalid JSON text in argument 1 to function JSON_TABLE: \"%s\" at position 0.", err)
	}
	before := r.rows
	if err := r.fill(r.root, v, nil); err != nil {
		r.rows = before
		for _, c := range r.cells {
			c.values.Values.Truncate(before)
		}
		return 0, err
	}
	return r.rows - before, nil
}

// AddNulls adds a row of NULLs: what a LEFT JOIN pads with.
func (r *Reader) AddNulls() {
	for _, c := range r.cells {
		c.values.Values.AppendNull()
	}
	r.rows++
}

// Take are the columns of the rows added so far, which the Reader forgets.
func (r *Reader) Take() (columns []*vector.Vector, n int) {
	for _, c := range r.cells {
		columns = append(columns, c.values.Values)
		c.values.Values = vector.New(c.Type, 0)
	}
	n, r.rows = r.rows, 0
	return columns, n
}

// around are columns of the tables around a row, which stand in all its rows: how to
// write them once more.
type around struct {
	outer *around
	table *table
	value any
	n     int64
}

// fill adds the rows of t in doc.
func (r *Reader) fill(t *table, doc any, outer *around) error {
	var found []any
	t.path.Find(doc, func(v any) bool {
		found = append(found, v)
		return true
	})
	for i, v := range found {
		row := &around{outer: outer, table: t, value: v, n: int64(i + 1)}
		before := r.rows
		for _, n := range t.nested {
			if err := r.fill(n, v, row); err != nil {
				return err
			}
		}
		if r.rows > before {
			continue
		}
		if err := r.write(row); err != nil {
			return err
		}
	}
	return nil
}

// write adds one row: the columns of the tables around it, the others NULL.
func (r *Reader) write(row *around) error {
	for a := row; a != nil; a = a.outer {
		for _, c := range a.table.own {
			if err := c.write(r, a); err != nil {
				return err
			}
		}
	}
	r.rows++
	for _, c := range r.cells {
		if c.values.Values.N < r.rows {
			c.values.Values.AppendNull()
		}
	}
	return nil
}

// write adds the value of c in a row of its table.
func (c *cell) write(r *Reader, a *around) error {
	if c.Ordinality {
		c.values.Values.AppendInt(a.n)
		return nil
	}
	var found []any
	c.path.Find(a.value, func(v any) bool {
		found = append(found, v)
		return !c.Exists
	})
	switch {
	case c.Exists:
		return c.append(r, json.Number([]string{"0", "1"}[min(len(found), 1)]))
	case len(found) == 0 && c.OnEmpty.Error:
		return sqlerr.New(sqlerr.MissingJSONTableValue, "Missing value for JSON_TABLE column '%s'", c.Name)
	case len(found) == 0:
		return c.instead(r, c.onEmpty)
	case len(found) > 1 && c.isJSON:
		return c.append(r, found)
	}
	err := error(nil)
	if len(found) > 1 || !c.isJSON && isContainer(found[0]) {
		err = sqlerr.New(sqlerr.WrongJSONTableValue, "Can't store an array or an object in a scalar JSON_TABLE column '%s'", c.Name)
	} else {
		err = c.append(r, found[0])
	}
	switch {
	case err == nil:
		return nil
	case !c.OnError.Error:
		return c.instead(r, c.onError)
	case sqlerr.From(err).Code == sqlerr.WarnDataOutOfRange:
		return sqlerr.New(sqlerr.JSONTableOutOfRange, "Value is out of range for JSON_TABLE column '%s'", c.Name)
	}
	return err
}

// instead adds a default, or NULL where there is none or it does not fit either.
func (c *cell) instead(r *Reader, v any) error {
	if v == nil || c.append(r, v) != nil {
		c.values.Values.AppendNull()
	}
	return nil
}

// append adds a value as an INSERT under a strict sql_mode would. JSON's null is NULL.
func (c *cell) append(r *Reader, v any) error {
	var x ingest.Value
	switch v := v.(type) {
	case nil:
		x.Kind = ingest.Null
	case bool:
		x = truth(v, c.isText())
	case string:
		x = ingest.Value{Kind: ingest.Text, Bytes: []byte(v)}
	case json.Number:
		x = ingest.Value{Kind: numberKind(string(v)), Bytes: []byte(v)}
	default:
		x.Kind = ingest.Document
	}
	if c.isJSON && v != nil {
		r.text = builtin.AppendJSON(r.text[:0], v)
		x = ingest.Value{Kind: ingest.Document, Bytes: r.text}
	}
	return c.values.Append(&x)
}

func (c *cell) isText() bool { return c.Type.IsText() || c.Type.IsBinary() }

// truth is true or false: 1 or 0 as a number, its word as text.
func truth(v, text bool) ingest.Value {
	switch {
	case text && v:
		return ingest.Value{Kind: ingest.Text, Bytes: []byte("true")}
	case text:
		return ingest.Value{Kind: ingest.Text, Bytes: []byte("false")}
	case v:
		return ingest.Value{Kind: ingest.True}
	}
	return ingest.Value{Kind: ingest.False}
}

func numberKind(s string) ingest.Kind {
	switch {
	case strings.ContainsAny(s, "eE"):
		return ingest.Float
	case strings.Contains(s, "."):
		return ingest.Decimal
	}
	return ingest.Int
}

// isContainer reports an array or object.
func isContainer(v any) bool {
	switch v.(type) {
	case nil, bool, string, json.Number:
		return false
	}
	return true
}
