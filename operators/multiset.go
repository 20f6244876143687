package operators

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tidwall/btree"

	"streamsql/operators/account"
	"streamsql/operators/state"
)

// multiset counts the values of each group, for aggregates that cannot be taken
// back from a total: MIN, MAX, percentiles, lists. Each (group, value) is a row of
// its own, so that a large group never rewrites itself:
//
//	0  count, 8: how often the value is there; during a batch maybe negative
//	8  1 while the row is in idle, 8
//	16 group, 8: the Ref of the group's row
//	24 the value, in the form of state.AppendOrdered
type multiset struct {
	account *account.Account
	store   *state.Store
	table   *state.Table
	tree    *btree.BTreeG[treeEntry]
	ranks   *ranks
	flag    int         // bytes that all values begin with alike
	idle    []state.Ref // rows whose count was not positive; at the end of the batch it must not be negative
}

// ordering says what a multiset finds.
type ordering uint8

const (
	ordered ordering = iota // the ends of a group, by a tree
	counted                 // any place in it, by ranks
)

const (
	multisetValue  = 24
	treeEntryBytes = 36 // of a tree entry, with the room that nodes leave
)

// treeEntry is (group, value): the value's first 8 bytes after the flag, and the
// row that has it whole. Row 0 is before, row math.MaxUint64 after all values with these bytes.
type treeEntry struct {
	group  uint64
	prefix uint64
	row    state.Ref
}

func newMultiset(a *account.Account, how ordering) *multiset {
	m := &multiset{account: a, store: state.NewStore(a), table: state.NewTable(a)}
	switch how {
	case ordered:
		m.tree = btree.NewBTreeGOptions(m.less, btree.Options{NoLocks: true})
	case counted:
		m.ranks = newRanks(a, m.less)
	}
	return m
}

func (m *multiset) less(a, b treeEntry) bool {
	switch {
	case a.group != b.group:
		return a.group < b.group
	case a.prefix != b.prefix:
		return a.prefix < b.prefix
	case a.row == b.row:
		return false
	case a.row == 0 || b.row == math.MaxUint64:
		return true
	case b.row == 0 || a.row == math.MaxUint64:
		return false
	}
	return bytes.Compare(m.store.Get(a.row)[multisetValue:], m.store.Get(b.row)[multisetValue:]) < 0
}

func (m *multiset) entryOf(row []byte, r state.Ref) treeEntry {
	var p [8]byte
	copy(p[:], row[multisetValue+m.flag:])
	return treeEntry{binary.LittleEndian.Uint64(row[16:]), binary.BigEndian.Uint64(p[:]), r}
}

func multisetHash(group state.Ref, value []byte) uint64 {
	return state.HashInt(int64(group)) ^ state.HashBytes(value)
}

// add counts a value of a group w times more. It returns 1 if the value has come
// to be there, −1 if it has gone, else 0.
func (m *multiset) add(group state.Ref, value []byte, w int64) (int64, error) {
	if w == 0 {
		return 0, nil
	}
	h := multisetHash(group, value)
	r := m.table.Find(h, func(r state.Ref) bool {
		row := m.store.Get(r)
		return binary.LittleEndian.Uint64(row[16:]) == uint64(group) && bytes.Equal(row[multisetValue:], value)
	})
	if r == 0 {
		var err error
		if r, err = m.store.Alloc(multisetValue + len(value)); err != nil {
			return 0, err
		}
		row := m.store.Mutable(r)
		clear(row[:16])
		binary.LittleEndian.PutUint64(row[16:], uint64(group))
		copy(row[multisetValue:], value)
		m.table.Insert(h, r)
	}
	row := m.store.Mutable(r)
	before := getInt(row)
	after := before + w
	putInt(row, after)
	if after <= 0 && row[8] == 0 {
		row[8] = 1
		m.idle = append(m.idle, r)
	}
	m.place(row, r, max(after, 0)-max(before, 0))
	switch {
	case before <= 0 && after > 0:
		return 1, nil
	case before > 0 && after <= 0:
		return -1, nil
	}
	return 0, nil
}

// place brings the trees up to date with a row that counts n more than it did.
func (m *multiset) place(row []byte, r state.Ref, n int64) {
	if m.ranks != nil && n != 0 {
		m.ranks.add(m.entryOf(row, r), n)
	}
	if m.tree == nil {
		return
	}
	switch count := getInt(row); {
	case n > 0 && count == n:
		m.tree.Set(m.entryOf(row, r))
		m.account.Force(treeEntryBytes)
	case n < 0 && count <= 0:
		m.tree.Delete(m.entryOf(row, r))
		m.account.Release(treeEntryBytes)
	}
}

// end returns the row of the smallest or the largest value of a group, 0 if it has none.
func (m *multiset) end(group state.Ref, largest bool) state.Ref {
	var found state.Ref
	first := func(e treeEntry) bool {
		if e.group == uint64(group) {
			found = e.row
		}
		return false
	}
	if largest {
		m.tree.Descend(treeEntry{uint64(group), math.MaxUint64, math.MaxUint64}, first)
	} else {
		m.tree.Ascend(treeEntry{uint64(group), 0, 0}, first)
	}
	return found
}

// ascend calls f with the rows of a group's values in order, until it returns false.
func (m *multiset) ascend(group state.Ref, f func(state.Ref) bool) {
	m.tree.Ascend(treeEntry{uint64(group), 0, 0}, func(e treeEntry) bool {
		return e.group == uint64(group) && f(e.row)
	})
}

// settle ends at most n rows that count nothing, and returns how many it saw.
func (m *multiset) settle(n int) (int, error) {
	n = min(n, len(m.idle))
	for _, r := range m.idle[len(m.idle)-n:] {
		row := m.store.Mutable(r)
		row[8] = 0
		switch count := getInt(row); {
		case count < 0:
			return 0, fmt.Errorf("a value is there %d times in a group: a retraction of what was never inserted", count)
		case count == 0:
			m.table.Delete(multisetHash(state.Ref(binary.LittleEndian.Uint64(row[16:])), row[multisetValue:]), r)
			m.store.Free(r)
		}
	}
	m.idle = m.idle[:len(m.idle)-n]
	return n, nil
}

// rebuild derives table and tree from the store.
func (m *multiset) rebuild() {
	m.store.Scan(func(r state.Ref, row []byte) bool {
		m.table.Insert(multisetHash(state.Ref(binary.LittleEndian.Uint64(row[16:])), row[multisetValue:]), r)
		m.place(row, r, max(getInt(row), 0))
		return true
	})
}
