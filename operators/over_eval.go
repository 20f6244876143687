package operators

import (
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// overEval computes the results of rows, which are best asked for one after the
// other.
type overEval struct {
	part   *overPart
	fold   *folder
	funcs  []OverFunc
	frames []*frameOf     // of each function; equal ones are one
	runs   []*runningFold // of each function, nil: no aggregate; those of one frame are one
	nth    []int          // of each function: its number in fold.calls
	out    []*vector.Vector
	failed error // of the row that was computed
}

// runningFold is the aggregates over a frame that moves.
type runningFold struct {
	*fold
	folder *folder
	frame  *frameOf
	takes  bool // rows can be taken from it
	some   bool
	lo, hi int64
}

func newOverEval(part *overPart, fold *folder, funcs []OverFunc) *overEval {
	e := &overEval{part: part, fold: fold, funcs: funcs}
	calls := 0
	for _, f := range funcs {
		var frame *frameOf
		for _, have := range e.frames {
			if have.Frame == f.Frame {
				frame = have
			}
		}
		if frame == nil {
			frame = rangeOf(f.Frame, part.order)
		}
		e.frames = append(e.frames, frame)
		var run *runningFold
		if f.Func == WindowAggregate {
			takes := fold.calls[calls].takes()
			for _, have := range e.runs {
				if have != nil && have.frame == frame && have.takes == takes {
					run = have
				}
			}
			if run == nil {
				run = &runningFold{fold: fold.new(), folder: fold, frame: frame, takes: takes}
				run.fold.calls = nil
			}
			run.fold.calls = append(run.fold.calls, calls)
			calls++
		}
		e.runs, e.nth = append(e.runs, run), append(e.nth, calls-1)
		e.out = append(e.out, vector.New(f.Type, blockSize))
	}
	return e
}

// begin goes to the partition that part has entered.
func (e *overEval) begin() {
	for i, f := range e.frames {
		f.begin()
		if e.runs[i] != nil {
			e.runs[i].some = false
		}
	}
}

// row appends the results of row i to out, and sets failed if one cannot be computed.
func (e *overEval) row(i int64) error {
	e.failed = nil
	for k := range e.funcs {
		f, out := &e.funcs[k], e.out[k]
		switch f.Func {
		case WindowAggregate:
			if err := e.aggregate(k, i); err != nil {
				return err
			}
		case WindowLag:
			e.neighbour(f, out, i, i-f.N)
		case WindowLead:
			e.neighbour(f, out, i, i+f.N)
		case WindowFirst, WindowLast, WindowNth:
			lo, hi := e.frames[k].rows(e.part, i)
			at := lo
			if f.Func == WindowLast {
				at = hi - 1
			} else if f.Func == WindowNth {
				at = lo + f.N - 1
			}
			if at < lo || at >= hi {
				out.AppendNull()
				continue
			}
			b, r := e.part.block(at)
			out.AppendFrom(b.chunk.Cols[f.Args[0]], r)
		default:
			e.position(f, out, i)
		}
	}
	return nil
}

// position is a function of where the row stands.
func (e *overEval) position(f *OverFunc, out *vector.Vector, i int64) {
	switch n := e.part.n; f.Func {
	case WindowRowNumber:
		out.AppendInt(i + 1)
	case WindowRank:
		out.AppendInt(e.part.of(i).lo + 1)
	case WindowDenseRank:
		out.AppendInt(e.part.of(i).dense + 1)
	case WindowPercentRank:
		if n <= 1 {
			out.AppendFloat(0)
		} else {
			out.AppendFloat(float64(e.part.of(i).lo) / float64(n-1))
		}
	case WindowCumeDist:
		out.AppendFloat(float64(e.part.of(i).hi) / float64(n))
	case WindowNtile:
		size, larger := n/f.N, n%f.N // the first larger tiles have a row more
		if i < larger*(size+1) {
			out.AppendInt(i/(size+1) + 1)
		} else {
			out.AppendInt(larger + (i-larger*(size+1))/size + 1)
		}
	}
}

// neighbour is LAG and LEAD: the value of row at, or else the default of row i.
func (e *overEval) neighbour(f *OverFunc, out *vector.Vector, i, at int64) {
	switch {
	case at >= 0 && at < e.part.n:
		b, r := e.part.block(at)
		out.AppendFrom(b.chunk.Cols[f.Args[0]], r)
	case len(f.Args) > 1:
		b, r := e.part.block(i)
		out.AppendFrom(b.chunk.Cols[f.Args[1]], r)
	default:
		out.AppendNull()
	}
}

// aggregate is function k over the frame of row i.
func (e *overEval) aggregate(k int, i int64) error {
	run := e.runs[k]
	lo, hi := run.frame.rows(e.part, i)
	if err := run.move(e.part, lo, max(hi, lo)); err != nil {
		return err
	}
	c := &e.fold.calls[e.nth[k]]
	if c.state != nil {
		c.state.AppendResult([][]byte{run.state}, e.out[k], func(_ int, err error) { e.failed = err })
		return nil
	}
	best := run.best[e.nth[k]]
	if c.folds && best != nil {
		best = state.SkipOrdered(best, e.fold.input[c.col], false)
	}
	appendBest(best, e.out[k])
	return nil
}

// move makes the aggregates those of the rows from lo to hi: from what they are
// when that is near, else anew.
func (r *runningFold) move(p *overPart, lo, hi int64) error {
	apart := abs(lo-r.lo) + abs(hi-r.hi)
	if r.some && apart <= shortRun && apart <= hi-lo && (r.takes || lo == r.lo && hi >= r.hi) {
		for _, piece := range [][3]int64{{r.hi, hi, 1}, {lo, r.lo, 1}, {hi, r.hi, -1}, {r.lo, lo, -1}} {
			if err := r.rows(p, piece[0], piece[1], piece[2]); err != nil {
				return err
			}
		}
		r.lo, r.hi = lo, hi
		return nil
	}
	clear(r.state)
	clear(r.best)
	r.lo, r.hi, r.some = lo, hi, true
	if hi-lo <= shortRun {
		return r.rows(p, lo, hi, 1)
	}
	return r.folder.addRange(r.fold, p.first+lo, p.first+hi)
}

// rows adds the rows from lo to hi, w times each.
func (r *runningFold) rows(p *overPart, lo, hi, w int64) error {
	for lo < hi {
		b, at := p.block(lo)
		n := min(int(hi-lo), len(b.rows)-at)
		if err := r.folder.add(r.fold, b.rows, b.chunk.Cols, at, at+n, w); err != nil {
			return err
		}
		lo += int64(n)
	}
	return nil
}

func abs(x int64) int64 { return max(x, -x) }
