package batch

import (
	"math/rand"
	"testing"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// randomChunk has columns of each class, some with NULLs, one of them wide now and then.
func randomChunk(rng *rand.Rand, n int) *Chunk {
	ts := []types.Type{types.MakeBigInt(), types.MakeDouble(), types.MakeVarChar(20), types.MakeDecimal(30, 2), types.MakeBigInt()}
	c := New(ts, n)
	wide := rng.Intn(3) == 0
	for range n {
		c.Cols[0].AppendInt(rng.Int63n(9))
		c.Cols[1].AppendFloat(float64(rng.Intn(9)))
		c.Cols[2].AppendString("texts and more"[:rng.Intn(12)])
		if wide {
			c.Cols[3].AppendWide(decimal.Pow10(25))
		} else {
			c.Cols[3].AppendInt(rng.Int63n(9))
		}
		if rng.Intn(3) == 0 {
			c.Cols[4].AppendNull()
		} else {
			c.Cols[4].AppendInt(rng.Int63n(9))
		}
		c.PushWeight(int64(1 + rng.Intn(2)))
	}
	return c
}

// poisoned makes a test run with spoiled memory, or with memory that is used again.
func poisoned(t *testing.T, yes bool) {
	was := vector.SparesPoisoned()
	vector.PoisonSpares(yes)
	t.Cleanup(func() { vector.PoisonSpares(was) })
}

// TestLoan: what is made of a loan is what is made without, however often the memory
// was another's before; and after End it is nonsense where that is spoiled.
func TestLoan(t *testing.T) {
	t.Run("spoiled", func(t *testing.T) { poisoned(t, true); testLoan(t) })
	t.Run("used again", func(t *testing.T) { poisoned(t, false); testLoan(t) })
}

func testLoan(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		loan := Borrow()
		for range 3 {
			c := randomChunk(rng, 1+rng.Intn(100))
			lo := rng.Intn(c.N)
			hi := lo + rng.Intn(c.N-lo+1)
			var sel []int32
			for i := range c.N {
				if rng.Intn(2) == 0 {
					sel = append(sel, int32(i))
				}
			}
			for _, pair := range [][2]*Chunk{
				{loan.Copy(c), c},
				{loan.Gather(c, sel), c.Gather(sel)},
				{loan.Slice(c, lo, hi), c.Slice(lo, hi)},
				{loan.Copy(c.Slice(lo, hi)), c.Slice(lo, hi)},
				{loan.Gather(c.Slice(lo, c.N), []int32{0, 0}), c.Gather([]int32{int32(lo), int32(lo)})},
			} {
				if got, want := Text(pair[0]), Text(pair[1]); got != want {
					t.Fatalf("got\n%swant\n%s", got, want)
				}
			}
		}
		held := loan.New([]types.Type{types.MakeBigInt()}, 8).Cols[0]
		held.AppendInt(7)
		memory := held.I
		loan.Return()
		if vector.SparesPoisoned() && memory[0] == 7 {
			t.Fatal("memory that was given back is as it was")
		}
	}
}

// TestLoanFaults: what breaks the rule of one owner is found out, whether memory is spoiled
// or used again.
func TestLoanFaults(t *testing.T) {
	bigint := types.MakeBigInt()
	for _, poison := range []bool{false, true} {
		poisoned(t, poison)
		for what, fault := range map[string]func(){
			"a vector is given back twice": func() {
				l := &Loan{}
				l.Own(l.Vector(bigint, 8))
				l.End()
			},
			"two loans have a vector": func() {
				a, b := &Loan{}, &Loan{}
				b.Own(a.Vector(bigint, 8))
				a.End()
				b.End()
			},
			"a loan is returned twice": func() {
				l := Borrow()
				l.Return()
				l.Return()
			},
			"a chunk is read after the end": func() {
				l := &Loan{}
				c := l.New([]types.Type{bigint}, 8)
				l.End()
				_ = c.Cols[0].I
			},
		} {
			if !panics(fault) {
				t.Errorf("poison %v: %s, and nobody notices", poison, what)
			}
		}
	}
	poisoned(t, true)
	if !panics(func() {
		l := &Loan{}
		v := l.Vector(bigint, 64)
		l.Own(&vector.Vector{Type: bigint, I: v.I})
		l.End()
	}) {
		t.Error("two vectors have the same memory, and nobody notices")
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

// TestLoanAllocations: once it has been used, a loan takes no memory of its own.
func TestLoanAllocations(t *testing.T) {
	poisoned(t, false)
	ts := []types.Type{types.MakeBigInt(), types.MakeVarChar(20)}
	loan := &Loan{}
	work := func() {
		c := loan.New(ts, 100)
		for range 100 {
			c.Cols[0].AppendInt(1)
			c.Cols[1].AppendString("abc")
		}
		c.N = 100
		loan.Slice(loan.Gather(c, []int32{1, 2, 3}), 1, 2).Weights = loan.Ints(1)
		loan.Hashes(100)
		loan.End()
	}
	work()
	if n := testing.AllocsPerRun(100, work); n > 2 { // the collector may come in between
		t.Errorf("%v allocations", n)
	}
}
