package eval

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// texts evaluates p over rows and shows each value, "NULL" or the error of its row.
func texts(t testing.TB, p *Program, cols []*vector.Vector, n int) []string {
	t.Helper()
	out := make([]string, n)
	ctx := testContext()
	ctx.Fail = func(row int, err error) {
		if out[row] == "" {
			out[row] = failure(err)
		}
	}
	v, err := p.Eval(ctx, cols, n)
	if err != nil {
		t.Fatal(err)
	}
	if v.N != n {
		t.Fatalf("%d values for %d rows", v.N, n)
	}
	for i := range out {
		switch {
		case out[i] != "":
			if !v.IsNull(i) {
				t.Fatalf("row %d failed and has a value", i)
			}
		case v.IsNull(i):
			out[i] = "NULL"
		default:
			out[i] = string(v.AppendText(nil, i, nil))
		}
	}
	return out
}

// Every expression must give a row the same value in whatever batch it comes, and
// the filter must take the rows for which it is true.
func TestBatchesOfAnySize(t *testing.T) {
	const rows = 1024
	_, cols, s := drawTable(t, rows)
	for _, src := range overColumns {
		e, err := s.build(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		p, err := Compile(e)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		whole := texts(t, p, cols, rows)
		checkSelection(t, src, p, cols, whole)
		for _, size := range []int{1, 2, 67} {
			for lo := 0; lo+size <= 200; lo += size {
				part := make([]*vector.Vector, len(cols))
				for k, c := range cols {
					part[k] = c.Slice(lo, lo+size)
				}
				for i, got := range texts(t, p, part, size) {
					if got != whole[lo+i] {
						t.Fatalf("%s, row %d: %s in a batch of %d, %s in one of %d", src, lo+i, got, size, whole[lo+i], rows)
					}
				}
			}
		}
		checkFilter(t, src, e, cols, whole)
	}
}

func checkFilter(t *testing.T, src string, e *expr.Expr, cols []*vector.Vector, whole []string) {
	t.Helper()
	if !e.Type.Bool {
		return
	}
	second, err := builtin.Call(nil, "is not null", expr.NewColumn(1, "b", cols[1].Type))
	if err != nil {
		t.Fatal(err)
	}
	for _, conjuncts := range [][]*expr.Expr{{e}, {second, e}, {e, second}} {
		f, err := CompileFilter(conjuncts)
		if err != nil {
			t.Fatal(err)
		}
		var want []int32
		for i, v := range whole {
			if v == "1" && (len(conjuncts) == 1 || !cols[1].IsNull(i)) {
				want = append(want, int32(i))
			}
		}
		ctx := testContext()
		ctx.Fail = func(int, error) {}
		got := f.Select(ctx, cols, len(whole), make([]int32, 3))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s among %d conditions: selected %v, want %v", src, len(conjuncts), got, want)
		}
	}
}

// boxed is a value of the reference interpreter, which knows nothing of vectors:
// a rational number, nil for NULL. err is the row's error, 0 for none.
type boxed struct {
	n   *big.Rat
	err uint16
}

// tree is a random expression with its plain meaning.
type tree struct {
	src   string
	isInt bool
	eval  func(row []*big.Rat) boxed
}

var two63 = new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 63))

func (x boxed) truth() (is, known bool) { return x.n != nil && x.n.Sign() != 0, x.n != nil }

func fromBool(b bool) boxed {
	if b {
		return boxed{n: big.NewRat(1, 1)}
	}
	return boxed{n: new(big.Rat)}
}

// genTree draws integer and DECIMAL arithmetic, comparisons, logic and CASE.
func genTree(t *rapid.T, depth int, boolean bool) tree {
	if depth == 0 && !boolean {
		if k := rapid.IntRange(0, 4).Draw(t, "leaf"); k < 3 {
			return tree{[]string{"i", "b", "d"}[k], k < 2, func(row []*big.Rat) boxed { return boxed{n: row[k]} }}
		}
		n := rapid.Int64Range(-20, 20).Draw(t, "const")
		return tree{fmt.Sprintf("(%d)", n), true, func([]*big.Rat) boxed { return boxed{n: big.NewRat(n, 1)} }}
	}
	depth = max(depth-1, 0)
	switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
	case !boolean && op < 3:
		return genArith(t, depth, op)
	case !boolean:
		c, a, b := genTree(t, depth, true), genTree(t, depth, false), genTree(t, depth, false)
		return tree{"CASE WHEN " + c.src + " THEN " + a.src + " ELSE " + b.src + " END", a.isInt && b.isInt, func(row []*big.Rat) boxed {
			v := c.eval(row)
			if v.err != 0 {
				return v
			}
			if is, _ := v.truth(); is {
				return a.eval(row)
			}
			return b.eval(row)
		}}
	case op < 2:
		return genCompare(t, depth)
	case op == 2:
		return genLogic(t, depth)
	}
	a := genTree(t, depth, true)
	return tree{"(NOT " + a.src + ")", true, func(row []*big.Rat) boxed {
		v := a.eval(row)
		if v.err != 0 || v.n == nil {
			return v
		}
		return fromBool(v.n.Sign() == 0)
	}}
}

func genArith(t *rapid.T, depth, op int) tree {
	a, b := genTree(t, depth, false), genTree(t, depth, false)
	isInt := a.isInt && b.isInt
	return tree{"(" + a.src + []string{" + ", " - ", " * "}[op] + b.src + ")", isInt, func(row []*big.Rat) boxed {
		x, y := a.eval(row), b.eval(row)
		switch {
		case x.err != 0:
			return x
		case y.err != 0:
			return y
		case x.n == nil || y.n == nil:
			return boxed{}
		}
		r := new(big.Rat)
		switch op {
		case 0:
			r.Add(x.n, y.n)
		case 1:
			r.Sub(x.n, y.n)
		default:
			r.Mul(x.n, y.n)
		}
		if isInt && (r.Cmp(two63) >= 0 || r.Cmp(new(big.Rat).Neg(two63)) < 0) {
			return boxed{err: sqlerr.DataOutOfRange}
		}
		return boxed{n: r}
	}}
}

