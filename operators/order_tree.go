package operators

import (
	"bytes"
	"encoding/binary"
	"slices"

	"streamsql/operators/account"
	"streamsql/operators/state"
)

// orderTree orders stored rows by partition, then by key, and knows of each how
// many rows come before it: a B+ tree with counts in its nodes. It is an index,
// made anew from the store after a restart. Of peers, rows of a partition whose
// keys agree in what ORDER BY names, the first is the head; heads are counted too.
//
// All positions are over the whole tree; that of a partition's first row is what
// its own count from. A stored row begins with rankHeader bytes:
//
//	0   how often it is there, 8
//	8   partition: the Ref of its row, 8
//	16  Over: the Ref of the row's results, 8
//	24  length of the ORDER BY part of the key, 4
//	28  the key: the ORDER BY columns, then all columns in the form of state.AppendOrdered
type orderTree struct {
	account *account.Account
	store   *state.Store
	root    *orderNode
	// foldBytes is what the fold of a node takes.
	foldBytes int64
}

const (
	rankHeader = 28
	leafRows   = 64
	innerKids  = 32
)

// orderEntry is a row in the tree.
type orderEntry struct {
	group  uint64 // partition
	prefix uint64 // keyPrefix of the key
	ref    state.Ref
	weight int64
	mark   uint32 // generation of the batch that last changed the row's count
	head   bool   // the first of its peers
}

// orderNode is a leaf (kids nil), whose rows are entries, or an inner node, whose
// rows are the first entries of its kids.
type orderNode struct {
	up         *orderNode
	kids       []*orderNode
	rows       []orderEntry
	prev, next *orderNode // of a leaf
	weight     int64      // sum of all below
	heads      int64
	fold       *fold // what is made of all below; nil: to be made anew
}

// orderPos is a place in the tree: of an entry, or with leaf nil behind the last.
type orderPos struct {
	leaf *orderNode
	at   int
}

func newOrderTree(store *state.Store, a *account.Account) *orderTree {
	t := &orderTree{account: a, store: store}
	t.root = t.leaf()
	return t
}

func (t *orderTree) leaf() *orderNode {
	t.account.Force(t.nodeBytes(leafRows))
	return &orderNode{rows: make([]orderEntry, 0, leafRows+1)}
}

func (t *orderTree) inner() *orderNode {
	t.account.Force(t.nodeBytes(innerKids))
	return &orderNode{rows: make([]orderEntry, 0, innerKids+1), kids: make([]*orderNode, 0, innerKids+1)}
}

// nodeBytes is the memory of a node with room for rows.
func (t *orderTree) nodeBytes(rows int) int64 { return int64(rows*48+96) + t.foldBytes }

// keyPrefix maps a key to 64 bits that are ordered as the keys are, as far as
// they go: whether it begins with NULL, and most of its next 8 bytes.
func keyPrefix(key []byte) uint64 {
	var b [9]byte
	copy(b[:], key)
	return uint64(b[0]&1)<<63 | binary.BigEndian.Uint64(b[1:])>>1
}

func rankGroup(row []byte) uint64 { return binary.LittleEndian.Uint64(row[8:]) }

// orderPart is the ORDER BY part of a stored row's key.
func orderPart(row []byte) []byte {
	return row[rankHeader : rankHeader+int(binary.LittleEndian.Uint32(row[24:]))]
}

// rowPart are the columns of a stored row.
func rowPart(row []byte) []byte {
	return row[rankHeader+int(binary.LittleEndian.Uint32(row[24:])):]
}

// before reports whether the entry e comes before (group, key), whose prefix is given.
func (t *orderTree) before(e *orderEntry, group, prefix uint64, key []byte) bool {
	switch {
	case e.group != group:
		return e.group < group
	case e.prefix != prefix:
		return e.prefix < prefix
	default:
		return bytes.Compare(t.store.Get(e.ref)[rankHeader:], key) < 0
	}
}

