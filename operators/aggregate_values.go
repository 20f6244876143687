package operators

import (
	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// entryForm is how a row's values lie in a multiset, so that the order of bytes
// is the order of the aggregate: what it orders by, in the form of
// state.AppendOrderedKey, then its values, in that of state.AppendOrdered.
type entryForm struct {
	call      agg.Call
	order     []int // columns
	orders    []types.Type
	values    []int
	types     []types.Type
	condition int // −1: none
	weights   []int64
	enc       []byte
}

func newEntryForm(c agg.Call, cols []int) entryForm {
	f := entryForm{call: c, condition: -1, values: cols[:len(c.Values())]}
	f.order = cols[len(f.values) : len(f.values)+len(c.Desc)]
	for _, e := range c.Values() {
		f.types = append(f.types, e.Type)
	}
	for _, e := range c.Order() {
		f.orders = append(f.orders, e.Type)
	}
	if c.Filtered {
		f.condition = cols[len(cols)-1]
	}
	return f
}

// encode gives the entry of row i, good until the next call; false: a value is
// NULL, which does not count.
func (f *entryForm) encode(in []*vector.Vector, i int) ([]byte, bool) {
	f.enc = f.enc[:0]
	for k, c := range f.order {
		f.enc = state.AppendOrderedKey(f.enc, in[c], i, f.call.Desc[k])
	}
	for _, c := range f.values {
		if in[c].IsNull(i) && !f.call.SeesNulls() {
			return nil, false
		}
		f.enc = state.AppendOrdered(f.enc, in[c], i, false)
	}
	return f.enc, true
}

// filtered are the weights of the rows lo … lo+n that FILTER leaves.
func (f *entryForm) filtered(in []*vector.Vector, lo, n int, weights []int64) []int64 {
	if f.condition < 0 {
		return weights
	}
	f.weights = agg.Filter(in[f.condition], lo, n, weights, f.weights)
	return f.weights
}

// skip returns the entry from its values on.
func (f *entryForm) skip(entry []byte) []byte { return f.skipOrder(entry, len(f.orders)) }

// skipOrder returns the entry without the first n of what it is ordered by.
func (f *entryForm) skipOrder(entry []byte, n int) []byte {
	for k, t := range f.orders[:n] {
		entry = state.SkipOrdered(entry, t, f.call.Desc[k])
	}
	return entry
}

// keptValues is what the aggregates with a multiset have in common.
type keptValues struct {
	entryForm
	kept *multiset
	at   int // of the state in the row
}

func newKeptValues(c agg.Call, cols []int, at int, a *account.Account, how ordering) keptValues {
	k := keptValues{entryForm: newEntryForm(c, cols), kept: newMultiset(a, how), at: at}
	if len(c.Desc) == 0 && !c.SeesNulls() {
		k.kept.flag = 1
	}
	return k
}

func (k *keptValues) multiset() *multiset { return k.kept }

func (k *keptValues) refreshes() bool { return true }

func (k *keptValues) add(groups []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	weights = k.filtered(in, lo, len(rows), weights)
	for i := range rows {
		w := weightAt(weights, lo+i)
		if w == 0 {
			continue
		}
		if entry, ok := k.encode(in, lo+i); ok {
			if _, err := k.kept.add(groups[i], entry, w); err != nil {
				return err
			}
		}
	}
	return nil
}
