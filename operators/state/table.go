package state

import (
	"math/bits"

	"streamsql/operators/account"
)

// Table is a hash index from keys to the Refs of rows: an extendible hash
// table, that is a directory of segments of at most segSlots slots with linear
// probing. A full segment splits alone, so no growth ever stops the world for
// longer than one segment takes.
//
// A table of ints has int64 keys, each at most once. Any other has 64-bit
// hashes for keys; several rows may have one hash, and the caller tells them
// apart with match.
//
// Segments are copied on write as pages are, so Snapshot is cheap. Growth takes
// its memory from the account even beyond the limit: the store whose rows are
// indexed is stopped there.
type Table struct {
	account *account.Account
	bytes   int64
	dir     []*segment // by the first depth bits of the spread hash
	depth   uint8
	ints    bool
	n       int64
	epoch   uint64
	shared  uint64 // the newest epoch that an image was taken of
	touched uint64 // makes the loads of touch count
	scratch []slot // of a segment that is being split
}

const (
	segSlots  = 256
	slotBytes = 16
)

// slot with ref 0 is empty.
type slot struct {
	tag uint64 // the hash, or the int key
	ref Ref
}

type segment struct {
	slots []slot // a power of two, at most segSlots
	used  int
	depth uint8 // the first depth bits of the spread hash are equal for all in here
	epoch uint64
}

// spread turns a hash so that its first 16 bits, which are alike within a range
// of logical partitions, come last.
func spread(h uint64) uint64 { return bits.RotateLeft64(h, 16) }

// NewTable makes an empty table of hashes that counts its memory in a (nil: nowhere).
func NewTable(a *account.Account) *Table {
	t := &Table{account: a, dir: []*segment{{slots: make([]slot, 16), epoch: 1}}, epoch: 1}
	t.took(16*slotBytes + 8)
	return t
}

func (t *Table) took(n int64) {
	t.account.Force(n)
	t.bytes += n
}

// NewIntTable makes an empty table of ints.
func NewIntTable(a *account.Account) *Table {
	t := NewTable(a)
	t.ints = true
	return t
}

// Len returns the number of entries.
func (t *Table) Len() int64 { return t.n }

// Bytes returns the memory of the table, without what only images hold.
func (t *Table) Bytes() int64 { return t.bytes }

// home is the spread hash of a slot.
func (t *Table) home(tag uint64) uint64 {
	if t.ints {
		return spread(HashInt(int64(tag)))
	}
	return spread(tag)
}

// at is the directory's entry for a spread hash.
func (t *Table) at(home uint64) uint64 { return home >> (64 - t.depth) }

// Find returns the first row with hash h for which match is true, 0 if there is none.
func (t *Table) Find(h uint64, match func(Ref) bool) Ref {
	return t.dir[t.at(spread(h))].find(h, match)
}

func (g *segment) find(h uint64, match func(Ref) bool) Ref {
	mask := uint64(len(g.slots) - 1)
	for i := spread(h) & mask; g.slots[i].ref != 0; i = (i + 1) & mask {
		if g.slots[i].tag == h && match(g.slots[i].ref) {
			return g.slots[i].ref
		}
	}
	return 0
}

// FindInt returns the row with the int key k, 0 if there is none.
func (t *Table) FindInt(k int64) Ref {
	home := spread(HashInt(k))
	slots := t.dir[t.at(home)].slots
	mask := uint64(len(slots) - 1)
	for i := home & mask; ; i = (i + 1) & mask {
		if e := &slots[i]; e.ref == 0 || e.tag == uint64(k) {
			return e.ref
		}
	}
}

// FindInts is FindInt of many keys whose hashes (HashColumns of their column)
// are known: refs[n] becomes the row of keys[n], or 0.
func (t *Table) FindInts(keys []int64, hashes []uint64, refs []Ref) {
	if t.bytes > largeTable {
		t.touched = t.touch(hashes)
	}
	dir, shift := t.dir, 64-t.depth
	for n, k := range keys {
		home := spread(hashes[n])
		slots := dir[home>>shift].slots
		mask := uint64(len(slots) - 1)
		for i := home & mask; ; i = (i + 1) & mask {
			if e := &slots[i]; e.ref == 0 || e.tag == uint64(k) {
				refs[n] = e.ref
				break
			}
		}
	}
}

