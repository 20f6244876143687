package operators

import (
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/vector"
)

// mergeExpiry forgets groups whose time is over: that of a key, or of a result.
// The rows that they have given stay with whoever took them.
type mergeExpiry struct {
	*expiring
	m       *Merge
	col     int // of the output
	input   int // the column of the input that has the time; −1: none has
	value   *vector.Vector
	one     [][]byte
	leaving []state.Ref // the groups being dropped, a block
	emptied int         // of leaving: their values are gone

	keys   [][]byte // scratch of end
	cols   []*vector.Vector
	hashes []uint64
}

func newMergeExpiry(m *Merge, e Expiry) *mergeExpiry {
	x := &mergeExpiry{m: m, col: e.Col, input: -1, value: vector.New(m.out[e.Col], 1), one: make([][]byte, 1), cols: newVectors(m.index.types, blockRows)}
	x.expiring = newExpiring(e.Watermark, 1, x.time, m.env.Account)
	x.shrinks = e.Shrinks
	if e.Col < len(m.spec.Keys) {
		x.input = m.spec.Keys[e.Col]
	} else {
		x.moves = true
	}
	return x
}

// time is that of a group; a result only has one at the end of a batch.
func (x *mergeExpiry) time(r state.Ref) (int64, bool) {
	s := x.m.index.store
	if !s.Has(r) {
		return 0, false
	}
	row := s.Get(r)
	if x.input >= 0 {
		return x.m.index.codec.Int(row[x.m.fixed:], x.col)
	}
	return x.resultIn(row)
}

// resultIn is the time that a group's row has for a result.
func (x *mergeExpiry) resultIn(row []byte) (int64, bool) {
	x.value.Reset()
	x.one[0] = row
	x.m.read[x.col-len(x.m.spec.Keys)].AppendResult(x.one, x.value, func(int, error) {})
	if x.value.IsNull(0) {
		return 0, false
	}
	return x.value.I[0], true
}

// changed notes a group that a batch has changed. That its time is a later one is
// seen when the one before is over; an earlier one is seen here, where rows can go.
func (x *mergeExpiry) changed(r state.Ref, before []byte) {
	if !x.moves || x.m.spec.AppendOnly || x.m.spec.Whole {
		return
	}
	was, ok := x.resultIn(before)
	if now, is := x.time(r); is && (!ok || now < was) {
		x.addAt(r, now)
	}
}

// drop ends at most about budget values and groups that are over; 0: none is left.
func (x *mergeExpiry) drop(budget int) (n int) {
	for n < budget {
		if len(x.leaving) == 0 {
			x.leaving, x.emptied = x.next(min(budget-n, blockRows)), 0
			if len(x.leaving) == 0 {
				break
			}
		}
		for ; x.emptied < len(x.leaving) && x.keepsValues(); x.emptied++ {
			if n += x.dropValues(x.leaving[x.emptied], budget-n); n >= budget {
				return n
			}
		}
		n += len(x.leaving)
		x.end(x.leaving)
		x.leaving = nil
	}
	return n
}

// keepsValues reports that groups have rows beside their own.
func (x *mergeExpiry) keepsValues() bool {
	for _, a := range x.m.aggs {
		if a.multiset() != nil {
			return true
		}
	}
	return len(x.m.seen) > 0
}

// dropValues ends at most n values of a group, and returns how many.
func (x *mergeExpiry) dropValues(group state.Ref, n int) (did int) {
	for _, a := range x.m.aggs {
		if v := a.multiset(); v != nil && did < n {
			did += v.dropGroup(group, n-did)
		}
	}
	for _, d := range x.m.seen {
		if did < n {
			did += d.dropGroup(group, n-did)
		}
	}
	return did
}

// end takes groups out, at most blockRows of them.
func (x *mergeExpiry) end(groups []state.Ref) {
	x.keys = x.keys[:0]
	for _, r := range groups {
		row := x.m.index.store.Get(r)
		for _, a := range x.m.aggs {
			if h := a.handle(row); h != 0 {
				x.m.heap.Drop(h)
			}
		}
		x.keys = append(x.keys, row[x.m.fixed:])
	}
	resetVectors(x.cols)
	x.m.index.codec.Decode(x.keys, x.cols)
	x.hashes = x.m.index.hashesOf(x.cols, positions(len(x.cols)), len(groups), x.hashes)
	x.m.index.removeAll(x.hashes, groups)
}

// dropGroup ends at most n rows of a group, and returns how many.
func (m *multiset) dropGroup(group state.Ref, n int) int {
	for k := range n {
		var r state.Ref
		switch {
		case m.ranks == nil:
			r = m.end(group, false)
		case m.ranks.total(group) > 0:
			r = m.ranks.at(group, 0)
		}
		if r == 0 {
			return k
		}
		row := m.store.Mutable(r)
		count := getInt(row)
		putInt(row, 0)
		m.place(row, r, -count)
		m.table.Delete(multisetHash(group, row[multisetValue:]), r)
		m.store.Free(r)
	}
	return n
}

func (t *totalAggregate) handle(row []byte) uint64 { return agg.Handle(t.State, row) }
func (k *keptValues) handle([]byte) uint64         { return 0 }
func (o *oneAggregate) handle(row []byte) uint64   { return uint64(getInt(row[o.at:])) }

func (l *listAggregate) handle(row []byte) uint64 {
	if h := uint64(getInt(row[l.at:])); h > nullMember {
		return h
	}
	return 0
}
