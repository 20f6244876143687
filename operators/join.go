package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Join keeps both inputs' rows by key. A row that comes meets the rows that the
// other side has at that time, so every pair meets once, whichever side comes
// first, and weights multiply: out = Δl⋈r + l⋈Δr + Δl⋈Δr.
//
// In a LEFT join each left row keeps its degree, how many right rows match it
// (Residual included). While the degree is 0 the row is in the output with NULLs
// beside it; a change of the degree from or to 0 takes that row back or gives it.
//
// The work goes in blocks of one chunk's rows and the pairs that they make: pairs
// are found first (meet), then filtered all at once, then applied in order
// (apply), which alone changes the state. So a block may end, and a Step with
// it, between any two pairs.
type Join struct {
	inbox
	spec  JoinSpec
	env   Env
	batch *Batch
	side  [2]*joinSide
	out   []types.Type
	cond  *filter        // nil: no residual
	held  []*batch.Chunk // left chunks that wait for the end of the right input
	holds bool           // they still do

	opened bool      // the first chunk's keys are prepared
	cursor pairing   // the row that is meeting the other side
	block  []pairing // rows of the block, with their pairs
	own    []int32   // of each pair: the row of the chunk
	other  []state.Ref
	weight []int64 // of each pair
	bytes  [][]byte
	passes []bool
}

// pairing is a row of the chunk that meets the other side's rows: in one block,
// or in several, one after the other.
type pairing struct {
	row     int
	started bool
	free    bool // it has no key that could match: it meets nothing, and is not kept
	lo, hi  int  // its pairs in this block
	next    state.Ref
	last    bool  // no further block has pairs of it
	degree  int64 // matches so far
}