func genCompare(t *rapid.T, depth int) tree {
	a, b := genTree(t, depth, false), genTree(t, depth, false)
	k := rapid.IntRange(0, 5).Draw(t, "relation")
	rel := builtin.Relation(k)
	return tree{"(" + a.src + " " + []string{"=", "<>", "<", "<=", ">", ">="}[k] + " " + b.src + ")", true, func(row []*big.Rat) boxed {
		x, y := a.eval(row), b.eval(row)
		switch {
		case x.err != 0:
			return x
		case y.err != 0:
			return y
		case x.n == nil || y.n == nil:
			return boxed{}
		}
		return fromBool(rel.Holds(x.n.Cmp(y.n)))
	}}
}

func genLogic(t *rapid.T, depth int) tree {
	a, b := genTree(t, depth, true), genTree(t, depth, true)
	and := rapid.Bool().Draw(t, "and")
	word := " OR "
	if and {
		word = " AND "
	}
	return tree{"(" + a.src + word + b.src + ")", true, func(row []*big.Rat) boxed {
		x := a.eval(row)
		if x.err != 0 {
			return x
		}
		if is, known := x.truth(); known && is != and { // decided: the other side is not reached
			return x
		}
		y := b.eval(row)
		if y.err != 0 {
			return y
		}
		if is, known := y.truth(); known && is != and {
			return y
		}
		if x.n == nil || y.n == nil {
			return boxed{}
		}
		return fromBool(and)
	}}
}

// TestAgainstReference compares random expressions over random columns with the
// boxed interpreter above, row by row.
func TestAgainstReference(t *testing.T) {
	ts := []types.Type{types.MakeBigInt(), types.MakeBigInt(), types.MakeDecimal(12, 3)}
	s := scope{}
	for k, name := range []string{"i", "b", "d"} {
		s[name] = expr.NewColumn(k, name, ts[k])
	}
	rapid.Check(t, func(rt *rapid.T) {
		tr := genTree(rt, rapid.IntRange(1, 3).Draw(rt, "depth") /* deeper products leave the 65 digits of DECIMAL */, rapid.Bool().Draw(rt, "boolean"))
		e, err := s.build(tr.src)
		if err != nil {
			rt.Fatal(tr.src, err)
		}
		p, err := Compile(e)
		if err != nil {
			rt.Fatal(tr.src, err)
		}
		n := rapid.SampledFrom([]int{1, 2, 63, 64, 130}).Draw(rt, "rows")
		cols, rows := drawNumbers(rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)), ts, n)
		for i, got := range texts(t, p, cols, n) {
			want := tr.eval(rows[i])
			switch {
			case want.err != 0:
				if len(got) < 10 || got[:10] != fmt.Sprintf("error %d", want.err) {
					rt.Fatalf("%s of %v: %s, want error %d", tr.src, rows[i], got, want.err)
				}
			case want.n == nil:
				if got != "NULL" {
					rt.Fatalf("%s of %v: %s, want NULL", tr.src, rows[i], got)
				}
			default:
				r, ok := new(big.Rat).SetString(got)
				if !ok || r.Cmp(want.n) != 0 {
					rt.Fatalf("%s of %v: %s, want %s", tr.src, rows[i], got, want.n.RatString())
				}
			}
		}
	})
}

// drawNumbers makes columns of numbers, one in six NULL, and the rows in plain form.
func drawNumbers(rng *rand.Rand, ts []types.Type, n int) ([]*vector.Vector, [][]*big.Rat) {
	cols := make([]*vector.Vector, len(ts))
	rows := make([][]*big.Rat, n)
	for i := range rows {
		rows[i] = make([]*big.Rat, len(ts))
	}
	for k, t := range ts {
		cols[k] = vector.New(t, n)
		for i := range n {
			if rng.IntN(6) == 0 {
				cols[k].AppendNull()
				continue
			}
			v := rng.Int64N(41) - 20
			if k == 1 && rng.IntN(2) == 0 {
				v = []int64{1<<63 - 1, -1 << 63, 1 << 62, 3037000500, -5}[rng.IntN(5)]
			}
			if k == 2 {
				v = rng.Int64N(2e11) - 1e11
			}
			cols[k].AppendInt(v)
			rows[i][k] = new(big.Rat).SetFrac(big.NewInt(v), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil))
		}
	}
	return cols, rows
}

// checkSelection computes an expression for every third row of a chunk, before and
// after all columns of these were asked for.
func checkSelection(t *testing.T, src string, p *Program, cols []*vector.Vector, want []string) {
	t.Helper()
	var rows []int32
	for i := 1; i < len(want); i += 3 {
		rows = append(rows, int32(i))
	}
	var s Selection
	s.Select(cols, rows)
	for round := range 2 {
		fails := map[int]string{}
		ctx := testContext()
		ctx.Fail = func(row int, err error) {
			if fails[row] == "" {
				fails[row] = failure(err)
			}
		}
		v, _ := p.EvalSelected(ctx, &s)
		for k, i := range rows {
			got := fails[k]
			switch {
			case got != "":
			case v.IsNull(k):
				got = "NULL"
			default:
				got = string(v.AppendText(nil, k, nil))
			}
			if got != want[i] {
				t.Fatalf("%s, row %d of a selection, round %d: %s, want %s", src, i, round, got, want[i])
			}
		}
		for i := range cols {
			s.Column(i)
		}
	}
}
