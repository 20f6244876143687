package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// expire makes partitions go when their time is over, if e says so.
func (r *ranking) expire(e *Expiry, partition []int) {
	if e == nil {
		return
	}
	r.time, r.timeKey = e.Col, slices.Index(partition, e.Col)
	r.times = newVectors(r.parts.types, 1)
	// Many partitions have one time: that of a window.
	r.expiry = newExpiring(e.Watermark, 1, r.timeOf, r.env.Account)
}

// timeOf reads the time of a partition; false: it is not there any more.
func (r *ranking) timeOf(part state.Ref) (int64, bool) {
	if !r.parts.store.Has(part) {
		return 0, false
	}
	resetVectors(r.times)
	r.parts.codec.Decode([][]byte{r.parts.store.Get(part)[partHeader:]}, r.times)
	v := r.times[r.timeKey]
	return v.I[0], !v.IsNull(0)
}

// live is c without the rows of partitions that are over already; nil: none is left.
func (r *ranking) live(c *batch.Chunk) *batch.Chunk {
	if r.expiry == nil {
		return c
	}
	return r.expiry.live(c, r.time)
}

// states are the partitions, the rows, and what has expired.
func (r *ranking) states() []*state.Store {
	list := []*state.Store{r.parts.store, r.store}
	if r.expiry != nil {
		list = append(list, r.expiry.over.store)
	}
	return list
}

// dropOver, at the end of a batch, lets partitions go whose time is over, about
// budget rows. free is called for each row that goes.
func (r *ranking) dropOver(budget int, free func(row []byte)) (Status, error) {
	if r.expiry == nil {
		return Done, nil
	}
	if !r.advanced {
		if err := r.expiry.advance(r.batch); err != nil {
			return Done, err
		}
		r.advanced = true
	}
	for {
		if budget--; budget < 0 {
			return More, nil
		}
		if r.dying == 0 {
			due := r.expiry.next(1)
			if len(due) == 0 {
				return Done, nil
			}
			r.dying = due[0]
		}
		p := r.tree.seek(uint64(r.dying), nil)
		if e := p.entry(); e != nil && e.group == uint64(r.dying) {
			ref := e.ref
			free(r.store.Get(ref))
			r.tree.remove(p)
			r.store.Free(ref)
			continue
		}
		resetVectors(r.times)
		r.parts.codec.Decode([][]byte{r.parts.store.Get(r.dying)[partHeader:]}, r.times)
		r.parts.remove(r.parts.hashOf(r.times), r.dying)
		r.dying = 0
	}
}
