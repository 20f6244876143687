package agg

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

func col(t types.Type) *expr.Expr { return expr.NewColumn(0, "x", t) }

func TestResolveTypes(t *testing.T) {
	dec := func(p, s int) types.Type { return types.Type{Kind: types.Decimal, Prec: p, Scale: s} }
	for _, c := range []struct {
		fn   string
		arg  types.Type
		want types.Type
	}{
		{"sum", types.Type{Kind: types.TinyInt}, dec(25, 0)},
		{"sum", types.MakeBool(), dec(23, 0)},
		{"sum", types.Type{Kind: types.Int}, dec(32, 0)},
		{"sum", types.MakeBigInt(), dec(41, 0)},
		{"sum", types.Type{Kind: types.BigInt, Unsigned: true}, dec(42, 0)},
		{"sum", dec(12, 2), dec(34, 2)},
		{"sum", dec(60, 10), dec(65, 10)},
		{"sum", types.Type{Kind: types.Float, Scale: types.NotFixed}, types.MakeDouble()},
		{"sum", types.MakeVarChar(10), types.MakeDouble()},
		{"avg", types.Type{Kind: types.Int}, dec(14, 4)},
		{"avg", types.MakeBigInt(), dec(23, 4)},
		{"avg", dec(12, 2), dec(16, 6)},
		{"avg", dec(30, 28), dec(34, 30)},
		{"min", types.Type{Kind: types.Date, NotNull: true}, types.Type{Kind: types.Date}},
	} {
		call, err := Resolve(c.fn, []*expr.Expr{col(c.arg)}, false)
		if err != nil || call.Type != c.want {
			t.Errorf("%s(%+v) is %+v, %v; want %+v", c.fn, c.arg, call.Type, err, c.want)
		}
	}
	for _, c := range []struct{ arg, want types.Type }{
		{types.Type{Kind: types.Int}, dec(19, 9)},
		{dec(12, 2), dec(19, 9)},
		{dec(10, 5), dec(14, 9)},
		{dec(12, 10), dec(20, 18)},
		{dec(65, 0), dec(65, 4)}, // no room for more
	} {
		call, err := Resolve("avg", []*expr.Expr{col(c.arg)}, false)
		if call = call.Exact(DefaultDivPrecision); err != nil || call.Type != c.want || !call.Cut {
			t.Errorf("all digits of avg(%+v) are %+v, %v; want %+v", c.arg, call.Type, err, c.want)
		}
	}
	if c, err := Resolve("count", []*expr.Expr{expr.NewInt(1)}, false); err != nil || len(c.Args) != 0 || !c.Type.NotNull {
		t.Errorf("COUNT(1): %+v, %v", c, err)
	}
	for fn, code := range map[string]uint16{"json_objectagg": sqlerr.WrongParamCountNative, "nosuch": sqlerr.SPDoesNotExist} {
		if _, err := Resolve(fn, []*expr.Expr{col(types.MakeBigInt())}, false); sqlerr.From(err).Code != code {
			t.Errorf("%s: %v", fn, err)
		}
	}
}

// anyFloat gives floats of all magnitudes, with many that cancel.
func anyFloat(rng *rand.Rand) float64 {
	switch rng.Intn(4) {
	case 0:
		return float64(rng.Intn(1000)) / 10
	case 1:
		return math.Float64frombits(uint64(rng.Intn(1 << 30))) // subnormal
	default:
		for {
			if x := math.Float64frombits(rng.Uint64()); !math.IsInf(x, 0) && !math.IsNaN(x) {
				return x
			}
		}
	}
}

func TestExactSumAgainstBigFloat(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for round := range 3000 {
		sum := make([]byte, exactSize)
		other := make([]byte, exactSize)
		want := new(big.Float).SetPrec(4000)
		for range 1 + rng.Intn(6) {
			x, w := anyFloat(rng), int64(rng.Intn(7)-3)
			if rng.Intn(20) == 0 {
				w = math.MinInt64
			}
			exactAdd([][]byte{sum, other}[rng.Intn(2)], x, w)
			want.Add(want, new(big.Float).SetPrec(4000).Mul(big.NewFloat(x).SetPrec(4000), new(big.Float).SetPrec(4000).SetInt64(w)))
		}
		exactMerge(sum, other)
		got := exactRound(sum)
		if w, _ := want.Float64(); got != w {
			t.Fatalf("round %d: %g, want %g", round, got, w)
		}
	}
}

func TestInsertAndDeleteOfDoublesIsNothing(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	sum := make([]byte, exactSize)
	var xs []float64
	for range 1000 {
		x := anyFloat(rng)
		xs = append(xs, x)
		exactAdd(sum, x, 1)
	}
	rng.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
	for _, x := range xs {
		exactAdd(sum, x, -1)
	}
	for _, b := range sum {
		if b != 0 {
			t.Fatal("something is left")
		}
	}
}

