package agg

import (
	"encoding/binary"
	"testing"

	"streamsql/sql/expr"
	"streamsql/sql/routine"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// twos counts how often 2 comes. It is what a program that embeds the engine may
// register.
type twos struct{}

func (twos) count(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, sign int64) {
	for j, s := range slots {
		if args[0].I[rows[j]] == 2 {
			states[s] = binary.AppendVarint(nil, twosOf(states[s])+sign)
		}
	}
}

func twosOf(state []byte) int64 {
	n, _ := binary.Varint(state)
	return n
}

func (t twos) Accumulate(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, _ routine.Fail) {
	t.count(states, slots, args, rows, 1)
}

func (t twos) Retract(states [][]byte, slots []int32, args []*vector.Vector, rows []int32, _ routine.Fail) {
	t.count(states, slots, args, rows, -1)
}

func (twos) Merge(states [][]byte, slots []int32, others [][]byte, _ routine.Fail) {
	for j, s := range slots {
		states[s] = binary.AppendVarint(nil, twosOf(states[s])+twosOf(others[j]))
	}
}

func (twos) Finish(states [][]byte, out *vector.Vector, _ routine.Fail) {
	for _, s := range states {
		out.AppendInt(twosOf(s))
	}
}

func TestNative(t *testing.T) {
	routine.Register("twos", routine.Native{Aggregate: func() routine.Aggregate { return twos{} }})
	d := &routine.Definition{
		Name: "twos", Aggregate: true, Language: "go", Code: []byte("twos"),
		Params: []routine.Param{{Name: "x", Type: types.MakeBigInt()}}, Returns: types.MakeBigInt(),
	}
	call, err := Request{Fn: "twos", Args: []*expr.Expr{expr.NewColumn(0, "x", types.MakeBigInt())}, Routine: d}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	state, err := New(call, []int{0}, false, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	in := vector.New(types.MakeBigInt(), 4)
	for _, x := range []int64{2, 3, 2, 2} {
		in.AppendInt(x)
	}
	row := make([]byte, state.Size())
	if err := state.Add([][]byte{row, row, row, row}, []*vector.Vector{in}, 0, []int64{5, 1, -1, 0}); err != nil {
		t.Fatal(err)
	}
	out := vector.New(call.Type, 1)
	state.AppendResult([][]byte{row}, out, func(_ int, err error) { t.Error(err) })
	if out.I[0] != 4 {
		t.Errorf("%d, want 4", out.I[0])
	}
	for _, d := range []*routine.Definition{
		{Name: "f", Language: "go", Code: []byte("nothing")}, {Name: "f", Language: "go", Code: []byte("twos")}, {Name: "f", Language: "cobol"},
	} {
		if _, err := routine.Open(d); err == nil {
			t.Errorf("%s %q makes a function", d.Language, d.Code)
		}
	}
}
