package operators

import (
	"bytes"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// folder makes the aggregates of any run of rows. Of aggregates that are totals it
// has a state for each node of the tree, of MIN and MAX the best value, so that a
// long run is put together from few of them. It also adds to a run, and takes
// rows from it where an aggregate can.
type folder struct {
	*ranking
	calls []foldCall
	size  int  // bytes of the states
	trees bool // nodes have folds
	parts [][]*vector.Vector
	rows  [][]byte
	enc   []byte
	one   []*vector.Vector // of addOne
	cond  []*vector.Vector // of value
}

// foldCall is one aggregate: state, or for MIN and MAX the column col.
type foldCall struct {
	call  agg.Call
	state agg.State // nil: MIN or MAX
	merge agg.State
	col   int
	cond  int // MIN or MAX: the column of FILTER's condition, −1: none
	max   bool
	folds bool // MIN or MAX of values that Fold: they are compared by their keys
}

// takes reports that rows can be taken from what the aggregate makes.
func (c *foldCall) takes() bool {
	return c.state != nil && (c.call.Routine == nil || !c.call.Routine.CannotRetract)
}

// fold is what the aggregates make of a run of rows.
type fold struct {
	calls []int // those that it is of
	state []byte
	// best is of MIN and MAX the value in the form of state.AppendOrdered, behind that
	// of its key if it Folds; nil: none.
	best [][]byte
}

// shortRun is how many rows are rather added one by one.
const shortRun = 2 * leafRows

func newFolder(r *ranking, funcs []OverFunc) (*folder, error) {
	f := &folder{ranking: r, one: newVectors(r.input, 1), cond: newVectors([]types.Type{types.MakeBigInt()}, 1)}
	for _, fn := range funcs {
		if fn.Func != WindowAggregate {
			continue
		}
		c := foldCall{call: fn.Call, cond: -1}
		cols := argColumns(fn.Call)
		if fn.Call.Keeping() == agg.End {
			c.col, c.max = cols[0], fn.Call.Last()
			if fn.Call.Filtered {
				c.cond = cols[len(cols)-1]
			}
			c.folds = r.input[c.col].Folds()
		} else {
			var err error
			if c.state, err = agg.New(fn.Call, cols, false, f.size, nil); err != nil {
				return nil, err
			}
			if c.merge, err = agg.New(fn.Call, positions(len(agg.Partial(fn.Call))), true, f.size, nil); err != nil {
				return nil, err
			}
			f.size += c.state.Size()
		}
		f.calls = append(f.calls, c)
		f.parts = append(f.parts, newVectors(agg.Partial(fn.Call), innerKids))
		f.trees = f.trees || longFrame(fn.Frame)
	}
	if len(f.calls) == 0 {
		return nil, nil
	}
	if f.trees {
		r.tree.foldBytes = int64(f.size + 64*len(f.calls))
		r.env.Account.Force(r.tree.foldBytes) // of the root, which is there already
	}
	return f, nil
}

// longFrame reports a frame that may have many rows.
func longFrame(f Frame) bool {
	if f.Unit != FrameRows {
		return f.Unit != FrameRange || f.Start.Kind != CurrentRow || f.End.Kind != CurrentRow
	}
	off := func(b Bound) int64 {
		switch b.Kind {
		case UnboundedPreceding, Preceding:
			return -b.N
		case Following:
			return b.N
		}
		return 0
	}
	return f.Start.Kind == UnboundedPreceding || f.End.Kind == UnboundedFollowing || off(f.End)-off(f.Start) > shortRun
}

// new is a fold of all aggregates over no rows.
func (f *folder) new() *fold {
	return &fold{calls: positions(len(f.calls)), state: make([]byte, f.size), best: make([][]byte, len(f.calls))}
}

// behind reports that some node has no fold yet.
func (f *folder) behind() bool { return f.trees && f.tree.root.fold == nil && f.tree.root.weight > 0 }

// catchUp makes folds for about n rows, and returns for how many.
func (f *folder) catchUp(n int) (int, error) {
	node := f.tree.root
	work := 0
	for work < n {
		if node.kids == nil {
			made, err := f.ofLeaf(node)
			if err != nil {
				return 0, err
			}
			node.fold = made
			work += len(node.rows)
		} else if kid := node.unfolded(); kid != nil {
			node = kid
			continue
		} else {
			made := f.new()
			if err := f.mergeAll(made, node.kids); err != nil {
				return 0, err
			}
			node.fold = made
			work++
		}
		if node.up == nil {
			break
		}
		node = node.up
	}
	return work, nil
}

func (n *orderNode) unfolded() *orderNode {
	for _, k := range n.kids {
		if k.fold == nil {
			return k
		}
	}
	return nil
}

func (f *folder) ofLeaf(n *orderNode) (*fold, error) {
	made := f.new()
	return made, f.addEntries(made, n.rows)
}

// addEntries adds rows of a leaf.
func (f *folder) addEntries(to *fold, entries []orderEntry) error {
	rows := f.rows[:0]
	for i := range entries {
		rows = append(rows, rowPart(f.store.Get(entries[i].ref)))
	}
	f.rows = rows
	c := batch.New(f.input, len(rows))
	decodeOrdered(rows, c.Cols)
	return f.add(to, rows, c.Cols, 0, len(rows), 1)
}

// add adds the rows lo to hi of cols, which are rows as they are stored, w times each.
func (f *folder) add(to *fold, rows [][]byte, cols []*vector.Vector, lo, hi int, w int64) error {
	same := make([][]byte, hi-lo)
	for i := range same {
		same[i] = to.state
	}
	var weights []int64
	if w != 1 {
		weights = make([]int64, hi)
		for i := lo; i < hi; i++ {
			weights[i] = w
		}
	}
	for _, k := range to.calls {
		c := &f.calls[k]
		if c.state != nil {
			if err := c.state.Add(same, cols, lo, weights); err != nil {
				return err
			}
			continue
		}
		for i := lo; i < hi; i++ {
			if c.cond < 0 || !cols[c.cond].IsNull(i) && cols[c.cond].I[i] != 0 {
				to.better(k, f.encoded(c, rows[i]), c.max)
			}
		}
	}
	return nil
}

// encoded is what a row has for MIN or MAX, in the form of fold.best. It is good until
// the next call.
func (f *folder) encoded(c *foldCall, row []byte) []byte {
	value := f.column(row, c.col)
	if c.folds && value[0] != 0 {
		f.enc = append(state.AppendKeyOfOrdered(f.enc[:0], value, f.input[c.col]), value...)
		value = f.enc
	}
	return value
}

// value is encoded, nil if the row has none that counts.
func (f *folder) value(call int, row []byte) []byte {
	c := &f.calls[call]
	if c.cond >= 0 {
		resetVectors(f.cond)
		state.DecodeOrdered(f.column(row, c.cond), f.cond[0])
		if f.cond[0].IsNull(0) || f.cond[0].I[0] == 0 {
			return nil
		}
	}
	if value := f.encoded(c, row); value[0] != 0 {
		return value
	}
	return nil
}

// addOne adds a stored row w times.
func (f *folder) addOne(to *fold, ref state.Ref, w int64) error {
	resetVectors(f.one)
	row := rowPart(f.store.Get(ref))
	decodeOrdered([][]byte{row}, f.one)
	return f.add(to, [][]byte{row}, f.one, 0, 1, w)
}

// better makes value the best of aggregate k, if it is. NULL never is.
func (t *fold) better(k int, value []byte, max bool) {
	if value == nil || value[0] == 0 {
		return
	}
	if old := t.best[k]; old == nil || bytes.Compare(value, old) > 0 == max && !bytes.Equal(value, old) {
		t.best[k] = append([]byte(nil), value...)
	}
}

// column are the bytes of a column of a stored row.
func (r *ranking) column(row []byte, col int) []byte {
	for _, t := range r.input[:col] {
		row = row[state.OrderedLen(row, t):]
	}
	return row[:state.OrderedLen(row, r.input[col])]
}

// mergeAll adds the folds of nodes.
func (f *folder) mergeAll(to *fold, nodes []*orderNode) error {
	if len(nodes) == 0 {
		return nil
	}
	rows := f.rows[:0]
	for _, n := range nodes {
		rows = append(rows, n.fold.state)
	}
	f.rows = rows
	same := make([][]byte, len(nodes))
	for i := range same {
		same[i] = to.state
	}
	for _, k := range to.calls {
		c := &f.calls[k]
		if c.state == nil {
			for _, n := range nodes {
				to.better(k, n.fold.best[k], c.max)
			}
			continue
		}
		resetVectors(f.parts[k])
		c.state.AppendPartial(rows, f.parts[k])
		if err := c.merge.AddPartial(same, f.parts[k], 0); err != nil {
			return err
		}
	}
	return nil
}

// addRange adds the rows between two positions of the tree.
func (f *folder) addRange(to *fold, lo, hi int64) error {
	var whole []*orderNode
	var walk func(n *orderNode, lo, hi int64) error
	walk = func(n *orderNode, lo, hi int64) error {
		if lo <= 0 && hi >= n.weight && n.fold != nil {
			whole = append(whole, n)
			return nil
		}
		if n.kids == nil { // each entry is one row
			return f.addEntries(to, n.rows[max(lo, 0):min(hi, n.weight)])
		}
		for _, k := range n.kids {
			if lo < k.weight && hi > 0 {
				if err := walk(k, lo, hi); err != nil {
					return err
				}
			}
			lo, hi = lo-k.weight, hi-k.weight
		}
		return nil
	}
	if err := walk(f.tree.root, lo, hi); err != nil {
		return err
	}
	for len(whole) > 0 {
		n := min(len(whole), innerKids)
		if err := f.mergeAll(to, whole[:n]); err != nil {
			return err
		}
		whole = whole[n:]
	}
	return nil
}
