package operators

import (
	"encoding/binary"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// aggregate is one aggregate of a Merge: its state in the group's row and, for
// what needs to see each value, a multiset beside it.
type aggregate struct {
	agg.State
	call    agg.Call
	partial bool
	values  *multiset // DISTINCT; MIN and MAX under retraction
	extreme bool      // MIN or MAX under retraction: the state is the Ref of the value's row
	at      int       // of the state in the row
	cols    []int

	weights []int64 // scratch
	enc     []byte
}

// newAggregate makes the aggregate whose state lies at at. cols are the columns
// of its arguments or partials.
func newAggregate(c agg.Call, cols []int, at int, spec AggSpec, heap agg.Heap, a *account.Account) (*aggregate, error) {
	g := &aggregate{call: c, partial: spec.Partial, at: at, cols: cols}
	if c.Distinct || c.Fn == "min" || c.Fn == "max" {
		for _, e := range c.Args {
			if err := checkKeys([]types.Type{e.Type}); err != nil {
				return nil, err
			}
		}
	}
	if (c.Fn == "min" || c.Fn == "max") && !agg.Splits(c, spec.AppendOnly) {
		g.values, g.extreme = newMultiset(a, true), true
		return g, nil
	}
	if c.Distinct {
		g.values = newMultiset(a, false)
	}
	var err error
	g.State, err = agg.New(c, cols, at, heap)
	return g, err
}

func (g *aggregate) size() int {
	if g.extreme {
		return 8
	}
	return g.Size()
}

// add takes rows in; groups[i] is the group of row lo+i, rows[i] its row.
func (g *aggregate) add(groups []state.Ref, rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	switch {
	case g.partial:
		return g.AddPartial(rows, in, lo)
	case g.values == nil:
		return g.Add(rows, in, lo, weights)
	}
	if need := lo + len(rows); cap(g.weights) < need {
		g.weights = make([]int64, need)
	}
	change := g.weights[:lo+len(rows)]
	for i := range rows {
		w := int64(1)
		if weights != nil {
			w = weights[lo+i]
		}
		change[lo+i] = 0
		if !g.encode(in, lo+i) {
			continue
		}
		var err error
		if change[lo+i], err = g.values.add(groups[i], g.enc, w); err != nil {
			return err
		}
	}
	if g.extreme {
		return nil
	}
	return g.Add(rows, in, lo, change)
}

// encode puts the arguments of row i into enc; false: one is NULL, which no aggregate counts.
func (g *aggregate) encode(in []*vector.Vector, i int) bool {
	g.enc = g.enc[:0]
	for _, c := range g.cols {
		if in[c].IsNull(i) {
			return false
		}
		if g.extreme {
			g.enc = state.AppendOrdered(g.enc, in[c], i, false)
		} else {
			g.enc = state.AppendOrderedKey(g.enc, in[c], i, false)
		}
	}
	return true
}

// refresh brings the row of a group up to date with its multiset.
func (g *aggregate) refresh(group state.Ref, row []byte) {
	if g.extreme {
		binary.LittleEndian.PutUint64(row[g.at:], uint64(g.values.end(group, g.call.Fn == "max")))
	}
}

// appendResult appends the results of groups to out.
func (g *aggregate) appendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	if !g.extreme {
		g.AppendResult(rows, out, fail)
		return
	}
	for _, row := range rows {
		if r := state.Ref(binary.LittleEndian.Uint64(row[g.at:])); r == 0 {
			out.AppendNull()
		} else {
			state.DecodeOrdered(g.values.value(r), out)
		}
	}
}
