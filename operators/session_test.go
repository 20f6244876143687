package operators_test

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"sort"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/types"
)

// sessionsOf parts rows by key, as plainly as can be: each row is a stretch of time
// that ends with it and begins a gap before, or behind what was over when it came;
// stretches that overlap are in one session. Rows come in the order of their times.
func sessionsOf(rows []row, spec operators.SessionSpec) [][]row {
	at := func(r row) int64 { return r.c.Cols[spec.Time].I[r.i] }
	over := func(r row) int64 {
		if spec.Late < 0 || r.c.Cols[spec.Late].IsNull(r.i) {
			return math.MinInt64
		}
		return r.c.Cols[spec.Late].I[r.i] - spec.Gap - spec.Allowed
	}
	from := func(r row) int64 { return max(at(r)-spec.Gap, over(r)+1) }
	byKey := map[string][]row{}
	for _, r := range rows {
		if !r.c.Cols[spec.Time].IsNull(r.i) && at(r) > over(r) {
			k := text(r.c, r.i, spec.Keys)
			byKey[k] = append(byKey[k], r)
		}
	}
	var out [][]row
	for _, list := range byKey {
		sort.Slice(list, func(a, b int) bool { return from(list[a]) < from(list[b]) })
		first, reached := 0, at(list[0])
		for k := 1; k <= len(list); k++ {
			if k < len(list) && from(list[k]) <= reached {
				reached = max(reached, at(list[k]))
				continue
			}
			session := list[first:k]
			sort.Slice(session, func(a, b int) bool { return at(session[a]) < at(session[b]) })
			out = append(out, session)
			if first = k; k < len(list) {
				reached = at(list[k])
			}
		}
	}
	return out
}

// sessionInput has, besides a key, a time and a text, the watermark before the row.
var sessionInput = []types.Type{bigint, moment, types.MakeVarChar(9), moment}

func sessionSpec(rng *rand.Rand) operators.SessionSpec {
	return operators.SessionSpec{
		Input: sessionInput, Keys: [][]int{{0}, {0, 2}, {}}[rng.Intn(3)], Time: 1, Gap: int64(1 + rng.Intn(4)), Keep: [][]int{{0, 1, 2}, {2, 0}, {}}[rng.Intn(3)],
		Bound: moment, Lateness: operators.Lateness{Late: []int{-1, 3}[rng.Intn(2)], Allowed: int64(rng.Intn(3))},
	}
}

// Rows carry the bounds of their session, whatever extends, joins and splits it.
func TestSession(t *testing.T) {
	in := sessionInput
	for seed := range int64(30) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng)
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
				for _, s := range sessionsOf(consolidated(all[0]), spec) {
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
	in := sessionInput
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng)
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
	by := map[string]map[string]int64{}
	for _, r := range consolidated(given) {
		k := text(r.c, r.i, append([]int{4}, spec.Keys...))
		if r.c.Cols[3].I[r.i] != r.c.Cols[1].I[r.i]+spec.Gap {
			return "a row ends at another time than its own"
		}
		count(by, k, r)
	}
	return sessionText(by)
}

func wantGrouped(all *batch.Chunk, spec operators.SessionSpec) string {
	by := map[string]map[string]int64{}
	for n, s := range sessionsOf(consolidated(all), spec) {
		for _, r := range s {
			count(by, fmt.Sprint(n), r)
		}
	}
	return sessionText(by)
}

// count counts a row, whatever its watermark, in a session.
func count(by map[string]map[string]int64, session string, r row) {
	if by[session] == nil {
		by[session] = map[string]int64{}
	}
	by[session][text(r.c, r.i, []int{0, 1, 2})] += r.n
}

func sessionText(by map[string]map[string]int64) string {
	var lines []string
	for _, counts := range by {
		var rows []string
		for r, n := range counts {
			rows = append(rows, fmt.Sprintf("%d×%s", n, r))
		}
		sort.Strings(rows)
		lines = append(lines, fmt.Sprintf("%q\n", rows))
	}
	sort.Strings(lines)
	return fmt.Sprint(lines)
}

// Sessions of rows that stay go as a whole, so that what is kept of each group is one
// value: a Merge by id over a Session gives what all rows so far say.
func TestSessionsMergedWhole(t *testing.T) {
	in := sessionInput
	for seed := range int64(40) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng)
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
	return inBatch(t, op, operators.Batch{ID: uint64(id)}, budget, in)
}

