package operators_test

import (
	"bytes"
	"math/big"
	"slices"
	"sort"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The twins compute results anew, as slowly and plainly as can be.

// row is one row of a bag.
type row struct {
	c *batch.Chunk
	i int
	n int64
}

// consolidated are the rows of c that are there, equal ones put together.
func consolidated(c *batch.Chunk) []row {
	at := map[string]int{}
	var rows []row
	for i := range c.N {
		k := string(c.AppendRow(nil, i))
		if _, ok := at[k]; !ok {
			at[k] = len(rows)
			rows = append(rows, row{c, i, 0})
		}
		rows[at[k]].n += c.Weight(i)
	}
	kept := rows[:0]
	for _, r := range rows {
		if r.n != 0 {
			kept = append(kept, r)
		}
	}
	return kept
}

func text(c *batch.Chunk, i int, cols []int) string {
	k := &batch.Chunk{}
	for _, at := range cols {
		k.Cols = append(k.Cols, c.Cols[at])
	}
	return string(k.AppendRow(nil, i))
}

func mergeTwin(spec operators.AggSpec) func([]*batch.Chunk) *batch.Chunk {
	ts := []types.Type{}
	for _, k := range spec.Keys {
		ts = append(ts, spec.Input[k])
	}
	for _, a := range spec.Aggs {
		ts = append(ts, a.Type)
	}
	return func(in []*batch.Chunk) *batch.Chunk {
		groups := map[string][]row{}
		if len(spec.Keys) == 0 {
			groups[""] = nil
		}
		for _, r := range consolidated(in[0]) {
			k := text(r.c, r.i, spec.Keys)
			groups[k] = append(groups[k], r)
		}
		out := batch.New(ts, len(groups))
		for _, rows := range groups {
			for j, k := range spec.Keys {
				out.Cols[j].AppendFrom(rows[0].c.Cols[k], rows[0].i)
			}
			for j, a := range spec.Aggs {
				aggregateTwin(a, rows, out.Cols[len(spec.Keys)+j])
			}
			out.PushWeight(1)
		}
		return out
	}
}

func aggregateTwin(a agg.Call, rows []row, out *vector.Vector) {
	if valueTwin(a, rows, out) {
		return
	}
	if c := a.Condition(); c != nil {
		rows = slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.c.Cols[c.Col].IsNull(r.i) || r.c.Cols[c.Col].I[r.i] == 0 })
	}
	var args []int
	for _, e := range a.Values() {
		args = append(args, e.Col)
	}
	seen := map[string]bool{}
	count, sum := int64(0), new(big.Rat)
	best := row{}
	var bestKey []byte
	for _, r := range rows {
		null := false
		for _, k := range args {
			null = null || r.c.Cols[k].IsNull(r.i)
		}
		n := r.n
		if a.Distinct {
			k := text(r.c, r.i, args)
			if n = 1; seen[k] {
				n = 0
			}
			seen[k] = true
		}
		if null || n == 0 {
			continue
		}
		count += n
		if len(args) == 0 {
			continue
		}
		v := r.c.Cols[args[0]]
		if a.Fn == "sum" || a.Fn == "avg" {
			sum.Add(sum, new(big.Rat).Mul(number(v, r.i), new(big.Rat).SetInt64(n)))
		}
		key := state.AppendOrdered(nil, v, r.i, false)
		if c := bytes.Compare(key, bestKey); bestKey == nil || a.Fn == "max" && c > 0 || a.Fn == "min" && c < 0 {
			best, bestKey = r, key
		}
	}
	switch {
	case a.Fn == "count":
		out.AppendInt(count)
	case count == 0:
		out.AppendNull()
	case a.Fn == "min" || a.Fn == "max":
		out.AppendFrom(best.c.Cols[args[0]], best.i)
	case a.Type.Kind == types.Double:
		f, _ := sum.Float64()
		if a.Fn == "avg" {
			f /= float64(count)
		}
		out.AppendFloat(f)
	default:
		if a.Fn == "avg" {
			sum.Quo(sum, new(big.Rat).SetInt64(count))
		}
		n := decimal.Parse([]byte(sum.FloatString(a.Type.Scale)), a.Type.Scale) // FloatString rounds half away
		w, _ := decimal.Rescale(n.Value, n.Scale, a.Type.Scale)
		out.AppendWide(w)
	}
}

