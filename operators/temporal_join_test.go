package operators_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// timedSpec is a join of some kind on the first column of each side, which is
// unique on the right, with a twin of its residual.
func timedSpec(t *testing.T, seed int64) (spec operators.TimedSpec, residual func(l, r row) bool) {
	spec = operators.TimedSpec{
		Left: []types.Type{bigint, varchar, bigint}, Right: []types.Type{bigint, bigint, varchar},
		LeftKeys: []int{0}, RightKeys: []int{0}, Outer: seed%2 == 1, AppendOnly: seed/2%2 == 1,
	}
	if seed/4%2 == 1 {
		spec.NullSafe = []bool{true}
	}
	if seed/8%2 == 1 {
		spec.Residual = []*expr.Expr{fn(t, "<", expr.NewColumn(2, "l2", bigint), expr.NewColumn(4, "r1", bigint))}
		residual = func(l, r row) bool {
			a, b := l.c.Cols[2], r.c.Cols[1]
			return !a.IsNull(l.i) && !b.IsNull(r.i) && a.I[l.i] < b.I[r.i]
		}
	}
	return spec, residual
}

// given is what some of equal left rows were given: the right row, nil for NULLs.
type given struct {
	right *row
	text  string
	n     int64
}

// temporalTwin replays a TemporalJoin: at the end of each batch the net new left
// rows meet the right rows, and what net gone ones had met is taken back: what
// was given first, then the newest.
func temporalTwin(spec operators.TimedSpec, residual func(l, r row) bool) func([][]*batch.Chunk) *batch.Chunk {
	out := append([]types.Type(nil), spec.Left...)
	for _, t := range spec.Right {
		out = append(out, t.Nullable())
	}
	return func(batches [][]*batch.Chunk) *batch.Chunk {
		sum, right := batch.New(out, 16), batch.New(spec.Right, 16)
		met := map[string][]given{}
		for _, b := range batches {
			for i := range b[1].N {
				right.AppendFrom(b[1], i, b[1].Weight(i))
			}
			now := consolidated(right)
			for _, l := range consolidated(b[0]) {
				key := string((&batch.Chunk{Cols: l.c.Cols, N: l.c.N}).AppendRow(nil, l.i))
				for l.n < 0 && len(met[key]) > 0 {
					g := &met[key][0]
					n := min(-l.n, g.n)
					addTimed(sum, l, g.right, -n)
					l.n += n
					if g.n -= n; g.n == 0 {
						met[key] = met[key][1:]
					}
				}
				if l.n <= 0 {
					continue
				}
				g := given{right: pickTimed(spec, residual, l, now), n: l.n}
				if g.right == nil && !spec.Outer {
					continue
				}
				addTimed(sum, l, g.right, g.n)
				if g.right != nil {
					g.text = "x" + string(g.right.c.AppendRow(nil, g.right.i))
				}
				if k := slices.IndexFunc(met[key], func(o given) bool { return o.text == g.text }); k >= 0 {
					met[key][k].n += g.n
				} else {
					met[key] = slices.Insert(met[key], min(1, len(met[key])), g)
				}
			}
		}
		return sum
	}
}

// addTimed adds a left row beside a right one, or NULLs.
func addTimed(sum *batch.Chunk, l row, r *row, w int64) {
	for k, v := range l.c.Cols {
		sum.Cols[k].AppendFrom(v, l.i)
	}
	for k := len(l.c.Cols); k < len(sum.Cols); k++ {
		if v := sum.Cols[k]; r == nil {
			v.AppendNull()
		} else {
			v.AppendFrom(r.c.Cols[k-len(l.c.Cols)], r.i)
		}
	}
	sum.PushWeight(w)
}

// pickTimed finds the one of the right rows that a left row meets, nil if there is none.
func pickTimed(spec operators.TimedSpec, residual func(l, r row) bool, l row, right []row) *row {
	for _, r := range right {
		if sameTimedKey(spec, l, r) && (residual == nil || residual(l, r)) {
			return &r
		}
	}
	return nil
}

func sameTimedKey(spec operators.TimedSpec, l, r row) bool {
	a, b := l.c.Cols[0], r.c.Cols[0]
	if a.IsNull(l.i) || b.IsNull(r.i) {
		return spec.NullSafe != nil && a.IsNull(l.i) && b.IsNull(r.i)
	}
	return a.I[l.i] == b.I[r.i]
}

func TestTemporalJoinAgainstTwin(t *testing.T) {
	for seed := range int64(200) {
		spec, residual := timedSpec(t, seed)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			gen := optest.Generator{Inputs: [][]types.Type{spec.Left, spec.Right}, Values: 1 + int(seed)%4, Nulls: 20, Unique: []int{0}, UniqueOf: 1}
			batches := gen.Batches(rand.New(rand.NewSource(seed)), 16, 12)
			if spec.AppendOnly {
				gen.AppendOnly = true
				for b, added := range gen.Batches(rand.New(rand.NewSource(seed)), 16, 12) {
					batches[b][0] = added[0]
				}
			}
			optest.Case{
				New: func() (operators.Operator, error) {
					return operators.NewTemporalJoin(spec, operators.Env{Node: "TemporalJoin"})
				},
				Inputs: gen.Inputs, Keys: [][]int{{0}, {0}}, Batches: batches, Replay: temporalTwin(spec, residual),
			}.Run(t)
		})
	}
}
