package operators_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

var (
	bigint  = types.MakeBigInt()
	ubigint = types.Type{Kind: types.BigInt, Unsigned: true}
	varchar = types.MakeVarChar(20)
	double  = types.MakeDouble()
	dec     = types.MakeDecimal(12, 2)
	longDec = types.MakeDecimal(40, 3)
)

func call(t testing.TB, input []types.Type, fn string, distinct bool, cols ...int) agg.Call {
	t.Helper()
	var args []*expr.Expr
	for _, c := range cols {
		args = append(args, expr.NewColumn(c, fmt.Sprint("c", c), input[c]))
	}
	a, err := agg.Resolve(fn, args, distinct)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// allCalls are all aggregates over the columns from first on that may have them.
func allCalls(t testing.TB, input []types.Type, first int, distinct bool) []agg.Call {
	calls := []agg.Call{call(t, input, "count", false)}
	for k := first; k < len(input); k++ {
		calls = append(calls, call(t, input, "count", false, k), call(t, input, "min", false, k), call(t, input, "max", false, k))
		if distinct {
			calls = append(calls, call(t, input, "count", true, k))
		}
		if input[k].Class() != types.ClassBytes {
			calls = append(calls, call(t, input, "sum", false, k), call(t, input, "avg", false, k))
			if distinct {
				calls = append(calls, call(t, input, "sum", true, k))
			}
		}
	}
	if distinct {
		calls = append(calls, call(t, input, "count", true, first, len(input)-1))
	}
	return calls
}

// keySets are grouping keys of every form: one int, one text, one decimal, two, none.
var keyInput = []types.Type{bigint, varchar, dec, bigint, double, dec, longDec, varchar, ubigint}
var keySets = [][]int{{0}, {1}, {2}, {4}, {0, 1}, {6, 0, 1}, {}}

func partable(keys []int) [][]int {
	if len(keys) == 0 {
		return nil
	}
	return [][]int{keys}
}

func TestMergeAgainstTwin(t *testing.T) {
	for seed := range int64(14) {
		rng := rand.New(rand.NewSource(seed))
		keys := keySets[int(seed)%len(keySets)]
		appendOnly := seed >= 10
		spec := operators.AggSpec{Input: keyInput, Keys: keys, Aggs: allCalls(t, keyInput, 3, true), AppendOnly: appendOnly}
		gen := optest.Generator{Inputs: [][]types.Type{keyInput}, Values: 5, Nulls: 20, AppendOnly: appendOnly}
		optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewMerge(spec, operators.Env{Node: "Merge"}) },
			Inputs: gen.Inputs, Keys: partable(keys), Batches: gen.Batches(rng, 8, 30), Twin: mergeTwin(spec),
		}.Run(t)
	}
}

// twoPhase is a Reduce and the Merge of its partials as one operator.
type twoPhase struct {
	*operators.Merge
	reduce *operators.Reduce
	closed bool
}

func (p *twoPhase) Begin(b *operators.Batch) {
	p.reduce.Begin(b)
	p.Merge.Begin(b)
	p.closed = false
}
func (p *twoPhase) Push(in int, c *batch.Chunk) { p.reduce.Push(in, c) }
func (p *twoPhase) CloseInput(in int)           { p.reduce.CloseInput(in); p.closed = true }
func (p *twoPhase) Step(budget int, emit func(*batch.Chunk)) (operators.Status, error) {
	s, err := p.reduce.Step(budget, func(c *batch.Chunk) { p.Merge.Push(0, c) })
	if s == operators.More || err != nil {
		return s, err
	}
	if p.closed {
		p.Merge.CloseInput(0)
		p.closed = false
	}
	return p.Merge.Step(budget, emit)
}

func newTwoPhase(spec operators.AggSpec) (operators.Operator, error) {
	r, err := operators.NewReduce(spec, operators.Env{Node: "Reduce"})
	if err != nil {
		return nil, err
	}
	second := spec
	second.Input, second.Keys, second.Partial = r.Types(), nil, true
	for k := range spec.Keys {
		second.Keys = append(second.Keys, k)
	}
	m, err := operators.NewMerge(second, operators.Env{Node: "Merge"})
	return &twoPhase{Merge: m, reduce: r}, err
}

