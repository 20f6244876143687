package optest

import (
	"fmt"
	"math/rand"

	"streamsql/operators/batch"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Generator makes random batches in which nothing is taken back that is not there.
type Generator struct {
	Inputs     [][]types.Type
	Values     int // how many different values a column has, besides NULL
	Nulls      int // in percent
	AppendOnly bool
	Unique     []int // of input UniqueOf: no two rows may agree there (nil: a bag)
	UniqueOf   int
}

// Batches makes n batches of about rows rows each.
func (g Generator) Batches(rng *rand.Rand, n, rows int) [][]*batch.Chunk {
	live := make([]*batch.Chunk, len(g.Inputs))
	out := make([][]*batch.Chunk, n)
	keys := map[string]bool{}
	for b := range out {
		out[b] = make([]*batch.Chunk, len(g.Inputs))
		for in, ts := range g.Inputs {
			if live[in] == nil {
				live[in] = batch.New(ts, rows)
			}
			c := batch.New(ts, rows)
			for range rng.Intn(rows + 1) {
				if l := live[in]; !g.AppendOnly && l.N > 0 && rng.Intn(2) == 0 {
					i := rng.Intn(l.N)
					c.AppendFrom(l, i, -l.Weight(i))
					live[in] = without(ts, l, i)
					if in == g.UniqueOf && g.Unique != nil {
						delete(keys, g.key(c, c.N-1))
					}
					continue
				}
				one := batch.New(ts, 1)
				for _, v := range one.Cols {
					g.value(rng, v)
				}
				w := int64(1)
				if in == g.UniqueOf && g.Unique != nil {
					if k := g.key(one, 0); keys[k] {
						continue
					} else {
						keys[k] = true
					}
				} else if rng.Intn(5) == 0 {
					w = int64(1 + rng.Intn(3))
				}
				one.PushWeight(w)
				c.AppendFrom(one, 0, w)
				live[in].AppendFrom(one, 0, w)
			}
			out[b][in] = c
		}
	}
	return out
}

func (g Generator) key(c *batch.Chunk, i int) string {
	k := &batch.Chunk{}
	for _, at := range g.Unique {
		k.Cols = append(k.Cols, c.Cols[at])
	}
	return string(k.AppendRow(nil, i))
}

func without(ts []types.Type, c *batch.Chunk, i int) *batch.Chunk {
	out := batch.New(ts, c.N)
	for k := range c.N {
		if k != i {
			out.AppendFrom(c, k, c.Weight(k))
		}
	}
	return out
}

// value appends a random value.
func (g Generator) value(rng *rand.Rand, v *vector.Vector) {
	if !v.Type.NotNull && rng.Intn(100) < g.Nulls {
		v.AppendNull()
		return
	}
	x := int64(rng.Intn(g.Values)) - int64(g.Values/2)
	switch v.Type.Class() {
	case types.ClassFloat:
		v.AppendFloat(float64(x) / 10)
	case types.ClassBytes:
		v.AppendString([]string{"", "a", "b b", "it's", fmt.Sprint("x", x)}[rng.Intn(5)])
	case types.ClassDecimal:
		w := decimal.FromInt64(x)
		if v.Type.Prec > 30 && x%2 == 0 {
			w, _ = decimal.Mul(w, decimal.Pow10(25))
		}
		v.AppendWide(w)
	default:
		if v.Type.Unsigned && x < 0 {
			x = -x
		}
		v.AppendInt(x)
	}
}
