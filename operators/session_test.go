package operators_test

import (
	"fmt"
	"math/rand"
	"sort"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// sessionsOf parts rows by key and gap, as plainly as can be: each session is a
// list of rows in the order of their times.
func sessionsOf(rows []row, keys []int, time int, gap int64) [][]row {
	byKey := map[string][]row{}
	for _, r := range rows {
		if !r.c.Cols[time].IsNull(r.i) {
			k := text(r.c, r.i, keys)
			byKey[k] = append(byKey[k], r)
		}
	}
	var out [][]row
	for _, list := range byKey {
		at := func(k int) int64 { return list[k].c.Cols[time].I[list[k].i] }
		sort.Slice(list, func(a, b int) bool { return at(a) < at(b) })
		first := 0
		for k := 1; k <= len(list); k++ {
			if k == len(list) || at(k)-at(k-1) > gap {
				out = append(out, list[first:k])
				first = k
			}
		}
	}
	return out
}

func sessionSpec(rng *rand.Rand, in []types.Type) operators.SessionSpec {
	return operators.SessionSpec{
		Input: in, Keys: [][]int{{0}, {0, 2}, {}}[rng.Intn(3)], Time: 1, Gap: int64(1 + rng.Intn(4)), Keep: [][]int{{0, 1, 2}, {2, 0}, {}}[rng.Intn(3)],
		Bound: moment, Lateness: operators.Lateness{Late: -1},
	}
}

// Rows carry the bounds of their session, whatever extends, joins and splits it.
func TestSession(t *testing.T) {
	in := []types.Type{bigint, moment, types.MakeVarChar(9)}
	for seed := range int64(30) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng, in)
		keys := [][]int{spec.Keys}
		if len(spec.Keys) == 0 {
			keys = nil
		}
		optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewSession(spec, operators.Env{Node: "Session"}) },
			Inputs: [][]types.Type{in}, Keys: keys,
			Batches: optest.Generator{Inputs: [][]types.Type{in}, Values: 4 + rng.Intn(30), Nulls: 8}.Batches(rng, 8, 40),
			Twin: func(all []*batch.Chunk) *batch.Chunk {
				var ts []types.Type
				for _, k := range spec.Keep {
					ts = append(ts, in[k])
				}
				out := batch.New(append(ts, moment, moment), 16)
				for _, s := range sessionsOf(consolidated(all[0]), spec.Keys, 1, spec.Gap) {
					last := s[len(s)-1]
					for _, r := range s {
						for k, c := range spec.Keep {
							out.Cols[k].AppendFrom(r.c.Cols[c], r.i)
						}
						out.Cols[len(spec.Keep)].AppendInt(s[0].c.Cols[1].I[s[0].i])
						out.Cols[len(spec.Keep)+1].AppendInt(last.c.Cols[1].I[last.i] + spec.Gap)
						out.PushWeight(r.n)
					}
				}
				return out
			},
		}.Run(t)
	}
}

// With ids, rows of a session and no others have the same id, after each batch.
func TestSessionIDs(t *testing.T) {
	in := []types.Type{bigint, moment, types.MakeVarChar(9)}
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng, in)
		spec.IDs, spec.Keep = true, []int{0, 1, 2}
		s, err := operators.NewSession(spec, operators.Env{Node: "Session"})
		if err != nil {
			t.Fatal(err)
		}
		all, given := batch.New(in, 64), batch.New(s.Types(), 64)
		for id, inputs := range (optest.Generator{Inputs: [][]types.Type{in}, Values: 4 + rng.Intn(40), Nulls: 8}).Batches(rng, 12, 40) {
			c := inputs[0]
			for i := range c.N {
				all.AppendFrom(c, i, c.Weight(i))
			}
			s.Begin(&operators.Batch{ID: uint64(id)})
			s.Push(0, c)
			s.CloseInput(0)
			for budget := 1 + rng.Intn(30); ; {
				status, err := s.Step(budget, func(c *batch.Chunk) {
					for i := range c.N {
						given.AppendFrom(c, i, c.Weight(i))
					}
				})
				if err != nil {
					t.Fatal(err)
				}
				if status == operators.Done {
					break
				}
			}
			if rng.Intn(3) == 0 {
				again, _ := operators.NewSession(spec, operators.Env{Node: "Session"})
				s = optest.Restored(t, s, again)
			}
			if got, want := grouped(given, spec), wantGrouped(all, spec); got != want {
				t.Fatalf("seed %d, batch %d: sessions are\n%swant\n%s", seed, id, got, want)
			}
		}
	}
}

func grouped(given *batch.Chunk, spec operators.SessionSpec) string {
	by := map[string][]string{}
	for _, r := range consolidated(given) {
		k := text(r.c, r.i, append([]int{4}, spec.Keys...))
		if r.c.Cols[3].I[r.i] != r.c.Cols[1].I[r.i]+spec.Gap {
			return "a row ends at another time than its own"
		}
		by[k] = append(by[k], fmt.Sprintf("%d×%s", r.n, text(r.c, r.i, []int{0, 1, 2})))
	}
	return sessionText(by)
}

