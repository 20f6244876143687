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
	col     int       // of the output
	input   int       // the column of the input that has the time; −1: none has
	leaving state.Ref // the group being dropped
	value   *vector.Vector
	one     [][]byte
}

func newMergeExpiry(m *Merge, e Expiry) *mergeExpiry {
	x := &mergeExpiry{m: m, col: e.Col, input: -1, value: vector.New(m.out[e.Col], 1), one: make([][]byte, 1)}
	x.expiring = newExpiring(e.Watermark, 1, x.time, m.env.Account)
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
	x.value.Reset()
	x.one[0] = row
	x.m.read[x.col-len(x.m.spec.Keys)].AppendResult(x.one, x.value, func(int, error) {})
	if x.value.IsNull(0) {
		return 0, false
	}
	return x.value.I[0], true
}

// drop ends at most about budget values and groups that are over; 0: none is left.
func (x *mergeExpiry) drop(budget int) (n int) {
	for n < budget {
		if x.leaving == 0 {
			due := x.next(1)
			if due == nil {
				break
			}
			x.leaving = due[0]
		}
		for _, a := range x.m.aggs {
			if v := a.multiset(); v != nil && n < budget {
				n += v.dropGroup(x.leaving, budget-n)
			}
		}
		for _, d := range x.m.seen {
			if n < budget {
				n += d.dropGroup(x.leaving, budget-n)
			}
		}
		if n >= budget {
			break
		}
		row := x.m.index.store.Get(x.leaving)
		for _, a := range x.m.aggs {
			if h := a.handle(row); h != 0 {
				x.m.heap.Drop(h)
			}
		}
		x.m.index.remove(x.hash(row), x.leaving)
		x.leaving = 0
		n++
	}
	return n
}

// hash is that of a group's key.
func (x *mergeExpiry) hash(row []byte) uint64 {
	cols := newVectors(x.m.index.types, 1)
	x.one[0] = row[x.m.fixed:]
	x.m.index.codec.Decode(x.one, cols)
	return x.m.index.hashOf(cols)
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
