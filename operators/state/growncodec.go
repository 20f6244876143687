package state

import (
	"bytes"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// growth is columns that were added to rows of which there were some already. Their
// values stand behind the rest of the row, as a row of their own. A row in which they and
// all that was added later have their initial values ends before them: so rows that were
// written before are as they would be written now, and equal rows give equal bytes.
type growth struct {
	codec   *Codec
	first   int              // the first of the columns
	initial []*vector.Vector // of one row each
	encoded []byte           // the initial values
}

// Grow is the codec of rows with further columns behind those of c, where rows that c
// encoded have the values initial, vectors of one row. It is for whole rows, not for keys.
func (c *Codec) Grow(initial []*vector.Vector) *Codec {
	g := growth{first: len(c.Types), initial: initial}
	ts := make([]types.Type, len(initial))
	for k, v := range initial {
		ts[k] = v.Type
	}
	g.codec = NewCodec(ts)
	g.encoded = g.codec.Append(nil, initial, 0)
	next := *c
	next.Types = append(append([]types.Type(nil), c.Types...), ts...)
	next.grown = append(append([]growth(nil), c.grown...), g)
	return &next
}

// Grown reports a codec of rows that may end early: one can be the beginning of another.
func (c *Codec) Grown() bool { return len(c.grown) > 0 }

// Growths counts how often the codec has grown.
func (c *Codec) Growths() int { return len(c.grown) }

// appendGrown appends what was added to row i of cols, without what has its initial
// values at the end.
func (c *Codec) appendGrown(dst []byte, cols []*vector.Vector, i int) []byte {
	end := len(dst)
	for _, g := range c.grown {
		start := len(dst)
		dst = g.codec.Append(dst, cols[g.first:g.first+len(g.initial)], i)
		if !bytes.Equal(dst[start:], g.encoded) {
			end = len(dst)
		}
	}
	return dst[:end]
}

// decodeGrown appends what was added to rows to cols.
func (c *Codec) decodeGrown(rows [][]byte, cols []*vector.Vector) {
	rest := make([][]byte, len(rows))
	for i, row := range rows {
		rest[i] = row[c.baseLen(row):]
	}
	for _, g := range c.grown {
		parts := make([][]byte, len(rest))
		for i, b := range rest {
			if len(b) == 0 {
				parts[i] = g.encoded
				continue
			}
			n := g.codec.baseLen(b)
			parts[i], rest[i] = b[:n], b[n:]
		}
		g.codec.Decode(parts, cols[g.first:g.first+len(g.initial)])
	}
}
