package operators

import (
	"encoding/binary"
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// WindowFunc names a window function.
type WindowFunc uint8

// The window functions.
const (
	WindowAggregate WindowFunc = iota // Call, over the frame
	WindowRowNumber
	WindowRank
	WindowDenseRank
	WindowPercentRank
	WindowCumeDist
	WindowNtile // N tiles
	WindowLag   // N rows before; Args[1], if there is one, where there is no such row
	WindowLead  // N rows after
	WindowFirst // of the frame
	WindowLast
	WindowNth // row N of the frame, from 1 on
)

// FrameUnit is what the bounds of a frame count.
type FrameUnit uint8

// The units.
const (
	FrameRows FrameUnit = iota
	FrameRange
	FrameGroups
)

// BoundKind is where a frame begins or ends, in the order of the rows.
type BoundKind uint8

// The bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow // with its peers, unless the unit is rows
	Following
	UnboundedFollowing
)

// Bound is one end of a frame. N counts rows or groups; for a range, column Col of
// the row is the value that the ORDER BY column is compared with.
type Bound struct {
	Kind BoundKind
	N    int64
	Col  int
}

// Frame is which rows of the partition a function sees.
type Frame struct {
	Unit       FrameUnit
	Start, End Bound
}

// OverFunc is one window function. Arguments are columns.
type OverFunc struct {
	Func  WindowFunc
	Call  agg.Call
	Args  []int
	N     int64
	Frame Frame
	Type  types.Type
}

// OverSpec adds a column for each function to the rows of the input. Rows are
// ordered as a TopN does.
type OverSpec struct {
	Input     []types.Type
	Partition []int
	Order     []OrderKey
	Funcs     []OverFunc
	// Expiry, of a column of the partition, says when partitions are over; nil: never.
	Expiry *Expiry
}

// Over computes window functions. The state has each row, in an order that is
// counted, and beside it the results that were given out. After the changes of
// a batch are applied, those rows are computed anew that a change may reach (see
// reach), and given out where a result is another than before.
//
// A row that is there several times is kept as often, told apart by a number
// behind its key.
type Over struct {
	inbox
	*ranking
	spec    OverSpec
	out     []types.Type
	results *state.Store // of each row: 0, its encoded results; or 1, why one cannot be computed
	codec   *state.Codec
	fold    *folder // nil: no function needs one
	output  overOutput
}

// overCost is what it costs to compute a row's results, where taking it in costs 1.
const overCost = 8

// NewOver makes an Over.
func NewOver(spec OverSpec, env Env) (*Over, error) {
	r, err := newRanking(spec.Input, spec.Partition, spec.Order, env)
	if err != nil {
		return nil, err
	}
	r.copies = true
	r.expire(spec.Expiry, spec.Partition)
	spec.Funcs = bounded(spec.Funcs, len(spec.Order) > 0)
	o := &Over{ranking: r, spec: spec, results: state.NewStore(env.Account), out: append([]types.Type(nil), spec.Input...)}
	var made []types.Type
	for _, f := range spec.Funcs {
		made = append(made, f.Type)
	}
	o.codec = state.NewCodec(made)
	o.out = append(o.out, made...)
	if o.fold, err = newFolder(o.ranking, spec.Funcs); err != nil {
		return nil, err
	}
	return o, o.output.init(o)
}

// bounded are the functions with distances that can be added to the number of a row,
// and, where there is no order, all rows for the peers of one.
func bounded(funcs []OverFunc, ordered bool) []OverFunc {
	funcs = append([]OverFunc(nil), funcs...)
	for i := range funcs {
		f := &funcs[i]
		for _, n := range []*int64{&f.N, &f.Frame.Start.N, &f.Frame.End.N} {
			*n = min(*n, unlimited)
		}
		if ordered || f.Frame.Unit == FrameRows {
			continue
		}
		if f.Frame.Start.Kind == CurrentRow {
			f.Frame.Start.Kind = UnboundedPreceding
		}
		if f.Frame.End.Kind == CurrentRow {
			f.Frame.End.Kind = UnboundedFollowing
		}
	}
	return funcs
}

