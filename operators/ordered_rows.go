package operators

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tidwall/btree"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// orderedRows holds the rows of one input of a join in which time decides: within
// each group by their place (an encoded time, in whichever direction), ties by
// the row's own columns. A table finds a row by its content, a tree by its place.
// A row:
//
//	0   how often it is there, 8; during a batch maybe negative
//	8   flags, 4
//	12  the length of its place, 4
//	16  its group, 8
//	24  a Ref of the owner's, 8
//	32  its place, then all its columns in the form of state.AppendOrdered
type orderedRows struct {
	account *account.Account
	types   []types.Type
	store   *state.Store
	table   *state.Table
	tree    *btree.BTreeG[treeEntry]
	probe   []byte // of an entry with probeRef
	enc     []byte
}

const (
	orderedHeader = 32
	probeRef      = state.Ref(math.MaxUint64)
)

// The flags of a row.
const (
	inTree  = 1 << iota // others find it
	touched             // it is in its owner's list of rows to look at
)

func newOrderedRows(ts []types.Type, a *account.Account) *orderedRows {
	o := &orderedRows{account: a, types: ts, store: state.NewStore(a), table: state.NewTable(a)}
	o.tree = btree.NewBTreeGOptions(o.less, btree.Options{NoLocks: true})
	return o
}

func (o *orderedRows) less(a, b treeEntry) bool {
	switch {
	case a.group != b.group:
		return a.group < b.group
	case a.prefix != b.prefix:
		return a.prefix < b.prefix
	case a.row == b.row:
		return false
	}
	return bytes.Compare(o.place(a.row), o.place(b.row)) < 0
}

// place is the bytes that a row, or the probe, is ordered by.
func (o *orderedRows) place(r state.Ref) []byte {
	if r == probeRef {
		return o.probe
	}
	return o.store.Get(r)[orderedHeader:]
}

// placePrefix are the first bytes of a place as a number, after the NULL flag.
func placePrefix(place []byte) uint64 {
	var p [8]byte
	if len(place) > 1 {
		copy(p[:], place[1:])
	}
	return binary.BigEndian.Uint64(p[:])
}

func (o *orderedRows) entry(r state.Ref) treeEntry {
	row := o.store.Get(r)
	return treeEntry{binary.LittleEndian.Uint64(row[16:]), placePrefix(row[orderedHeader:]), r}
}

// at is the entry of a place in a group, good until the next call.
func (o *orderedRows) at(group state.Ref, place []byte) treeEntry {
	o.probe = append(o.probe[:0], place...)
	return treeEntry{uint64(group), placePrefix(place), probeRef}
}

// find looks row i of a chunk up, whose place was just written to o.enc, or makes
// it, with count 0 and no flags: made.
func (o *orderedRows) find(group state.Ref, cols []*vector.Vector, i int) (r state.Ref, made bool, err error) {
	place := len(o.enc)
	for _, v := range cols {
		o.enc = state.AppendOrdered(o.enc, v, i, false)
	}
	h := multisetHash(group, o.enc)
	r = o.table.Find(h, func(r state.Ref) bool {
		row := o.store.Get(r)
		return binary.LittleEndian.Uint64(row[16:]) == uint64(group) && bytes.Equal(row[orderedHeader:], o.enc)
	})
	if r != 0 {
		return r, false, nil
	}
	if r, err = o.store.Alloc(orderedHeader + len(o.enc)); err != nil {
		return 0, false, err
	}
	row := o.store.Mutable(r)
	clear(row[:orderedHeader])
	binary.LittleEndian.PutUint32(row[12:], uint32(place))
	binary.LittleEndian.PutUint64(row[16:], uint64(group))
	copy(row[orderedHeader:], o.enc)
	o.table.Insert(h, r)
	return r, true, nil
}

// show makes others find the row, hide the contrary.
func (o *orderedRows) show(r state.Ref) {
	o.tree.Set(o.entry(r))
	o.account.Force(treeEntryBytes)
	o.store.Mutable(r)[8] |= inTree
}

func (o *orderedRows) hide(r state.Ref) {
	o.tree.Delete(o.entry(r))
	o.account.Release(treeEntryBytes)
	o.store.Mutable(r)[8] &^= inTree
}

// free ends a row that is not in the tree.
func (o *orderedRows) free(r state.Ref) {
	row := o.store.Get(r)
	o.table.Delete(multisetHash(state.Ref(binary.LittleEndian.Uint64(row[16:])), row[orderedHeader:]), r)
	o.store.Free(r)
}

// first is the first row from an entry on, 0 if its group has none.
func (o *orderedRows) first(from treeEntry) (found state.Ref) {
	o.tree.Ascend(from, func(e treeEntry) bool {
		if e.group == from.group {
			found = e.row
		}
		return false
	})
	return found
}

// before is the last row before an entry, 0 if its group has none.
func (o *orderedRows) before(entry treeEntry) (found state.Ref) {
	o.tree.Descend(entry, func(e treeEntry) bool {
		if e.group == entry.group && e.row == entry.row {
			return true
		}
		if e.group == entry.group {
			found = e.row
		}
		return false
	})
	return found
}

// behind is the first row behind that of an entry, 0 if its group has none.
func (o *orderedRows) behind(entry treeEntry) (found state.Ref) {
	o.tree.Ascend(entry, func(e treeEntry) bool {
		if e.group == entry.group && e.row == entry.row {
			return true
		}
		if e.group == entry.group {
			found = e.row
		}
		return false
	})
	return found
}

// group is the group of a row.
func (o *orderedRows) group(r state.Ref) state.Ref {
	return state.Ref(binary.LittleEndian.Uint64(o.store.Get(r)[16:]))
}

// owned is the owner's Ref in a row.
func (o *orderedRows) owned(r state.Ref) state.Ref {
	return state.Ref(binary.LittleEndian.Uint64(o.store.Get(r)[24:]))
}

func (o *orderedRows) own(r, owned state.Ref) {
	binary.LittleEndian.PutUint64(o.store.Mutable(r)[24:], uint64(owned))
}

// time is the place of a row, without the columns that break ties.
func (o *orderedRows) time(r state.Ref) []byte {
	row := o.store.Get(r)
	return row[orderedHeader : orderedHeader+binary.LittleEndian.Uint32(row[12:])]
}

// decode appends a row's columns to cols.
func (o *orderedRows) decode(r state.Ref, cols []*vector.Vector) {
	row := o.store.Get(r)
	b := row[orderedHeader+binary.LittleEndian.Uint32(row[12:]):]
	for _, v := range cols {
		b = state.DecodeOrdered(b, v)
	}
}

// rebuild derives table and tree from the store.
func (o *orderedRows) rebuild() {
	o.store.Scan(func(r state.Ref, row []byte) bool {
		o.table.Insert(multisetHash(state.Ref(binary.LittleEndian.Uint64(row[16:])), row[orderedHeader:]), r)
		if row[8]&inTree != 0 {
			o.tree.Set(o.entry(r))
			o.account.Force(treeEntryBytes)
		}
		return true
	})
}

// gone is the error of a row that was taken back more often than it came.
func gone(node string, count int64) error {
	return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", node, count)
}
