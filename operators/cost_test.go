package operators_test

import (
	"strconv"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/agg"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TestOneRowChangeCostsTheSame holds that no operator's work on a change grows
// with its state.
func TestOneRowChangeCostsTheSame(t *testing.T) {
	in := []types.Type{bigint, bigint}
	merge := func(perGroup int, calls ...agg.Call) func() optest.Load {
		return func() optest.Load {
			m, err := operators.NewMerge(operators.AggSpec{Input: in, Keys: []int{0}, Aggs: calls}, operators.Env{})
			return oneInput(t, m, err, perGroup)
		}
	}
	join := func(kind operators.JoinKind) func() optest.Load {
		return func() optest.Load {
			j, err := operators.NewJoin(operators.JoinSpec{Kind: kind, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}}, operators.Env{})
			l := oneInput(t, j, err, 1)
			l.Inputs = 2
			return l
		}
	}
	// residual: a condition beside the key, so that each left row has a degree.
	residual := func(kind operators.JoinKind) func() optest.Load {
		return func() optest.Load {
			less := fn(t, "<", expr.NewColumn(1, "l", bigint), expr.NewColumn(3, "r", bigint))
			j, err := operators.NewJoin(operators.JoinSpec{
				Kind: kind, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}, Residual: []*expr.Expr{less},
			}, operators.Env{})
			l := oneInput(t, j, err, 1)
			l.Inputs = 2
			return l
		}
	}
	// All left rows have one key; right rows of that key come and go.
	hot := func() optest.Load {
		j, err := operators.NewJoin(operators.JoinSpec{Kind: operators.SemiJoin, Left: in, Right: in, LeftKeys: []int{0}, RightKeys: []int{0}}, operators.Env{})
		l := oneInput(t, j, err, 1<<40)
		l.Inputs = 2
		change := l.Change
		l.Change = func(in, k, rows int) *batch.Chunk { return change(1-in, k, rows) }
		return l
	}
	setOp := func(kind operators.SetOpKind, all bool) func() optest.Load {
		return func() optest.Load {
			s, err := operators.NewSetOp(operators.SetOpSpec{Kind: kind, All: all, Input: in, Inputs: 2}, operators.Env{})
			l := oneInput(t, s, err, 1)
			l.Inputs = 2
			return l
		}
	}
	byValue := []operators.OrderKey{{Col: 1}}
	topN := func(spec operators.TopNSpec, perGroup int) func() optest.Load {
		return func() optest.Load {
			spec.Input = in
			n, err := operators.NewTopN(spec, operators.Env{})
			l := oneInput(t, n, err, perGroup)
			if change := l.Change; spec.AppendOnly { // only what comes
				l.Change = func(in, k, rows int) *batch.Chunk { return change(in, k, rows).Gather([]int32{1}) }
			}
			return l
		}
	}
	over := func(funcs ...operators.OverFunc) func() optest.Load {
		return func() optest.Load {
			o, err := operators.NewOver(operators.OverSpec{Input: in, Order: byValue, Funcs: funcs}, operators.Env{})
			return oneInput(t, o, err, 1<<40)
		}
	}
	framed := func(fn string, unit operators.FrameUnit, start operators.BoundKind) operators.OverFunc {
		c := call(t, in, fn, false, 1)
		return operators.OverFunc{Call: c, Type: c.Type, Frame: operators.Frame{Unit: unit, Start: operators.Bound{Kind: start, N: 9}, End: operators.Bound{Kind: operators.CurrentRow}}}
	}
	// lastRows changes rows near the end of the order alone.
	lastRows := func(load func() optest.Load) func() optest.Load {
		return func() optest.Load {
			l := load()
			l.Change = func(_, k, rows int) *batch.Chunk {
				c := batch.New(in, 2)
				for i, w := range []int64{1, -1} {
					if k+1-i > 0 {
						c.Cols[0].AppendInt(0)
						c.Cols[1].AppendInt(int64(rows + k + 1 - i))
						c.PushWeight(w)
					}
				}
				return c
			}
			return l
		}
	}
	// grown puts a row in, and takes it out again.
	grown := func(load func() optest.Load) func() optest.Load {
		return func() optest.Load {
			l := load()
			change := l.Change
			l.Change = func(in, k, rows int) *batch.Chunk { return change(in, k, rows).Gather([]int32{int32(k / 32 % 2)}) }
			return l
		}
	}
	whole := func(fn string) operators.OverFunc {
		f := framed(fn, operators.FrameRange, operators.UnboundedPreceding)
		f.Frame.End.Kind = operators.UnboundedFollowing
		return f
	}
	// replaced replaces row (0, i) by what other makes of i, and back, in the middle of the order.
	replaced := func(load func() optest.Load, other func(i int64) (first, second int64)) func() optest.Load {
		return func() optest.Load {
			l := load()
			l.Change = func(_, k, rows int) *batch.Chunk {
				const spots = 32
				i := int64(rows/4 + k%spots*(rows/2/spots))
				a, b := other(i)
				old, now := [2]int64{0, i}, [2]int64{a, b}
				if k/spots%2 == 1 {
					old, now = now, old
				}
				c := batch.New(in, 2)
				for j, row := range [][2]int64{now, old} {
					c.Cols[0].AppendInt(row[0])
					c.Cols[1].AppendInt(row[1])
					c.PushWeight(int64(1 - 2*j))
				}
				return c
			}
			return l
		}
	}
	kept := func(load func() optest.Load) func() optest.Load {
		return replaced(load, func(i int64) (int64, int64) { return 1, i })
	}
	below := func(load func() optest.Load) func() optest.Load {
		return replaced(load, func(i int64) (int64, int64) { return 0, i - 5000 })
	}
	ahead := func(load func() optest.Load) func() optest.Load {
		return replaced(load, func(i int64) (int64, int64) { return 0, -i })
	}
	allBefore := operators.Frame{Start: operators.Bound{Kind: operators.UnboundedPreceding}, End: operators.Bound{Kind: operators.CurrentRow}}
	for _, c := range []costCheck{
		{"merge sum", merge(1, call(t, in, "sum", false, 1))},
		{"merge max in small groups", merge(2, call(t, in, "max", false, 1))},
		{"merge max in one group", merge(1<<40, call(t, in, "max", false, 1))},
		{"merge count distinct in one group", merge(1<<40, call(t, in, "count", true, 1))},
		{"merge variance and bits", merge(1, call(t, in, "var_pop", false, 1), call(t, in, "bit_and", false, 1))},
		{"merge median in one group", merge(1<<40, call(t, in, "median", false, 1))},
		{"merge sum in one group", merge(1<<40, call(t, in, "sum", false, 1))},
		{"merge count distinct in small groups", merge(5, call(t, in, "count", true, 1))},
		{"merge sum distinct in one group", merge(1<<40, call(t, in, "sum", true, 1))},
		{"merge median in small groups", merge(5, call(t, in, "median", false, 1))},
		{"merge first value in one group", merge(1<<40, ordered(t, agg.Request{Fn: "first_value", Args: []*expr.Expr{expr.NewColumn(1, "c1", bigint)}}))},
		{"distinct", func() optest.Load {
			d, err := operators.NewDistinct(in, operators.Env{})
			return oneInput(t, d, err, 1)
		}},
		{"except", setOp(operators.Except, false)},
		{"except all", setOp(operators.Except, true)},
		{"intersect", setOp(operators.Intersect, false)},
		{"intersect all", setOp(operators.Intersect, true)},
		{"inner join", join(operators.InnerJoin)},
		{"left join", join(operators.LeftJoin)},
		{"full join", join(operators.FullJoin)},
		{"semi join", join(operators.SemiJoin)},
		{"anti join", join(operators.AntiJoin)},
		{"semi join with a condition", residual(operators.SemiJoin)},
		{"left join with a condition", residual(operators.LeftJoin)},
		{"anti join with a condition", residual(operators.AntiJoin)},
		{"full join with a condition", residual(operators.FullJoin)},
		{"semi join of one key", hot},
		{"top 10 of append-only rows", topN(operators.TopNSpec{Order: byValue, Limit: 10, AppendOnly: true}, 1<<40)},
		{"top 10 in one partition", topN(operators.TopNSpec{Order: byValue, Limit: 10}, 1<<40)},
		{"top 10 with numbers", topN(operators.TopNSpec{Order: byValue, Limit: 10, Offset: 10, Number: true}, 1<<40)},
		{"rank <= 3 in small partitions", topN(operators.TopNSpec{Partition: []int{0}, Order: byValue, Limit: 3, Func: operators.Rank}, 20)},
		{"first row of each key", topN(operators.TopNSpec{Partition: []int{0}, Order: byValue, Limit: 1}, 2)},
		{"lag and lead in one partition", over(operators.OverFunc{Func: operators.WindowLag, N: 1, Args: []int{1}, Type: bigint}, operators.OverFunc{Func: operators.WindowLead, N: 1, Args: []int{1}, Type: bigint})},
		{"sum over 10 rows", over(framed("sum", operators.FrameRows, operators.Preceding))},
		{"max over 10 rows", over(framed("max", operators.FrameRows, operators.Preceding))},
		{"sum over 10 groups of peers", over(framed("sum", operators.FrameGroups, operators.Preceding))},
		{"sum of all before, of the last rows", lastRows(over(framed("sum", operators.FrameRange, operators.UnboundedPreceding)))},
		{"max of all before, of the last rows", lastRows(over(framed("max", operators.FrameRange, operators.UnboundedPreceding)))},
		{"dense rank of the last rows", lastRows(over(operators.OverFunc{Func: operators.WindowDenseRank, Type: operators.NumberType()}))},
		{"8 tiles of one partition", grown(over(operators.OverFunc{Func: operators.WindowNtile, N: 8, Type: operators.NumberType()}))},
		{"first and third value, of the last rows", lastRows(over(
			operators.OverFunc{Func: operators.WindowFirst, Args: []int{1}, Type: bigint, Frame: allBefore},
			operators.OverFunc{Func: operators.WindowNth, N: 3, Args: []int{1}, Type: bigint, Frame: allBefore}))},
		{"row number of the last rows", lastRows(over(operators.OverFunc{Func: operators.WindowRowNumber, Type: operators.NumberType()}))},
		{"sum and count of the whole partition, which stay", kept(over(whole("sum"), whole("avg"), whole("count")))},
		{"max of the whole partition, below it", below(over(whole("max")))},
		{"first value of all, which stays", ahead(over(operators.OverFunc{Func: operators.WindowFirst, Args: []int{0}, Type: bigint, Frame: operators.Frame{Unit: operators.FrameRange, End: operators.Bound{Kind: operators.UnboundedFollowing}}}))},
		{"max of all before, below it", below(over(framed("max", operators.FrameRows, operators.UnboundedPreceding), framed("max", operators.FrameRange, operators.UnboundedPreceding)))},
		{"sum of all before, which stays", kept(over(framed("sum", operators.FrameRange, operators.UnboundedPreceding), framed("avg", operators.FrameRows, operators.UnboundedPreceding)))},
		{"emit", func() optest.Load {
			e := operators.NewEmit(operators.EmitSpec{Input: in, Col: 0, Watermark: operators.Watermark{{Table: 1}}}, operators.Env{})
			return oneInput(t, e, nil, 10)
		}},
		{"time filter", func() optest.Load {
			cond := operators.TimeCond{Value: expr.NewColumn(0, "ts", moment), Grain: 1}
			f, err := operators.NewTimeFilter([]operators.TimeCond{cond}, []types.Type{moment, bigint}, operators.Env{})
			return oneInput(t, f, err, 1)
		}},
		{"sessions by id", func() optest.Load {
			spec := operators.SessionSpec{Input: in, Keys: []int{0}, Time: 1, Gap: 3, Keep: []int{0, 1}, IDs: true, Bound: moment, Lateness: operators.Lateness{Late: -1}}
			s, err := operators.NewSession(spec, operators.Env{})
			return oneInput(t, s, err, 5)
		}},
		{"one session by id", func() optest.Load {
			spec := operators.SessionSpec{Input: in, Keys: []int{}, Time: 1, Gap: 1 << 40, Keep: []int{0, 1}, IDs: true, Bound: moment, Lateness: operators.Lateness{Late: -1}}
			s, err := operators.NewSession(spec, operators.Env{})
			return oneInput(t, s, err, 5)
		}},
		{"view with key", func() optest.Load {
			v, err := operators.NewView(operators.ViewSpec{Input: in, Key: []int{0}}, operators.Env{})
			return oneInput(t, v, err, 1)
		}},
		{"bag view", func() optest.Load {
			v, err := operators.NewView(operators.ViewSpec{Input: in}, operators.Env{})
			return oneInput(t, v, err, 1)
		}},
	} {
		c.run(t)
	}
}

