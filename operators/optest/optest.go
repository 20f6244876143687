// Package optest runs an operator's case in every way that must not matter:
// chunks of any size, a budget of one row, batches put together, keys spread
// over partitions, a checkpoint and restore after each batch. It also holds the
// test that a one-row change costs the same in a small and in a large state.
package optest

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Case is an operator and what goes into it.
type Case struct {
	New    func() (operators.Operator, error)
	Inputs [][]types.Type
	// Keys are, for each input, the columns that rows may be parted by; nil: one
	// operator must see all.
	Keys    [][]int
	Batches [][]*batch.Chunk // by batch and input; a batch may end anywhere
	// Changes takes a batch's output from an operator that emits nothing; nil: it emits.
	Changes func(operators.Operator) []*batch.Chunk
	// At, if set, gives a batch its time and watermarks: those after the given one of
	// the case's batches, the last one in it.
	At func(last int, b *operators.Batch)
	// Twin computes the result anew from all of each input; nil: outputs are only
	// compared with one another.
	Twin func(inputs []*batch.Chunk) *batch.Chunk
	// Replay is a twin of an operator whose result depends on which rows come in one
	// batch: it gets them by batch and input, and batches are never put together.
	Replay func(batches [][]*batch.Chunk) *batch.Chunk
}

// mode is one way to run a case.
type mode struct {
	chunk   int // rows a chunk
	budget  int
	parts   int
	restore bool  // after every batch: checkpoint, and go on in new operators
	joined  []int // how many of the case's batches make up each; nil: 1
	early   bool  // step after each push, not only at the end
	reuse   bool  // memory that was given back is used again, not spoiled
	seed    int64 // order of the rows within a batch; 0: as they are
}

func (m mode) String() string {
	return fmt.Sprintf("chunk=%d budget=%d parts=%d restore=%v joined=%v early=%v reuse=%v seed=%d", m.chunk, m.budget, m.parts, m.restore, m.joined, m.early, m.reuse, m.seed)
}

const large = 1 << 30

// Run runs the case in all modes and returns the output of each batch, as text.
func (c Case) Run(t testing.TB) []string {
	t.Helper()
	base := mode{chunk: 1024, budget: large, parts: 1}
	want := c.run(t, base)
	total := batch.Text(flat(want)...)
	if c.Twin != nil {
		if twin := batch.Text(c.Twin(c.sums())); twin != total {
			t.Fatalf("the outputs add up to\n%sbut recomputed it is\n%s", total, twin)
		}
	}
	if c.Replay != nil {
		if twin := batch.Text(c.Replay(c.Batches)); twin != total {
			t.Fatalf("the outputs add up to\n%sbut replayed it is\n%s", total, twin)
		}
	}
	modes := []mode{
		{chunk: 1, budget: large, parts: 1},
		{chunk: 2, budget: 3, parts: 1, early: true},
		{chunk: 5, budget: 3, parts: 1, early: true, reuse: true},
		{chunk: 1024, budget: 1, parts: 1},
		{chunk: 1024, budget: 1, parts: 1, restore: true, seed: 1},
		{chunk: 7, budget: 5, parts: 1, restore: true, seed: 2, early: true},
		{chunk: 1024, budget: large, parts: 1, joined: []int{len(c.Batches)}},
		{chunk: 3, budget: 4, parts: 1, seed: 3, joined: cuts(len(c.Batches), 4)},
		{chunk: 1024, budget: 1, parts: 1, restore: true, joined: cuts(len(c.Batches), 5)},
	}
	if c.Keys != nil {
		modes = append(modes, mode{chunk: 1024, budget: large, parts: 8}, mode{chunk: 5, budget: 1, parts: 8, restore: true, seed: 6})
	}
	for _, m := range modes {
		if m.joined != nil && c.Replay != nil {
			continue
		}
		got := c.run(t, m)
		if text := batch.Text(flat(got)...); text != total {
			t.Fatalf("%s: the outputs add up to\n%sinstead of\n%s", m, text, total)
		}
		if m.joined != nil {
			continue
		}
		for b := range want {
			if g, w := batch.Text(got[b]...), batch.Text(want[b]...); g != w {
				t.Fatalf("%s: batch %d gives\n%sinstead of\n%s", m, b, g, w)
			}
		}
	}
	texts := make([]string, len(want))
	for b := range want {
		texts[b] = batch.Text(want[b]...)
	}
	return texts
}

// cuts puts n batches together at random.
func cuts(n int, seed int64) []int {
	rng := rand.New(rand.NewSource(seed))
	out := []int{}
	for n > 0 {
		k := min(n, 1+rng.Intn(4))
		out = append(out, k)
		n -= k
	}
	return out
}

func flat(batches [][]*batch.Chunk) []*batch.Chunk {
	var out []*batch.Chunk
	for _, b := range batches {
		out = append(out, b...)
	}
	return out
}

// sums is all of each input.
func (c Case) sums() []*batch.Chunk {
	out := make([]*batch.Chunk, len(c.Inputs))
	for in, ts := range c.Inputs {
		out[in] = batch.New(ts, 16)
		for _, b := range c.Batches {
			for i := range b[in].N {
				out[in].AppendFrom(b[in], i, b[in].Weight(i))
			}
		}
	}
	return out
}

