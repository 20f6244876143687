package operators

import (
	"bytes"

	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// net puts the equal rows of a batch together, for an operator that must know
// what a batch changes in all before it acts on any of it. It holds them in a
// store, whose memory is accounted for. A row: how often, 8; its hash, 8; the row encoded.
type net struct {
	types []types.Type
	codec *state.Codec
	store *state.Store
	table *state.Table
	refs  []state.Ref // in the order in which the rows first came
	given int         // of refs

	all    []int
	hashes []uint64
	enc    []byte
	bytes  [][]byte
}

const netRow = 16 // where the row begins

func newNet(ts []types.Type, a *account.Account) *net {
	return &net{types: ts, codec: state.NewCodec(ts), store: state.NewStore(a), table: state.NewTable(a), all: positions(len(ts))}
}

// add takes the rows lo … hi of a chunk in.
func (n *net) add(c *batch.Chunk, lo, hi int) error {
	if lo == 0 {
		n.hashes = state.HashRows(c.Cols, n.all, c.N, n.hashes)
	}
	for i := lo; i < hi; i++ {
		n.enc = n.codec.Append(n.enc[:0], c.Cols, i)
		h := n.hashes[i]
		r := n.table.Find(h, func(r state.Ref) bool { return bytes.Equal(n.store.Get(r)[netRow:], n.enc) })
		if r == 0 {
			var err error
			if r, err = n.store.Alloc(netRow + len(n.enc)); err != nil {
				return err
			}
			row := n.store.Mutable(r)
			putInt(row, 0)
			putInt(row[8:], int64(h))
			copy(row[netRow:], n.enc)
			n.table.Insert(h, r)
			n.refs = append(n.refs, r)
		}
		row := n.store.Mutable(r)
		putInt(row, getInt(row)+c.Weight(i))
	}
	return nil
}

// next gives at most limit of the rows that are left over, and forgets them; nil:
// there are no more.
func (n *net) next(limit int) *batch.Chunk {
	n.bytes = n.bytes[:0]
	var weights []int64
	from := n.given
	for n.given < len(n.refs) && len(weights) < limit {
		row := n.store.Get(n.refs[n.given])
		n.given++
		if w := getInt(row); w != 0 {
			n.bytes, weights = append(n.bytes, row[netRow:]), append(weights, w)
		}
	}
	var out *batch.Chunk
	if len(weights) > 0 {
		out = &batch.Chunk{Cols: newVectors(n.types, len(weights)), N: len(weights), Weights: weights}
		n.codec.Decode(n.bytes, out.Cols)
	}
	for _, r := range n.refs[from:n.given] {
		n.table.Delete(uint64(getInt(n.store.Get(r)[8:])), r)
		n.store.Free(r)
	}
	if n.given == len(n.refs) {
		n.refs, n.given = n.refs[:0], 0
	}
	return out
}