func TestReduceThenMergeAgainstTwin(t *testing.T) {
	for seed := range int64(14) {
		rng := rand.New(rand.NewSource(100 + seed))
		keys := keySets[int(seed)%len(keySets)]
		spec := operators.AggSpec{Input: keyInput, Keys: keys, AppendOnly: seed >= 7}
		for _, c := range allCalls(t, keyInput, 3, false) {
			if agg.Splits(c, spec.AppendOnly) {
				spec.Aggs = append(spec.Aggs, c)
			}
		}
		gen := optest.Generator{Inputs: [][]types.Type{keyInput}, Values: 5, Nulls: 20, AppendOnly: spec.AppendOnly}
		optest.Case{
			New:    func() (operators.Operator, error) { return newTwoPhase(spec) },
			Inputs: gen.Inputs, Keys: partable(keys), Batches: gen.Batches(rng, 8, 30), Twin: mergeTwin(spec),
		}.Run(t)
	}
}

func TestDistinctAgainstTwin(t *testing.T) {
	for seed := range int64(4) {
		input := []types.Type{bigint, varchar}[:1+seed%2]
		gen := optest.Generator{Inputs: [][]types.Type{input}, Values: 4, Nulls: 20}
		all := []int{0, 1}[:len(input)]
		optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewDistinct(input, operators.Env{}) },
			Inputs: gen.Inputs, Keys: [][]int{all}, Batches: gen.Batches(rand.New(rand.NewSource(seed)), 10, 30),
			Twin: mergeTwin(operators.AggSpec{Input: input, Keys: all}),
		}.Run(t)
	}
}

func TestUnionAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, varchar}
	gen := optest.Generator{Inputs: [][]types.Type{in, in, in}, Values: 4, Nulls: 20}
	optest.Case{
		New:    func() (operators.Operator, error) { return operators.NewUnion(3), nil },
		Inputs: gen.Inputs, Keys: [][]int{{0}, {0}, {0}}, Batches: gen.Batches(rand.New(rand.NewSource(1)), 6, 12),
		Twin: func(in []*batch.Chunk) *batch.Chunk {
			out := batch.New([]types.Type{bigint, varchar}, 16)
			for _, c := range in {
				for i := range c.N {
					out.AppendFrom(c, i, c.Weight(i))
				}
			}
			return out
		},
	}.Run(t)
}

func TestViewAgainstTwin(t *testing.T) {
	in := []types.Type{varchar, bigint, longDec}
	for seed := range int64(6) {
		spec := operators.ViewSpec{Input: in, Index: int(seed/2) + int(seed/5)}
		gen := optest.Generator{Inputs: [][]types.Type{in}, Values: 5, Nulls: 20}
		if seed%2 == 1 {
			spec.Key = []int{1, 0}
			gen.Unique = []int{1, 0}
		}
		optest.Case{
			New: func() (operators.Operator, error) {
				return operators.NewView(spec, operators.Env{Node: "View"})
			},
			Inputs: gen.Inputs, Keys: [][]int{{1, 0}}, Batches: gen.Batches(rand.New(rand.NewSource(seed)), 8, 30),
			Changes: func(op operators.Operator) []*batch.Chunk {
				v := op.(*operators.View)
				checkImage(t, v, spec.Index)
				return v.Changes()
			},
			Twin: func(in []*batch.Chunk) *batch.Chunk { return in[0] },
		}.Run(t)
	}
}

// checkImage scans an image, looks each row up, by its key and by as many columns as
// the view has an index of, and compares numbers.
func checkImage(t *testing.T, v *operators.View, index int) {
	t.Helper()
	im := v.Snapshot().(*operators.ViewImage)
	defer im.Release()
	n := int64(0)
	for s := im.Scan(); ; {
		c := s.Next(3)
		if c == nil {
			break
		}
		for i := range c.N {
			n += c.Weight(i)
			if c.Weight(i) <= 0 {
				t.Fatalf("a row is there %d times", c.Weight(i))
			}
			if got, _ := im.Get([]*vector.Vector{c.Cols[1], c.Cols[0]}, i); got != nil && got.String() != c.Gather([]int32{int32(i)}).String() {
				t.Fatalf("Get gives %s for %s", got, c.AppendRow(nil, i))
			}
			for k := 0; k <= index && index > 0; k++ {
				checkSeek(t, im, c, i, k, index)
			}
		}
	}
	if n != im.Rows() || n != v.Rows() {
		t.Fatalf("%d rows scanned, the image says %d", n, im.Rows())
	}
}

