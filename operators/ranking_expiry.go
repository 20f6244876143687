package operators

import "streamsql/operators/state"

// expire makes partitions go when their time is over, if e says so.
func (r *ranking) expire(e *Expiry, partition []int) {
	r.expiry = newPartExpiry(e, partition, r.parts, r.env.Account)
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
	for {
		if budget--; budget < 0 {
			return More, nil
		}
		if r.dying == 0 {
			var err error
			if r.dying, err = r.expiry.next(r.batch); err != nil || r.dying == 0 {
				return Done, err
			}
		}
		p := r.tree.seek(uint64(r.dying), nil)
		if e := p.entry(); e != nil && e.group == uint64(r.dying) {
			ref := e.ref
			free(r.store.Get(ref))
			r.tree.remove(p)
			r.store.Free(ref)
			continue
		}
		r.expiry.end(r.dying)
		r.dying = 0
	}
}
