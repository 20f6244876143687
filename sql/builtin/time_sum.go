package builtin

import (
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Sums and differences of times: ADDTIME, SUBTIME, TIMESTAMP of two arguments and
// TIMEDIFF. What an argument is, a TIME or a point of time, is known of text only
// when it is read.

func init() {
	register(function{min: 2, max: 2, flags: contextual, resolve: resolveTimeDiff, kernel: func(*expr.Expr) Kernel { return strict(timeDiffRow) }}, "timediff")
	register(function{min: 2, max: 2, flags: contextual, resolve: resolveAddTime, kernel: addTimeKernel}, "addtime", "subtime")
}

// moment is a TIME, or a point of time on the session's clock.
type moment struct {
	us    int64
	dated bool // it is a point of time
	timed bool // it has a time of day: not only a date
}

// moment is the value of row i, as the type or the text says what it is.
func (f *Frame) moment(a Operand, i int) (moment, status) {
	t := a.Type
	var p types.Parsed
	switch {
	case t.Kind == types.Time:
		return moment{us: a.Int(i), timed: true}, fine
	case t.HasDate():
		us, st := f.point(a, i)
		return moment{us: us, dated: true, timed: t.Kind != types.Date}, st
	case t.Class() == types.ClassBytes, t.Kind == types.Enum:
		p = types.ParseTime(f.textAt(a, i))
	default:
		whole, micro, ok := f.wholeAndMicro(a, i)
		if !ok {
			return moment{}, wrong
		}
		p = types.TimeFromNumber(whole)
		p.US += micro
		p.Point += micro
	}
	m := moment{us: p.US, timed: true}
	if p.IsPoint {
		m.us, m.dated = p.Point, true
		if p.HasZone {
			m.us = types.ToClock(m.us, f.Location)
		}
	}
	switch {
	case !p.OK:
		return m, wrong
	case p.Cut:
		return m, cut
	}
	return m, fine
}

// textAt is the value of row i of bytes or an ENUM, which stands for its text where a
// time is wanted. It is good until the next one.
func (f *Frame) textAt(a Operand, i int) []byte {
	if a.Type.Kind != types.Enum {
		return a.Str(i)
	}
	f.text = a.AppendTextAt(f.text[:0], i, f.Location)
	return f.text
}

// momentAt is the moment of an argument; false, with NULL and a warning, if it is none.
func (f *Frame) momentAt(i, arg int) (moment, bool) {
	a := f.Args[arg]
	m, st := f.moment(a, i)
	return m, f.readable(a, i, st, "time")
}

// pointAt is the moment of an argument that is to be a point of time.
func (f *Frame) pointAt(i, arg int) (moment, bool) {
	a := f.Args[arg]
	us, st := f.point(a, i)
	m := moment{us: us, dated: true, timed: a.Type.Kind != types.Date}
	if a.Type.Class() == types.ClassBytes || a.Type.Kind == types.Enum {
		m.timed = types.ParseDateTime(f.textAt(a, i)).HasTime
	}
	return m, f.readable(a, i, st, "datetime")
}

// readable reports whether a value could be read, and warns of one that was not
// so, or not wholly.
func (f *Frame) readable(a Operand, i int, st status, kind string) bool {
	switch st {
	case wrong, noDate:
		f.NullOut(i)
		f.Problem(i, sqlerr.TruncatedWrongValue, "Incorrect %s value: '%s'", kind, a.AppendTextAt(nil, i, f.Location))
		return false
	case fine:
		return true
	}
	return f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect %s value: '%s'", kind, a.AppendTextAt(nil, i, f.Location))
}

// withinTime is a TIME cut to its range, with a warning; false: the row failed.
func (f *Frame) withinTime(i int, us int64) (int64, bool) {
	end := types.MaxTime
	switch {
	case us > end:
	case us < -end:
		end = -end
	default:
		return us, true
	}
	return end, f.Problem(i, sqlerr.TruncatedWrongValue, "Truncated incorrect time value: '%s'", types.AppendTime(nil, us, 0))
}

// resolveTimeDiff leaves text as it is: whether it is a TIME or a point of time,
// both must be the same.
func resolveTimeDiff(c *call) (*expr.Expr, error) {
	fsp := max(fractionDigits(c.args[0]), fractionDigits(c.args[1]))
	return c.result(types.Type{Kind: types.Time, Scale: fsp}), nil
}

// timeDiffRow is TIMEDIFF(a, b): NULL for a TIME and a point of time, and for a
// DATE and a DATETIME.
func timeDiffRow(f *Frame, i int) {
	s, t := f.Args[0].Type, f.Args[1].Type
	if s.HasDate() && t.Kind == types.Time || t.HasDate() && s.Kind == types.Time {
		return
	}
	read := f.momentAt
	if s.HasDate() || t.HasDate() {
		read = f.pointAt
	}
	a, ok1 := read(i, 0)
	b, ok2 := read(i, 1)
	if !ok1 || !ok2 || a.dated != b.dated || a.timed != b.timed {
		return
	}
	if us, ok := f.withinTime(i, a.us-b.us); ok {
		f.Out.AppendInt(types.RoundFraction(us, f.Call.Type.Scale))
	}
}

// resolveAddTime is ADDTIME(x, time) and SUBTIME: a TIME of a TIME, a DATETIME of a
// date, else text.
func resolveAddTime(c *call) (*expr.Expr, error) {
	a := c.args[0]
	fsp := max(fractionDigits(a), fractionDigits(c.args[1]))
	switch {
	case a.Type.HasDate():
		return c.result(types.MakeDateTime(fsp)), nil
	case a.Type.Kind == types.Time:
		return c.result(types.Type{Kind: types.Time, Scale: fsp}), nil
	}
	t := types.MakeVarChar(29)
	t.Collation = c.env.Collation
	return c.result(t), nil
}

func addTimeKernel(e *expr.Expr) Kernel {
	sign := int64(1)
	if e.Fn == "subtime" {
		sign = -1
	}
	return strict(func(f *Frame, i int) {
		if e.Type.HasDate() {
			a, ok := f.pointAt(i, 0)
			f.addTime(i, a, ok, sign)
			return
		}
		a, ok := f.momentAt(i, 0)
		f.addTime(i, a, ok, sign)
	})
}

// addTime appends a plus, or minus, the second argument. A point of time cannot be
// added.
func (f *Frame) addTime(i int, a moment, ok bool, sign int64) {
	b, readable := f.momentAt(i, 1)
	if !ok || !readable || b.dated && (b.timed || f.Args[1].Type.Kind != types.Date) {
		return
	}
	if b.dated { // a DATE has no time of day to be added
		b.us = 0
	}
	us := a.us + sign*b.us
	switch {
	case a.dated && us >= types.MinDateTime && us < firstSum:
		return
	case a.dated && (us < types.MinDateTime || us > types.MaxDateTime):
		f.appendTime(i, 0, false)
		return
	case !a.dated:
		if us, ok = f.withinTime(i, us); !ok {
			return
		}
	}
	if f.Call.Type.Class() != types.ClassBytes {
		f.Out.AppendInt(types.RoundFraction(us, f.Call.Type.Scale))
		return
	}
	fsp := 0
	if us%types.Second != 0 {
		fsp = 6
	}
	if a.dated {
		f.Out.Buf = types.AppendDateTime(f.Out.Buf, us, fsp)
	} else {
		f.Out.Buf = types.AppendTime(f.Out.Buf, us, fsp)
	}
	f.endText()
}