func inBatch(t *testing.T, op operators.Operator, b operators.Batch, budget int, in []*batch.Chunk) (out driven) {
	t.Helper()
	op.Begin(&b)
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
	for _, s := range sessionsOf(consolidated(all), spec) {
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

// Over a stream of several partitions, sessions that the stream's watermark has
// passed are forgotten, and stay what they were: nobody can tell from the results
// of a Merge by id, which forgets its groups at that time too.
func TestSessionsStayClosed(t *testing.T) {
	in := sessionInput
	for seed := range int64(12) {
		rng := rand.New(rand.NewSource(seed))
		spec := sessionSpec(rng)
		spec.Keys, spec.IDs, spec.Keep, spec.Late = []int{0}, true, []int{0, 1, 2}, 3
		spec.Over = operators.Watermark{{Table: 1, Delay: spec.Allowed + spec.Gap}}
		appends := seed%2 == 0
		session := func() *operators.Session {
			s, err := operators.NewSession(spec, operators.Env{Node: "Session"})
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := session()
		sums := operators.AggSpec{Input: s.Types(), Keys: []int{0, 4}, Whole: appends, Aggs: []agg.Call{
			call(t, s.Types(), "count", false), call(t, s.Types(), "min", false, 1), call(t, s.Types(), "max", false, 3), call(t, s.Types(), "max", false, 2),
		}, Expiry: &operators.Expiry{Col: 4, Watermark: operators.Watermark{{Table: 1, Delay: spec.Allowed}}}}
		merge := func() *operators.Merge {
			m, err := operators.NewMerge(sums, operators.Env{Node: "Merge"})
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m := merge()
		stream := partitioned{marks: make([]int64, 1+rng.Intn(3)), delay: int64(rng.Intn(5)), step: 1}
		all, given := batch.New(in, 64), batch.New(m.Types(), 64)
		for id := range 40 {
			over := closed(all, spec, stream.watermark()-spec.Allowed-spec.Gap)
			c := batch.New(in, 8)
			for range rng.Intn(12) {
				if !appends && rng.Intn(3) == 0 {
					takeBack(rng, all, c, over)
				} else {
					stream.row(rng, c)
					all.AppendFrom(c, c.N-1, 1)
				}
			}
			b := operators.Batch{ID: uint64(id), Watermarks: map[uint64]int64{}}
			if stream.watermark() > unmarked {
				b.Watermarks[1] = stream.watermark()
			}
			budget := 1 + rng.Intn(30)
			inBatch(t, m, b, budget, inBatch(t, s, b, budget, []*batch.Chunk{c})).appendTo(given)
			if rng.Intn(3) == 0 {
				s, m = optest.Restored(t, s, session()), optest.Restored(t, m, merge())
			}
			if id%4 != 3 {
				continue
			}
			if got, want := mergedText(given, []int{0, 2, 3, 4, 5}), wantMerged(all, spec); got != want {
				t.Fatalf("seed %d, batch %d: sessions are\n%swant\n%s", seed, id, got, want)
			}
		}
		sessions := sessionsOf(consolidated(all), spec)
		open := slices.DeleteFunc(sessions, func(s []row) bool {
			last := s[len(s)-1]
			return last.c.Cols[1].I[last.i] <= stream.watermark()-spec.Allowed-spec.Gap
		})
		if kept := s.States()[1].Rows(); kept != int64(len(open)) {
			t.Fatalf("seed %d: %d sessions are kept, %d are open", seed, kept, len(open))
		}
		if groups := m.States()[0].Rows(); groups != int64(len(open)) {
			t.Fatalf("seed %d: %d groups are kept, %d sessions are open", seed, groups, len(open))
		}
	}
}

const unmarked = math.MinInt64 / 2

// partitioned is a stream: the watermark of each partition is the largest time in it
// less the delay, its own the least of them.
type partitioned struct {
	marks []int64
	delay int64
	now   int64
	step  int64 // between times
	begun bool
}

// row appends a row of one of the partitions to c. Its time is about now, which moves on.
func (p *partitioned) row(rng *rand.Rand, c *batch.Chunk) {
	if !p.begun {
		p.begun = true
		for k := range p.marks {
			p.marks[k] = unmarked
		}
	}
	p.now += int64(rng.Intn(2)) * p.step
	part, at := rng.Intn(len(p.marks)), p.now+int64(rng.Intn(9)-6)*p.step
	c.Cols[0].AppendInt(int64(rng.Intn(2)))
	c.Cols[1].AppendInt(at)
	c.Cols[2].AppendString(fmt.Sprint("r", rng.Intn(3)))
	if p.marks[part] == unmarked {
		c.Cols[3].AppendNull()
	} else {
		c.Cols[3].AppendInt(p.marks[part])
	}
	c.PushWeight(1)
	p.marks[part] = max(p.marks[part], at-p.delay)
}

func (p *partitioned) watermark() int64 {
	if !p.begun {
		return unmarked
	}
	return slices.Min(p.marks)
}

// closed are the rows of sessions whose last row is not above a time.
func closed(all *batch.Chunk, spec operators.SessionSpec, over int64) map[string]bool {
	out := map[string]bool{}
	for _, session := range sessionsOf(consolidated(all), spec) {
		last := session[len(session)-1]
		for _, r := range session {
			if last.c.Cols[1].I[last.i] <= over {
				out[text(r.c, r.i, []int{0, 1, 2, 3})] = true
			}
		}
	}
	return out
}

// takeBack appends the retraction of some row of all to c. It counts if the row's
// session was not over.
func takeBack(rng *rand.Rand, all, c *batch.Chunk, over map[string]bool) {
	rows := consolidated(all)
	if len(rows) == 0 {
		return
	}
	r := rows[rng.Intn(len(rows))]
	c.AppendFrom(r.c, r.i, -1)
	if !over[text(r.c, r.i, []int{0, 1, 2, 3})] {
		all.AppendFrom(r.c, r.i, -1)
	}
}
