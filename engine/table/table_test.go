package table

import (
	"slices"
	"strings"
	"testing"

	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// people has an AUTO_INCREMENT key of the type given, and two further unique keys.
func people(t *testing.T, id types.Type) *Table {
	t.Helper()
	id.NotNull = true
	tb, err := New(&catalog.Table{
		Database: "d", Name: "people", Kind: catalog.BaseTable,
		Columns: []catalog.Column{
			{Name: "id", Type: id, AutoIncrement: true},
			{Name: "name", Type: types.MakeVarChar(20)},
			{Name: "room", Type: types.Type{Kind: types.Int}},
		},
		Primary: []int{0},
		Unique:  []catalog.Key{{Name: "by_name", Columns: []int{1}}, {Name: "by_room", Columns: []int{2}}},
	}, operators.Env{Node: "Table"})
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// chunk reads rows, one a line; their signs are not looked at.
func (t *Table) chunk(rows ...string) *batch.Chunk {
	return batch.MustParse(columnTypes(t.Desc), "+ "+strings.Join(rows, "\n+ "))
}

// content is the rows of the image, sorted.
func (t *Table) content() string {
	im := t.Snapshot()[0]
	defer im.Release()
	return text(im.Scan().Next(1000))
}

func text(c *batch.Chunk) string {
	if c == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(c.String()), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func code(err error) uint16 {
	if err == nil {
		return 0
	}
	return sqlerr.From(err).Code
}

// insert is one statement, committed if it succeeds.
func insert(t *testing.T, tb *Table, m InsertMode, rows ...string) (Inserted, error) {
	t.Helper()
	w := NewWrites(tb)
	w.Begin()
	in, err := w.Insert(tb.chunk(rows...), m)
	if err != nil {
		return in, err
	}
	if _, err := w.Accept(nil); err != nil {
		t.Fatal(err)
	}
	return in, nil
}

func TestInsertModes(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	in, err := insert(t, tb, InsertMode{}, "NULL ann 1", "NULL bob 2", "10 cid NULL", "NULL dan NULL")
	if err != nil || in.Affected != 4 || in.FirstAuto != 1 {
		t.Fatalf("%+v, %v", in, err)
	}
	const four = "+ 1 ann 1; + 10 cid NULL; + 11 dan NULL; + 2 bob 2"
	want(t, "numbers", tb.content(), four)

	for row, message := range map[string]string{
		"1 eve 9":   "Duplicate entry '1' for key 'people.PRIMARY'",
		"9 ann 9":   "Duplicate entry 'ann' for key 'people.by_name'",
		"9 eve 2":   "Duplicate entry '2' for key 'people.by_room'",
		"9 NULL 10": "", // NULL is no duplicate of NULL
	} {
		w := NewWrites(tb)
		w.Begin()
		_, err := w.Insert(tb.chunk("8 NULL NULL", row), InsertMode{})
		if message == "" && err != nil || message != "" && (code(err) != sqlerr.DupEntry || err.Error() != message) {
			t.Errorf("%s: %v", row, err)
		}
		if w.Undo(); !w.Empty() {
			t.Errorf("%s: after Undo there are changes: %s", row, w.Changes())
		}
	}
	want(t, "refused rows", tb.content(), four)

	in, err = insert(t, tb, InsertMode{Ignore: true}, "2 x 77", "5 eve 5", "6 eve 6")
	if err != nil || in.Affected != 1 || in.Duplicates != 2 || len(in.Ignored) != 2 {
		t.Errorf("IGNORE: %+v, %v", in, err)
	}
	want(t, "IGNORE", tb.content(), "+ 1 ann 1; + 10 cid NULL; + 11 dan NULL; + 2 bob 2; + 5 eve 5")
}

// TestReplaceOfSeveral: one row may take the place of one for each unique key.
func TestReplaceOfSeveral(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2", "3 cid 3")
	in, err := insert(t, tb, InsertMode{Replace: true}, "1 bob 3", "4 dan 4")
	if err != nil || in.Affected != 5 { // three went, two came
		t.Errorf("%+v, %v", in, err)
	}
	want(t, "rows", tb.content(), "+ 1 bob 3; + 4 dan 4")
	for _, free := range []string{"7 ann 1", "8 cid 2"} {
		if _, err := insert(t, tb, InsertMode{}, free); err != nil {
			t.Errorf("%s: %v", free, err)
		}
	}
}

func TestOnDuplicateKey(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2")
	room := func(old, inserted *batch.Chunk) (*batch.Chunk, error) {
		return &batch.Chunk{Cols: []*vector.Vector{old.Cols[0], old.Cols[1], inserted.Cols[2]}, N: 1}, nil
	}
	in, err := insert(t, tb, InsertMode{Merge: room}, "NULL ann 7", "NULL bob 2", "NULL cid 3")
	if err != nil || in.Affected != 2+0+1 || in.Duplicates != 2 {
		t.Errorf("%+v, %v", in, err)
	}
	want(t, "rows", tb.content(), "+ 1 ann 7; + 2 bob 2; + 5 cid 3")
	if _, err := insert(t, tb, InsertMode{Merge: room}, "NULL ann 2"); code(err) != sqlerr.DupEntry {
		t.Errorf("a merge into another row's key: %v", err)
	}
}

func TestEndOfNumbers(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		last string
	}{
		{types.Type{Kind: types.TinyInt}, "127"},
		{types.Type{Kind: types.SmallInt, Unsigned: true}, "65535"},
		{types.Type{Kind: types.Int}, "2147483647"},
		{types.MakeBigInt(), "9223372036854775807"},
		{types.Type{Kind: types.BigInt, Unsigned: true}, "18446744073709551615"},
	} {
		tb := people(t, c.t)
		if _, err := insert(t, tb, InsertMode{}, c.last+" last 1"); err != nil {
			t.Fatal(err)
		}
		if _, err := insert(t, tb, InsertMode{}, "NULL more 2"); code(err) != sqlerr.AutoIncReadFailed {
			t.Errorf("%v after %s: %v", c.t, c.last, err)
		}
		if _, err := insert(t, tb, InsertMode{}, "5 given 3"); err != nil {
			t.Errorf("%v: a value that is given needs no counter: %v", c.t, err)
		}
	}
}

// TestConflicts: of two transactions that touch the same row or take the same
// key, the second to commit is told.
func TestConflicts(t *testing.T) {
	begin := func(tb *Table, f func(w *Writes) error) *Writes {
		t.Helper()
		w := NewWrites(tb)
		w.Begin()
		if err := f(w); err != nil {
			t.Fatal(err)
		}
		return w
	}
	ann := func(tb *Table) *batch.Chunk { return tb.chunk("1 ann 1") }
	for _, c := range []struct {
		name          string
		first, second func(tb *Table, w *Writes) error
		want          uint16
	}{
		{"same row", func(tb *Table, w *Writes) error { _, err := w.Update(ann(tb), tb.chunk("1 ann 5")); return err },
			func(tb *Table, w *Writes) error { _, err := w.Delete(ann(tb)); return err }, sqlerr.LockDeadlock},
		{"same new key", func(tb *Table, w *Writes) error { _, err := w.Insert(tb.chunk("9 x 9"), InsertMode{}); return err },
			func(tb *Table, w *Writes) error { _, err := w.Insert(tb.chunk("9 y 8"), InsertMode{}); return err }, sqlerr.LockDeadlock},
		{"same unique key", func(tb *Table, w *Writes) error { _, err := w.Insert(tb.chunk("8 x 8"), InsertMode{}); return err },
			func(tb *Table, w *Writes) error { _, err := w.Insert(tb.chunk("9 x 9"), InsertMode{}); return err }, sqlerr.LockDeadlock},
		{"other rows", func(tb *Table, w *Writes) error { _, err := w.Update(ann(tb), tb.chunk("1 ann 5")); return err },
			func(tb *Table, w *Writes) error {
				_, err := w.Insert(tb.chunk("9 x 1"), InsertMode{Ignore: true})
				return err
			}, 0},
	} {
		tb := people(t, types.Type{Kind: types.Int})
		insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2")
		a := begin(tb, func(w *Writes) error { return c.first(tb, w) })
		b := begin(tb, func(w *Writes) error { return c.second(tb, w) })
		if _, err := a.Accept(nil); err != nil {
			t.Errorf("%s: the first: %v", c.name, err)
		}
		before := tb.content()
		if _, err := b.Accept(nil); code(err) != c.want {
			t.Errorf("%s: the second: %v", c.name, err)
		}
		if c.want != 0 {
			want(t, c.name, tb.content(), before)
		}
	}
}

// TestKeysMoveWithinATransaction: a key that the transaction gave up may be taken
// by its next row, and its rows may change keys among themselves.
func TestKeysMoveWithinATransaction(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2")
	w := NewWrites(tb)
	step := func(f func() error) {
		t.Helper()
		w.Begin()
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	update := func(old, next string) func() error {
		return func() error { _, err := w.Update(tb.chunk(old), tb.chunk(next)); return err }
	}
	step(update("1 ann 1", "1 tmp NULL"))
	step(update("2 bob 2", "2 ann 1"))
	step(update("1 tmp NULL", "1 bob 2"))
	// A statement that fails leaves nothing behind, not even a key taken.
	w.Begin()
	if _, err := w.Insert(tb.chunk("3 cid 3", "4 ann 4"), InsertMode{}); code(err) != sqlerr.DupEntry {
		t.Fatal(err)
	}
	w.Undo()
	step(func() error { _, err := w.Insert(tb.chunk("5 cid 3"), InsertMode{}); return err })
	step(func() error { _, err := w.Delete(tb.chunk("2 ann 1")); return err })
	step(func() error { _, err := w.Insert(tb.chunk("2 ann 1"), InsertMode{}); return err })
	change, err := w.Accept(nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "changelog", text(change), "+ 1 bob 2; + 2 ann 1; + 5 cid 3; - 1 ann 1; - 2 bob 2")
	want(t, "rows", tb.content(), "+ 1 bob 2; + 2 ann 1; + 5 cid 3")
	if err := tb.Revert(change); err != nil {
		t.Fatal(err)
	}
	want(t, "reverted", tb.content(), "+ 1 ann 1; + 2 bob 2")
	if _, err := insert(t, tb, InsertMode{}, "6 cid 3"); err != nil {
		t.Errorf("a key of what was reverted: %v", err)
	}
}

// TestUndoForgetsKeys: what a statement that was undone saw of others' rows does
// not stand in the way once they have gone.
func TestUndoForgetsKeys(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1")
	w := NewWrites(tb)
	w.Begin()
	if _, err := w.Update(tb.chunk("1 ann 1"), tb.chunk("1 ann 2")); err != nil {
		t.Fatal(err)
	}
	w.Undo()
	other := NewWrites(tb)
	if _, err := other.Delete(tb.chunk("1 ann 1")); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Accept(nil); err != nil {
		t.Fatal(err)
	}
	w.Begin()
	if _, err := w.Insert(tb.chunk("2 ann 1"), InsertMode{}); err != nil {
		t.Errorf("the key is free: %v", err)
	}
	if _, err := w.Accept(nil); err != nil {
		t.Error(err)
	}
}

// TestUndoTo goes back to marks, over statements that failed and over unique keys.
func TestUndoTo(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2")
	w := NewWrites(tb)
	do := func(f func() error) {
		t.Helper()
		w.Begin()
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	add := func(row string) func() error {
		return func() error { _, err := w.Insert(tb.chunk(row), InsertMode{}); return err }
	}
	do(add("3 cid 3"))
	first := w.Mark()
	do(add("4 dan 4"))
	do(func() error { _, err := w.Update(tb.chunk("1 ann 1"), tb.chunk("1 eve 9")); return err })
	second := w.Mark()
	do(func() error { _, err := w.Delete(tb.chunk("1 eve 9", "2 bob 2", "3 cid 3")); return err })
	w.Begin()
	if _, err := w.Insert(tb.chunk("8 NULL NULL", "9 dan 5"), InsertMode{}); code(err) != sqlerr.DupEntry {
		t.Fatal(err)
	}
	w.Undo()
	want(t, "all", text(w.Changes()), "+ 4 dan 4; - 1 ann 1; - 2 bob 2")
	w.UndoTo(second)
	want(t, "second", text(w.Changes()), "+ 1 eve 9; + 3 cid 3; + 4 dan 4; - 1 ann 1")
	w.UndoTo(first)
	want(t, "first", text(w.Changes()), "+ 3 cid 3")
	do(add("5 dan 4")) // whose unique values are free again
	if _, err := w.Insert(tb.chunk("6 ann 6"), InsertMode{}); code(err) != sqlerr.DupEntry {
		t.Fatal(err)
	}
}

// TestReplay: the changelogs that were accepted make the same table again, with
// its keys and counter; so does loading the state.
func TestReplay(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	var log []*batch.Chunk
	do := func(f func(w *Writes) error) {
		t.Helper()
		w := NewWrites(tb)
		if err := f(w); err != nil {
			t.Fatal(err)
		}
		c, err := w.Accept(nil)
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, c)
	}
	do(func(w *Writes) error {
		_, err := w.Insert(tb.chunk("NULL ann 1", "NULL bob 2", "NULL cid 3"), InsertMode{})
		return err
	})
	do(func(w *Writes) error { _, err := w.Update(tb.chunk("2 bob 2"), tb.chunk("2 bob 7")); return err })
	do(func(w *Writes) error { _, err := w.Delete(tb.chunk("3 cid 3")); return err })
	check := func(again *Table) {
		t.Helper()
		want(t, "rows", again.content(), tb.content())
		if again.Counters().Last != 3 {
			t.Errorf("counter: %d", again.Counters().Last)
		}
		if _, err := insert(t, again, InsertMode{}, "3 x 7"); code(err) != sqlerr.DupEntry {
			t.Errorf("the unique key is not known: %v", err)
		}
		if in, err := insert(t, again, InsertMode{}, "NULL cid 2"); err != nil || in.FirstAuto != 4 {
			t.Errorf("%+v, %v", in, err)
		}
	}
	again := people(t, types.Type{Kind: types.Int})
	for _, c := range log {
		if err := again.Replay(c, false); err != nil {
			t.Fatal(err)
		}
	}
	check(again)

	loaded := people(t, types.Type{Kind: types.Int})
	d := tb.State().States()[0].Checkpoint()
	defer d.Release()
	for _, no := range d.Changed {
		if err := loaded.State().States()[0].Load(no, slices.Clone(d.Page(no))); err != nil {
			t.Fatal(err)
		}
	}
	loaded.State().States()[0].FinishLoad()
	if err := loaded.Loaded(tb.Counters()); err != nil {
		t.Fatal(err)
	}
	check(loaded)
}

func TestOverlay(t *testing.T) {
	tb := people(t, types.Type{Kind: types.Int})
	insert(t, tb, InsertMode{}, "1 ann 1", "2 bob 2", "3 cid 3")
	w := NewWrites(tb)
	if _, err := w.Update(tb.chunk("2 bob 2"), tb.chunk("2 bea 2")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Delete(tb.chunk("3 cid 3")); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Insert(tb.chunk("NULL dan 3"), InsertMode{}); err != nil {
		t.Fatal(err)
	}
	im := tb.Snapshot()[0]
	defer im.Release()
	var seen []string
	for next := w.Over(im.Scan().Next); ; {
		c := next(1) // row by row, some of which are left out
		if c == nil {
			break
		}
		seen = append(seen, text(c))
	}
	slices.Sort(seen)
	want(t, "rows", strings.Join(seen, "; "), "+ 1 ann 1; + 2 bea 2; + 4 dan 3")
	want(t, "the image", tb.content(), "+ 1 ann 1; + 2 bob 2; + 3 cid 3")
}
