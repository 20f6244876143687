package operators

import (
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// asofGiven collects what an AsofJoin gives in a block.
type asofGiven struct {
	out   []types.Type
	left  int // how many columns are left's
	outer bool

	met    []int32     // rows of the chunk at hand …
	rights []state.Ref // … and of each the right row, 0: NULLs
	moves  []asofMove
}

// asofMove takes a left row's old pair back and gives a new one.
type asofMove struct {
	left, old, now state.Ref
	n              int64
}

func (g *asofGiven) meet(i int, right state.Ref) {
	if right != 0 || g.outer {
		g.met, g.rights = append(g.met, int32(i)), append(g.rights, right)
	}
}

func (g *asofGiven) repoint(left, old, now state.Ref, n int64) {
	g.moves = append(g.moves, asofMove{left, old, now, n})
}

// emitMet emits the left rows that came.
func (g *asofGiven) emitMet(right *orderedRows, c *batch.Chunk, emit func(*batch.Chunk)) {
	if len(g.met) == 0 {
		return
	}
	out := c.Gather(g.met)
	out.Cols = append(out.Cols, g.decodeRight(right)...)
	g.met, g.rights = g.met[:0], g.rights[:0]
	emit(out)
}

// emitMoved emits the changes of left rows of before.
func (g *asofGiven) emitMoved(side [2]*orderedRows, emit func(*batch.Chunk)) {
	if len(g.moves) == 0 {
		return
	}
	var lefts []state.Ref
	var weights []int64
	add := func(left, right state.Ref, w int64) {
		if right != 0 || g.outer {
			lefts, g.rights, weights = append(lefts, left), append(g.rights, right), append(weights, w)
		}
	}
	for _, m := range g.moves {
		add(m.left, m.old, -m.n)
		add(m.left, m.now, m.n)
	}
	g.moves = g.moves[:0]
	out := &batch.Chunk{Cols: newVectors(g.out[:g.left], len(lefts)), N: len(lefts), Weights: weights}
	for _, l := range lefts {
		side[0].decode(l, out.Cols)
	}
	out.Cols = append(out.Cols, g.decodeRight(side[1])...)
	g.rights = g.rights[:0]
	emit(out)
}

func (g *asofGiven) decodeRight(right *orderedRows) []*vector.Vector {
	cols := newVectors(g.out[g.left:], len(g.rights))
	for _, r := range g.rights {
		if r != 0 {
			right.decode(r, cols)
			continue
		}
		for _, v := range cols {
			v.AppendNull()
		}
	}
	return cols
}

// asofGroups finds the keys of both sides. A row: how many rows have the key, 8;
// its hash, 8; the key.
type asofGroups struct{ *index }

func newAsofGroups(g *grouping, a *account.Account) *asofGroups {
	return &asofGroups{newIndex(g, 16, a)}
}

// of is the group of row i of the open chunk; it is made if it is not there.
func (g *asofGroups) of(i int) (state.Ref, error) {
	r := g.find(i)
	if r != 0 {
		return r, nil
	}
	r, err := g.add(i)
	if err == nil {
		putInt(g.store.Mutable(r)[8:], int64(g.hashes[i]))
	}
	return r, err
}

// count adds n to how many rows have the key, which goes with the last of them.
func (g *asofGroups) count(r state.Ref, n int64) {
	row := g.store.Mutable(r)
	putInt(row, getInt(row)+n)
	if getInt(row) == 0 {
		g.remove(uint64(getInt(row[8:])), r)
	}
}
