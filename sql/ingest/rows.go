package ingest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"streamsql/sql/builtin"
	"streamsql/sql/eval"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// ChunkRows is how many rows Rows hands on together.
const ChunkRows = 8192

// firstRows is how many rows there is room for at first: most requests have no more.
const firstRows = 1024

// keptErrors is how many errors are told one by one.
const keptErrors = 100

// ErrTooMany ends a reading that has found more errors than anyone will read.
var ErrTooMany = errors.New("too many errors")

// RowError is what is wrong with a row.
type RowError struct {
	Row    int    // from 1, as they were sent
	Column string // empty: the row as a whole
	Err    *sqlerr.Error
}

// Error is the text for people.
func (e RowError) Error() string {
	if strings.HasSuffix(e.Err.Message, fmt.Sprintf("at row %d", e.Row)) {
		return e.Err.Message
	}
	return fmt.Sprintf("row %d: %s", e.Row, e.Err.Message)
}

// Generated is a column that is computed of the others: a generated one, or one
// that LOAD DATA sets.
type Generated struct {
	Column  int
	Program *eval.Program // over all columns of the table
}

// Config says what Rows fills.
type Config struct {
	Columns   []Spec // of the table, in order, hidden ones too
	Generated []Generated
	// Context is on whose clock and how strictly values are read. Its FirstRow and
	// Fail are set by Rows.
	Context builtin.Context
	// Skip leaves a wrong row out, which Context.Warn is told of. Without it the rows
	// behind a wrong one are read for their errors only.
	Skip bool
	// Stop ends the reading with the first error.
	Stop bool
	// Emit takes a chunk of rows; it keeps the columns.
	Emit func(columns []*vector.Vector, n int) error
}

// Rows are the rows of a table while they are read. A decoder calls Begin, Set for
// each value, and End for each row, then Flush. One goroutine at a time.
type Rows struct {
	config  Config
	columns []*Column
	context builtin.Context

	n       int   // whole rows in the columns
	taken   bool  // the columns were given away
	numbers []int // of these, as they were sent; kept only where columns are generated
	row     int   // the number of the row that is being read
	set     int   // columns that have a value in it
	bad     bool  // it is wrong

	accepted, rejected int
	errs               []RowError
}

// NewRows makes rows to be read.
func NewRows(c Config) *Rows {
	r := &Rows{config: c, context: c.Context}
	for _, s := range c.Columns {
		r.columns = append(r.columns, NewColumn(s, &r.context, firstRows))
	}
	return r
}

// Columns are the columns that are filled.
func (r *Rows) Columns() []*Column { return r.columns }

// Fields finds the columns of a list of names; without one they are all that take
// a value, in order. A name that is no column is error 1054, or −1 if it may be ignored.
func (r *Rows) Fields(names []string, ignore bool) ([]int, error) {
	var at []int
	if names == nil {
		for i, c := range r.columns {
			if !c.Closed {
				at = append(at, i)
			}
		}
		return at, nil
	}
	for _, name := range names {
		i := slices.IndexFunc(r.columns, func(c *Column) bool { return !c.Closed && strings.EqualFold(c.Name, name) })
		switch {
		case i >= 0 && slices.Contains(at, i):
			return nil, sqlerr.New(sqlerr.FieldSpecifiedTwice, "Column '%.64s' specified twice", name)
		case i < 0 && !ignore:
			return nil, sqlerr.New(sqlerr.BadField, "Unknown column '%.64s' in 'field list'", name)
		}
		at = append(at, i)
	}
	return at, nil
}

// Number is the row that is being read, from 1.
func (r *Rows) Number() int { return r.row }

// Accepted counts the rows that were handed on, Rejected those that were wrong.
func (r *Rows) Accepted() int { return r.accepted }

// Rejected counts the rows that were wrong.
func (r *Rows) Rejected() int { return r.rejected }

// Errors are what was wrong, of the first rows that were.
func (r *Rows) Errors() []RowError { return r.errs }

// Begin begins a row.
func (r *Rows) Begin() {
	if r.taken {
		r.taken = false
		for _, c := range r.columns {
			c.renew(ChunkRows)
		}
	}
	r.context.FirstRow = r.row
	r.row++
	r.set, r.bad = 0, false
}