func wantGrouped(all *batch.Chunk, spec operators.SessionSpec) string {
	by := map[string][]string{}
	for n, s := range sessionsOf(consolidated(all), spec.Keys, 1, spec.Gap) {
		for _, r := range s {
			by[fmt.Sprint(n)] = append(by[fmt.Sprint(n)], fmt.Sprintf("%d×%s", r.n, text(r.c, r.i, []int{0, 1, 2})))
		}
	}
	return sessionText(by)
}

func sessionText(by map[string][]string) string {
	var lines []string
	for _, rows := range by {
		sort.Strings(rows)
		lines = append(lines, fmt.Sprintf("%q\n", rows))
	}
	sort.Strings(lines)
	return fmt.Sprint(lines)
}

// Sessions of rows that stay go as a whole, so that what is kept of each group is one
// value: a Merge by id over a Session gives what all rows so far say.
func TestSessionsMergedWhole(t *testing.T) {
	in := []types.Type{bigint, moment, types.MakeVarChar(9)}
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng, in)
		spec.Keys, spec.IDs, spec.Keep = []int{0}, true, []int{0, 1, 2}
		session := func() *operators.Session {
			s, err := operators.NewSession(spec, operators.Env{Node: "Session"})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := session()
		sums := operators.AggSpec{Input: s.Types(), Keys: []int{0, 4}, Whole: true, Aggs: []agg.Call{
			call(t, s.Types(), "count", false), call(t, s.Types(), "min", false, 1), call(t, s.Types(), "max", false, 3), call(t, s.Types(), "max", false, 2),
		}}
		merge := func() *operators.Merge {
			m, err := operators.NewMerge(sums, operators.Env{Node: "Merge"})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m := merge()
		all, given := batch.New(in, 64), batch.New(m.Types(), 64)
		gen := optest.Generator{Inputs: [][]types.Type{in}, Values: 4 + rng.Intn(40), Nulls: 8, AppendOnly: true}
		for id, inputs := range gen.Batches(rng, 12, 40) {
			c := inputs[0]
			for i := range c.N {
				all.AppendFrom(c, i, c.Weight(i))
			}
			batchOf(t, m, id, 1+rng.Intn(30), batchOf(t, s, id, 1+rng.Intn(30), []*batch.Chunk{c})).appendTo(given)
			if rng.Intn(3) == 0 {
				s, m = optest.Restored(t, s, session()), optest.Restored(t, m, merge())
			}
			if got, want := mergedText(given, []int{0, 2, 3, 4, 5}), wantMerged(all, spec); got != want {
				t.Fatalf("seed %d, batch %d: sessions are\n%swant\n%s", seed, id, got, want)
			}
		}
	}
}

// driven is what an operator gave in a batch.
type driven []*batch.Chunk

func (d driven) appendTo(sum *batch.Chunk) {
	for _, c := range d {
		for i := range c.N {
			sum.AppendFrom(c, i, c.Weight(i))
		}
	}
}

func batchOf(t *testing.T, op operators.Operator, id, budget int, in []*batch.Chunk) (out driven) {
	t.Helper()
	op.Begin(&operators.Batch{ID: uint64(id)})
	for _, c := range in {
		op.Push(0, c)
	}
	op.CloseInput(0)
	for {
		status, err := op.Step(budget, func(c *batch.Chunk) { out = append(out, c) })
		if err != nil {
			t.Fatal(err)
		}
		if status == operators.Done {
			return out
		}
	}
}

func mergedText(c *batch.Chunk, cols []int) string {
	var lines []string
	for _, r := range consolidated(c) {
		lines = append(lines, fmt.Sprintf("%d×%s\n", r.n, text(r.c, r.i, cols)))
	}
	sort.Strings(lines)
	return fmt.Sprint(lines)
}

func wantMerged(all *batch.Chunk, spec operators.SessionSpec) string {
	out := batch.New([]types.Type{bigint, bigint, moment, moment, types.MakeVarChar(9)}, 16)
	for _, s := range sessionsOf(consolidated(all), spec.Keys, 1, spec.Gap) {
		n, best := int64(0), -1
		for k, r := range s {
			n += r.n
			v := r.c.Cols[2]
			if !v.IsNull(r.i) && (best < 0 || string(v.Bytes(r.i)) > string(s[best].c.Cols[2].Bytes(s[best].i))) {
				best = k
			}
		}
		first, last := s[0], s[len(s)-1]
		out.Cols[0].AppendFrom(first.c.Cols[0], first.i)
		out.Cols[1].AppendInt(n)
		out.Cols[2].AppendInt(first.c.Cols[1].I[first.i])
		out.Cols[3].AppendInt(last.c.Cols[1].I[last.i] + spec.Gap)
		if best < 0 {
			out.Cols[4].AppendNull()
		} else {
			out.Cols[4].AppendFrom(s[best].c.Cols[2], s[best].i)
		}
		out.PushWeight(1)
	}
	return mergedText(out, []int{0, 1, 2, 3, 4})
}
