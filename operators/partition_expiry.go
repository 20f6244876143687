package operators

import (
	"slices"

	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// partExpiry lets partitions go when the time among their columns is over. Many
// partitions have one time: that of a window.
type partExpiry struct {
	*expiring
	parts    *index
	col      int // of the input
	key      int // its number among the partition's columns
	decoded  []*vector.Vector
	advanced bool // of the batch
}

// newPartExpiry makes that of e, nil if e is nil.
func newPartExpiry(e *Expiry, partition []int, parts *index, a *account.Account) *partExpiry {
	if e == nil {
		return nil
	}
	x := &partExpiry{parts: parts, col: e.Col, key: slices.Index(partition, e.Col), decoded: newVectors(parts.types, 1)}
	x.expiring = newExpiring(e.Watermark, 1, x.time, a)
	x.shrinks = e.Shrinks
	return x
}

// time is that of a partition; false: it is not there any more.
func (x *partExpiry) time(part state.Ref) (int64, bool) {
	if !x.parts.store.Has(part) {
		return 0, false
	}
	x.decode(part)
	v := x.decoded[x.key]
	return v.I[0], !v.IsNull(0)
}

func (x *partExpiry) decode(part state.Ref) {
	resetVectors(x.decoded)
	x.parts.codec.Decode([][]byte{x.parts.store.Get(part)[x.parts.keyAt:]}, x.decoded)
}

// live is c without the rows of partitions that are over already; nil: none is left.
func (x *partExpiry) live(c *batch.Chunk) *batch.Chunk {
	if x == nil {
		return c
	}
	return x.expiring.live(c, x.col)
}

// end takes a partition that is over out.
func (x *partExpiry) end(part state.Ref) {
	x.decode(part)
	x.parts.remove(x.parts.hashOf(x.decoded), part)
}

// next is a partition that is over after b; 0: none is left. It is to be ended
// before next is asked again.
func (x *partExpiry) next(b *Batch) (state.Ref, error) {
	if !x.advanced {
		if err := x.advance(b); err != nil {
			return 0, err
		}
		x.advanced = true
	}
	if due := x.expiring.next(1); len(due) > 0 {
		return due[0], nil
	}
	return 0, nil
}
