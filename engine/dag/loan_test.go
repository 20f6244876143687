package dag

import (
	"slices"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// maker gives, in each Step, a chunk of one number more.
type maker struct {
	next, steps int64
	loan        *batch.Loan
}

func (m *maker) Begin(*operators.Batch) {}
func (m *maker) Push(int, *batch.Chunk) { m.steps = 3 }
func (m *maker) CloseInput(int)         {}
func (m *maker) Lend(loan *batch.Loan)  { m.loan = loan }
func (m *maker) Step(_ int, emit func(*batch.Chunk)) (operators.Status, error) {
	if m.steps == 0 {
		return operators.Done, nil
	}
	c := m.loan.New([]types.Type{types.MakeBigInt()}, 1)
	c.Cols[0].AppendInt(m.next)
	c.N = 1
	m.next, m.steps = m.next+1, m.steps-1
	emit(c)
	return operators.More, nil
}

// keeper keeps what it is pushed, and says whether it does.
type keeper struct {
	transient bool
	kept      []*vector.Vector
}

func (k *keeper) Begin(*operators.Batch)     {}
func (k *keeper) Push(_ int, c *batch.Chunk) { k.kept = append(k.kept, c.Cols[0]) }
func (k *keeper) CloseInput(int)             {}
func (k *keeper) Transient() bool            { return k.transient }
func (k *keeper) Step(int, func(*batch.Chunk)) (operators.Status, error) {
	return operators.Done, nil
}

// numbers are those that the keeper still finds: none in a vector that was given back.
func (k *keeper) numbers() []int64 {
	var out []int64
	for _, v := range k.kept {
		out = append(out, v.I...)
	}
	return out
}

// TestLoans: memory is lent to operators whose receivers hold nothing, and only to
// them; it is taken back before the next Step, and with the batch. A receiver that
// holds it all the same finds nothing.
func TestLoans(t *testing.T) {
	vector.PoisonSpares(true)
	for _, c := range []struct {
		name              string
		transient, copied bool
		lent              bool
	}{
		{"a receiver that holds nothing", true, true, true},
		{"one that holds chunks", false, true, false},
		{"output that others hold", true, false, false},
	} {
		m, k := &maker{}, &keeper{transient: c.transient}
		f := &Fragment{Nodes: []Node{{Op: m, Inputs: 1, To: 1}, {Op: k, Inputs: 1, To: -1}}, Ports: []Port{{}}, Copied: c.copied}
		f.Begin(&operators.Batch{ID: 1})
		if got := m.loan != nil; got != c.lent || f.Brief(0) {
			t.Errorf("%s: lent %v, brief %v", c.name, got, f.Brief(0))
		}
		f.Push(0, &batch.Chunk{N: 1})
		f.ClosePort(0)
		for !f.Applied() {
			if _, err := f.Step(10, func(*batch.Chunk) {}); err != nil {
				t.Fatal(err)
			}
		}
		f.End()
		if held := slices.Equal(k.numbers(), []int64{0, 1, 2}); held == c.lent {
			t.Errorf("%s: it finds %v", c.name, k.numbers())
		}
	}
}
