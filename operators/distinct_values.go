package operators

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// distinctValues knows which values each group has, for all the DISTINCT
// aggregates of a Merge over the same values, whatever their FILTERs: a row
// looks its value up once for all of them. Each (group, value) is a row of its own:
//
//	0   group, 8: the Ref of the group's row; its highest bit is set while the row is in idle
//	8   linked: the rows after and before it in the group's list, 8 each, 0: none
//	…   append-only: a bit for each call that has the value, 8; else for each call how
//	    often it has it, 8, during a batch maybe negative
//	…   the value: one number, 8, or values in the form of state.AppendOrderedKey
type distinctValues struct {
	store      *state.Store
	table      *state.Table
	values     []int // columns
	one        bool  // the value is one number of 64 bits
	conditions []int // for each call the column of its FILTER, −1: none
	appendOnly bool
	// headAt is where a group's row has the first row of its list, so that all of
	// them can be found when the group is dropped; −1: no group ever is.
	headAt int
	groups *state.Store

	// changes are, for each call and row of the present block, 1 where the call's
	// value has come to be there, −1 where it has gone; nil: nowhere.
	changes [][]int64
	idle    []state.Ref // rows of which a count was not positive; at the end of the batch none may be negative

	lo, hi  int               // the present block
	masks   [blockRows]uint64 // of each row the calls that see it
	hashes  [blockRows]uint64
	refs    [blockRows]state.Ref
	ints    [blockRows]int64 // one: the values
	encoded state.Rows       // else
	scratch [][]int64        // behind changes
	touched byte             // makes the loads of fetch count
}

const (
	maxDistinctCalls = 64            // of one distinctValues
	idleMark         = math.MinInt64 // the highest bit
)

func newDistinctValues(values []int, ts []types.Type, appendOnly bool, a *account.Account) *distinctValues {
	d := &distinctValues{store: state.NewStore(a), table: state.NewTable(a), values: values, appendOnly: appendOnly, headAt: -1}
	if len(ts) == 1 {
		c := ts[0].Class()
		d.one = c == types.ClassInt || c == types.ClassDecimal && ts[0].Prec <= 18
	}
	return d
}

// sees reports that the values are those of another call, for which there is room.
func (d *distinctValues) sees(values []int) bool {
	return slices.Equal(d.values, values) && len(d.conditions) < maxDistinctCalls
}

// join adds a call, and returns its number.
func (d *distinctValues) join(condition int) int {
	d.conditions = append(d.conditions, condition)
	d.changes, d.scratch = append(d.changes, nil), append(d.scratch, nil)
	return len(d.conditions) - 1
}

// countsAt is where a row's bits or counts are, valueAt where its value is.
func (d *distinctValues) countsAt() int {
	if d.headAt >= 0 {
		return 24
	}
	return 8
}

func (d *distinctValues) valueAt() int {
	if d.appendOnly {
		return d.countsAt() + 8
	}
	return d.countsAt() + 8*len(d.conditions)
}

// add takes a block of rows in; groups[i] is the group of row lo+i, rows[i] its row.
func (d *distinctValues) add(groups []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	clear(d.changes)
	d.lo, d.hi = lo, lo+len(groups)
	d.mask(in, lo, len(groups), weights)
	d.look(groups, in, lo)
	for i, group := range groups {
		if d.masks[i] == 0 {
			continue
		}
		r, err := d.row(i, group, rows[i])
		if err != nil {
			return err
		}
		if d.appendOnly {
			d.set(r, d.masks[i], lo+i)
		} else {
			d.count(r, d.masks[i], weightAt(weights, lo+i), lo+i)
		}
	}
	return nil
}

// mask finds which calls see each row.
func (d *distinctValues) mask(in []*vector.Vector, lo, n int, weights []int64) {
	all := uint64(0)
	for k, c := range d.conditions {
		if c < 0 {
			all |= 1 << k
		}
	}
	masks := d.masks[:n]
	for i := range masks {
		masks[i] = all
	}
	for k, c := range d.conditions {
		if c < 0 {
			continue
		}
		condition, bit := in[c], uint64(1)<<k
		for i, x := range condition.I[lo : lo+n] {
			if x != 0 && !condition.IsNull(lo+i) {
				masks[i] |= bit
			}
		}
	}
	for _, c := range d.values {
		if v := in[c]; v.HasNulls() {
			for i := range masks {
				if v.IsNull(lo + i) {
					masks[i] = 0
				}
			}
		}
	}
	if weights == nil {
		return
	}
	for i, w := range weights[lo : lo+n] {
		if w == 0 || d.appendOnly && w < 0 {
			masks[i] = 0
		}
	}
}

