package operators_test

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// valueInput: a key, then what the aggregates read. The last column is a
// condition, the one before it a text that is never NULL.
var valueInput = []types.Type{bigint, bigint, varchar, double, dec, ubigint, {Kind: types.VarChar, Len: 9, NotNull: true}, {Kind: types.TinyInt, Bool: true}}

// valueCalls are the aggregates that keep more than a count or a sum.
func valueCalls(t testing.TB) []agg.Call {
	column := func(k int) *expr.Expr { return expr.NewColumn(k, fmt.Sprint("c", k), valueInput[k]) }
	var calls []agg.Call
	add := func(r agg.Request, order ...int) {
		for _, k := range order {
			desc := k < 0
			if desc {
				k = -k
			}
			r.Order, r.Desc = append(r.Order, column(k)), append(r.Desc, desc)
		}
		for _, filtered := range []bool{false, true} {
			if r.Filter = nil; filtered {
				r.Filter = column(7)
			}
			c, err := r.Resolve()
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, c)
		}
	}
	one := func(k int) []*expr.Expr { return []*expr.Expr{column(k)} }
	for _, fn := range []string{"bit_and", "bit_or", "bit_xor"} {
		add(agg.Request{Fn: fn, Args: one(5)})
	}
	for _, fn := range []string{"var_pop", "var_samp", "stddev_pop", "stddev_samp"} {
		add(agg.Request{Fn: fn, Args: one(1)})
	}
	add(agg.Request{Fn: "var_pop", Args: one(4)})
	add(agg.Request{Fn: "sum", Args: one(4), DivPrecision: 4})
	add(agg.Request{Fn: "count", Args: one(2), Distinct: true})
	add(agg.Request{Fn: "count", Args: one(1), Distinct: true})
	add(agg.Request{Fn: "sum", Args: one(1), Distinct: true})
	add(agg.Request{Fn: "avg", Args: one(4), Distinct: true, DivPrecision: 4})
	add(agg.Request{Fn: "count", Args: []*expr.Expr{column(1), column(2)}, Distinct: true})
	add(agg.Request{Fn: "count"})
	add(agg.Request{Fn: "max", Args: one(2)})
	add(agg.Request{Fn: "any_value", Args: one(4)})
	add(agg.Request{Fn: "first_value", Args: one(2)}, 1, -3, 2)
	add(agg.Request{Fn: "last_value", Args: one(4)}, 1, -3, 4)
	for _, p := range []float64{0, 0.25, 0.5, 0.9, 1} {
		add(agg.Request{Fn: "percentile_disc", Args: one(4), Fraction: p, Reverse: p == 0.25})
	}
	add(agg.Request{Fn: "median", Args: one(3), Fraction: 0.5})
	add(agg.Request{Fn: "percentile_cont", Args: one(3), Fraction: 0.3, Reverse: true})
	add(agg.Request{Fn: "percentile_disc", Args: one(2), Fraction: 0.5}, 2)
	add(agg.Request{Fn: "group_concat", Args: one(2), Separator: ",", MaxLen: 1 << 20, Apart: 1}, 2)
	add(agg.Request{Fn: "group_concat", Args: one(2), Separator: "; ", MaxLen: 9, Apart: 1}, -1, 2)
	add(agg.Request{Fn: "group_concat", Args: one(2), Separator: "", MaxLen: 1 << 20, Distinct: true, Apart: 1}, 2)
	add(agg.Request{Fn: "group_concat", Args: one(2), Separator: ",", MaxLen: 1 << 20, Distinct: true, Apart: 1}, -3, 2)
	add(agg.Request{Fn: "json_arrayagg", Args: one(6)}, 1)
	add(agg.Request{Fn: "json_objectagg", Args: []*expr.Expr{column(6), column(6)}}, 6, 1)
	return calls
}

