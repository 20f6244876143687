package operators

import (
	"bytes"
	"encoding/binary"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/vector"
)

// endAggregate is the first or the last value of a group under retraction: MIN,
// MAX, ANY_VALUE, FIRST_VALUE, LAST_VALUE. Its state is the Ref of the value's
// row in the multiset, 0 if there is none.
type endAggregate struct{ keptValues }

func newEndAggregate(c agg.Call, cols []int, at int, a *account.Account) *endAggregate {
	return &endAggregate{newKeptValues(c, cols, at, a, ordered)}
}

func (e *endAggregate) size() int { return 8 }

func (e *endAggregate) refresh(group state.Ref, row []byte, _ func(uint16, string)) error {
	binary.LittleEndian.PutUint64(row[e.at:], uint64(e.kept.end(group, e.call.Last())))
	return nil
}

func (e *endAggregate) results(_ agg.Heap, values rows) results { return &endResults{e, values} }

type endResults struct {
	*endAggregate
	values rows
}

// AppendResult appends the values.
func (e *endResults) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, row := range rows {
		if r := state.Ref(binary.LittleEndian.Uint64(row[e.at:])); r == 0 {
			out.AppendNull()
		} else {
			state.DecodeOrdered(e.skip(e.values.Get(r)[multisetValue:]), out)
		}
	}
}

// oneAggregate is the first or the last value by an order of its own over
// append-only input: it keeps that one. Its state is the handle of the entry in
// the heap, 0 if there is none.
type oneAggregate struct {
	entryForm
	heap agg.Heap
	at   int
}

func newOneAggregate(c agg.Call, cols []int, at int, heap agg.Heap) *oneAggregate {
	return &oneAggregate{entryForm: newEntryForm(c, cols), heap: heap, at: at}
}

func (o *oneAggregate) size() int { return 8 }

func (o *oneAggregate) multiset() *multiset { return nil }

func (o *oneAggregate) refreshes() bool { return false }

func (o *oneAggregate) refresh(state.Ref, []byte, func(uint16, string)) error { return nil }

func (o *oneAggregate) add(_ []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	weights = o.filtered(in, lo, len(rows), weights)
	for i, row := range rows {
		if weightAt(weights, lo+i) <= 0 {
			continue
		}
		entry, ok := o.encode(in, lo+i)
		if !ok {
			continue
		}
		old := binary.LittleEndian.Uint64(row[o.at:])
		if old != 0 {
			if c := bytes.Compare(entry, o.heap.Get(old)); c == 0 || (c > 0) != o.call.Last() {
				continue
			}
		}
		h, err := o.heap.Put(entry)
		if err != nil {
			return err
		}
		if old != 0 {
			o.heap.Drop(old)
		}
		binary.LittleEndian.PutUint64(row[o.at:], h)
	}
	return nil
}

func (o *oneAggregate) results(heap agg.Heap, _ rows) results { return &oneResults{o, heap} }

type oneResults struct {
	*oneAggregate
	heap agg.Heap
}

// AppendResult appends the values.
func (o *oneResults) AppendResult(rows [][]byte, out *vector.Vector, _ func(int, error)) {
	for _, row := range rows {
		if h := binary.LittleEndian.Uint64(row[o.at:]); h == 0 {
			out.AppendNull()
		} else {
			state.DecodeOrdered(o.skip(o.heap.Get(h)), out)
		}
	}
}
