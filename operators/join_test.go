package operators_test

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var joinKinds = map[string]operators.JoinKind{
	"inner": operators.InnerJoin, "left": operators.LeftJoin, "full": operators.FullJoin, "semi": operators.SemiJoin, "anti": operators.AntiJoin,
}

var joinLeft, joinRight = []types.Type{bigint, varchar, bigint}, []types.Type{varchar, bigint, longDec}

// joinSpec is a join of some kind, with a twin of its residual.
func joinSpec(t *testing.T, kind operators.JoinKind, seed int64) (spec operators.JoinSpec, residual func(l, r row) bool) {
	spec = operators.JoinSpec{Left: joinLeft, Right: joinRight, Kind: kind}
	switch seed % 4 {
	case 0:
		spec.LeftKeys, spec.RightKeys = []int{0}, []int{1}
	case 1:
		spec.LeftKeys, spec.RightKeys, spec.NullSafe = []int{0}, []int{1}, []bool{true}
	case 2:
		spec.LeftKeys, spec.RightKeys, spec.NullSafe = []int{1, 2}, []int{0, 1}, []bool{true, false}
	}
	if seed/4%2 == 1 {
		spec.Residual = []*expr.Expr{fn(t, "<", expr.NewColumn(2, "l2", bigint), expr.NewColumn(4, "r1", bigint))}
		residual = func(l, r row) bool {
			a, b := l.c.Cols[2], r.c.Cols[1]
			return !a.IsNull(l.i) && !b.IsNull(r.i) && a.I[l.i] < b.I[r.i]
		}
	}
	return spec, residual
}

// joinCase is a join over random rows, with its twin.
func joinCase(spec operators.JoinSpec, residual func(l, r row) bool, seed int64, batches int) optest.Case {
	gen := optest.Generator{Inputs: [][]types.Type{joinLeft, joinRight}, Values: 4, Nulls: 20}
	c := optest.Case{
		New:     func() (operators.Operator, error) { return operators.NewJoin(spec, operators.Env{Node: "Join"}) },
		Inputs:  gen.Inputs,
		Batches: gen.Batches(rand.New(rand.NewSource(seed)), batches, 12),
		Twin:    joinTwin(spec, residual),
	}
	if spec.LeftKeys != nil {
		c.Keys = [][]int{spec.LeftKeys, spec.RightKeys}
	}
	return c
}

func TestJoinAgainstTwin(t *testing.T) {
	for name, kind := range joinKinds {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(16) {
				spec, residual := joinSpec(t, kind, seed)
				joinCase(spec, residual, seed, 6).Run(t)
			}
		})
	}
}

// TestSemiJoinOverAppends: where the right input never retracts, left rows that
// match are not kept, and come and go all the same.
func TestSemiJoinOverAppends(t *testing.T) {
	for _, name := range []string{"semi", "anti"} {
		for seed := range int64(3) {
			spec, _ := joinSpec(t, joinKinds[name], seed)
			spec.RightAppends = true
			c := joinCase(spec, nil, seed, 8)
			for _, b := range c.Batches {
				for i, w := range b[1].Weights {
					b[1].Weights[i] = max(w, -w)
				}
			}
			c.Run(t)
		}
	}
	spec := operators.JoinSpec{Kind: operators.SemiJoin, Left: []types.Type{bigint}, Right: []types.Type{bigint}, LeftKeys: []int{0}, RightKeys: []int{0}, RightAppends: true}
	op, err := operators.NewJoin(spec, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	for id, right := range []string{"+ 1\n", "+ 2\n", ""} {
		op.Begin(&operators.Batch{ID: uint64(id)})
		op.Push(0, batch.MustParse(spec.Left, "+ 1\n+ 2\n+ 3\n"))
		op.Push(1, batch.MustParse(spec.Right, right))
		op.CloseInput(0)
		op.CloseInput(1)
		if _, err := op.Step(100, func(*batch.Chunk) {}); err != nil {
			t.Fatal(err)
		}
	}
	if rows := op.States()[0].Rows(); rows != 1 {
		t.Errorf("%d left rows are kept, not 3 alone", rows)
	}
}

// TestJoinOverAppends: rows that are never taken back need not be found by their
// content, and equal ones lie side by side.
func TestJoinOverAppends(t *testing.T) {
	for name, kind := range joinKinds {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(16) {
				spec, residual := joinSpec(t, kind, seed)
				spec.LeftAppends, spec.RightAppends = seed%3 != 0, seed%3 != 1
				c := joinCase(spec, residual, seed, 6)
				for _, b := range c.Batches {
					for in, appends := range []bool{spec.LeftAppends, spec.RightAppends} {
						for i, w := range b[in].Weights {
							if appends {
								b[in].Weights[i] = max(w, -w)
							}
						}
					}
				}
				c.Run(t)
			}
		})
	}
}

// TestJoinOutput: of the columns, a join gives those that are asked for.
func TestJoinOutput(t *testing.T) {
	for _, name := range []string{"inner", "left", "full"} {
		for seed := range int64(8) {
			spec, residual := joinSpec(t, joinKinds[name], seed)
			spec.Output = [][]int{{5, 0}, {1, 2}, {4}}[seed%3]
			whole := joinTwin(spec, residual)
			c := joinCase(spec, residual, seed, 6)
			c.Twin = func(inputs []*batch.Chunk) *batch.Chunk {
				rows := whole(inputs)
				out := &batch.Chunk{N: rows.N, Weights: rows.Weights}
				for _, k := range spec.Output {
					out.Cols = append(out.Cols, rows.Cols[k])
				}
				return out
			}
			c.Run(t)
		}
	}
}

// TestJoinOfOneBatch: the cheap settings of a plan of one batch give the same
// rows, and where the right input goes first, none is taken back.
func TestJoinOfOneBatch(t *testing.T) {
	for name, kind := range joinKinds {
		for seed := range int64(16) {
			for _, rightFirst := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%v", name, seed, rightFirst), func(t *testing.T) {
					spec, residual := joinSpec(t, kind, seed)
					spec.OneBatch, spec.RightFirst = true, rightFirst
					c := joinCase(spec, residual, seed, 1)
					c.Run(t)
					if rightFirst {
						nothingTakenBack(t, c)
					}
				})
			}
		}
	}
}

// nothingTakenBack runs a case of one batch without retractions, and finds none
// in the output.
func nothingTakenBack(t *testing.T, c optest.Case) {
	op, err := c.New()
	if err != nil {
		t.Fatal(err)
	}
	op.Begin(&operators.Batch{ID: 1})
	for in, rows := range c.Batches[0] {
		for i, w := range rows.Weights {
			rows.Weights[i] = max(w, -w)
		}
		op.Push(in, rows)
		op.CloseInput(in)
	}
	for status := operators.More; status == operators.More; {
		status, err = op.Step(3, func(c *batch.Chunk) {
			for i := range c.N {
				if c.Weight(i) < 0 {
					t.Errorf("taken back:\n%s", c)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
