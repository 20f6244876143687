package builtin

import (
	"time"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Context is what an evaluation sees of its surroundings. The zero value folds
// constants: UTC, lenient, and nobody to tell.
type Context struct {
	Now      int64          // of NOW(): microseconds, UTC
	Location *time.Location // of the session; nil: UTC
	Rules
	// FirstRow is the number of the first row in the statement, from 0, for
	// messages ("at row 1").
	FirstRow int
	// Fail is told of a row that has no value; the vector holds NULL there. A row
	// may fail more than once: the first error counts. Nil: nobody listens.
	Fail func(row int, err error)
	// Warn is told of a value that was cut or could not be computed.
	Warn func(code uint16, message string)
	// Note is told of digits or spaces that a column dropped, which nobody misses.
	Note func(code uint16, message string)
}

// Rules are what sql_mode says of values that go wrong. The zero value is a query's
// under the default sql_mode.
type Rules struct {
	// Strict makes what is only a warning in a query an error of its row, as a data
	// change under a strict sql_mode does: cut values, division by zero.
	Strict bool
	// QuietDivision makes a division by zero NULL without a word: sql_mode is
	// without ERROR_FOR_DIVISION_BY_ZERO.
	QuietDivision bool
}

// Operand is an argument's vector: one value per row, or one value for all.
type Operand struct {
	*vector.Vector
	mask int  // 0: constant; −1: one value per row
	own  bool // nobody else sees the vector
}

// Column is the operand of a vector with one value per row, which others see too.
func Column(v *vector.Vector) Operand { return Operand{Vector: v, mask: -1} }

// Constant is the operand of a vector of one value that stands for every row.
func Constant(v *vector.Vector) Operand { return Operand{Vector: v} }

// Owned is the operand of a vector that nobody else sees: its memory may be
// used again once the operand is done with.
func Owned(v *vector.Vector) Operand { return Operand{Vector: v, mask: -1, own: true} }

// IsConst reports one value for all rows.
func (o Operand) IsConst() bool { return o.mask == 0 }

// IsOwned reports that nobody else sees the vector.
func (o Operand) IsOwned() bool { return o.own }

// NullAt reports whether the value of row i is NULL.
func (o Operand) NullAt(i int) bool { return o.IsNull(i & o.mask) }

// Int is the value of row i of a ClassInt operand, or of a narrow decimal one.
func (o Operand) Int(i int) int64 { return o.I[i&o.mask] }

// Float is the value of row i of a ClassFloat operand.
func (o Operand) Float(i int) float64 { return o.F[i&o.mask] }

// Str is the value of row i of a ClassBytes operand, not to be changed.
func (o Operand) Str(i int) []byte { return o.Bytes(i & o.mask) }

// Dec is the value of row i of a ClassDecimal or signed integer operand.
func (o Operand) Dec(i int) decimal.Wide { return o.Wide(i & o.mask) }

// AppendTextAt appends the value of row i as text.
func (o Operand) AppendTextAt(dst []byte, i int, loc *time.Location) []byte {
	return o.AppendText(dst, i&o.mask, loc)
}

// Kernel computes a call over the rows of a frame: it reads f.Args and fills
// f.Out, which is empty and has the type of the call.
type Kernel func(f *Frame)

// Frame is one call at work on one chunk.
type Frame struct {
	*Context
	Call *expr.Expr
	N    int // rows; 1 when every argument is constant
	Args []Operand
	Out  *vector.Vector
	// Pass, when a kernel sets it, is the result instead of Out: an argument
	// whose values need no change.
	Pass *Operand
	// Rows maps rows of the frame to rows of the chunk; nil: they are the same.
	Rows []int32
	// Spread is how many rows a constant frame stands for.
	Spread  int
	Scratch *Scratch
	text    []byte // of textAt
}

// Fail reports that row i has no value: see Context.Fail. The kernel leaves NULL
// or anything in the slot, and NullOut makes it NULL.
func (f *Frame) Fail(i int, err error) {
	f.NullOut(i)
	if f.Context.Fail == nil {
		return
	}
	if f.Spread > 0 {
		for k := range f.Spread {
			f.Context.Fail(f.row(k), err)
		}
		return
	}
	f.Context.Fail(f.row(i), err)
}

func (f *Frame) row(i int) int {
	if f.Rows != nil {
		return int(f.Rows[i])
	}
	return i
}

// RowNumber is the number of row i in the statement, from 1, for messages.
func (f *Frame) RowNumber(i int) int { return f.FirstRow + f.row(i) + 1 }

// Problem is a warning in a query, an error of its row under Strict. It reports
// whether the row may have a value.
func (f *Frame) Problem(i int, code uint16, format string, args ...any) bool {
	err := sqlerr.New(code, format, args...)
	if f.Strict {
		f.Fail(i, err)
		return false
	}
	if f.Context.Warn != nil {
		f.Context.Warn(code, err.Message)
	}
	return true
}

// Remark is a note, whatever the rules.
func (f *Frame) Remark(code uint16, format string, args ...any) {
	if f.Context.Note != nil {
		f.Context.Note(code, sqlerr.New(code, format, args...).Message)
	}
}

// NullOut makes row i of Out NULL, whether it has been appended already or not.
func (f *Frame) NullOut(i int) {
	v := f.Out
	if v.Valid == nil {
		v.Valid = f.Scratch.bits(f.N)
		for k := range v.Valid {
			v.Valid[k] = ^uint64(0)
		}
	}
	if i>>6 < len(v.Valid) {
		v.Valid[i>>6] &^= 1 << (uint(i) & 63)
	}
}

// Ints makes Out a vector of N integers (or narrow decimals) for the kernel to fill.
func (f *Frame) Ints() []int64 {
	f.Out.N = f.N
	f.Out.I = f.Scratch.ints(f.N)
	return f.Out.I
}

// Floats makes Out a vector of N doubles for the kernel to fill.
func (f *Frame) Floats() []float64 {
	f.Out.N = f.N
	f.Out.F = f.Scratch.floats(f.N)
	return f.Out.F
}

// Wides makes Out a vector of N wide decimals for the kernel to fill.
func (f *Frame) Wides() []decimal.Wide {
	f.Out.N = f.N
	f.Out.I = nil
	f.Out.W = make([]decimal.Wide, f.N)
	return f.Out.W
}

// MergeValid sets Out's validity to that of all arguments together, a word at a
// time. It reports false if no row is valid because a constant is NULL.
func (f *Frame) MergeValid() bool {
	for _, a := range f.Args {
		if a.Valid == nil {
			continue
		}
		if a.IsConst() {
			if a.IsNull(0) {
				f.AllNull()
				return false
			}
			continue
		}
		words := (f.N + 63) >> 6
		if f.Out.Valid == nil {
			f.Out.Valid = f.Scratch.bits(f.N)
			copy(f.Out.Valid, a.Valid[:words])
			continue
		}
		for k, w := range a.Valid[:words] {
			f.Out.Valid[k] &= w
		}
	}
	return true
}

// AllNull makes Out a vector of NULLs.
func (f *Frame) AllNull() {
	out := f.Out
	out.N = f.N
	out.Valid = f.Scratch.bits(f.N)
	clear(out.Valid)
	switch out.Type.Class() {
	case types.ClassFloat:
		clear(f.Floats())
	case types.ClassBytes:
		out.Off = make([]int32, f.N+1)
		out.Buf = nil
	default:
		out.W = nil
		clear(f.Ints())
	}
}

// AnyNull reports whether an argument of row i is NULL.
func (f *Frame) AnyNull(i int) bool {
	for k := range f.Args {
		if f.Args[k].Valid != nil && f.Args[k].NullAt(i) {
			return true
		}
	}
	return false
}

// strict is the kernel of a function that is NULL when an argument is: row
// appends the value of one row to f.Out, whose arguments are not NULL.
func strict(row func(f *Frame, i int)) Kernel {
	return func(f *Frame) {
		f.Reserve()
		nulls := false
		for _, a := range f.Args {
			nulls = nulls || a.Valid != nil
		}
		for i := range f.N {
			if nulls && f.AnyNull(i) {
				f.Out.AppendNull()
			} else {
				row(f, i)
			}
			f.sealRow(i)
		}
	}
}

// each is the kernel of a function that sees NULLs itself.
func each(row func(f *Frame, i int)) Kernel {
	return func(f *Frame) {
		f.Reserve()
		for i := range f.N {
			row(f, i)
			f.sealRow(i)
		}
	}
}

// sealRow gives a row that failed before anything was appended its NULL.
func (f *Frame) sealRow(i int) {
	if f.Out.N == i {
		f.Out.AppendNull()
	}
}

// Reserve makes room for N values to be appended to Out.
func (f *Frame) Reserve() {
	out := f.Out
	switch out.Type.Class() {
	case types.ClassFloat:
		out.F = f.Scratch.floats(f.N)[:0]
	case types.ClassBytes:
		out.Off = append(f.Scratch.offsets(f.N + 1)[:0], 0)
		if out.Buf == nil {
			out.Buf = f.Scratch.bytes(f.textSize())[:0]
		}
	default:
		out.I = f.Scratch.ints(f.N)[:0]
	}
}

// textSize is about how many bytes a text result takes: many functions give a part
// of their first argument, or as much.
func (f *Frame) textSize() int {
	if len(f.Args) > 0 && !f.Args[0].IsConst() && f.Args[0].Off != nil {
		a := f.Args[0]
		return max(int(a.Off[a.N]-a.Off[0]), f.N)
	}
	return 16 * f.N
}

// Scratch keeps the memory of vectors that are done with. It is for one
// goroutine; a nil Scratch keeps nothing.
type Scratch struct {
	i [][]int64
	f [][]float64
	b [][]uint64
	o [][]int32
	t [][]byte
	v []*vector.Vector // without memory
}

// Vector is a vector of a type without values, nor memory for any.
func (s *Scratch) Vector(t types.Type) *vector.Vector {
	if k := len(s.v) - 1; k >= 0 {
		v := s.v[k]
		s.v = s.v[:k]
		v.Type = t
		return v
	}
	return &vector.Vector{Type: t}
}

func (s *Scratch) keep(v *vector.Vector) {
	if len(s.v) < 16 {
		*v = vector.Vector{}
		s.v = append(s.v, v)
	}
}

// Recycle takes back the memory of an operand that nobody else sees.
func (s *Scratch) Recycle(o Operand) {
	if s == nil || !o.own || o.IsConst() {
		return
	}
	if cap(o.I) > 0 && len(s.i) < 16 {
		s.i = append(s.i, o.I[:0])
	}
	if cap(o.F) > 0 && len(s.f) < 16 {
		s.f = append(s.f, o.F[:0])
	}
	if cap(o.Valid) > 0 && len(s.b) < 16 {
		s.b = append(s.b, o.Valid[:0])
	}
	if cap(o.Off) > 0 && len(s.o) < 16 {
		s.o = append(s.o, o.Off[:0])
	}
	if cap(o.Buf) > 0 && cap(o.Buf) <= maxKept && len(s.t) < 16 {
		s.t = append(s.t, o.Buf[:0])
	}
	s.keep(o.Vector)
}

// maxKept is the largest text memory that is kept.
const maxKept = 4 << 20

// Settle is the vector of an operand that leaves the evaluation: its text takes no
// more memory than it needs.
func (s *Scratch) Settle(o Operand) *vector.Vector {
	v := o.Vector
	if !o.own || cap(v.Buf) <= len(v.Buf)+len(v.Buf)/4+64 {
		return v
	}
	out := *v
	out.Buf = append(make([]byte, 0, len(v.Buf)), v.Buf...)
	s.Recycle(Owned(&vector.Vector{Buf: v.Buf}))
	return &out
}

// Gather is the operand of some values of a vector, in memory of the Scratch.
func (s *Scratch) Gather(v *vector.Vector, rows []int32) Operand {
	n := len(rows)
	if v.Off == nil && (v.I == nil || v.W != nil) {
		return Owned(v.Gather(rows))
	}
	out := s.Vector(v.Type)
	out.N = n
	switch {
	case v.Off != nil:
		size := 0
		for _, i := range rows {
			size += int(v.Off[i+1] - v.Off[i])
		}
		out.Off, out.Buf = append(s.offsets(n + 1)[:0], 0), s.bytes(size)[:0]
		for _, i := range rows {
			out.Buf = append(out.Buf, v.Buf[v.Off[i]:v.Off[i+1]]...)
			out.Off = append(out.Off, int32(len(out.Buf)))
		}
	default:
		out.I = s.ints(n)
		for k, i := range rows {
			out.I[k] = v.I[i]
		}
	}
	if v.Valid != nil {
		out.Valid = s.bits(n)
		clear(out.Valid)
		for k, i := range rows {
			out.Valid[k>>6] |= (v.Valid[i>>6] >> (uint(i) & 63) & 1) << (uint(k) & 63)
		}
	}
	return Owned(out)
}

func (s *Scratch) offsets(n int) []int32 {
	if s == nil {
		return make([]int32, n)
	}
	return take(&s.o, n)
}

func (s *Scratch) bytes(n int) []byte {
	if s == nil {
		return make([]byte, n)
	}
	return take(&s.t, n)
}

func (s *Scratch) ints(n int) []int64 {
	if s == nil {
		return make([]int64, n)
	}
	if k := len(s.i) - 1; k < 0 || cap(s.i[k]) < n { // maybe some came back that had left an evaluation
		v := vector.TakeInts(n)
		ints := v.I
		s.keep(v)
		return ints
	}
	return take(&s.i, n)
}

// Ints gives memory for n numbers, of any content.
func (s *Scratch) Ints(n int) []int64 { return s.ints(n) }

// Rows gives memory for n positions, of any content.
func (s *Scratch) Rows(n int) []int32 { return s.offsets(n) }

// RecycleRows takes back what Rows gave.
func (s *Scratch) RecycleRows(rows []int32) { s.Recycle(Owned(&vector.Vector{Off: rows})) }

func (s *Scratch) floats(n int) []float64 {
	if s == nil {
		return make([]float64, n)
	}
	return take(&s.f, n)
}

// bits gives a bitmap for n values, of any content.
func (s *Scratch) bits(n int) []uint64 {
	if s == nil {
		return make([]uint64, (n+63)>>6)
	}
	return take(&s.b, (n+63)>>6)
}

// take gives n elements of any content.
func take[T any](free *[][]T, n int) []T {
	if k := len(*free) - 1; k >= 0 && cap((*free)[k]) >= n {
		v := (*free)[k]
		*free = (*free)[:k]
		return v[:n]
	}
	return make([]T, n)
}

// Index is where the value of row i lies in the vector.
func (o Operand) Index(i int) int { return i & o.mask }

// As is the operand under another type, whose values lie the same.
func (o Operand) As(t types.Type) Operand {
	if o.Type == t {
		return o
	}
	v := *o.Vector
	v.Type = t
	o.Vector = &v
	return o
}
