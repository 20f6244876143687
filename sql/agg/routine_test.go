package agg

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/expr"
	"streamsql/sql/routine"
	"streamsql/sql/routine/js"
	"streamsql/sql/routine/wasm"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func init() {
	routine.RegisterLanguage("javascript", js.Language{})
	routine.RegisterLanguage("wasm", wasm.Language{})
}

// geoMeanJS sums whole numbers of 2^-32, so that it is exact under retraction.
const geoMeanJS = `
exports.init = () => ({ n: 0, sum: 0 });
const take = (s, x, sign) => {
  if (x === null || x <= 0) return;
  s.n += sign;
  s.sum += sign * Math.round(Math.log(x) * 4294967296);
};
exports.accumulate = (s, x) => take(s, x, 1);
exports.retract = (s, x) => take(s, x, -1);
exports.merge = (s, other) => { s.n += other.n; s.sum += other.sum; };
exports.finish = (s) => s.n > 0 ? Math.exp(s.sum / 4294967296 / s.n) : null;
`

func aggregateOf(language string, code []byte, params ...types.Type) *routine.Definition {
	d := &routine.Definition{Database: "d", Name: "f", Aggregate: true, Language: language, Returns: types.MakeDouble(), Code: code}
	for i, t := range params {
		d.Params = append(d.Params, routine.Param{Name: fmt.Sprint("x", i), Type: t})
	}
	return d
}

func geoMeans(t testing.TB) map[string]*routine.Definition {
	module, err := os.ReadFile("../../examples/functions/geo_mean.wasm")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*routine.Definition{
		"javascript": aggregateOf("javascript", []byte(geoMeanJS), types.MakeDouble()),
		"wasm":       aggregateOf("wasm", module, types.MakeDouble()),
	}
}