// result computes one aggregate over one group, the rows split over two
// partials when it can.
func result(t *testing.T, c Call, v *vector.Vector, ws []int64) (*vector.Vector, error) {
	t.Helper()
	s, err := New(c, []int{0}, false, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 8+s.Size())
	var failed error
	out := vector.New(c.Type, 1)
	if Splits(c, false) {
		ps := Partial(c)
		parts := []*vector.Vector{vector.New(ps[0], 2)}
		if len(ps) > 1 {
			parts = append(parts, vector.New(ps[1], 2))
		}
		m, _ := New(c, []int{0, 1}, true, 8, nil)
		half := v.N / 2
		for _, r := range [][2]int{{0, half}, {half, v.N}} {
			part := make([]byte, len(row))
			rows := make([][]byte, r[1]-r[0])
			for i := range rows {
				rows[i] = part
			}
			if err := s.Add(rows, []*vector.Vector{v}, r[0], ws); err != nil {
				t.Fatal(err)
			}
			s.AppendPartial([][]byte{part}, parts)
		}
		if err := m.AddPartial([][]byte{row, row}, parts, 0); err != nil {
			t.Fatal(err)
		}
		m.AppendResult([][]byte{row}, out, func(_ int, e error) { failed = e })
	}
	return out, failed
}

func TestSumAndAverageAgainstBigInt(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	argTypes := []types.Type{
		{Kind: types.BigInt}, {Kind: types.BigInt, Unsigned: true}, {Kind: types.Int},
		types.MakeDecimal(18, 2), types.MakeDecimal(40, 10), types.MakeDecimal(65, 30),
	}
	for round := range 4000 {
		at := argTypes[rng.Intn(len(argTypes))]
		fn := []string{"sum", "avg"}[rng.Intn(2)]
		c, err := Resolve(fn, []*expr.Expr{col(at)}, false)
		if err != nil {
			t.Fatal(err)
		}
		exact := rng.Intn(2) == 0
		if exact {
			c = c.Exact(DefaultDivPrecision)
		}
		v := vector.New(at, 8)
		var ws []int64
		sum, n := new(big.Int), int64(0)
		for range rng.Intn(12) {
			w := int64(1)
			if round%2 == 0 {
				w = int64(rng.Intn(5) + 1)
			}
			ws = append(ws, w)
			if rng.Intn(5) == 0 {
				v.AppendNull()
				continue
			}
			x := new(big.Int)
			if at.Kind == types.Decimal {
				x.Rand(rng, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(1+rng.Intn(at.Prec))), nil))
				if rng.Intn(2) == 0 {
					x.Neg(x)
				}
				v.AppendWide(fromBig(x))
			} else {
				i := rng.Int63() >> rng.Intn(60)
				if at.Kind == types.Int {
					i >>= 33
				}
				if rng.Intn(2) == 0 {
					i = -i
				}
				v.AppendInt(i)
				if x.SetInt64(i); at.Unsigned {
					x.SetUint64(uint64(i))
				}
			}
			sum.Add(sum, x.Mul(x, big.NewInt(w)))
			n += w
		}
		if round%2 != 0 {
			ws = nil
		}
		got, failed := result(t, c, v, ws)
		if n == 0 {
			if !got.IsNull(0) || failed != nil {
				t.Fatalf("round %d: nothing summed is not NULL", round)
			}
			continue
		}
		want := sum
		if fn == "avg" {
			up := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(c.Type.Scale-at.Scale)), nil)
			want = new(big.Int).Mul(sum, up)
			if exact {
				want.Quo(want, big.NewInt(n))
			} else {
				want = halfAway(want, big.NewInt(n))
			}
		}
		if over := len(new(big.Int).Abs(want).String()) > c.Type.Prec; over != (failed != nil) {
			t.Fatalf("round %d: %s of %d digits: %v", round, want, c.Type.Prec, failed)
		} else if over {
			var e *sqlerr.Error
			if !errors.As(failed, &e) || e.Code != sqlerr.DataOutOfRange || !got.IsNull(0) {
				t.Fatalf("round %d: %v", round, failed)
			}
			continue
		}
		if got.IsNull(0) || got.Wide(0) != fromBig(want) {
			t.Fatalf("round %d: %s(%+v) = %v, want %s", round, fn, at, got.Wide(0), want)
		}
	}
}

func halfAway(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Abs(r).Lsh(r, 1).Cmp(new(big.Int).Abs(b)) >= 0 {
		q.Add(q, big.NewInt(int64(a.Sign())))
	}
	return q
}

func fromBig(x *big.Int) decimal.Wide {
	var w decimal.Wide
	m := new(big.Int).Abs(x)
	for k := range w {
		w[k] = new(big.Int).And(new(big.Int).Rsh(m, uint(64*k)), new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	}
	if x.Sign() < 0 {
		w = decimal.Negate(w)
	}
	return w
}

func ExampleSplits() {
	maximum, _ := Resolve("max", []*expr.Expr{col(types.MakeBigInt())}, false)
	fmt.Println(Splits(maximum, true), Splits(maximum, false))
	// Output: true false
}
