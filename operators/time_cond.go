package operators

import (
	"math"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// TimeCond is `value op now + shift`: now is the batch's time on the clock of the
// query's zone, or UTC, cut to a multiple of Grain. Lengths are microseconds.
type TimeCond struct {
	Value        *expr.Expr
	Less         bool // value < now; else value > now
	Equal        bool // or equal
	Shift, Grain int64
	UTC          bool
}

const minTime = int64(math.MinInt64)

// timeCond computes from when on, or until when, a condition is true of a row.
type timeCond struct {
	evaluation
	TimeCond
	program *eval.Program
	zone    *clock // that of now; loc nil: UTC
	own     *clock // that of a TIMESTAMP
}

func newTimeCond(c TimeCond, env Env) (*timeCond, error) {
	p, err := eval.Compile(c.Value)
	zone := env.Location
	if zone == time.UTC {
		zone = nil
	}
	return &timeCond{
		evaluation: evaluation{env: env}, TimeCond: c, program: p, zone: &clock{loc: c.location(env)}, own: &clock{loc: zone, from: 1},
	}, err
}

// narrow narrows the rows' spans to when the condition is true of them. It is
// true of no NULL, nor of a value that cannot be computed.
func (k *timeCond) narrow(c *batch.Chunk, spans []timeSpan) error {
	v, err := k.program.Eval(&k.ctx, c.Cols, c.N)
	if err != nil {
		return err
	}
	for i := range spans {
		s := &spans[i]
		if v.IsNull(i) || k.failed[i] != nil {
			s.from, s.until = 0, 0
			continue
		}
		at := k.turn(v.I[i])
		if k.Less {
			s.from = max(s.from, at)
		} else {
			s.until = min(s.until, at)
		}
	}
	if k.failed != nil {
		k.report(c, nil)
	}
	return nil
}

// turn is the time at which the condition becomes true of a value, or false. With
// x the value less the shift, and time cut to the grain, `now >= x` holds from the
// next multiple on, `now > x` from the one behind x.
func (k *timeCond) turn(value int64) int64 {
	if k.Value.Type.Kind == types.Timestamp {
		value = k.own.read(value)
	}
	x := value - k.Shift
	down := x - mod(x, k.Grain)
	at := down + k.Grain
	// value <= now and value > now turn at now >= x, the others at now > x.
	if k.Less == k.Equal && down == x {
		at = x
	}
	if k.zone.loc == nil {
		return at
	}
	return k.zone.instant(at)
}

// read is what the clock says at an instant.
func (c *clock) read(t int64) int64 {
	if c.loc == nil {
		return t
	}
	if t < c.from || t >= c.to {
		c.from, c.to, c.offset = period(t, c.loc)
	}
	return t + c.offset
}
