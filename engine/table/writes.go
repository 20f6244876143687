package table

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// Writes is what a transaction changes in one table: per key the row as it was
// when the transaction first touched it, and as it is to be.
type Writes struct {
	t     *Table
	order []string // keys, as first touched
	rows  map[string]*row
	// taken are the unique keys of the transaction's own new rows: encoded key → primary key.
	taken []map[string]string
	// undo is what takes back the present statement, from statement on, and what was
	// done since the first Mark.
	undo      []undone
	statement int
	marked    bool
	buf       []byte
	puts      int  // so far, to an upsert stream
	renumber  bool // AUTO_INCREMENT begins anew behind the rows that are left
}

// row is encoded by the table's codec; "" means that there is none.
type row struct {
	old, new string
	// Of an upsert stream: blind rows were put whatever was there, and at says in
	// which order rows were put.
	blind bool
	at    int
}

type undone struct {
	key     string
	row     row
	existed bool
}

// NewWrites makes an empty write set.
func NewWrites(t *Table) *Writes {
	w := &Writes{t: t, rows: map[string]*row{}, taken: make([]map[string]string, len(t.unique))}
	for k := range w.taken {
		w.taken[k] = map[string]string{}
	}
	return w
}

// Empty reports that nothing would change.
func (w *Writes) Empty() bool {
	if w.renumber {
		return false
	}
	for _, r := range w.rows {
		if r.blind || r.old != r.new {
			return false
		}
	}
	return true
}

// Begin starts a statement.
func (w *Writes) Begin() {
	if !w.marked {
		w.undo = w.undo[:0]
	}
	w.statement = len(w.undo)
}

// Undo takes back what the present statement did.
func (w *Writes) Undo() { w.UndoTo(w.statement) }

// Mark returns where the write set stands, for UndoTo. From the first one on all
// that is done is remembered.
func (w *Writes) Mark() int {
	if !w.marked {
		w.marked, w.undo = true, w.undo[:0]
	}
	return len(w.undo)
}

// UndoTo takes back what was done since a Mark.
func (w *Writes) UndoTo(mark int) {
	for i := len(w.undo) - 1; i >= mark; i-- {
		u := w.undo[i]
		if u.existed {
			w.retake(w.rows[u.key].new, u.row.new, u.key)
			*w.rows[u.key] = u.row
		} else {
			w.retake(w.rows[u.key].new, "", u.key)
			delete(w.rows, u.key)
			w.order = w.order[:len(w.order)-1]
		}
	}
	w.undo = w.undo[:mark]
}

// put makes a row be there under its key: the columns of c at i.
func (w *Writes) put(key string, current, next string) {
	r, ok := w.rows[key]
	if !ok {
		r = &row{old: current, new: current}
		w.rows[key] = r
		w.order = append(w.order, key)
	}
	w.undo = append(w.undo, undone{key, *r, ok})
	w.retake(r.new, next, key)
	w.puts++
	r.new, r.at = next, w.puts
}

// retake moves the unique keys of a transaction's row from what it was to what it is.
func (w *Writes) retake(was, is, key string) {
	for k := range w.t.unique {
		if was != "" {
			if u, ok := w.t.uniqueOf(k, was); ok && w.taken[k][u] == key {
				delete(w.taken[k], u)
			}
		}
		if is != "" {
			if u, ok := w.t.uniqueOf(k, is); ok {
				w.taken[k][u] = key
			}
		}
	}
}

// uniqueOf is the encoded unique key k of an encoded row; false if a column is NULL.
func (t *Table) uniqueOf(k int, encoded string) (string, bool) {
	c := t.decode([]string{encoded})
	cols := pick(c.Cols, t.unique[k].def.Columns)
	if anyNull(cols, 0) {
		return "", false
	}
	return string(t.unique[k].codec.Append(nil, cols, 0)), true
}

// rowUnder is the latest committed row, encoded, under an encoded primary key; "" if there is none.
func (t *Table) rowUnder(key string) string {
	if t.folds {
		return string(t.view.RowUnder(t.key, []byte(key)))
	}
	cols := make([]*vector.Vector, len(t.key.Types))
	for k, ty := range t.key.Types {
		cols[k] = vector.New(ty, 1)
	}
	t.key.Decode([][]byte{[]byte(key)}, cols)
	return string(t.view.Row(cols, 0))
}

func (t *Table) decode(rows []string) *batch.Chunk {
	codec := t.codec.Load()
	c := batch.New(codec.Types, len(rows))
	raw := make([][]byte, len(rows))
	for i, r := range rows {
		raw[i] = []byte(r)
	}
	codec.Decode(raw, c.Cols)
	c.N = len(rows)
	return c
}

// current is the row under a key as the transaction sees it: its own, else the latest committed.
func (w *Writes) current(key string, pk []*vector.Vector, i int) string {
	if r, ok := w.rows[key]; ok {
		return r.new
	}
	return string(w.t.view.Row(pk, i))
}