// run runs the case in one mode and returns the output of each batch.
func (c Case) run(t testing.TB, m mode) [][]*batch.Chunk {
	t.Helper()
	vector.PoisonSpares(!m.reuse)
	ops := make([]operators.Operator, m.parts)
	for p := range ops {
		ops[p] = c.make(t)
	}
	joined := m.joined
	if joined == nil {
		joined = make([]int, len(c.Batches))
		for i := range joined {
			joined[i] = 1
		}
	}
	var out [][]*batch.Chunk
	next := 0
	for id, k := range joined {
		var got []*batch.Chunk
		inputs := c.gather(c.Batches[next:next+k], m)
		next += k
		for p, op := range ops {
			b := &operators.Batch{Changes: true, ID: uint64(id), Fail: func(e operators.RowError) { t.Fatalf("%s: row error %v in %s", m, e.Err, e.Row) }}
			if c.At != nil {
				c.At(next-1, b)
			}
			got = append(got, c.feed(t, op, b, inputs, p, m)...)
			if m.restore {
				ops[p] = c.restored(t, op)
			}
		}
		out = append(out, got)
	}
	return out
}

func (c Case) make(t testing.TB) operators.Operator {
	t.Helper()
	op, err := c.New()
	if err != nil {
		t.Fatal(err)
	}
	return op
}

// gather puts batches together, and their rows in the mode's order.
func (c Case) gather(batches [][]*batch.Chunk, m mode) []*batch.Chunk {
	out := make([]*batch.Chunk, len(c.Inputs))
	for in, ts := range c.Inputs {
		all := batch.New(ts, 16)
		for _, b := range batches {
			for i := range b[in].N {
				all.AppendFrom(b[in], i, b[in].Weight(i))
			}
		}
		if m.seed != 0 {
			sel := make([]int32, all.N)
			for i, k := range rand.New(rand.NewSource(m.seed)).Perm(all.N) {
				sel[i] = int32(k)
			}
			all = all.Gather(sel)
		}
		out[in] = all
	}
	return out
}

// feed runs one batch through one of the operators, and takes memory back as the engine
// does: what the operator is lent before its next Step and at the end of the batch, and
// what it was pushed once it has nothing left to do.
func (c Case) feed(t testing.TB, op operators.Operator, b *operators.Batch, inputs []*batch.Chunk, part int, m mode) []*batch.Chunk {
	t.Helper()
	loan, pushed := &batch.Loan{}, &batch.Loan{}
	if l, ok := op.(operators.Lending); ok {
		l.Lend(loan)
	}
	var out []*batch.Chunk
	emit := func(c *batch.Chunk) { out = append(out, copied(c)) }
	transient := false
	if tr, ok := op.(operators.Transient); ok {
		transient = tr.Transient()
	}
	step := func() {
		for {
			loan.End()
			status, err := op.Step(m.budget, emit)
			if err != nil {
				t.Fatalf("%s: batch %d: %v", m, b.ID, err)
			}
			if status == operators.Done {
				pushed.End()
				return
			}
		}
	}
	op.Begin(b)
	for in, all := range inputs {
		if m.parts > 1 {
			if all = operators.Partition(all, c.Keys[in], m.parts)[part]; all == nil {
				all = batch.New(c.Inputs[in], 0)
			}
		}
		for lo := 0; lo < all.N; lo += m.chunk {
			piece := all.Slice(lo, min(lo+m.chunk, all.N))
			if transient {
				piece = pushed.Copy(piece)
			}
			op.Push(in, piece)
			if m.early {
				step()
			}
		}
		op.CloseInput(in)
		if m.early {
			step()
		}
	}
	step()
	loan.End()
	if c.Changes != nil {
		return c.Changes(op)
	}
	return out
}

// copied is a chunk in memory of its own.
func copied(c *batch.Chunk) *batch.Chunk { return (*batch.Loan)(nil).Copy(c) }

// restored is a new operator with the state of op, by way of a checkpoint.
func (c Case) restored(t testing.TB, op operators.Operator) operators.Operator {
	t.Helper()
	s, ok := op.(operators.Stateful)
	if !ok {
		return c.make(t)
	}
	return Restored(t, s, c.make(t).(operators.Stateful))
}

// Restored is the new operator again with the state of s, by way of a checkpoint.
func Restored[S operators.Stateful](t testing.TB, s, again S) S {
	t.Helper()
	to := again.States()
	for k, from := range s.States() {
		d := from.Checkpoint()
		for no, page := range pages(d) {
			if err := to[k].Load(no, page); err != nil {
				t.Fatal(err)
			}
		}
		to[k].FinishLoad()
		if to[k].Digest() != d.Hash() {
			t.Fatal("a restored store differs")
		}
		d.Release()
	}
	if err := again.Rebuild(); err != nil {
		t.Fatal(err)
	}
	return again
}

// pages copies all pages of an image.
func pages(d *state.Delta) map[uint64][]byte {
	out := map[uint64][]byte{}
	for no := uint64(1); no < d.Pages(); no++ {
		if p := d.Page(no); p != nil {
			out[no] = append([]byte(nil), p...)
		}
	}
	return out
}
