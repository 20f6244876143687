package operators

import (
	"bytes"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// RankFunc says what a TopN counts by.
type RankFunc uint8

// The functions that count.
const (
	RowNumber RankFunc = iota // each row
	Rank                      // rows before the peers of a row
	DenseRank                 // groups of peers
)

// TopNSpec keeps the first rows of each partition: those whose number, counted
// from 1 on, is above Offset and at most Offset + Limit. Rows are ordered as a
// Sort does: NULLs first (last with Desc), ties by the row's own columns, from the
// first to the last.
type TopNSpec struct {
	Input     []types.Type
	Partition []int // none: all rows are one
	Order     []OrderKey
	Func      RankFunc
	Limit     int64 // −1: none
	Offset    int64
	Number    bool // a last column of the output tells the row's number
	// AppendOnly: no retraction will come, so that only the rows that are in the
	// result, or before it, are kept.
	AppendOnly bool
	// Expiry, of a column of the partition, says when partitions are over; nil: never.
	Expiry *Expiry
}

// NumberType is the type of a row's number.
func NumberType() types.Type { return types.Type{Kind: types.BigInt, Unsigned: true, NotNull: true} }

// TopN keeps the first rows of each partition up to date. All rows are in the
// state (of append-only input only those of the result), in an order that is
// counted, so that a change costs the logarithm of the partition's size, and what
// it changes in the output: see topNOutput.
type TopN struct {
	inbox
	*ranking
	spec   TopNSpec
	out    []types.Type
	output topNOutput
}

// unlimited is beyond the number of any row.
const unlimited = int64(1) << 60

// NewTopN makes a TopN.
func NewTopN(spec TopNSpec, env Env) (*TopN, error) {
	r, err := newRanking(spec.Input, spec.Partition, spec.Order, env)
	if err != nil {
		return nil, err
	}
	r.expire(spec.Expiry, spec.Partition)
	t := &TopN{ranking: r, spec: spec, out: append([]types.Type(nil), spec.Input...)}
	if spec.Number {
		t.out = append(t.out, NumberType())
	}
	hi := unlimited
	if spec.Limit >= 0 && spec.Limit < unlimited-spec.Offset {
		hi = spec.Offset + spec.Limit
	}
	t.output = topNOutput{ranking: r, fn: spec.Func, number: spec.Number, trims: spec.AppendOnly && hi < unlimited, out: t.out,
		lo: min(spec.Offset, unlimited), hi: hi}
	return t, nil
}

// String names the operator as EXPLAIN does.
func (t *TopN) String() string { return "TopN" }

// Types are the types of the output columns.
func (t *TopN) Types() []types.Type { return t.out }

// Begin opens a batch.
func (t *TopN) Begin(b *Batch) {
	t.inbox.begin(1)
	t.ranking.begin(b)
	t.output.begin()
}

// Push queues a chunk.
func (t *TopN) Push(_ int, c *batch.Chunk) {
	if c = t.expiry.live(c); c != nil {
		t.push(0, c)
	}
}

// CloseInput notes the end of the input.
func (t *TopN) CloseInput(int) { t.close() }

// States are the partitions and the rows.
func (t *TopN) States() []*state.Store { return t.states() }

// Rebuild derives the indexes from the stores.
func (t *TopN) Rebuild() error {
	t.rebuild()
	return nil
}

// Step takes rows in, and with the input closed applies them and gives out what changed.
func (t *TopN) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	var skip func(state.Ref, []byte, int) bool
	if t.output.trims {
		skip = t.beyond
	}
	for t.head < len(t.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, at := t.first()
		n := min(budget, blockRows, c.N-at)
		if err := t.take(c, at, at+n, skip); err != nil {
			return Done, err
		}
		t.done(n)
		budget -= n
	}
	if !t.closed() {
		return Done, nil
	}
	for !t.runs.empty() {
		if budget <= 0 {
			return More, nil
		}
		n, err := t.apply(min(max(budget/placeCost, 1), blockRows))
		if err != nil {
			return Done, err
		}
		budget -= n * placeCost
	}
	for !t.output.done() {
		if budget <= 0 {
			return More, nil
		}
		budget -= t.output.give(min(budget, batch.TargetRows), emit)
	}
	if !t.settle(max(budget, 1)) {
		return More, nil
	}
	t.output.begin()
	return t.dropOver(budget, func([]byte) {})
}

// beyond reports a row of append-only input that comes after all that its
// partition can ever give.
func (t *TopN) beyond(part state.Ref, key []byte, order int) bool {
	if getInt(t.parts.store.Get(part)) < t.output.hi {
		return false
	}
	end := t.tree.seek(uint64(part)+1, nil)
	last := t.tree.prior(end)
	if last == nil || last.group != uint64(part) {
		return t.output.hi == 0
	}
	stored := t.store.Get(last.ref)
	if t.spec.Func == RowNumber {
		return bytes.Compare(key, stored[rankHeader:]) > 0
	}
	if t.spec.Func == DenseRank {
		_, lo := t.tree.index(t.tree.seek(uint64(part), nil))
		if _, hi := t.tree.index(end); hi-lo < t.output.hi {
			return false
		}
	}
	return bytes.Compare(key[:order], orderPart(stored)) > 0
}