// look finds for each row of a block the row that has its hash, 0: there is
// none, and waits for their memory together.
func (d *distinctValues) look(groups []state.Ref, in []*vector.Vector, lo int) {
	n := len(groups)
	if d.one {
		if v := in[d.values[0]]; v.IsWide() {
			for i, w := range v.W[lo : lo+n] {
				d.ints[i] = int64(w[0])
			}
		} else {
			copy(d.ints[:n], v.I[lo:lo+n])
		}
		for i, g := range groups {
			d.hashes[i] = intHash(g, d.ints[i])
		}
	} else {
		d.encoded.Buf, d.encoded.Off = d.encoded.Buf[:0], append(d.encoded.Off[:0], 0)
		for i, g := range groups {
			if d.masks[i] != 0 {
				for _, c := range d.values {
					d.encoded.Buf = state.AppendOrderedKey(d.encoded.Buf, in[c], lo+i, false)
				}
			}
			d.encoded.Off = append(d.encoded.Off, len(d.encoded.Buf))
			d.hashes[i] = multisetHash(g, d.encoded.At(i))
		}
	}
	d.table.FindHashes(d.hashes[:n], d.refs[:n])
	touched := byte(0)
	for _, r := range d.refs[:n] {
		if r != 0 {
			touched |= d.store.Slot(r)[0]
		}
	}
	d.touched = touched
}

func intHash(group state.Ref, value int64) uint64 {
	return state.HashInt(int64(state.HashInt(int64(group))) ^ value)
}

// row finds or makes the row of the value of row i of the block.
func (d *distinctValues) row(i int, group state.Ref, groupRow []byte) (state.Ref, error) {
	same := func(r state.Ref) bool { return d.is(r, group, i) }
	r := d.refs[i]
	if r != 0 && same(r) {
		return r, nil
	}
	// Another value has the hash, or an earlier row of the block has made it.
	if r = d.table.Find(d.hashes[i], same); r != 0 {
		return r, nil
	}
	at, length := d.valueAt(), 8
	if !d.one {
		length = len(d.encoded.At(i))
	}
	r, err := d.store.Alloc(at + length)
	if err != nil {
		return 0, err
	}
	row := d.store.Mutable(r)
	clear(row[:at])
	putInt(row, int64(group))
	if d.one {
		putInt(row[at:], d.ints[i])
	} else {
		copy(row[at:], d.encoded.At(i))
	}
	if d.headAt >= 0 {
		d.link(r, row, groupRow)
	}
	d.table.Insert(d.hashes[i], r)
	return r, nil
}

// is reports that row r has the group and the value of row i of the block.
func (d *distinctValues) is(r, group state.Ref, i int) bool {
	row := d.store.Slot(r)
	switch {
	case getInt(row)&^idleMark != int64(group):
		return false
	case d.one:
		return getInt(row[d.valueAt():]) == d.ints[i]
	}
	return bytes.Equal(d.store.Get(r)[d.valueAt():], d.encoded.At(i))
}

// set notes a value, which row at of the chunk has, for the calls of mask.
func (d *distinctValues) set(r state.Ref, mask uint64, at int) {
	counts := d.countsAt()
	had := uint64(getInt(d.store.Slot(r)[counts:]))
	fresh := mask &^ had
	if fresh == 0 {
		return
	}
	putInt(d.store.Mutable(r)[counts:], int64(had|fresh))
	for ; fresh != 0; fresh &= fresh - 1 {
		d.change(bits.TrailingZeros64(fresh), at, 1)
	}
}

// count counts a value w times more for the calls of mask.
func (d *distinctValues) count(r state.Ref, mask uint64, w int64, at int) {
	row := d.store.MutableSlot(r)
	for ; mask != 0; mask &= mask - 1 {
		k := bits.TrailingZeros64(mask)
		b := row[d.countsAt()+8*k:]
		before := getInt(b)
		after := before + w
		putInt(b, after)
		switch {
		case before <= 0 && after > 0:
			d.change(k, at, 1)
		case before > 0 && after <= 0:
			d.change(k, at, -1)
		}
		if after <= 0 && getInt(row) >= 0 {
			putInt(row, getInt(row)|idleMark)
			d.idle = append(d.idle, r)
		}
	}
}

// change notes what becomes of call k with row at of the chunk.
func (d *distinctValues) change(k, at int, by int64) {
	if d.changes[k] == nil {
		if cap(d.scratch[k]) < d.hi {
			d.scratch[k] = make([]int64, max(d.hi, blockRows))
		}
		d.changes[k] = d.scratch[k][:d.hi]
		clear(d.changes[k][d.lo:])
	}
	d.changes[k][at] = by
}