// checkSeek compares what an index has for the first k columns of row i of c with a scan,
// and then what it has from, and up to, the row's value in the next column.
func checkSeek(t *testing.T, im *operators.ViewImage, c *batch.Chunk, i, k, index int) {
	t.Helper()
	key := func(cols []*vector.Vector, i int) string {
		var b []byte
		for _, v := range cols {
			b = state.AppendOrderedKey(b, v, i, false)
		}
		return string(b)
	}
	check := func(spec operators.SeekSpec, is func(x *batch.Chunk, j int) bool) {
		t.Helper()
		var got, want []string
		seek := im.Seek(spec)
		for x := seek.Next(2); x != nil; x = seek.Next(2) {
			for j := range x.N {
				got = append(got, fmt.Sprint(string(x.AppendRow(nil, j)), x.Weight(j)))
			}
		}
		for x := im.Scan().Next(1000); x != nil; x = nil {
			for j := range x.N {
				if key(x.Cols[:k], j) == key(c.Cols[:k], i) && is(x, j) {
					want = append(want, fmt.Sprint(string(x.AppendRow(nil, j)), x.Weight(j)))
				}
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if n := im.Seek(spec).Count(1000); !slices.Equal(got, want) || n != len(want) {
			t.Fatalf("%d columns of %s: the index has %q (%d), the rows are %q", k, c.AppendRow(nil, i), got, n, want)
		}
	}
	spec := operators.SeekSpec{}
	for _, v := range c.Cols[:k] {
		spec.Equal = append(spec.Equal, v.Gather([]int32{int32(i)}))
	}
	check(spec, func(*batch.Chunk, int) bool { return true })
	if k == index || c.Cols[k].IsNull(i) {
		return
	}
	next, value := c.Cols[k:k+1], c.Cols[k].Gather([]int32{int32(i)})
	spec.Ranged, spec.Low = true, value
	check(spec, func(x *batch.Chunk, j int) bool { return key(x.Cols[k:k+1], j) >= key(next, i) })
	spec.Low, spec.High = nil, value
	check(spec, func(x *batch.Chunk, j int) bool { return !x.Cols[k].IsNull(j) && key(x.Cols[k:k+1], j) <= key(next, i) })
}

func TestViewReportsWhatNoPlanDoes(t *testing.T) {
	in := []types.Type{bigint, varchar}
	for _, c := range []struct{ name, rows, want string }{
		{"taken back too often", "- 1 a", "never inserted"},
		{"two rows of a key", "+ 1 a\n+ 1 b", "same unique key"},
		{"a row twice", "+2 1 a", "unique key"},
	} {
		v, err := operators.NewView(operators.ViewSpec{Input: in, Key: []int{0}}, operators.Env{Node: "View"})
		if err != nil {
			t.Fatal(err)
		}
		v.Begin(&operators.Batch{Changes: true})
		v.Push(0, batch.MustParse(in, c.rows))
		v.CloseInput(0)
		if _, err := v.Step(100, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestSortAgainstTwin(t *testing.T) {
	in := []types.Type{bigint, varchar, double}
	for seed := range int64(12) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.SortSpec{Input: in, Limit: -1, Keys: []operators.OrderKey{{Col: 2, Desc: seed%2 == 0}, {Col: 1, Desc: seed%3 == 0}}}
		if seed > 3 {
			spec.Limit, spec.Offset = int64(rng.Intn(20)), int64(rng.Intn(5))
		}
		all := optest.Generator{Inputs: [][]types.Type{in}, Values: 5, Nulls: 20}.Batches(rng, 1, 200)[0][0]
		var want strings.Builder
		for _, r := range sortTwin(spec, all) {
			want.Write(append(all.AppendRow(nil, r.i), '\n'))
		}
		for _, budget := range []int{1, 3, 1 << 30} {
			s, err := operators.NewSort(spec, operators.Env{})
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			emit := func(c *batch.Chunk) {
				for i := range c.N {
					for range c.Weight(i) {
						got.Write(append(c.AppendRow(nil, i), '\n'))
					}
				}
			}
			s.Begin(&operators.Batch{Changes: true})
			for lo := 0; lo < all.N; lo += 7 {
				s.Push(0, all.Slice(lo, min(lo+7, all.N)))
			}
			s.CloseInput(0)
			for {
				st, err := s.Step(budget, emit)
				if err != nil {
					t.Fatal(err)
				}
				if st == operators.Done {
					break
				}
			}
			if got.String() != want.String() {
				t.Fatalf("seed %d budget %d:\n%swant\n%s", seed, budget, got.String(), want.String())
			}
		}
	}
}

// TestSortKeepsTheFirstRows sorts more rows than it holds when it needs few.
func TestSortKeepsTheFirstRows(t *testing.T) {
	in := []types.Type{bigint, varchar}
	rng := rand.New(rand.NewSource(1))
	all := optest.Generator{Inputs: [][]types.Type{in}, Values: 1000, Nulls: 5, AppendOnly: true}.Batches(rng, 1, 60_000)[0][0]
	spec := operators.SortSpec{Input: in, Limit: 40, Offset: 7, Keys: []operators.OrderKey{{Col: 1, Desc: true}}, AppendOnly: true}
	var want strings.Builder
	for _, r := range sortTwin(spec, all) {
		want.Write(append(all.AppendRow(nil, r.i), '\n'))
	}
	for _, budget := range []int{100, 1 << 30} {
		a := account.New("sort", nil, 2<<20)
		s, err := operators.NewSort(spec, operators.Env{Account: a})
		if err != nil {
			t.Fatal(err)
		}
		s.Begin(&operators.Batch{})
		s.Push(0, all)
		s.CloseInput(0)
		var got strings.Builder
		for status := operators.More; status == operators.More; {
			status, err = s.Step(budget, func(c *batch.Chunk) {
				for i := range c.N {
					for range c.Weight(i) {
						got.Write(append(c.AppendRow(nil, i), '\n'))
					}
				}
			})
			if err != nil {
				t.Fatalf("budget %d: %v", budget, err)
			}
		}
		if got.String() != want.String() {
			t.Fatalf("budget %d:\n%swant\n%s", budget, got.String(), want.String())
		}
		if a.Used() != 0 {
			t.Fatalf("%d bytes are left", a.Used())
		}
	}
}

// Of text of which several are equal a grouping keeps no value to give back, so
// that a plan which asks for one is wrong; a join gives its rows' own.
func TestKeysThatFold(t *testing.T) {
	ci := types.MakeVarChar(10)
	ci.Collation = types.UTF8MB4GeneralCI
	in := []types.Type{ci}
	_, merge := operators.NewMerge(operators.AggSpec{Input: in, Keys: []int{0}}, operators.Env{})
	_, setOp := operators.NewSetOp(operators.SetOpSpec{Kind: operators.Except, Input: in, Inputs: 2}, operators.Env{})
	for _, err := range []error{merge, setOp} {
		if err == nil {
			t.Error("a plan that gives such a key back is taken")
		}
	}
	if _, err := operators.NewJoin(operators.JoinSpec{Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}}, operators.Env{}); err != nil {
		t.Error(err)
	}
}

// Letters of either case sort together; rows that differ by case stay two rows.
func TestSortWithoutRegardToCase(t *testing.T) {
	ci := types.MakeVarChar(10)
	ci.Collation = types.UTF8MB4GeneralCI
	in := []types.Type{ci, bigint}
	s, err := operators.NewSort(operators.SortSpec{Input: in, Limit: -1, Keys: []operators.OrderKey{{Col: 0}, {Col: 1}}}, operators.Env{})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin(&operators.Batch{Changes: true})
	s.Push(0, batch.MustParse(in, "+ B 1\n+ ab 2\n+ a 3\n+ AB 2\n+ Ab 1\n"))
	s.CloseInput(0)
	var got []string
	for st := operators.More; st != operators.Done; {
		if st, err = s.Step(100, func(c *batch.Chunk) {
			for i := range c.N {
				got = append(got, string(c.AppendRow(nil, i)))
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if want := "a 3, Ab 1, AB 2, ab 2, B 1"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
}