// largeTable is the size, in bytes, from which on a table does not lie in a
// core's own cache.
const largeTable = 1 << 20

// touch loads the slots at which the look-ups of hashes begin. Nothing here waits for
// what is in them, so that a large table's memory is waited for once, not for each.
func (t *Table) touch(hashes []uint64) (sum uint64) {
	dir, shift := t.dir, 64-t.depth
	for _, h := range hashes {
		home := spread(h)
		slots := dir[home>>shift].slots
		sum += slots[home&uint64(len(slots)-1)].tag
	}
	return sum
}

// Touch waits for the memory of many keys, whose hashes are given, that are about
// to be put in or taken out one after the other.
func (t *Table) Touch(hashes []uint64) {
	if t.bytes > largeTable {
		t.touched = t.touch(hashes)
	}
}

// FindHashes finds for each hash the first row that has it, 0 if there is none.
// Whether it is the one that is looked for is for the caller to see.
func (t *Table) FindHashes(hashes []uint64, refs []Ref) {
	if t.bytes > largeTable {
		t.touched = t.touch(hashes)
	}
	dir, shift := t.dir, 64-t.depth
	for n, h := range hashes {
		home := spread(h)
		slots := dir[home>>shift].slots
		mask := uint64(len(slots) - 1)
		for i := home & mask; ; i = (i + 1) & mask {
			if e := &slots[i]; e.ref == 0 || e.tag == h {
				refs[n] = e.ref
				break
			}
		}
	}
}

// Insert adds a row under hash h; it does not look whether it is there already.
func (t *Table) Insert(h uint64, r Ref) { t.insert(spread(h), h, r) }

// InsertInt adds a row under the int key k, which has none yet.
func (t *Table) InsertInt(k int64, r Ref) { t.insert(spread(HashInt(k)), uint64(k), r) }

// SwapInt puts the row r under the int key k, whose hash is known, in place of
// the one that it returns; 0: there was none.
func (t *Table) SwapInt(k int64, hash uint64, r Ref) (old Ref) {
	home := spread(hash)
	g := t.writable(home)
	mask := uint64(len(g.slots) - 1)
	for i := home & mask; g.slots[i].ref != 0; i = (i + 1) & mask {
		if e := &g.slots[i]; e.tag == uint64(k) {
			old, e.ref = e.ref, r
			return old
		}
	}
	t.insert(home, uint64(k), r)
	return 0
}

func (t *Table) insert(home, tag uint64, r Ref) {
	g := t.writable(home)
	for g.used >= len(g.slots)-len(g.slots)/4 && t.grow(g, home) {
		g = t.writable(home)
	}
	g.put(home, slot{tag, r})
	t.n++
}

func (g *segment) put(home uint64, e slot) {
	mask := uint64(len(g.slots) - 1)
	i := home & mask
	for g.slots[i].ref != 0 {
		i = (i + 1) & mask
	}
	g.slots[i] = e
	g.used++
}

// writable returns the segment of a spread hash, its own copy if an image holds it.
func (t *Table) writable(home uint64) *segment {
	g := t.dir[t.at(home)]
	if g.epoch != t.epoch {
		if g.epoch <= t.shared {
			g = &segment{slots: append([]slot(nil), g.slots...), used: g.used, depth: g.depth}
			t.point(g, home)
		}
		g.epoch = t.epoch
	}
	return g
}

// point makes the directory show g for all hashes that share home's first g.depth bits.
func (t *Table) point(g *segment, home uint64) {
	span := uint64(1) << (t.depth - g.depth)
	first := t.at(home) &^ (span - 1)
	for k := first; k < first+span; k++ {
		t.dir[k] = g
	}
}

