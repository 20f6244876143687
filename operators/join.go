package operators

import (
	"maps"
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Join keeps both inputs' rows by key. A row that comes meets the rows that the
// other side has at that time, so every pair meets once, whichever side comes
// first, and weights multiply: out = Δl⋈r + l⋈Δr + Δl⋈Δr.
//
// Where a row is in the output, or not, by whether it matches, it keeps its
// degree: how many rows of the other side match it (Residual included). In a
// left, full or anti join the row stands alone in the output (in the first two
// with NULLs beside it) while the degree is 0, in a semi join while it is not; a
// change of the degree from or to 0 gives that row or takes it back. A degree
// may be below 0 within a batch, when a retraction comes before what it retracts.
//
// The work goes in blocks of one chunk's rows and the pairs that they make: pairs
// are found first (meet), then filtered all at once, then applied in order
// (apply), which alone changes the state. So a block may end, and a Step with
// it, between any two pairs.
type Join struct {
	inbox
	lending
	spec  JoinSpec
	env   Env
	batch *Batch
	side  [2]*joinSide
	out   []types.Type
	gives pairColumns    // what the output has of a pair
	cond  *filter        // nil: no residual
	reads pairColumns    // what cond reads of a pair
	held  []*batch.Chunk // left chunks that wait for the end of the right input
	holds bool           // they still do

	queued   [2]int  // chunks of each input that are not done
	ended    [2]bool // the input is closed
	advanced bool    // the batch is at its end, and rows go whose time is over
	final    bool    // RightFirst, full: the unmatched right rows are listed
	alone    []state.Ref

	opened bool        // the first chunk's keys are prepared
	heads  []state.Ref // of its rows: the first row of the other side with the key
	cursor pairing     // the row that is meeting the other side
	block  []pairing   // rows of the block, with their pairs
	own    []int32     // of each pair: the row of the chunk
	other  []state.Ref
	weight []int64 // of each pair
	all    []int32 // 0 … n−1
	rows   []int32 // scratch of pairs
	bytes  [][]byte
	// passing are the pairs, in order, for which cond holds.
	passing []int32
	// tried is memory of the columns that cond reads, of one block.
	tried batch.Loan
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

// NewJoin makes the join of spec: a KeySemiJoin for a semi or anti join by keys
// alone, else a Join.
func NewJoin(spec JoinSpec, env Env) (Joining, error) {
	keyTypes := make([]types.Type, len(spec.LeftKeys))
	for i, k := range spec.LeftKeys {
		keyTypes[i] = spec.Left[k]
		if r := spec.Right[spec.RightKeys[i]]; r.Class() == types.ClassDecimal {
			keyTypes[i].Prec = max(keyTypes[i].Prec, r.Prec)
		}
	}
	if spec.Kind.leftOnly() && len(spec.Residual) == 0 {
		return newKeySemiJoin(spec, keyTypes, env), nil
	}
	return newPairJoin(spec, keyTypes, env)
}

// Joining is a join of any kind.
type Joining interface {
	Stateful
	// Types are the types of the output columns.
	Types() []types.Type
}

func newPairJoin(spec JoinSpec, keyTypes []types.Type, env Env) (*Join, error) {
	j := &Join{spec: spec, env: env, out: spec.types()}
	j.side[0] = newExpiringSide(spec.Left, spec.LeftKeys, keyTypes, spec.LeftExpiry, spec.LeftAppends, env)
	j.side[1] = newExpiringSide(spec.Right, spec.RightKeys, keyTypes, spec.RightExpiry, spec.RightAppends, env)
	for in, s := range j.side {
		if !spec.Kind.counts(in) {
			s.makeLog()
		}
		if s.expiry != nil {
			s.expiry.ends = s.byRow == nil
		}
	}
	j.side[0].overMeet, j.side[1].overMeet = spec.OverMeet, spec.OverMeet
	j.gives = newPairColumns(&spec, spec.columns(), nil, len(j.out))
	if len(spec.Residual) > 0 {
		var err error
		if j.cond, err = newFilter(spec.Residual, env); err != nil {
			return nil, err
		}
		read := map[int]bool{}
		for _, e := range spec.Residual {
			e.Columns(read)
		}
		cols := slices.Sorted(maps.Keys(read))
		j.reads = newPairColumns(&spec, cols, cols, len(spec.Left)+len(spec.Right))
	}
	return j, nil
}

// String names the operator as EXPLAIN does.
func (j *Join) String() string { return "Join" }

// StateVersion implements Versioned: in 1, sides that are logs had rows like others.
func (j *Join) StateVersion() uint32 {
	if j.side[0].log || j.side[1].log {
		return 2
	}
	return 1
}

// Types are the types of the output columns.
func (j *Join) Types() []types.Type { return j.out }

// Transient: rows are copied into the state, unless left chunks wait.
func (j *Join) Transient() bool { return !j.spec.RightFirst }

// Begin opens a batch.
func (j *Join) Begin(b *Batch) {
	j.batch = b
	j.begin(2)
	j.holds = j.spec.RightFirst
	j.ended, j.final, j.advanced = [2]bool{}, false, false
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
	j.enqueue(in, c)
}

func (j *Join) enqueue(in int, c *batch.Chunk) {
	if c = j.side[in].live(c); c != nil && c.N > 0 {
		j.queued[in]++
		j.push(in, c)
	}
}

// CloseInput notes the end of an input.
func (j *Join) CloseInput(in int) {
	j.close()
	j.ended[in] = true
	if in == 1 && j.holds {
		j.holds = false
		for _, c := range j.held {
			j.enqueue(0, c)
		}
		j.held = nil
	}
}

// States are the left rows and the right rows.
func (j *Join) States() []*state.Store { return append(j.side[0].states(), j.side[1].states()...) }

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
			if status := j.finish(budget, emit); status == More {
				return More, nil
			}
			return j.expire(budget)
		}
		if budget <= 0 {
			return More, nil
		}
		if !j.opened {
			j.open(in, c)
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
			j.queued[in]--
		}
	}
}

// open prepares the first chunk. Nothing changes which rows of the other side its
// rows meet before it is done.
func (j *Join) open(in int, c *batch.Chunk) {
	j.opened = true
	j.side[in].open(c)
	if cap(j.heads) < c.N {
		j.heads = make([]state.Ref, max(c.N, blockRows))
	}
	j.heads = j.heads[:c.N]
	j.side[1-in].heads(j.side[in].group, j.heads)
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
			*p = pairing{row: row, started: true, free: j.spec.unmatchable(me.group, row) || me.timeless(c, row)}
			if !p.free {
				p.next = j.heads[row]
			}
			work++
		}
		p.lo = len(j.own)
		for p.next != 0 && work < budget {
			j.own = append(j.own, int32(row))
			j.other = append(j.other, p.next)
			p.next = they.next(they.store.Slot(p.next))
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

// keeps reports whether rows of input in may still meet rows to come.
func (j *Join) keeps(in int) bool {
	if !j.spec.OneBatch || in == 1 && j.spec.RightFirst {
		return true
	}
	return !j.ended[1-in] || j.queued[1-in] > 0
}
