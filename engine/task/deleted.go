package task

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// deletions is catalog.DeletedColumn, of type t, for a block of an upsert stream's
// changelog, with all columns of the stream: a transaction's changes of a key are
// in one block, so that who is replaced finds its successor there.
func (o *Origin) deletions(c *batch.Chunk, t types.Type) *vector.Vector {
	if !o.Known || o.Key == nil || c.Weights == nil {
		return nulls(t, c.N)
	}
	var enc []byte
	key := func(i int) []byte {
		enc = enc[:0]
		for _, at := range o.Key {
			enc = state.AppendOrderedKey(enc, c.Cols[at], i, false)
		}
		return enc
	}
	come := map[string]bool{}
	for i := range c.N {
		if c.Weight(i) > 0 {
			come[string(key(i))] = true
		}
	}
	v := vector.New(t, c.N)
	for i := range c.N {
		if c.Weight(i) < 0 && !come[string(key(i))] {
			v.AppendInt(o.Before + o.Delay)
		} else {
			v.AppendNull()
		}
	}
	return v
}

// retractions is catalog.RetractedColumn, of type t, for such a block: of its rows
// before each, those that come move the watermark on.
func (o *Origin) retractions(c *batch.Chunk, t types.Type) *vector.Vector {
	if o.Key == nil || o.Time < 0 || c.Weights == nil {
		return nulls(t, c.N)
	}
	at, known, times := o.Before, o.Known, c.Cols[o.Time]
	v := vector.New(t, c.N)
	for i := range c.N {
		switch back := c.Weight(i) < 0; {
		case back && known:
			v.AppendInt(at)
			continue
		case !back && !times.IsNull(i):
			if mark := times.I[i] - o.Delay; !known || mark > at {
				at, known = mark, true
			}
		}
		v.AppendNull()
	}
	return v
}

func nulls(t types.Type, n int) *vector.Vector {
	v := vector.New(t, n)
	for range n {
		v.AppendNull()
	}
	return v
}
