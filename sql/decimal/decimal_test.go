package decimal

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// wideGen draws Wides of every size, with many near the edges of limbs and
// powers of ten.
func wideGen(maxDigits int) *rapid.Generator[Wide] {
	return rapid.Custom(func(t *rapid.T) Wide {
		var w Wide
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			w = FromInt64(rapid.Int64().Draw(t, "narrow"))
		case 1:
			w = Pow10(rapid.IntRange(0, maxDigits-1).Draw(t, "pow"))
			w, _ = Add(w, FromInt64(int64(rapid.IntRange(-1, 1).Draw(t, "off"))))
		case 2:
			limb := rapid.SampledFrom([]uint64{0, 1, ^uint64(0), 1 << 63, 1<<63 - 1})
			w = Wide{limb.Draw(t, "l0"), limb.Draw(t, "l1"), limb.Draw(t, "l2"), 0}
		default:
			w = Wide{rapid.Uint64().Draw(t, "l0"), rapid.Uint64().Draw(t, "l1"), rapid.Uint64().Draw(t, "l2"), rapid.Uint64().Draw(t, "l3") >> 1}
		}
		if !Fits(w, maxDigits) {
			w = Rem(w, Pow10(maxDigits))
		}
		if rapid.Bool().Draw(t, "neg") {
			w = Negate(w)
		}
		return w
	})
}

func toBig(w Wide) *big.Int {
	x := new(big.Int)
	for i := 3; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(Abs(w)[i]))
	}
	if w.Neg() {
		x.Neg(x)
	}
	return x
}

var limit = new(big.Int).Lsh(big.NewInt(1), 255)

// same fails unless the operation gave want, or rightly said that it does not fit.
func same(t *rapid.T, op string, got Wide, ok bool, want *big.Int) {
	fits := new(big.Int).Abs(want).Cmp(limit) < 0
	if ok != fits {
		t.Fatalf("%s: ok = %v for %s", op, ok, want)
	}
	if ok && toBig(got).Cmp(want) != 0 {
		t.Fatalf("%s: got %s, want %s", op, toBig(got), want)
	}
}

// roundBig is n ÷ d, half away from zero.
func roundBig(n, d *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(n, d, new(big.Int))
	if r.Abs(r).Lsh(r, 1).CmpAbs(d) >= 0 {
		q.Add(q, big.NewInt(int64(n.Sign())))
	}
	return q
}

func bigPow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

func TestWideAgainstBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := wideGen(76).Draw(t, "a"), wideGen(76).Draw(t, "b")
		x, y := toBig(a), toBig(b)
		r, ok := Add(a, b)
		same(t, "add", r, ok, new(big.Int).Add(x, y))
		r, ok = Sub(a, b)
		same(t, "sub", r, ok, new(big.Int).Sub(x, y))
		r, ok = Mul(a, b)
		same(t, "mul", r, ok, new(big.Int).Mul(x, y))
		if a.Cmp(b) != x.Cmp(y) {
			t.Fatalf("cmp %s %s: %d", x, y, a.Cmp(b))
		}
		if y.Sign() != 0 {
			shift := rapid.IntRange(0, 76).Draw(t, "shift")
			r, ok = Quo(a, b, shift)
			same(t, "quo", r, ok, new(big.Int).Quo(new(big.Int).Mul(x, bigPow10(shift)), y))
			same(t, "rem", Rem(a, b), true, new(big.Int).Rem(x, y))
		}
		from, to := rapid.IntRange(0, 30).Draw(t, "from"), rapid.IntRange(0, 30).Draw(t, "to")
		want := new(big.Int)
		if to >= from {
			want.Mul(x, bigPow10(to-from))
		} else {
			want = roundBig(x, bigPow10(from-to))
		}
		r, ok = Rescale(a, from, to)
		same(t, "rescale", r, ok, want)
	})
}

func TestNarrowAgainstBig(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1000, 1000),
		rapid.SampledFrom([]int64{1<<63 - 1, -1 << 63, -1<<63 + 1, 5e18, -5e18, 1e18, 3037000500, -3037000500}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := edge.Draw(t, "a"), edge.Draw(t, "b")
		x, y := big.NewInt(a), big.NewInt(b)
		check := func(op string, got int64, ok bool, want *big.Int) {
			if ok != want.IsInt64() || ok && got != want.Int64() {
				t.Fatalf("%s(%d, %d) = %d, %v; want %s", op, a, b, got, ok, want)
			}
		}
		r, ok := AddNarrow(a, b)
		check("add", r, ok, new(big.Int).Add(x, y))
		r, ok = SubNarrow(a, b)
		check("sub", r, ok, new(big.Int).Sub(x, y))
		r, ok = MulNarrow(a, b)
		check("mul", r, ok, new(big.Int).Mul(x, y))
		from, to := rapid.IntRange(0, 30).Draw(t, "from"), rapid.IntRange(0, 30).Draw(t, "to")
		want := new(big.Int)
		if to >= from {
			want.Mul(x, bigPow10(to-from))
		} else {
			want = roundBig(x, bigPow10(from-to))
		}
		r, ok = RescaleNarrow(a, from, to)
		check("rescale", r, ok, want)
	})
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := wideGen(65).Draw(t, "w")
		scale := rapid.IntRange(0, 30).Draw(t, "scale")
		text := AppendText(nil, w, scale)
		want, _ := new(big.Rat).SetString(string(text))
		if want.Cmp(new(big.Rat).SetFrac(toBig(w), bigPow10(scale))) != 0 {
			t.Fatalf("%s · 10^-%d printed as %s", toBig(w), scale, text)
		}
		n := Parse(text, 30)
		if n.N != len(text) || n.Scale != scale || n.Value != w || n.Over {
			t.Fatalf("%s parsed as %+v", text, n)
		}
		f, _ := want.Float64()
		if got := Float(w, scale); got != f {
			t.Fatalf("%s as a double: %v, want %v", text, got, f)
		}
	})
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		in       string
		maxScale int
		want     string
		n        int
	}{
		{"12abc", 30, "12", 2}, {" -1.50 ", 30, "-1.50", 6}, {"1e3", 30, "1000", 3}, {"1.25e1", 30, "12.5", 6},
		{"125e-2", 30, "1.25", 6}, {"1.005", 2, "1.01", 5}, {"-0.5", 0, "-1", 4}, {".5", 30, "0.5", 2}, {"5.", 30, "5", 2},
		{"1e", 30, "1", 1}, {"0.0049", 2, "0.00", 6}, {"5e-3", 2, "0.01", 4}, {"4e-3", 2, "0.00", 4}, {"9e-9", 2, "0.00", 4},
	} {
		n := Parse([]byte(c.in), c.maxScale)
		if got := string(AppendText(nil, n.Value, n.Scale)); got != c.want || n.N != c.n {
			t.Errorf("%q: %s, %d bytes; want %s, %d", c.in, got, n.N, c.want, c.n)
		}
	}
	for _, in := range []string{"", "abc", "-", ".", "+.e1"} {
		if n := Parse([]byte(in), 30); n.N != 0 {
			t.Errorf("%q: %+v", in, n)
		}
	}
	if n := Parse([]byte("1e100"), 0); !n.Over {
		t.Errorf("1e100 should be over")
	}
}