func TestValueAggregatesAgainstTwin(t *testing.T) {
	for seed := range int64(9) {
		rng := rand.New(rand.NewSource(seed))
		spec := operators.AggSpec{Input: valueInput, Keys: keySets[int(seed)%2*6], Aggs: valueCalls(t), AppendOnly: seed%3 == 2}
		gen := optest.Generator{Inputs: [][]types.Type{valueInput}, Values: 6, Nulls: 20, AppendOnly: spec.AppendOnly}
		optest.Case{
			New:    func() (operators.Operator, error) { return operators.NewMerge(spec, operators.Env{Node: "Merge"}) },
			Inputs: gen.Inputs, Keys: partable(spec.Keys), Batches: gen.Batches(rng, 6, 30), Twin: mergeTwin(spec),
		}.Run(t)
		var split []agg.Call
		for _, c := range spec.Aggs {
			if agg.Splits(c, spec.AppendOnly) {
				split = append(split, c)
			}
		}
		spec.Aggs = split
		optest.Case{
			New:    func() (operators.Operator, error) { return newTwoPhase(spec) },
			Inputs: gen.Inputs, Keys: partable(spec.Keys), Batches: gen.Batches(rng, 6, 30), Twin: mergeTwin(spec),
		}.Run(t)
	}
}

// expanded are the rows that a call sees, each as often as it is there, in order.
func expanded(a agg.Call, rows []row) []row {
	var out []row
	for _, r := range rows {
		if c := a.Condition(); c != nil && (r.c.Cols[c.Col].IsNull(r.i) || r.c.Cols[c.Col].I[r.i] == 0) {
			continue
		}
		null := false
		for _, e := range a.Values() {
			null = null || r.c.Cols[e.Col].IsNull(r.i)
		}
		if null && !a.SeesNulls() {
			continue
		}
		for range r.n {
			out = append(out, row{r.c, r.i, 1})
		}
	}
	key := func(r row) []byte {
		var k []byte
		for i, e := range a.Order() {
			k = state.AppendOrderedKey(k, r.c.Cols[e.Col], r.i, a.Desc[i])
		}
		for _, e := range a.Values() {
			k = state.AppendOrdered(k, r.c.Cols[e.Col], r.i, false)
		}
		return k
	}
	slices.SortStableFunc(out, func(a, b row) int { return bytes.Compare(key(a), key(b)) })
	return out
}

// valueTwin computes an aggregate from the list of its values; false: it is not
// one of valueCalls.
func valueTwin(a agg.Call, rows []row, out *vector.Vector) bool {
	list := expanded(a, rows)
	value := func(k int) (*vector.Vector, int) { return list[k].c.Cols[a.Args[0].Col], list[k].i }
	switch a.Fn {
	case "bit_and", "bit_or", "bit_xor":
		x := uint64(0)
		if a.Fn == "bit_and" {
			x = math.MaxUint64
		}
		for k := range list {
			v, i := value(k)
			switch a.Fn {
			case "bit_and":
				x &= uint64(v.I[i])
			case "bit_or":
				x |= uint64(v.I[i])
			default:
				x ^= uint64(v.I[i])
			}
		}
		out.AppendInt(int64(x))
		return true
	case "var_pop", "var_samp", "stddev_pop", "stddev_samp":
		varianceTwin(a, list, out)
		return true
	case "json_arrayagg", "json_objectagg", "group_concat":
		listTwin(a, list, out)
		return true
	}
	if a.Keeping() == agg.Total || a.Fn == "min" || a.Fn == "max" {
		return false
	}
	if len(list) == 0 {
		out.AppendNull()
		return true
	}
	n := len(list)
	switch at := a.Fraction * float64(n-1); a.Fn {
	case "median", "percentile_cont":
		if a.Reverse {
			at = float64(n-1) - at
		}
		lo, _ := value(int(at))
		low := lo.F[list[int(at)].i]
		if f := at - math.Floor(at); f > 0 {
			hi, _ := value(int(at) + 1)
			low = low*(1-f) + hi.F[list[int(at)+1].i]*f
		}
		out.AppendFloat(low)
	case "percentile_disc":
		k := 0
		for float64(k+1)/float64(n) < a.Fraction-1e-12 {
			k++
		}
		if a.Reverse {
			k = n - 1 - k
		}
		out.AppendFrom(value(k))
	case "last_value":
		out.AppendFrom(value(n - 1))
	default:
		out.AppendFrom(value(0))
	}
	return true
}