func number(v *vector.Vector, i int) *big.Rat {
	if v.Type.Class() == types.ClassFloat {
		return new(big.Rat).SetFloat64(v.F[i])
	}
	r, ok := new(big.Rat).SetString(string(v.AppendText(nil, i, nil)))
	if !ok {
		panic("not a number")
	}
	return r
}

// joinTwin pairs every left row with every right one; residual (nil: none) is
// what the spec has as an expression.
func joinTwin(spec operators.JoinSpec, residual func(l, r row) bool) func([]*batch.Chunk) *batch.Chunk {
	match := func(l, r row) bool {
		for k, lk := range spec.LeftKeys {
			a, b := l.c.Cols[lk], r.c.Cols[spec.RightKeys[k]]
			nullA, nullB := a.IsNull(l.i), b.IsNull(r.i)
			if nullA || nullB {
				if nullA && nullB && spec.NullSafe != nil && spec.NullSafe[k] {
					continue
				}
				return false
			}
			if text(l.c, l.i, []int{lk}) != text(r.c, r.i, []int{spec.RightKeys[k]}) {
				return false
			}
		}
		return true
	}
	out := slices.Clone(spec.Left)
	if spec.Kind <= operators.FullJoin {
		out = append(out, spec.Right...)
	}
	for i := range out {
		out[i] = out[i].Nullable()
	}
	holds := func(l, r row) bool { return match(l, r) && (residual == nil || residual(l, r)) }
	return func(in []*batch.Chunk) *batch.Chunk {
		c := batch.New(out, 16)
		left, right := consolidated(in[0]), consolidated(in[1])
		met := make([]bool, len(right))
		for _, l := range left {
			some := false
			for k, r := range right {
				if !holds(l, r) {
					continue
				}
				some, met[k] = true, true
				if spec.Kind <= operators.FullJoin {
					pair(c, &l, &r, l.n*r.n, len(spec.Left))
				}
			}
			padded := spec.Kind == operators.LeftJoin || spec.Kind == operators.FullJoin
			if !some && (padded || spec.Kind == operators.AntiJoin) || some && spec.Kind == operators.SemiJoin {
				pair(c, &l, nil, l.n, len(spec.Left))
			}
		}
		for k, r := range right {
			if !met[k] && spec.Kind == operators.FullJoin {
				pair(c, nil, &r, r.n, len(spec.Left))
			}
		}
		return c
	}
}

// pair appends a row of the join: l, r or nil beside one another.
func pair(c *batch.Chunk, l, r *row, w int64, left int) {
	for k, v := range c.Cols {
		from, at := l, k
		if k >= left {
			from, at = r, k-left
		}
		if from == nil {
			v.AppendNull()
		} else {
			v.AppendFrom(from.c.Cols[at], from.i)
		}
	}
	c.PushWeight(w)
}

func sortTwin(spec operators.SortSpec, in *batch.Chunk) []row {
	rows := consolidated(in)
	key := func(r row) []byte {
		var b []byte
		for _, k := range spec.Keys {
			b = state.AppendOrdered(b, in.Cols[k.Col], r.i, k.Desc)
		}
		for _, v := range in.Cols {
			b = state.AppendOrdered(b, v, r.i, false)
		}
		return b
	}
	sort.Slice(rows, func(i, j int) bool { return bytes.Compare(key(rows[i]), key(rows[j])) < 0 })
	var all []row
	for _, r := range rows {
		for range r.n {
			all = append(all, row{r.c, r.i, 1})
		}
	}
	lo := min(int(spec.Offset), len(all))
	hi := len(all)
	if spec.Limit >= 0 {
		hi = min(hi, lo+int(spec.Limit))
	}
	return all[lo:hi]
}
