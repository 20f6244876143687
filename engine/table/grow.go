package table

import (
	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Added are the initial values of the columns that ALTER has added to a table, one list
// for each statement, in the order of the statements. They stand behind all that the
// table was created with.
func Added(t *catalog.Table) [][]*vector.Vector {
	var out [][]*vector.Vector
	var last catalog.ID
	for _, c := range t.Columns {
		if c.Since == 0 {
			continue
		}
		if c.Since != last {
			out, last = append(out, nil), c.Since
		}
		k := len(out) - 1
		out[k] = append(out[k], initialValue(c))
	}
	return out
}

// EncodeInitial is the one value of v as catalog.Column.Initial keeps it.
func EncodeInitial(v *vector.Vector) []byte {
	return state.NewCodec([]types.Type{v.Type}).Append(nil, []*vector.Vector{v}, 0)
}

func initialValue(c catalog.Column) *vector.Vector {
	v := vector.New(c.Type, 1)
	state.NewCodec([]types.Type{c.Type}).Decode([][]byte{c.Initial}, []*vector.Vector{v})
	return v
}

// Grow gives the table the columns that its descriptor has got since, and returns the
// function that takes them away again: until somebody writes to them, they may go. Only
// who holds the committer still may call either.
func (t *Table) Grow(d *catalog.Table) (back func()) {
	added := Added(d)
	was := t.codec.Load()
	back = func() { t.reshape(was, t.view.Shrink) }
	for _, initial := range added[was.Growths():] {
		t.reshape(t.codec.Load().Grow(initial), func(*state.Codec) { t.view.Grow(initial) })
	}
	return back
}

func (t *Table) reshape(to *state.Codec, view func(*state.Codec)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.codec.Store(to)
	view(to)
}

// GrowImages is images that were taken before the table had the columns of d, with them.
func GrowImages(images []operators.Image, d *catalog.Table) []operators.Image {
	added := Added(d)
	out := make([]operators.Image, len(images))
	for i, im := range images {
		v := im.(*operators.ViewImage)
		for _, initial := range added[v.Growths():] {
			v = v.Grow(initial)
		}
		out[i] = v
	}
	return out
}

// wide is error 1412 for rows that were made when the table had fewer columns.
func (t *Table) wide(c *batch.Chunk) error {
	if len(c.Cols) != len(t.codec.Load().Types) {
		return sqlerr.New(sqlerr.TableDefChanged, "Table definition has changed, please retry transaction")
	}
	return nil
}