// maxDepth bounds the directory when many rows share one hash; their segment
// grows beyond segSlots then.
const maxDepth = 28

// grow makes room in a full segment: doubles it, or splits it in two. It
// reports whether the caller should look again.
func (t *Table) grow(g *segment, home uint64) bool {
	if len(g.slots) < segSlots || g.depth == maxDepth || t.alike(g) {
		old := g.slots
		g.slots, g.used = make([]slot, 2*len(old)), 0
		t.took(int64(len(old)) * slotBytes)
		for _, e := range old {
			if e.ref != 0 {
				g.put(t.home(e.tag), e)
			}
		}
		return true
	}
	if g.depth == t.depth {
		dir := make([]*segment, 2*len(t.dir))
		for k, s := range t.dir {
			dir[2*k], dir[2*k+1] = s, s
		}
		t.took(int64(len(t.dir)) * 8)
		t.dir, t.depth = dir, t.depth+1
	}
	// The lower half stays in the segment, the upper one moves out.
	t.took(int64(len(g.slots)) * slotBytes)
	t.scratch = append(t.scratch[:0], g.slots...)
	clear(g.slots)
	g.used, g.depth = 0, g.depth+1
	upper := &segment{slots: make([]slot, len(g.slots)), depth: g.depth, epoch: t.epoch}
	for _, e := range t.scratch {
		if e.ref == 0 {
			continue
		}
		if h := t.home(e.tag); h>>(64-g.depth)&1 == 0 {
			g.put(h, e)
		} else {
			upper.put(h, e)
		}
	}
	t.point(upper, home|uint64(1)<<(64-g.depth))
	return true
}

// alike reports that all of a segment has one hash, which no split can part.
func (t *Table) alike(g *segment) bool {
	first := uint64(0)
	for _, e := range g.slots {
		if e.ref == 0 {
			continue
		}
		if h := t.home(e.tag); first == 0 {
			first = h
		} else if h != first {
			return false
		}
	}
	return true
}

// Delete takes the row r out, which Insert put under hash h.
func (t *Table) Delete(h uint64, r Ref) { t.remove(spread(h), r) }

// DeleteInt takes the row r out, which InsertInt put under k.
func (t *Table) DeleteInt(k int64, r Ref) { t.remove(spread(HashInt(k)), r) }

func (t *Table) remove(home uint64, r Ref) {
	g := t.writable(home)
	mask := uint64(len(g.slots) - 1)
	i := home & mask
	for g.slots[i].ref != r {
		if g.slots[i].ref == 0 {
			return
		}
		i = (i + 1) & mask
	}
	g.used--
	t.n--
	// Close the gap: move up what probing would no longer find behind it.
	for j := (i + 1) & mask; g.slots[j].ref != 0; j = (j + 1) & mask {
		if h := t.home(g.slots[j].tag) & mask; (j-h)&mask >= (j-i)&mask {
			g.slots[i] = g.slots[j]
			i = j
		}
	}
	g.slots[i] = slot{}
}

// TableImage is a table as it was at one moment, safe for all.
type TableImage struct {
	dir   []*segment
	depth uint8
}

// Snapshot takes an image. It costs a copy of the directory; the first write to
// each segment after it copies the segment.
func (t *Table) Snapshot() *TableImage {
	im := &TableImage{dir: append([]*segment(nil), t.dir...), depth: t.depth}
	t.shared = t.epoch
	t.epoch++
	return im
}

// FindInt is Table's of the moment of the image.
func (im *TableImage) FindInt(k int64) Ref {
	home := spread(HashInt(k))
	slots := im.dir[home>>(64-im.depth)].slots
	mask := uint64(len(slots) - 1)
	for i := home & mask; ; i = (i + 1) & mask {
		if e := &slots[i]; e.ref == 0 || e.tag == uint64(k) {
			return e.ref
		}
	}
}

// Find is Table's of the moment of the image.
func (im *TableImage) Find(h uint64, match func(Ref) bool) Ref {
	return im.dir[spread(h)>>(64-im.depth)].find(h, match)
}