// conflict finds a row that a new row would collide with: by primary key, then by
// the further unique keys. name is the key's.
func (w *Writes) conflict(c *batch.Chunk, i int, key string, except string) (pk string, name string, ok bool) {
	primary := pick(c.Cols, w.t.Desc.Primary)
	if key != except && w.current(key, primary, i) != "" {
		return key, "PRIMARY", true
	}
	for k := range w.t.unique {
		u := &w.t.unique[k]
		cols := pick(c.Cols, u.def.Columns)
		if anyNull(cols, i) {
			continue
		}
		ukey := u.codec.Append(nil, cols, i)
		holder, taken := w.taken[k][string(ukey)]
		if !taken {
			holder, taken = u.rows[string(ukey)]
			if own, mine := w.rows[holder]; taken && mine {
				// The transaction changed that row: taken only if it kept the key, and
				// then it would be in w.taken.
				taken = own.new == own.old
			}
		}
		if taken && holder != except {
			return holder, u.def.Name, true
		}
	}
	return "", "", false
}

// duplicate is error 1062.
func (w *Writes) duplicate(c *batch.Chunk, i int, name string) error {
	cols := w.t.Desc.Primary
	for _, u := range w.t.unique {
		if u.def.Name == name {
			cols = u.def.Columns
		}
	}
	return sqlerr.New(sqlerr.DupEntry, "Duplicate entry '%s' for key '%s.%s'", describe(pick(c.Cols, cols), i), *w.t.name.Load(), name)
}

// Over puts the write set over a reading of the table's rows: rows under keys
// that the transaction wrote to are left out, its own rows come at the end.
func (w *Writes) Over(rows func(max int) *batch.Chunk) func(max int) *batch.Chunk {
	own := w.rowsNow()
	return func(max int) *batch.Chunk {
		for {
			c := rows(max)
			if c == nil {
				c, own = own, nil
				return c
			}
			if c = w.without(c); c.N > 0 {
				return c
			}
		}
	}
}

// without leaves out the rows under keys that were written to.
func (w *Writes) without(c *batch.Chunk) *batch.Chunk {
	primary := pick(c.Cols, w.t.Desc.Primary)
	var key []byte
	sel := make([]int32, 0, c.N)
	for i := range c.N {
		key = w.t.key.Append(key[:0], primary, i)
		if w.rows[string(key)] == nil {
			sel = append(sel, int32(i))
		}
	}
	if len(sel) == c.N {
		return c
	}
	return c.Gather(sel)
}

// rowsNow are the rows that the transaction put; nil if there are none.
func (w *Writes) rowsNow() *batch.Chunk {
	var rows []string
	for _, k := range w.order {
		if r := w.rows[k]; r.new != "" {
			rows = append(rows, r.new)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return w.t.decode(rows)
}

// Changes is the write set as a changelog: −1 for each old row, +1 for each new one.
func (w *Writes) Changes() *batch.Chunk {
	var rows []string
	var weights []int64
	for _, k := range w.order {
		r := w.rows[k]
		if r.old == r.new {
			continue
		}
		if r.old != "" {
			rows, weights = append(rows, r.old), append(weights, -1)
		}
		if r.new != "" {
			rows, weights = append(rows, r.new), append(weights, 1)
		}
	}
	c := w.t.decode(rows)
	c.Weights = weights
	return c
}

// Accept validates the write set against the image and applies it: the first
// committer wins. Only the committer calls it. It returns the changelog to log,
// which finish, if it is set, may complete before it is applied.
func (w *Writes) Accept(finish func(*batch.Chunk) *batch.Chunk) (*batch.Chunk, error) {
	t := w.t
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range w.order {
		r := w.rows[key]
		now := t.rowUnder(key)
		if r.blind {
			r.old = now
		} else if r.old != now {
			return nil, conflictError()
		}
	}
	if t.arrival >= 0 {
		slices.SortFunc(w.order, func(a, b string) int { return w.rows[a].at - w.rows[b].at })
	}
	c := w.Changes()
	for k := range w.taken {
		for ukey, key := range w.taken[k] {
			holder, ok := t.unique[k].rows[ukey]
			if !ok || holder == key {
				continue
			}
			if own, mine := w.rows[holder]; !mine || own.new == own.old {
				return nil, conflictError()
			}
		}
	}
	if finish != nil {
		c = finish(c)
	}
	if w.renumber {
		t.last = 0
	}
	return c, t.apply(c)
}

// Revert takes back an accepted changelog that could not be made durable.
func (t *Table) Revert(c *batch.Chunk) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	back := &batch.Chunk{Cols: c.Cols, N: c.N, Weights: make([]int64, c.N)}
	for i := range back.Weights {
		back.Weights[i] = -c.Weight(i)
	}
	return t.apply(back)
}

func conflictError() error {
	return sqlerr.New(sqlerr.LockDeadlock, "Deadlock found when trying to get lock; try restarting transaction")
}

// Table is the table that the write set is of.
func (w *Writes) Table() *Table { return w.t }
