package operators_test

import (
	"fmt"
	"math/rand"
	"testing"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

var (
	versionLeft  = []types.Type{bigint, varchar, moment, moment}                            // key, text, time, watermark
	versionRight = []types.Type{bigint, bigint, moment, moment, types.MakeBigInt(), moment} // key, value, time, watermark, arrival, deleted
)

const (
	leftStream, rightStream = 7, 8
	leftDelay, rightDelay   = 3, 5
)

// streamLog is what a stream with one partition has written.
type streamLog struct {
	high, delay int64
	some        bool
}

// mark appends the watermark before a row.
func (l *streamLog) mark(c *batch.Chunk, at int) {
	if !l.some {
		c.Cols[at].AppendNull()
	} else {
		c.Cols[at].AppendInt(l.high - l.delay)
	}
}

func (l *streamLog) saw(time int64) {
	if !l.some || time > l.high {
		l.high, l.some = time, true
	}
}

func (l *streamLog) watermark(b *operators.Batch, stream uint64) {
	if l.some {
		b.Watermarks[stream] = l.high - l.delay
	}
}

// change is what happened to a key of the right stream, in the log's order.
type change struct {
	key, from int64
	row       row // a version
	gone      bool
}

// versionWorld writes both streams' logs, batch by batch.
type versionWorld struct {
	rng         *rand.Rand
	left, right streamLog
	changes     []change
	live        map[int64]row // of the right stream
	came        *batch.Chunk  // left rows that are not taken back yet; nil: they never are
	arrival     int64
	clock       int64
}

func (w *versionWorld) time() int64 {
	w.clock += int64(w.rng.Intn(3))
	return w.clock - int64(w.rng.Intn(9))
}

func (w *versionWorld) leftRow(c *batch.Chunk) {
	if w.came != nil && w.came.N > 0 && w.rng.Intn(3) == 0 {
		i := w.rng.Intn(w.came.N)
		c.AppendFrom(w.came, i, -w.came.Weight(i))
		w.came = without(w.came, i)
		return
	}
	if w.rng.Intn(8) == 0 {
		c.Cols[0].AppendNull()
	} else {
		c.Cols[0].AppendInt(int64(w.rng.Intn(4)))
	}
	c.Cols[1].AppendString([]string{"a", "b"}[w.rng.Intn(2)])
	if w.rng.Intn(8) == 0 {
		c.Cols[2].AppendNull()
		w.left.mark(c, 3)
	} else {
		time := w.time()
		c.Cols[2].AppendInt(time)
		w.left.mark(c, 3)
		w.left.saw(time)
	}
	c.PushWeight(int64(1 + w.rng.Intn(5)/4))
	if w.came != nil {
		w.came.AppendFrom(c, c.N-1, c.Weight(c.N-1))
	}
}

func without(c *batch.Chunk, gone int) *batch.Chunk {
	out := batch.New(versionLeft, c.N)
	for i := range c.N {
		if i != gone {
			out.AppendFrom(c, i, c.Weight(i))
		}
	}
	return out
}

// rightRow writes one transaction of one key.
func (w *versionWorld) rightRow(c *batch.Chunk) {
	key := int64(w.rng.Intn(4))
	old, was := w.live[key]
	gone := was && w.rng.Intn(4) == 0
	if was {
		for k := range 5 {
			c.Cols[k].AppendFrom(old.c.Cols[k], old.i)
		}
		if gone {
			c.Cols[5].AppendInt(w.right.high)
			w.changes = append(w.changes, change{key: key, from: w.right.high, gone: true})
		} else {
			c.Cols[5].AppendNull()
		}
		c.PushWeight(-1)
	}
	if delete(w.live, key); gone {
		return
	}
	one := batch.New(versionRight, 1)
	time := w.time()
	w.arrival++
	one.Cols[0].AppendInt(key)
	one.Cols[1].AppendInt(int64(w.rng.Intn(3)))
	one.Cols[2].AppendInt(time)
	w.right.mark(one, 3)
	one.Cols[4].AppendInt(w.arrival)
	one.Cols[5].AppendNull()
	one.PushWeight(1)
	from := time
	if w.right.some {
		from = max(from, w.right.high-rightDelay)
	}
	w.right.saw(time)
	w.live[key] = row{c: one, n: 1}
	w.changes = append(w.changes, change{key: key, from: from, row: w.live[key]})
	c.AppendFrom(one, 0, 1)
}

// at is what a key held at a time: of the last to begin until then the last to be written.
func (w *versionWorld) at(key, time int64) *row {
	var best *change
	for i := range w.changes {
		if c := &w.changes[i]; c.key == key && c.from <= time && (best == nil || c.from >= best.from) {
			best = c
		}
	}
	if best == nil || best.gone {
		return nil
	}
	return &best.row
}

// answers is a twin of the join: every left row asks the whole log.
func (w *versionWorld) answers(spec operators.TimedSpec, residual func(l, r row) bool) func([]*batch.Chunk) *batch.Chunk {
	out := append([]types.Type(nil), spec.Left...)
	for _, t := range spec.Right {
		out = append(out, t.Nullable())
	}
	return func(in []*batch.Chunk) *batch.Chunk {
		sum := batch.New(out, 16)
		for _, l := range consolidated(in[0]) {
			key, time, mark := l.c.Cols[0], l.c.Cols[2], l.c.Cols[3]
			var met *row
			if !key.IsNull(l.i) && !time.IsNull(l.i) {
				at := time.I[l.i]
				if !mark.IsNull(l.i) && at < mark.I[l.i] {
					continue // late
				}
				if !w.left.some || !w.right.some || at >= min(w.left.high-leftDelay, w.right.high-rightDelay) {
					continue // waits
				}
				if met = w.at(key.I[l.i], at); met != nil && residual != nil && !residual(l, *met) {
					met = nil
				}
			}
			if met != nil || spec.Outer {
				addTimed(sum, l, met, l.n)
			}
		}
		return sum
	}
}

func versionSpec(t *testing.T, seed int64) (spec operators.TimedSpec, residual func(l, r row) bool) {
	spec = operators.TimedSpec{
		Left: versionLeft, Right: versionRight, LeftKeys: []int{0}, RightKeys: []int{0}, LeftTime: 2, RightTime: 2,
		Outer: seed%2 == 1, AppendOnly: seed/2%2 == 1,
		LeftWatermark: operators.Watermark{{Table: leftStream}}, RightWatermark: operators.Watermark{{Table: rightStream}},
		Lateness: operators.Lateness{Late: 3, Stream: leftStream}, Marks: operators.VersionMarks{Watermark: 3, Arrival: 4, Deleted: 5},
	}
	if seed/4%2 == 1 {
		spec.Residual = []*expr.Expr{fn(t, "<", expr.NewColumn(0, "l0", bigint), expr.NewColumn(5, "r1", bigint))}
		residual = func(l, r row) bool { return l.c.Cols[0].I[l.i] < r.c.Cols[1].I[r.i] }
	}
	return spec, residual
}

// TestVersionJoinAgainstTwin cuts the same logs anywhere.
func TestVersionJoinAgainstTwin(t *testing.T) {
	answered := 0
	for seed := range int64(48) {
		spec, residual := versionSpec(t, seed)
		w := &versionWorld{rng: rand.New(rand.NewSource(seed)), left: streamLog{delay: leftDelay}, right: streamLog{delay: rightDelay}, live: map[int64]row{}}
		if !spec.AppendOnly {
			w.came = batch.New(versionLeft, 16)
		}
		var batches [][]*batch.Chunk
		var marks [][2]streamLog
		for range 14 {
			in := []*batch.Chunk{batch.New(versionLeft, 8), batch.New(versionRight, 8)}
			for range w.rng.Intn(12) {
				if w.rng.Intn(2) == 0 {
					w.leftRow(in[0])
				} else {
					w.rightRow(in[1])
				}
			}
			batches, marks = append(batches, in), append(marks, [2]streamLog{w.left, w.right})
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			for _, text := range (optest.Case{
				New: func() (operators.Operator, error) {
					return operators.NewVersionJoin(spec, operators.Env{Node: "VersionJoin"})
				},
				Inputs: [][]types.Type{versionLeft, versionRight}, Keys: [][]int{{0}, {0}}, Batches: batches, Twin: w.answers(spec, residual),
				At: func(last int, b *operators.Batch) {
					b.Watermarks = map[uint64]int64{}
					marks[last][0].watermark(b, leftStream)
					marks[last][1].watermark(b, rightStream)
				},
			}).Run(t) {
				if text != "" {
					answered++
				}
			}
		})
	}
	if answered < 150 {
		t.Errorf("only %d batches gave anything", answered)
	}
}