// String names the operator as EXPLAIN does.
func (o *Over) String() string { return "Over" }

// Types are the types of the output columns.
func (o *Over) Types() []types.Type { return o.out }

// Begin opens a batch.
func (o *Over) Begin(b *Batch) {
	o.inbox.begin(1)
	o.ranking.begin(b)
	o.output.begin()
}

// Push queues a chunk.
func (o *Over) Push(_ int, c *batch.Chunk) {
	if c = o.expiry.live(c); c != nil {
		o.push(0, c)
	}
}

// CloseInput notes the end of the input.
func (o *Over) CloseInput(int) { o.close() }

// States are the partitions, the rows and their results.
func (o *Over) States() []*state.Store {
	return append(o.states(), o.results)
}

// Rebuild derives the indexes from the stores.
func (o *Over) Rebuild() error {
	o.rebuild()
	return nil
}

// Step takes rows in, and with the input closed applies them and gives out what changed.
func (o *Over) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for o.head < len(o.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, at := o.first()
		n := min(budget, blockRows, c.N-at)
		if err := o.take(c, at, at+n, nil); err != nil {
			return Done, err
		}
		o.done(n)
		budget -= n
	}
	if !o.closed() {
		return Done, nil
	}
	for !o.runs.empty() {
		if budget <= 0 {
			return More, nil
		}
		n, err := o.apply(min(max(budget/placeCost, 1), blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n * placeCost
	}
	if o.fold != nil && o.changes.len() > 0 {
		for o.fold.behind() {
			if budget <= 0 {
				return More, nil
			}
			n, err := o.fold.catchUp(budget)
			if err != nil {
				return Done, err
			}
			budget -= n
		}
	}
	for !o.output.done() {
		if budget <= 0 {
			return More, nil
		}
		n, err := o.output.give(min(max(budget/overCost, 1), batch.TargetRows), emit)
		if err != nil {
			return Done, err
		}
		budget -= n * overCost
	}
	if !o.settle(max(budget, 1)) {
		return More, nil
	}
	o.output.begin()
	return o.dropOver(budget, func(row []byte) {
		if r := resultsOf(row); r != 0 {
			o.results.Free(r)
		}
	})
}

// resultsOf is where the results of a stored row lie, 0: it has none yet.
func resultsOf(row []byte) state.Ref { return state.Ref(binary.LittleEndian.Uint64(row[16:])) }

// keep makes b the results of the stored row ref.
func (o *Over) keep(ref state.Ref, b []byte) error {
	old := resultsOf(o.store.Get(ref))
	if old != 0 {
		if len(o.results.Get(old)) == len(b) {
			copy(o.results.Mutable(old), b)
			return nil
		}
		o.results.Free(old)
	}
	now, err := o.results.Alloc(len(b))
	if err != nil {
		return err
	}
	copy(o.results.Mutable(now), b)
	binary.LittleEndian.PutUint64(o.store.Mutable(ref)[16:], uint64(now))
	return nil
}

// changeCopies is change for rows that are kept as often as they are there.
func (r *ranking) changeCopies(key []byte, part state.Ref, order int, w int64) error {
	group := uint64(part)
	lo, _ := r.tree.index(r.tree.seek(group, key))
	n := len(key)
	hi, _ := r.tree.index(r.tree.seekBehind(group, key[:n:n]))
	had := hi - lo
	if had+w < 0 {
		return fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", r.env.Node, had+w)
	}
	for i := min(had, had+w); i < max(had, had+w); i++ {
		r.copyKey = binary.BigEndian.AppendUint32(append(r.copyKey[:0], key...), uint32(i))
		one := int64(1)
		if w < 0 {
			one = -1
		}
		if err := r.changeRow(r.copyKey, part, order, one); err != nil {
			return err
		}
	}
	return nil
}