// seek finds the first entry of a partition, or of a later one, whose key is not
// less. A nil key is less than any; group+1 with it finds the partition's end.
func (t *orderTree) seek(group uint64, key []byte) orderPos {
	prefix := keyPrefix(key)
	n := t.root
	for n.kids != nil {
		// The last kid whose first entry comes before, if there is one.
		lo, hi := 1, len(n.rows)
		for lo < hi {
			if mid := (lo + hi) / 2; t.before(&n.rows[mid], group, prefix, key) {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		n = n.kids[lo-1]
	}
	lo, hi := 0, len(n.rows)
	for lo < hi {
		if mid := (lo + hi) / 2; t.before(&n.rows[mid], group, prefix, key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return orderPos{n, lo}.settle()
}

// seekBehind finds the first entry behind those whose keys begin with order, an
// ORDER BY part. It writes beyond order's end.
func (t *orderTree) seekBehind(group uint64, order []byte) orderPos {
	return t.seek(group, append(order, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF)) // all of keyPrefix
}

// settle moves a place behind a leaf's last entry to the next leaf's first.
func (p orderPos) settle() orderPos {
	if p.leaf != nil && p.at == len(p.leaf.rows) {
		return orderPos{p.leaf.next, 0}
	}
	return p
}

// entry is the entry at p, nil behind the last.
func (p orderPos) entry() *orderEntry {
	if p.leaf == nil || p.at >= len(p.leaf.rows) {
		return nil
	}
	return &p.leaf.rows[p.at]
}

// after is the place after p, which has an entry.
func (p orderPos) after() orderPos { return orderPos{p.leaf, p.at + 1}.settle() }

// prior is the entry before p, nil if p is the first.
func (t *orderTree) prior(p orderPos) *orderEntry {
	leaf, at := p.leaf, p.at
	if leaf == nil {
		for leaf = t.root; leaf.kids != nil; {
			leaf = leaf.kids[len(leaf.kids)-1]
		}
		at = len(leaf.rows)
	}
	if at == 0 {
		if leaf = leaf.prev; leaf == nil {
			return nil
		}
		at = len(leaf.rows)
	}
	if at == 0 {
		return nil
	}
	return &leaf.rows[at-1]
}

// index is how many rows and heads come before p.
func (t *orderTree) index(p orderPos) (rows, heads int64) {
	if p.leaf == nil {
		return t.root.weight, t.root.heads
	}
	for i := range p.at {
		e := &p.leaf.rows[i]
		rows += e.weight
		if e.head {
			heads++
		}
	}
	for n := p.leaf; n.up != nil; n = n.up {
		for _, k := range n.up.kids {
			if k == n {
				break
			}
			rows, heads = rows+k.weight, heads+k.heads
		}
	}
	return rows, heads
}

// at finds the entry that row number i (from 0 on) is, and how many rows come
// before the entry.
func (t *orderTree) at(i int64) (p orderPos, first int64) {
	n := t.root
	if i >= n.weight {
		return orderPos{}, n.weight
	}
	for n.kids != nil {
		for _, k := range n.kids {
			if i < first+k.weight {
				n = k
				break
			}
			first += k.weight
		}
	}
	for at := range n.rows {
		if w := n.rows[at].weight; i < first+w {
			return orderPos{n, at}, first
		} else {
			first += w
		}
	}
	return orderPos{}, first
}

// atHead finds head number h (from 0 on).
func (t *orderTree) atHead(h int64) orderPos {
	n := t.root
	if h >= n.heads {
		return orderPos{}
	}
	for n.kids != nil {
		for _, k := range n.kids {
			if h < k.heads {
				n = k
				break
			}
			h -= k.heads
		}
	}
	for at := range n.rows {
		if n.rows[at].head {
			if h == 0 {
				return orderPos{n, at}
			}
			h--
		}
	}
	return orderPos{}
}

// find is the entry of a row, by its whole key; nil: it is not there.
func (t *orderTree) find(group uint64, key []byte) (orderPos, *orderEntry) {
	p := t.seek(group, key)
	e := p.entry()
	if e == nil || e.group != group || !bytes.Equal(t.store.Get(e.ref)[rankHeader:], key) {
		return p, nil
	}
	return p, e
}

// peers reports whether two entries (nil: none) are of one partition and agree in ORDER BY.
func (t *orderTree) peers(a, b *orderEntry) bool {
	return a != nil && b != nil && a.group == b.group && bytes.Equal(orderPart(t.store.Get(a.ref)), orderPart(t.store.Get(b.ref)))
}

// bump adds to the counts of a leaf and of all above.
func (n *orderNode) bump(weight, heads int64) {
	for ; n != nil; n = n.up {
		n.weight, n.heads, n.fold = n.weight+weight, n.heads+heads, nil
	}
}

// add changes how often the row at p is there, not to 0.
func (t *orderTree) add(p orderPos, w int64) {
	p.leaf.rows[p.at].weight += w
	p.leaf.bump(w, 0)
}

// insert puts the stored row r, which is not there yet, in at p, which seek gave for its key.
func (t *orderTree) insert(p orderPos, r state.Ref, weight int64, mark uint32) {
	row := t.store.Get(r)
	e := orderEntry{group: rankGroup(row), prefix: keyPrefix(row[rankHeader:]), ref: r, weight: weight, mark: mark}
	heads := int64(0)
	if e.head = !t.peers(t.prior(p), &e); e.head {
		heads = 1
		if next := p.entry(); t.peers(&e, next) {
			next.head = false
			p.leaf.bump(0, -1)
		}
	}
	leaf, at := p.leaf, p.at
	if at == 0 && (leaf == nil || leaf.prev != nil) { // rather at the end of the leaf before
		if leaf == nil {
			for leaf = t.root; leaf.kids != nil; {
				leaf = leaf.kids[len(leaf.kids)-1]
			}
		} else {
			leaf = leaf.prev
		}
		at = len(leaf.rows)
	}
	leaf.rows = slices.Insert(leaf.rows, at, e)
	leaf.bump(weight, heads)
	if at == 0 {
		leaf.refirst()
	}
	if len(leaf.rows) > leafRows {
		t.split(leaf)
	}
}

// refirst tells the nodes above what n's first entry is now.
func (n *orderNode) refirst() {
	for ; n.up != nil; n = n.up {
		k := n.up.kidAt(n)
		n.up.rows[k] = n.rows[0]
		if k > 0 {
			return
		}
	}
}

func (n *orderNode) kidAt(kid *orderNode) int { return slices.Index(n.kids, kid) }

// split parts a node that is too large.
func (t *orderTree) split(n *orderNode) {
	half := len(n.rows) / 2
	var m *orderNode
	if n.kids == nil {
		m = t.leaf()
		m.prev, m.next = n, n.next
		if n.next != nil {
			n.next.prev = m
		}
		n.next = m
	} else {
		m = t.inner()
		m.kids = append(m.kids, n.kids[half:]...)
		clear(n.kids[half:])
		n.kids = n.kids[:half]
		for _, k := range m.kids {
			k.up = m
		}
	}
	m.rows = append(m.rows, n.rows[half:]...)
	n.rows = n.rows[:half]
	m.count()
	n.weight, n.heads, n.fold = n.weight-m.weight, n.heads-m.heads, nil
	if n.up == nil {
		t.root = t.inner()
		t.root.kids, t.root.rows = append(t.root.kids, n), append(t.root.rows, n.rows[0])
		n.up = t.root
		t.root.weight, t.root.heads = n.weight+m.weight, n.heads+m.heads
	}
	up := n.up
	k := up.kidAt(n) + 1
	up.kids = slices.Insert(up.kids, k, m)
	up.rows = slices.Insert(up.rows, k, m.rows[0])
	m.up = up
	if len(up.kids) > innerKids {
		t.split(up)
	}
}

// count sets the node's counts from what it holds.
func (n *orderNode) count() {
	n.weight, n.heads, n.fold = 0, 0, nil
	if n.kids != nil {
		for _, k := range n.kids {
			n.weight, n.heads = n.weight+k.weight, n.heads+k.heads
		}
		return
	}
	for i := range n.rows {
		n.weight += n.rows[i].weight
		if n.rows[i].head {
			n.heads++
		}
	}
}

// remove takes the entry at p out.
func (t *orderTree) remove(p orderPos) {
	leaf := p.leaf
	e := leaf.rows[p.at]
	heads := int64(0)
	if e.head {
		heads = -1
		if q := p.after(); t.peers(&e, q.entry()) {
			q.entry().head = true
			q.leaf.bump(0, 1)
		}
	}
	leaf.rows = slices.Delete(leaf.rows, p.at, p.at+1)
	leaf.bump(-e.weight, heads)
	switch {
	case len(leaf.rows) == 0:
		t.drop(leaf)
	case p.at == 0:
		leaf.refirst()
		fallthrough
	default:
		t.join(leaf)
	}
}

// drop takes an empty node out of the tree, unless it is the root.
func (t *orderTree) drop(n *orderNode) {
	up := n.up
	if up == nil {
		if n.kids != nil {
			t.root = t.leaf()
		}
		return
	}
	if n.kids == nil {
		t.unlink(n)
	}
	k := up.kidAt(n)
	up.kids, up.rows = slices.Delete(up.kids, k, k+1), slices.Delete(up.rows, k, k+1)
	if len(up.kids) == 0 {
		t.account.Release(t.nodeBytes(innerKids))
		t.drop(up)
		return
	}
	if k == 0 {
		up.refirst()
	}
	t.shrink()
}

func (t *orderTree) unlink(n *orderNode) {
	t.account.Release(t.nodeBytes(leafRows))
	if n.prev != nil {
		n.prev.next = n.next
	}
	if n.next != nil {
		n.next.prev = n.prev
	}
}

// shrink takes off a root that has one kid.
func (t *orderTree) shrink() {
	for len(t.root.kids) == 1 {
		t.account.Release(t.nodeBytes(innerKids))
		t.root = t.root.kids[0]
		t.root.up = nil
	}
}

// join puts a node that has become small together with the next one of the same
// parent, if that is small too.
func (t *orderTree) join(n *orderNode) {
	size := leafRows
	if n.kids != nil {
		size = innerKids
	}
	if n.up == nil || len(n.rows) > size/4 {
		return
	}
	up := n.up
	k := up.kidAt(n) + 1
	if k == len(up.kids) || len(up.kids[k].rows) > size/2 {
		return
	}
	m := up.kids[k]
	n.rows = append(n.rows, m.rows...)
	n.weight, n.heads, n.fold = n.weight+m.weight, n.heads+m.heads, nil
	if n.kids == nil {
		t.unlink(m)
	} else {
		t.account.Release(t.nodeBytes(innerKids))
		for _, kid := range m.kids {
			kid.up = n
		}
		n.kids = append(n.kids, m.kids...)
	}
	up.kids, up.rows = slices.Delete(up.kids, k, k+1), slices.Delete(up.rows, k, k+1)
	t.shrink()
	if t.root != n {
		t.join(n.up)
	}
}

// rebuild fills the empty tree from the store.
func (t *orderTree) rebuild() {
	var all []orderEntry
	t.store.Scan(func(r state.Ref, row []byte) bool {
		all = append(all, orderEntry{group: rankGroup(row), prefix: keyPrefix(row[rankHeader:]), ref: r, weight: getInt(row)})
		return true
	})
	slices.SortFunc(all, func(a, b orderEntry) int {
		if t.before(&a, b.group, b.prefix, t.store.Get(b.ref)[rankHeader:]) {
			return -1
		}
		return 1
	})
	var nodes []*orderNode
	for lo := 0; lo < len(all); lo += leafRows * 3 / 4 {
		n := t.leaf()
		n.rows = append(n.rows, all[lo:min(lo+leafRows*3/4, len(all))]...)
		for i := range n.rows {
			n.rows[i].head = lo+i == 0 || !t.peers(&all[lo+i-1], &n.rows[i])
		}
		if len(nodes) > 0 {
			n.prev = nodes[len(nodes)-1]
			n.prev.next = n
		}
		n.count()
		nodes = append(nodes, n)
	}
	for len(nodes) > 1 {
		var above []*orderNode
		for lo := 0; lo < len(nodes); lo += innerKids * 3 / 4 {
			n := t.inner()
			for _, k := range nodes[lo:min(lo+innerKids*3/4, len(nodes))] {
				n.kids, n.rows, k.up = append(n.kids, k), append(n.rows, k.rows[0]), n
			}
			n.count()
			above = append(above, n)
		}
		nodes = above
	}
	if len(nodes) == 1 {
		t.root = nodes[0]
	}
}
