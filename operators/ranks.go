package operators

import (
	"streamsql/operators/account"
	"streamsql/operators/state"
)

// ranks is an ordered tree of the values of a multiset that knows how many
// values, each as often as it is there, stand before any place: so the k-th value
// of a group is found in the logarithm of all.
//
// It is a treap (Seidel and Aragon): ordered by entry, and by a priority that
// hashes the entry's row a heap, which keeps it flat. Nodes lie in one slice; node
// 0 is none.
type ranks struct {
	account *account.Account
	less    func(a, b treeEntry) bool
	nodes   []rankNode
	free    []uint32
	root    uint32
}

type rankNode struct {
	entry       treeEntry
	n           int64 // how often the value is there
	sum         int64 // n of this node and all below it
	left, right uint32
	priority    uint32
}

const rankNodeBytes = 56

func newRanks(a *account.Account, less func(a, b treeEntry) bool) *ranks {
	return &ranks{account: a, less: less, nodes: make([]rankNode, 1)}
}

// add counts an entry n times more; one that is counted 0 times is gone.
func (t *ranks) add(e treeEntry, n int64) { t.root = t.insert(t.root, e, n) }

// insert adds to the tree under k and returns its new root.
func (t *ranks) insert(k uint32, e treeEntry, n int64) uint32 {
	if k == 0 {
		return t.make(e, n)
	}
	switch entry := t.nodes[k].entry; {
	case t.less(e, entry):
		below := t.insert(t.nodes[k].left, e, n)
		t.nodes[k].left = below
		if below != 0 && t.nodes[below].priority > t.nodes[k].priority {
			t.nodes[k].left, t.nodes[below].right = t.nodes[below].right, k
			t.count(k)
			k = below
		}
	case t.less(entry, e):
		below := t.insert(t.nodes[k].right, e, n)
		t.nodes[k].right = below
		if below != 0 && t.nodes[below].priority > t.nodes[k].priority {
			t.nodes[k].right, t.nodes[below].left = t.nodes[below].left, k
			t.count(k)
			k = below
		}
	default:
		if t.nodes[k].n += n; t.nodes[k].n == 0 {
			joined := t.join(t.nodes[k].left, t.nodes[k].right)
			t.free = append(t.free, k)
			t.account.Release(rankNodeBytes)
			return joined
		}
	}
	t.count(k)
	return k
}

func (t *ranks) make(e treeEntry, n int64) uint32 {
	node := rankNode{entry: e, n: n, sum: n, priority: uint32(state.HashInt(int64(e.row)) >> 32)}
	t.account.Force(rankNodeBytes)
	if last := len(t.free) - 1; last >= 0 {
		k := t.free[last]
		t.free = t.free[:last]
		t.nodes[k] = node
		return k
	}
	t.nodes = append(t.nodes, node)
	return uint32(len(t.nodes) - 1)
}

// join makes one tree of two, of which all of a comes before all of b.
func (t *ranks) join(a, b uint32) uint32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case t.nodes[a].priority > t.nodes[b].priority:
		t.nodes[a].right = t.join(t.nodes[a].right, b)
		t.count(a)
		return a
	default:
		t.nodes[b].left = t.join(a, t.nodes[b].left)
		t.count(b)
		return b
	}
}

func (t *ranks) count(k uint32) {
	x := &t.nodes[k]
	x.sum = x.n + t.nodes[x.left].sum + t.nodes[x.right].sum
}

// before is how many values the groups before one have.
func (t *ranks) before(group uint64) int64 {
	n := int64(0)
	for k := t.root; k != 0; {
		x := &t.nodes[k]
		if x.entry.group >= group {
			k = x.left
			continue
		}
		n += x.n + t.nodes[x.left].sum
		k = x.right
	}
	return n
}

// total is how many values a group has.
func (t *ranks) total(group state.Ref) int64 {
	return t.before(uint64(group)+1) - t.before(uint64(group))
}

// at is the row of the value number i, from 0, of a group, which has it.
func (t *ranks) at(group state.Ref, i int64) state.Ref {
	i += t.before(uint64(group))
	for k := t.root; ; {
		x := &t.nodes[k]
		left := t.nodes[x.left].sum
		switch {
		case i < left:
			k = x.left
		case i < left+x.n:
			return x.entry.row
		default:
			i -= left + x.n
			k = x.right
		}
	}
}