// NewJoin makes a Join.
func NewJoin(spec JoinSpec, env Env) (*Join, error) {
	j := &Join{spec: spec, env: env}
	keyTypes := make([]types.Type, len(spec.LeftKeys))
	for i, k := range spec.LeftKeys {
		keyTypes[i] = spec.Left[k]
		if r := spec.Right[spec.RightKeys[i]]; r.Class() == types.ClassDecimal {
			keyTypes[i].Prec = max(keyTypes[i].Prec, r.Prec)
		}
	}
	if err := checkKeys(keyTypes); err != nil {
		return nil, err
	}
	j.side[0] = newJoinSide(spec.Left, spec.LeftKeys, keyTypes, env)
	j.side[1] = newJoinSide(spec.Right, spec.RightKeys, keyTypes, env)
	j.out = append(j.out, spec.Left...)
	for _, t := range spec.Right {
		if spec.Kind == LeftJoin {
			t = t.Nullable()
		}
		j.out = append(j.out, t)
	}
	if len(spec.Residual) > 0 {
		var err error
		if j.cond, err = newFilter(spec.Residual, env); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// String names the operator as EXPLAIN does.
func (j *Join) String() string { return "Join" }

// Types are the types of the output columns.
func (j *Join) Types() []types.Type { return j.out }

// Begin opens a batch.
func (j *Join) Begin(b *Batch) {
	j.batch = b
	j.begin(2)
	j.holds = j.spec.RightFirst
	if j.cond != nil {
		j.cond.begin(b)
	}
}

// Push queues a chunk of the left (0) or right (1) input.
func (j *Join) Push(in int, c *batch.Chunk) {
	if in == 0 && j.holds {
		j.held = append(j.held, c)
		return
	}
	j.push(in, c)
}

// CloseInput notes the end of an input.
func (j *Join) CloseInput(in int) {
	j.close()
	if in == 1 && j.holds {
		j.holds = false
		for _, c := range j.held {
			j.push(0, c)
		}
		j.held = nil
	}
}

// States are the left rows and the right rows.
func (j *Join) States() []*state.Store { return []*state.Store{j.side[0].store, j.side[1].store} }

// Rebuild derives the indexes from the stores.
func (j *Join) Rebuild() error {
	j.side[0].rebuild()
	j.side[1].rebuild()
	return nil
}

// Step works on, block by block.
func (j *Join) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for {
		in, c, at := j.first()
		if c == nil {
			return Done, nil
		}
		if budget <= 0 {
			return More, nil
		}
		if !j.opened {
			j.side[in].open(c)
			j.opened = true
		}
		work := j.meet(in, c, at, min(budget, blockRows))
		if err := j.apply(in, c, emit); err != nil {
			return Done, err
		}
		budget -= work
		finished := 0
		for _, p := range j.block {
			if p.last {
				finished++
			}
		}
		if finished > 0 && j.done(finished) {
			j.opened = false
		}
	}
}

// meet fills the block: rows of the chunk from at on, and for each its pairs
// with the other side, until budget rows and pairs are in it.
func (j *Join) meet(in int, c *batch.Chunk, at, budget int) int {
	j.block, j.own, j.other = j.block[:0], j.own[:0], j.other[:0]
	me, they := j.side[in], j.side[1-in]
	work := 0
	for row := at; row < c.N && work < budget; row++ {
		p := &j.cursor
		if !p.started {
			*p = pairing{row: row, started: true, free: j.unmatchable(me, row)}
			if !p.free {
				p.next = they.head(me.group, row)
			}
			work++
		}
		p.lo = len(j.own)
		for p.next != 0 && work < budget {
			j.own = append(j.own, int32(row))
			j.other = append(j.other, p.next)
			p.next = nextOf(they.store.Slot(p.next))
			work++
		}
		p.hi = len(j.own)
		p.last = p.next == 0
		j.block = append(j.block, *p)
		if !p.last {
			break
		}
		p.started = false
	}
	return work
}

// unmatchable reports a NULL in a key column where NULL matches nothing.
func (j *Join) unmatchable(s *joinSide, row int) bool {
	for k, v := range s.group.cols {
		if v.IsNull(row) && (j.spec.NullSafe == nil || !j.spec.NullSafe[k]) {
			return true
		}
	}
	return false
}

// apply filters the block's pairs, emits what comes of them, and brings the
// state up to date.
func (j *Join) apply(in int, c *batch.Chunk, emit func(*batch.Chunk)) error {
	pairs := j.pairColumns(in, c)
	j.filter(pairs)
	var sel []int32 // pairs to emit
	var weights []int64
	var ext extended
	left := j.spec.Kind == LeftJoin
	for b := range j.block {
		p := &j.block[b]
		w := c.Weight(p.row)
		for k := p.lo; k < p.hi; k++ {
			if !j.passes[k] {
				continue
			}
			sel, weights = append(sel, int32(k)), append(weights, j.weight[k])
			if !left {
				continue
			}
			count := getInt(j.side[1-in].store.Slot(j.other[k]))
			if in == 0 {
				p.degree += count
			} else if d := j.side[0].addDegree(j.other[k], w); d != 0 {
				ext.add(k, d*count)
			}
		}
		if !p.last {
			j.cursor.degree = p.degree
			continue
		}
		if left && in == 0 && p.degree == 0 {
			ext.add(p.row, w)
		}
		if !p.free {
			if err := j.side[in].upsert(c, p.row, w, p.degree); err != nil {
				return err
			}
		}
	}
	if len(sel) > 0 {
		out := &batch.Chunk{Cols: pairs, N: len(j.own)}
		if len(sel) < len(j.own) {
			out = out.Gather(sel)
		}
		out.Weights = plain(weights)
		emit(out)
	}
	if len(ext.rows) > 0 {
		from := pairs
		if in == 0 {
			from = c.Cols
		}
		emit(j.extend(from, ext))
	}
	return nil
}

// extended are left rows that come or go with NULLs beside them.
type extended struct {
	rows    []int32
	weights []int64
}

func (e *extended) add(row int, w int64) {
	e.rows, e.weights = append(e.rows, int32(row)), append(e.weights, w)
}

// extend makes the chunk of the rows of from, whose first columns are left's.
func (j *Join) extend(from []*vector.Vector, e extended) *batch.Chunk {
	out := &batch.Chunk{N: len(e.rows), Weights: plain(e.weights)}
	for k := range j.spec.Left {
		out.Cols = append(out.Cols, from[k].Gather(e.rows))
	}
	for _, t := range j.out[len(j.spec.Left):] {
		v := vector.New(t, len(e.rows))
		for range e.rows {
			v.AppendNull()
		}
		out.Cols = append(out.Cols, v)
	}
	return out
}

// plain is weights, or nil when all are 1.
func plain(weights []int64) []int64 {
	for _, w := range weights {
		if w != 1 {
			return weights
		}
	}
	return nil
}

// pairColumns makes the output columns of all pairs of the block.
func (j *Join) pairColumns(in int, c *batch.Chunk) []*vector.Vector {
	they := j.side[1-in]
	j.bytes, j.weight = j.bytes[:0], j.weight[:0]
	for k, r := range j.other {
		stored := they.store.Slot(r)
		j.bytes = append(j.bytes, they.row(stored))
		j.weight = append(j.weight, getInt(stored)*c.Weight(int(j.own[k])))
	}
	decoded := newVectors(they.codec.Types, len(j.other))
	they.codec.Decode(j.bytes, decoded)
	var mine []*vector.Vector
	for _, v := range c.Cols {
		mine = append(mine, v.Gather(j.own))
	}
	if in == 0 {
		return append(mine, decoded...)
	}
	return append(decoded, mine...)
}

// filter sets passes: which pairs the residual is true for.
func (j *Join) filter(pairs []*vector.Vector) {
	n := len(j.own)
	if cap(j.passes) < n {
		j.passes = make([]bool, max(n, blockRows))
	}
	j.passes = j.passes[:n]
	for k := range j.passes {
		j.passes[k] = j.cond == nil
	}
	if j.cond == nil || n == 0 {
		return
	}
	for _, k := range j.cond.sel(&batch.Chunk{Cols: pairs, N: n, Weights: j.weight}) {
		j.passes[k] = true
	}
}