func varianceTwin(a agg.Call, list []row, out *vector.Vector) {
	n := int64(len(list))
	sample := strings.HasSuffix(a.Fn, "samp")
	if n == 0 || sample && n == 1 {
		out.AppendNull()
		return
	}
	sum, squares := new(big.Rat), new(big.Rat)
	for _, r := range list {
		x := number(r.c.Cols[a.Args[0].Col], r.i)
		sum.Add(sum, x)
		squares.Add(squares, new(big.Rat).Mul(x, x))
	}
	v := squares.Sub(squares, sum.Mul(sum, new(big.Rat).Quo(sum, big.NewRat(n, 1))))
	if sample {
		n--
	}
	x, _ := v.Quo(v, big.NewRat(n, 1)).Float64()
	if strings.HasPrefix(a.Fn, "std") {
		f := new(big.Float).SetPrec(200).SetRat(v)
		x, _ = f.Sqrt(f).Float64()
	}
	out.AppendFloat(x)
}

func listTwin(a agg.Call, list []row, out *vector.Vector) {
	if len(list) == 0 {
		out.AppendNull()
		return
	}
	var parts []string
	seen := map[string]bool{}
	members := map[string]string{}
	for _, r := range list {
		text := string(r.c.Cols[a.Args[0].Col].Bytes(r.i))
		if key := strings.TrimRight(text, " "); a.Distinct && seen[key] {
			continue
		} else {
			seen[key] = true
		}
		parts = append(parts, text)
		if a.Fn == "json_objectagg" {
			members[text] = text
		}
	}
	switch a.Fn {
	case "json_arrayagg":
		out.AppendString("[" + strings.Join(parts, ", ") + "]")
	case "json_objectagg":
		var keys []string
		for k := range members {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
		for i, k := range keys {
			keys[i] = fmt.Sprintf("%q: %s", k, members[k])
		}
		out.AppendString("{" + strings.Join(keys, ", ") + "}")
	default:
		text := strings.Join(parts, a.Separator)
		out.AppendString(text[:min(len(text), int(a.MaxLen))])
	}
}

// What was inserted and taken back leaves nothing: no row, no state, whatever
// the order.
func TestInsertAndRetractionAreNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Int64Range(0, 1<<40).Draw(rt, "seed")
		rng := rand.New(rand.NewSource(seed))
		m, err := operators.NewMerge(operators.AggSpec{Input: valueInput, Keys: []int{0}, Aggs: valueCalls(t)}, operators.Env{Node: "Merge"})
		if err != nil {
			t.Fatal(err)
		}
		gen := optest.Generator{Inputs: [][]types.Type{valueInput}, Values: 6, Nulls: 20, AppendOnly: true}
		c := gen.Batches(rng, 1, 40)[0][0]
		back := batch.New(valueInput, c.N)
		for _, i := range rng.Perm(c.N) {
			back.AppendFrom(c, i, -c.Weight(i))
		}
		for id, in := range []*batch.Chunk{c, back} {
			m.Begin(&operators.Batch{ID: uint64(id), Changes: true})
			m.Push(0, in)
			m.CloseInput(0)
			for st := operators.More; st != operators.Done; {
				if st, err = m.Step(rng.Intn(20)+1, func(*batch.Chunk) {}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		for k, s := range m.States() {
			if s.Rows() != 0 {
				rt.Fatalf("store %d still has %d rows", k, s.Rows())
			}
		}
	})
}
