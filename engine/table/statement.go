package table

import (
	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// InsertMode says what Insert does with a row whose key is there.
type InsertMode struct {
	Ignore  bool
	Replace bool
	// Merge, if set, computes the row to put in place of old for the row to be inserted.
	Merge func(old, inserted *batch.Chunk) (*batch.Chunk, error)
}

// Inserted counts what Insert did.
type Inserted struct {
	Affected   uint64
	Duplicates uint64
	Ignored    []error // 1062 of rows left out
	FirstAuto  uint64  // first value given by AUTO_INCREMENT, 0 if none
}

// Insert adds the rows of c, which has all columns of the table. An error leaves
// the write set as it was before the statement.
func (w *Writes) Insert(c *batch.Chunk, m InsertMode) (res Inserted, err error) {
	t := w.t
	if err := t.wide(c); err != nil {
		return res, err
	}
	if c, res.FirstAuto, err = t.number(c); err != nil {
		return res, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	primary := pick(c.Cols, t.Desc.Primary)
	if t.arrival >= 0 {
		w.upsert(c, primary)
		res.Affected = uint64(c.N)
		return res, nil
	}
	for i := range c.N {
		key := string(t.key.Append(w.buf[:0], primary, i))
		encoded := string(t.codec.Load().Append(w.buf[:0], c.Cols, i))
		holder, name, dup := w.conflict(c, i, key, "")
		switch {
		case !dup:
			w.put(key, w.current(key, primary, i), encoded)
			res.Affected++
		case m.Replace && len(t.Desc.Unique) == 0 && w.byKey(holder) == encoded:
			res.Affected++ // the same row again: MySQL counts it once
		case m.Replace:
			res.Affected++
			for dup { // a row may collide with several, by different keys
				w.put(holder, w.byKey(holder), "")
				res.Affected++
				holder, _, dup = w.conflict(c, i, key, "")
			}
			w.put(key, w.byKey(key), encoded)
		case m.Merge != nil:
			n, err := w.merge(c, i, holder, m)
			if err != nil {
				return res, err
			}
			res.Affected += n
			res.Duplicates++
		case m.Ignore:
			res.Duplicates++
			res.Ignored = append(res.Ignored, w.duplicate(c, i, name))
		default:
			return res, w.duplicate(c, i, name)
		}
	}
	return res, nil
}

// provisional is from where on the arrivals of rows are that are not committed yet.
const provisional = 1 << 62

// upsert puts rows of an upsert stream, whatever is there. Until they are
// committed they come behind all others.
func (w *Writes) upsert(c *batch.Chunk, primary []*vector.Vector) {
	cols := append([]*vector.Vector(nil), c.Cols...)
	cols[w.t.arrival] = vector.New(cols[w.t.arrival].Type, c.N)
	for i := range c.N {
		cols[w.t.arrival].AppendInt(int64(provisional + w.puts + i))
	}
	for i := range c.N {
		key := string(w.t.key.Append(w.buf[:0], primary, i))
		_, touched := w.rows[key]
		w.put(key, "", string(w.t.codec.Load().Append(w.buf[:0], cols, i)))
		if !touched {
			w.rows[key].blind = true
		}
	}
}

// merge is ON DUPLICATE KEY UPDATE of the row under key holder: 2 rows count as
// affected if it changes, 0 if not.
func (w *Writes) merge(c *batch.Chunk, i int, holder string, m InsertMode) (uint64, error) {
	old := w.byKey(holder)
	next, err := m.Merge(w.t.decode([]string{old}), c.Slice(i, i+1))
	if err != nil {
		return 0, err
	}
	return w.replace(holder, old, next, 0, 2)
}

// replace puts row i of c in place of the row under key.
func (w *Writes) replace(key, old string, c *batch.Chunk, i int, count uint64) (uint64, error) {
	encoded := string(w.t.codec.Load().Append(nil, c.Cols, i))
	if encoded == old {
		return 0, nil
	}
	newKey := string(w.t.key.Append(nil, pick(c.Cols, w.t.Desc.Primary), i))
	if _, name, dup := w.conflict(c, i, newKey, key); dup {
		return 0, w.duplicate(c, i, name)
	}
	if newKey == key {
		w.put(key, old, encoded)
		return count, nil
	}
	w.put(key, old, "")
	w.put(newKey, w.byKey(newKey), encoded)
	return count, nil
}

// byKey is current of an encoded key.
func (w *Writes) byKey(key string) string {
	if r, ok := w.rows[key]; ok {
		return r.new
	}
	return w.t.rowUnder(key)
}

// Update replaces each row of old by the row of the same position of next, and
// returns how many became different. A row that another transaction changed
// since it was read is error 1213.
func (w *Writes) Update(old, next *batch.Chunk) (changed uint64, err error) {
	w.t.mu.RLock()
	defer w.t.mu.RUnlock()
	if err := w.t.wide(old); err != nil {
		return 0, err
	}
	keys, rows, err := w.find(old)
	if err != nil {
		return 0, err
	}
	for i := range next.N {
		n, err := w.replace(keys[i], rows[i], next, i, 1)
		if err != nil {
			return 0, err
		}
		changed += n
	}
	return changed, nil
}

// Delete removes rows.
func (w *Writes) Delete(old *batch.Chunk) (uint64, error) {
	w.t.mu.RLock()
	defer w.t.mu.RUnlock()
	if err := w.t.wide(old); err != nil {
		return 0, err
	}
	keys, rows, err := w.find(old)
	if err != nil {
		return 0, err
	}
	for i := range keys {
		w.put(keys[i], rows[i], "")
	}
	return uint64(len(keys)), nil
}

// Renumber makes AUTO_INCREMENT begin at 1 again once the write set is accepted,
// which must have deleted all rows. The numbers of rows without a key go on.
func (w *Writes) Renumber() {
	w.renumber = w.t.auto >= 0 && !w.t.Desc.Columns[w.t.auto].Hidden
}

// Renumbers reports that AUTO_INCREMENT begins anew.
func (w *Writes) Renumbers() bool { return w.renumber }

// find checks that rows read earlier are still what the transaction would see now.
func (w *Writes) find(old *batch.Chunk) (keys, rows []string, err error) {
	primary := pick(old.Cols, w.t.Desc.Primary)
	for i := range old.N {
		key := string(w.t.key.Append(w.buf[:0], primary, i))
		encoded := string(w.t.codec.Load().Append(w.buf[:0], old.Cols, i))
		if w.byKey(key) != encoded {
			return nil, nil, conflictError()
		}
		keys, rows = append(keys, key), append(rows, encoded)
	}
	return keys, rows, nil
}

// number fills in AUTO_INCREMENT values and row ids where the column is NULL, and
// returns the first of them (0: none, or row ids). A value that is given raises
// the counter even if its row is refused later.
func (t *Table) number(c *batch.Chunk) (*batch.Chunk, uint64, error) {
	if t.auto < 0 {
		return c, 0, nil
	}
	v := c.Cols[t.auto]
	_, hi := v.Type.IntRange()
	t.mu.Lock()
	defer t.mu.Unlock()
	out := vector.New(v.Type, v.N)
	first := uint64(0)
	for i := range v.N {
		if !v.IsNull(i) {
			out.AppendInt(v.I[i])
			t.seen(v, i)
			continue
		}
		if t.last >= uint64(hi) {
			return nil, 0, sqlerr.New(sqlerr.AutoIncReadFailed, "Failed to read auto-increment value from storage engine")
		}
		t.last++
		if first == 0 && !t.Desc.Columns[t.auto].Hidden {
			first = t.last
		}
		out.AppendInt(int64(t.last))
	}
	numbered := &batch.Chunk{Cols: append([]*vector.Vector(nil), c.Cols...), N: c.N, Weights: c.Weights}
	numbered.Cols[t.auto] = out
	return numbered, first, nil
}

// seen raises the counter to value i of the numbered column.
func (t *Table) seen(v *vector.Vector, i int) {
	if !v.IsNull(i) && (v.I[i] > 0 || v.Type.Unsigned) {
		t.last = max(t.last, uint64(v.I[i]))
	}
}

// DeleteKeys deletes the rows that have the keys of those of c, as far as there are such.
func (w *Writes) DeleteKeys(c *batch.Chunk) {
	w.t.mu.RLock()
	defer w.t.mu.RUnlock()
	primary := pick(c.Cols, w.t.Desc.Primary)
	for i := range c.N {
		key := string(w.t.key.Append(w.buf[:0], primary, i))
		if now := w.current(key, primary, i); now != "" {
			w.put(key, now, "")
		}
	}
}