// settle ends at most n rows that count nothing, and returns how many it saw.
func (d *distinctValues) settle(n int) (int, error) {
	n = min(n, len(d.idle))
	for _, r := range d.idle[len(d.idle)-n:] {
		row := d.store.MutableSlot(r)
		putInt(row, getInt(row)&^idleMark)
		empty := true
		for k := range d.conditions {
			count := getInt(row[d.countsAt()+8*k:])
			if count < 0 {
				return 0, fmt.Errorf("a value is there %d times in a group: a retraction of what was never inserted", count)
			}
			empty = empty && count == 0
		}
		if empty {
			d.free(r)
		}
	}
	d.idle = d.idle[:len(d.idle)-n]
	return n, nil
}

// free ends a row.
func (d *distinctValues) free(r state.Ref) {
	if d.headAt >= 0 {
		d.unlink(r)
	}
	d.table.Delete(d.hash(d.store.Get(r)), r)
	d.store.Free(r)
}

// hash is that of a stored row.
func (d *distinctValues) hash(row []byte) uint64 {
	group, value := state.Ref(getInt(row)&^idleMark), row[d.valueAt():]
	if d.one {
		return intHash(group, getInt(value))
	}
	return multisetHash(group, value)
}

// rebuild derives the table from the store.
func (d *distinctValues) rebuild() {
	d.store.Scan(func(r state.Ref, row []byte) bool {
		d.table.Insert(d.hash(row), r)
		return true
	})
}

// link puts a new row at the head of its group's list.
func (d *distinctValues) link(r state.Ref, row, groupRow []byte) {
	head := state.Ref(getInt(groupRow[d.headAt:]))
	putInt(row[8:], int64(head))
	putInt(groupRow[d.headAt:], int64(r))
	if head != 0 {
		putInt(d.store.MutableSlot(head)[16:], int64(r))
	}
}

// unlink takes a row out of its group's list.
func (d *distinctValues) unlink(r state.Ref) {
	row := d.store.Slot(r)
	after, before := state.Ref(getInt(row[8:])), state.Ref(getInt(row[16:]))
	if after != 0 {
		putInt(d.store.MutableSlot(after)[16:], int64(before))
	}
	if before != 0 {
		putInt(d.store.MutableSlot(before)[8:], int64(after))
	} else if group := state.Ref(getInt(row) &^ idleMark); d.groups.Has(group) { // it may have gone first
		putInt(d.groups.MutableSlot(group)[d.headAt:], int64(after))
	}
}

// dropGroup ends at most n rows of a group, and returns how many.
func (d *distinctValues) dropGroup(group state.Ref, n int) int {
	for k := range n {
		r := state.Ref(getInt(d.groups.Slot(group)[d.headAt:]))
		if r == 0 {
			return k
		}
		d.free(r)
	}
	return n
}

// distinctTotal is a total of distinct values.
type distinctTotal struct {
	totalAggregate
	seen *distinctValues
	call int // its number there
}

// newDistinctTotal makes one for the call c, whose values are in one of seen, or
// in one of its own then added.
func newDistinctTotal(c agg.Call, cols []int, at int, spec AggSpec, seen *[]*distinctValues, heap agg.Heap, a *account.Account) (*distinctTotal, error) {
	values, condition := cols[:len(c.Values())], -1
	if c.Filtered {
		condition = cols[len(cols)-1]
		c.Filtered, c.Args, cols = false, c.Args[:len(c.Args)-1], cols[:len(cols)-1]
	}
	at0 := slices.IndexFunc(*seen, func(d *distinctValues) bool { return d.sees(values) })
	if at0 < 0 {
		var ts []types.Type
		for _, e := range c.Values() {
			ts = append(ts, e.Type)
		}
		at0 = len(*seen)
		*seen = append(*seen, newDistinctValues(values, ts, spec.AppendOnly, a))
	}
	t := &distinctTotal{totalAggregate: totalAggregate{call: c, cols: cols, at: at}, seen: (*seen)[at0]}
	t.call = t.seen.join(condition)
	var err error
	t.State, err = agg.New(c, cols, false, at, heap)
	return t, err
}

// add counts the values that have come or gone; seen has had the rows already.
func (t *distinctTotal) add(_ []state.Ref, rows [][]byte, in []*vector.Vector, lo int, _ []int64) error {
	if changes := t.seen.changes[t.call]; changes != nil {
		return t.Add(rows, in, lo, changes)
	}
	return nil
}
