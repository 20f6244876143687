package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// overPart is a partition of an Over that is worked on. Indexes of rows count
// from its first row on; a row of the tree is one row.
type overPart struct {
	*ranking
	group uint64
	first int64 // rows of the tree before it
	n     int64 // rows
	heads int64 // heads before it
	tops  int64 // heads in it

	blocks [16]rowBlock
	peers  peerGroup
}

// rowBlock is a piece of blockSize rows of the partition, decoded.
type rowBlock struct {
	at    int64 // index of its first row; −1: unused
	refs  []state.Ref
	rows  [][]byte // columns, in the form of state.AppendOrdered
	chunk *batch.Chunk
}

const blockSize = 64

// peerGroup are the rows from lo to hi, group number dense from 0 on.
type peerGroup struct{ lo, hi, dense int64 }

// enter goes to a partition.
func (p *overPart) enter(group uint64) {
	p.group = group
	p.first, p.heads = p.tree.index(p.tree.seek(group, nil))
	end, tops := p.tree.index(p.tree.seek(group+1, nil))
	p.n, p.tops = end-p.first, tops-p.heads
	p.peers = peerGroup{}
	for i := range p.blocks {
		p.blocks[i].at = -1
	}
}

// block is the piece that has row i, and where the row is in it.
func (p *overPart) block(i int64) (*rowBlock, int) {
	at := i - i%blockSize
	b := &p.blocks[at/blockSize%int64(len(p.blocks))]
	if b.at == at {
		return b, int(i - at)
	}
	b.at, b.refs, b.rows = at, b.refs[:0], b.rows[:0]
	pos, _ := p.tree.at(p.first + at)
	for k := at; k < min(at+blockSize, p.n); k++ {
		e := pos.entry()
		b.refs, b.rows = append(b.refs, e.ref), append(b.rows, rowPart(p.store.Get(e.ref)))
		pos = pos.after()
	}
	b.chunk = batch.New(p.input, len(b.rows))
	decodeOrdered(b.rows, b.chunk.Cols)
	b.chunk.N = len(b.rows)
	return b, int(i - at)
}

// of is the group of peers of row i.
func (p *overPart) of(i int64) peerGroup {
	if i >= p.peers.lo && i < p.peers.hi {
		return p.peers
	}
	pos, _ := p.tree.at(p.first + i)
	_, heads := p.tree.index(pos)
	if !pos.entry().head {
		heads--
	}
	d := heads - p.heads
	p.peers = peerGroup{p.head(d), p.head(d + 1), d}
	return p.peers
}

// head is where group number d begins; the end if there is none, 0 for one before the first.
func (p *overPart) head(d int64) int64 {
	switch {
	case d <= 0:
		return 0
	case d >= p.tops:
		return p.n
	}
	at, _ := p.tree.index(p.tree.atHead(p.heads + d))
	return at - p.first
}

// index is where the first row is whose key is not less.
func (p *overPart) index(key []byte) int64 {
	at, _ := p.tree.index(p.tree.seek(p.group, key))
	return at - p.first
}

// orderOf is the ORDER BY part of row i's key.
func (p *overPart) orderOf(i int64) []byte {
	pos, _ := p.tree.at(p.first + i)
	return orderPart(p.store.Get(pos.entry().ref))
}

// behind is where the first row is whose ORDER BY part is greater. It writes behind order.
func (p *overPart) behind(order []byte) int64 {
	at, _ := p.tree.index(p.tree.seekBehind(p.group, order))
	return at - p.first
}

// frameOf finds the rows of a frame, for one row after the other.
type frameOf struct {
	Frame
	desc bool // of a RANGE

	peers  peerGroup // of the row before
	lo, hi int64     // and its frame, but of FrameRows
	key    []byte
}

// begin goes to another partition.
func (f *frameOf) begin() { f.peers = peerGroup{lo: -1} }

// rows are those that row i sees, from lo to hi.
func (f *frameOf) rows(p *overPart, i int64) (lo, hi int64) {
	if f.Unit == FrameRows {
		return min(max(f.offset(f.Start, i, p.n), 0), p.n), min(max(f.offset(f.End, i, p.n-1)+1, 0), p.n)
	}
	if g := p.of(i); g != f.peers {
		f.peers = g
		f.lo, f.hi = f.edge(p, f.Start, i, g, true), f.edge(p, f.End, i, g, false)
	}
	return f.lo, f.hi
}

func (f *frameOf) offset(b Bound, i, last int64) int64 {
	switch b.Kind {
	case UnboundedPreceding:
		return 0
	case Preceding:
		return i - b.N
	case Following:
		return i + min(b.N, unlimited)
	case UnboundedFollowing:
		return last
	}
	return i
}

// edge is where the frame of a group of peers begins or, exclusive, ends.
func (f *frameOf) edge(p *overPart, b Bound, i int64, g peerGroup, start bool) int64 {
	switch {
	case b.Kind == UnboundedPreceding:
		return 0
	case b.Kind == UnboundedFollowing:
		return p.n
	case b.Kind == CurrentRow && start:
		return g.lo
	case b.Kind == CurrentRow:
		return g.hi
	case f.Unit == FrameGroups:
		d := g.dense - b.N
		if b.Kind == Following {
			d = g.dense + b.N
		}
		if !start {
			d++
		}
		return p.head(min(d, p.tops))
	}
	block, at := p.block(i)
	key, beyond := f.boundKey(p.ranking, block.rows[at], b)
	switch {
	case beyond && b.Kind == Preceding && f.desc:
		return 0
	case beyond && b.Kind == Preceding:
		return p.index([]byte{1}) // the first that is not NULL
	case beyond && f.desc:
		return p.index([]byte{0xFF}) // the first NULL
	case beyond:
		return p.n
	case start:
		return p.index(key)
	default:
		return p.behind(key)
	}
}

// boundKey is what the ORDER BY part of keys is compared with for a bound of a
// RANGE, of a row. beyond: the value is out of what its type can hold.
func (f *frameOf) boundKey(r *ranking, row []byte, b Bound) (key []byte, beyond bool) {
	value := r.column(row, b.Col)
	if value[0] == 0 && r.column(row, r.order[0].Col)[0] != 0 {
		return nil, true
	}
	f.key = append(f.key[:0], value...)
	if f.desc {
		for k := range f.key {
			f.key[k] ^= 0xFF
		}
	}
	return f.key, false
}