// costCheck is a state whose one-row changes must cost the same at any size.
type costCheck struct {
	name string
	load func() optest.Load
}

func (c costCheck) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		cost := optest.FlatCost(t, c.load)
		t.Logf("%v at 10000 rows, %v at %d; a load from memory takes %v", cost.Small, cost.Large, cost.Rows, cost.Load)
	})
}

// ordered is an aggregate that orders its values by themselves.
func ordered(t *testing.T, r agg.Request) agg.Call {
	t.Helper()
	r.Order, r.Desc = r.Args, []bool{false}
	c, err := r.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// oneInput fills an operator with rows (i / perGroup, i); a change replaces
// such a row by (i / perGroup, −i−1), or back.
func oneInput(t *testing.T, op operators.Operator, err error, perGroup int) optest.Load {
	t.Helper()
	return oneInputOf(t, []types.Type{bigint, bigint}, op, err, perGroup)
}

// oneInputOf is oneInput with other types; further columns are as the second.
func oneInputOf(t *testing.T, in []types.Type, op operators.Operator, err error, perGroup int) optest.Load {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	add := func(c *batch.Chunk, i, value int, w int64) {
		c.Cols[0].AppendInt(int64(i / perGroup))
		for _, v := range c.Cols[1:] {
			switch v.Type.Class() {
			case types.ClassBytes:
				v.AppendString(strconv.Itoa(value))
			case types.ClassFloat:
				v.AppendFloat(float64(value))
			default:
				v.AppendInt(int64(value))
			}
		}
		c.PushWeight(w)
	}
	return optest.Load{
		Op: op, Inputs: 1,
		Fill: func(_, first, n int) *batch.Chunk {
			c := batch.New(in, n)
			for i := first; i < first+n; i++ {
				add(c, i, i, 1)
			}
			return c
		},
		Change: func(input, k, rows int) *batch.Chunk {
			if input == 1 {
				return nil
			}
			// The same few rows again and again, to and fro: what counts is the work, not
			// that a larger state lies in slower memory.
			const spots = 32
			i := k % spots * (rows / spots)
			old, now := i, -i-1
			if k/spots%2 == 1 {
				old, now = now, old
			}
			c := batch.New(in, 2)
			add(c, i, old, -1)
			add(c, i, now, 1)
			return c
		},
	}
}