func routineCall(t testing.TB, d *routine.Definition) Call {
	var args []*expr.Expr
	for i, p := range d.Params {
		args = append(args, expr.NewColumn(i, p.Name, routine.Carrier(p.Type)))
	}
	c, err := Request{Fn: d.Name, Args: args, Routine: d}.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// memoryHeap is a Heap that forgets nothing that is not dropped.
type memoryHeap struct {
	kept map[uint64][]byte
	next uint64
}

func newHeap() *memoryHeap { return &memoryHeap{kept: map[uint64][]byte{}} }

func (h *memoryHeap) Put(b []byte) (uint64, error) {
	h.next++
	h.kept[h.next] = append([]byte(nil), b...)
	return h.next, nil
}
func (h *memoryHeap) Get(x uint64) []byte { return h.kept[x] }
func (h *memoryHeap) Drop(x uint64)       { delete(h.kept, x) }

// TestRoutineGeoMean compares the function in both languages with the formula, for
// rows and their retractions in any order, added directly and by way of partials.
func TestRoutineGeoMean(t *testing.T) {
	for name, d := range geoMeans(t) {
		t.Run(name, func(t *testing.T) {
			call := routineCall(t, d)
			rapid.Check(t, func(t *rapid.T) { checkGeoMean(t, call) })
		})
	}
}

func checkGeoMean(t *rapid.T, call Call) {
	const groups = 3
	heap := newHeap()
	direct, err := New(call, []int{0}, false, 8, heap)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := New(call, []int{0}, true, 8, heap)
	if err != nil {
		t.Fatal(err)
	}
	width := 8 + direct.Size()
	rows := func(n int) [][]byte {
		out := make([][]byte, n)
		for i := range out {
			out[i] = make([]byte, width)
		}
		return out
	}
	a, b := rows(groups), rows(groups)
	logs, counts := make([]float64, groups), make([]int, groups)
	for range rapid.IntRange(1, 5).Draw(t, "batches") {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		v := vector.New(types.MakeDouble(), n)
		weights := make([]int64, n)
		to, group := make([][]byte, n), make([]int, n)
		reduced := rows(groups)
		toReduced := make([][]byte, n)
		for i := range n {
			group[i] = rapid.IntRange(0, groups-1).Draw(t, "group")
			to[i], toReduced[i] = a[group[i]], reduced[group[i]]
			weights[i] = int64(rapid.IntRange(-2, 3).Draw(t, "weight"))
			x := rapid.SampledFrom([]float64{-1, 0, 0.001, 1, 2, 3.5, 1e6}).Draw(t, "x")
			if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
				v.AppendNull()
				continue
			}
			v.AppendFloat(x)
			if x > 0 {
				logs[group[i]] += float64(weights[i]) * math.Log(x)
				counts[group[i]] += int(weights[i])
			}
		}
		in := []*vector.Vector{v}
		if err := direct.Add(to, in, 0, weights); err != nil {
			t.Fatal(err)
		}
		if err := direct.Add(toReduced, in, 0, weights); err != nil {
			t.Fatal(err)
		}
		partial := []*vector.Vector{vector.New(Partial(call)[0], groups)}
		direct.AppendPartial(reduced, partial)
		if err := merged.AddPartial(b, partial, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, side := range [][][]byte{a, b} {
		out := vector.New(call.Type, groups)
		direct.AppendResult(side, out, func(i int, err error) { t.Fatalf("group %d: %v", i, err) })
		for g := range groups {
			want := math.Exp(logs[g] / float64(counts[g]))
			switch {
			case counts[g] <= 0 && !out.IsNull(g):
				t.Fatalf("group %d: %v of no rows", g, out.F[g])
			case counts[g] > 0 && (out.IsNull(g) || math.Abs(out.F[g]-want) > 1e-8*want):
				t.Fatalf("group %d: %v, not %v", g, out.F[g], want)
			}
		}
	}
}

// TestRoutineFails: a row that the function cannot take spoils its group until it is taken back.
func TestRoutineFails(t *testing.T) {
	d := aggregateOf("javascript", []byte(`
		function init() { return [] }
		function check(x) {
			if (x === 13) throw new Error('thirteen');
			while (x === 99) {}
			if (x === 77) { let all = []; for (;;) all.push('x'.repeat(1000000) + all.length); }
		}
		function accumulate(s, x) { check(x); s.push(x) }
		function retract(s, x) { check(x); s.splice(s.indexOf(x), 1) }
		function merge(s, other) { for (const x of other) s.push(x) }
		function finish(s) { return s.length }`), types.MakeDouble())
	call := routineCall(t, d)
	s, err := New(call, []int{0}, false, 0, newHeap())
	if err != nil {
		t.Fatal(err)
	}
	row, other := make([]byte, s.Size()), make([]byte, s.Size())
	add := func(x float64, w int64) {
		v := vector.New(types.MakeDouble(), 3)
		for _, x := range []float64{5, x, 6} {
			v.AppendFloat(x)
		}
		if err := s.Add([][]byte{other, row, other}, []*vector.Vector{v}, 0, []int64{1, w, 1}); err != nil {
			t.Fatal(err)
		}
	}
	result := func() string {
		out := vector.New(call.Type, 2)
		text := ""
		s.AppendResult([][]byte{row, other}, out, func(i int, err error) { text += fmt.Sprint(i, ": ", err) })
		if out.IsNull(1) {
			t.Fatal("the other group has no result")
		}
		if text == "" {
			text = fmt.Sprint(out.F[0])
		}
		return text
	}
	add(1, 1)
	for _, c := range []struct {
		x   float64
		why string
	}{{13, "thirteen"}, {99, "ran for longer"}, {77, "failed: it"}} {
		add(c.x, 1)
		if got := result(); !strings.Contains(got, c.why) || !strings.HasPrefix(got, "0: ") {
			t.Errorf("with %v: %s", c.x, got)
		}
		add(c.x, -1)
		if got := result(); got != "1" {
			t.Errorf("without %v again: %s", c.x, got)
		}
	}
	for range 100 { // beyond what lies in a row
		add(2, 1)
	}
	add(2, -1)
	if got := result(); got != "100" {
		t.Errorf("of a long state: %s", got)
	}
}

// BenchmarkRoutine gives the rows per second that the geometric mean takes in, in chunks
// of 1024 rows that go round the groups, after checkGroups has found its results right.
func BenchmarkRoutine(b *testing.B) {
	for name, d := range geoMeans(b) {
		for _, groups := range []int{1, 100, 1024, 100_000} {
			b.Run(fmt.Sprintf("%s/groups=%d", name, groups), func(b *testing.B) {
				const chunk = 1024
				s, err := New(routineCall(b, d), []int{0}, false, 0, newHeap())
				if err != nil {
					b.Fatal(err)
				}
				slab := make([]byte, groups*s.Size())
				v := vector.New(types.MakeDouble(), chunk)
				rows := make([][]byte, chunk)
				for i := range rows {
					v.AppendFloat(float64(i) + 0.5)
				}
				in, next, logs, counts := []*vector.Vector{v}, 0, make([]float64, groups), make([]int, groups)
				add := func() {
					for i := range rows {
						g := (next + i) % groups
						rows[i] = slab[g*s.Size() : (g+1)*s.Size()]
					}
					if err := s.Add(rows, in, 0, nil); err != nil {
						b.Fatal(err)
					}
				}
				for next < max(groups, 3*chunk) {
					add()
					for i, x := range v.F {
						logs[(next+i)%groups] += math.Log(x)
						counts[(next+i)%groups]++
					}
					next += chunk
				}
				checkGroups(b, s, slab, logs, counts)
				for b.Loop() {
					add()
					next += chunk
				}
				b.ReportMetric(chunk*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			})
		}
	}
}

// checkGroups compares the results of the groups whose states lie in slab with the
// means of their logarithms.
func checkGroups(b *testing.B, s State, slab []byte, logs []float64, counts []int) {
	out := vector.New(types.MakeDouble(), len(logs))
	states := make([][]byte, len(logs))
	for g := range states {
		states[g] = slab[g*s.Size() : (g+1)*s.Size()]
	}
	s.AppendResult(states, out, func(g int, err error) { b.Fatalf("group %d: %v", g, err) })
	for g := range states {
		want := math.Exp(logs[g] / float64(counts[g]))
		if out.IsNull(g) || math.Abs(out.F[g]-want) > 1e-8*want {
			b.Fatalf("group %d: %v, not %v", g, out.F[g], want)
		}
	}
}