// Set gives column c of the row its value; if it has one already, the last counts.
func (r *Rows) Set(c int, v *Value) {
	col := r.columns[c]
	if col.Values.N > r.n {
		col.Values.Truncate(r.n)
		r.set--
	}
	if !col.Plain(v) {
		if err := col.Append(v); err != nil {
			r.Fail(col.Name, err)
			return
		}
	}
	r.set++
}

// Fail says that something is wrong with the row. What is wrong with one column is
// told once.
func (r *Rows) Fail(column string, err error) {
	if !r.bad {
		r.bad = true
		r.rejected++
	}
	if r.config.Skip && r.context.Warn != nil {
		e := sqlerr.From(err)
		r.context.Warn(e.Code, e.Message)
	}
	if len(r.errs) < keptErrors {
		r.errs = append(r.errs, RowError{r.row, column, sqlerr.From(err)})
	}
}

// Complain says that the row has not the form that was agreed: under a strict
// sql_mode it is wrong, else a warning.
func (r *Rows) Complain(code uint16, format string, args ...any) {
	err := sqlerr.New(code, format, args...)
	switch {
	case r.context.Strict:
		r.Fail("", err)
	case r.context.Warn != nil:
		r.context.Warn(err.Code, err.Message)
	}
}

// End ends the row: columns without a value get their default. It returns an error
// when there is no use in going on.
func (r *Rows) End() error {
	if r.set < len(r.columns) && !r.bad {
		r.fill()
	}
	if r.bad {
		for _, c := range r.columns {
			c.Values.Truncate(r.n)
		}
		switch {
		case r.config.Skip:
		case r.config.Stop:
			return r.errs[0].Err
		case r.rejected >= keptErrors:
			return ErrTooMany
		}
		return nil
	}
	r.n++
	if len(r.config.Generated) > 0 {
		r.numbers = append(r.numbers, r.row)
	}
	if r.n >= ChunkRows {
		return r.Flush()
	}
	return nil
}

// fill gives the columns without a value their defaults.
func (r *Rows) fill() {
	for _, c := range r.columns {
		if c.Values.N == r.n {
			if err := c.AppendDefault(); err != nil {
				r.Fail(c.Name, err)
			}
		}
	}
}

// Flush hands on the rows that were read.
func (r *Rows) Flush() error {
	if r.n == 0 {
		return nil
	}
	n := r.n
	columns := make([]*vector.Vector, len(r.columns))
	for i, c := range r.columns {
		columns[i] = c.take()
	}
	r.taken = true
	if len(r.config.Generated) > 0 {
		var err error
		if n, err = r.generate(columns, n); err != nil {
			return err
		}
		r.numbers = r.numbers[:0]
	}
	r.n = 0
	if r.config.Stop && len(r.errs) > 0 && !r.config.Skip {
		return r.errs[0].Err
	}
	if n == 0 || !r.config.Skip && r.rejected > 0 {
		return nil // nothing of it will be stored
	}
	r.accepted += n
	return r.config.Emit(columns, n)
}

// generate computes the generated columns. Rows without a value are dropped.
func (r *Rows) generate(columns []*vector.Vector, n int) (int, error) {
	wrong := map[int]bool{}
	for _, g := range r.config.Generated {
		ctx := r.context
		ctx.FirstRow = 0
		ctx.Fail = func(i int, err error) {
			if !wrong[i] {
				wrong[i] = true
				r.row, r.bad = r.numbers[i], false
				r.Fail(r.columns[g.Column].Name, err)
			}
		}
		row := r.row
		v, err := g.Program.Eval(&ctx, columns, n)
		r.row = row
		if err != nil {
			return 0, err
		}
		columns[g.Column] = v
	}
	if len(wrong) == 0 {
		return n, nil
	}
	var sel []int32
	for i := range n {
		if !wrong[i] {
			sel = append(sel, int32(i))
		}
	}
	for i, v := range columns {
		columns[i] = v.Gather(sel)
	}
	return len(sel), nil
}
