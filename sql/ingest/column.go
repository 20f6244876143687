package ingest

import (
	"streamsql/sql/builtin"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Spec is what a column does with the values that it gets.
type Spec struct {
	Name string
	Type types.Type
	// Numbered: NULL stands for the next number, so it is allowed.
	Numbered bool
	// ZeroIsNull: of a numbered column, 0 stands for the next number as well.
	ZeroIsNull bool
	// Default, of one value, is for rows without a value; nil: there must be one.
	Default *vector.Vector
	// Implicit, of one value, is for NULL and for want of a Default where values are
	// not read strictly; nil: such a row is wrong all the same.
	Implicit *vector.Vector
	// Closed: nobody may give a value (a generated or hidden column).
	Closed bool
}

// Column is one column while it is filled. One goroutine at a time.
type Column struct {
	Spec
	Values *vector.Vector

	plain    func(c *Column, v *Value) bool
	lo, hi   int64 // of an integer
	nullable bool
	context  *builtin.Context
	filled   int // bytes of the vector that was taken last

	texts, documents *conversion
}

// conversion is a compiled store of one kind of value into a column.
type conversion struct {
	program *eval.Program
	one     *vector.Vector
}

// NewColumn makes a column for n values. ctx says on which clock a TIMESTAMP is
// read, and how strict conversions are.
func NewColumn(s Spec, ctx *builtin.Context, n int) *Column {
	c := &Column{Spec: s, Values: vector.New(s.Type, n), context: ctx, nullable: !s.Type.NotNull || s.Numbered}
	c.plain = c.choose()
	return c
}

// take gives the filled vector away; renew must come before the next value.
func (c *Column) take() *vector.Vector {
	v := c.Values
	c.Values, c.filled = nil, len(v.Buf)
	return v
}

// renew begins a vector for n values, with as many bytes as the one before had.
func (c *Column) renew(n int) {
	c.Values = vector.New(c.Type, n)
	if cap(c.Values.Buf) < c.filled {
		c.Values.Buf = make([]byte, 0, c.filled+c.filled/16)
	}
}

// Plain appends a value that is stored as it stands. False: it is not, and nothing
// was appended.
func (c *Column) Plain(v *Value) bool {
	if v.Kind == Null {
		if c.nullable {
			c.Values.AppendNull()
		}
		return c.nullable
	}
	return c.plain != nil && c.plain(c, v)
}

// Append appends a value as an INSERT stores it. An error leaves the column as it was.
func (c *Column) Append(v *Value) error {
	if c.Plain(v) {
		return nil
	}
	if v.Kind == Null {
		return c.implicit(sqlerr.New(sqlerr.BadNull, "Column '%s' cannot be null", c.Name))
	}
	n := c.Values.N
	if err := c.convert(v); err != nil {
		return err
	}
	if c.ZeroIsNull && c.Values.I[n] == 0 && !c.Values.IsNull(n) {
		c.Values.Truncate(n)
		c.Values.AppendNull()
	}
	return nil
}

// AppendDefault appends what a row without a value has: error 1364 if it must have one.
func (c *Column) AppendDefault() error {
	if c.Default == nil {
		return c.implicit(sqlerr.New(sqlerr.NoDefaultForField, "Field '%s' doesn't have a default value", c.Name))
	}
	c.Values.AppendFrom(c.Default, 0)
	return nil
}

// implicit appends the implicit default, with err as a warning, if it may.
func (c *Column) implicit(err *sqlerr.Error) error {
	if c.context.Strict || c.Implicit == nil {
		return err
	}
	if c.context.Warn != nil {
		c.context.Warn(err.Code, err.Message)
	}
	c.Values.AppendFrom(c.Implicit, 0)
	return nil
}

// convert appends a value by way of the conversions of package builtin.
func (c *Column) convert(v *Value) error {
	var p *conversion
	switch v.Kind {
	case Text:
		p = c.conversion(&c.texts, types.VarChar)
	case Document:
		from := types.JSON
		if c.Type.Kind == types.JSON {
			from = types.VarChar // which is put into the normal form
		}
		p = c.conversion(&c.documents, from)
	}
	if p != nil {
		p.one.Reset()
		p.one.AppendBytes(v.Bytes)
		return c.run(p.program, []*vector.Vector{p.one})
	}
	e, err := v.constant()
	if err != nil {
		return err
	}
	program, err := c.store(e)
	if err != nil {
		return err
	}
	return c.run(program, nil)
}

// conversion is the store of texts or documents, compiled at first use.
func (c *Column) conversion(at **conversion, kind types.Kind) *conversion {
	if *at == nil {
		from := types.Type{Kind: kind}
		program, err := c.store(expr.NewColumn(0, c.Name, from))
		if err != nil {
			return nil // convert says so
		}
		*at = &conversion{program, vector.New(from, 1)}
	}
	return *at
}

func (c *Column) store(e *expr.Expr) (*eval.Program, error) {
	t := c.Type
	if c.Numbered {
		t = t.Nullable()
	}
	a, err := builtin.AssignColumn(nil, e, t, c.Name)
	if err != nil {
		return nil, err
	}
	return eval.Compile(a)
}

func (c *Column) run(p *eval.Program, in []*vector.Vector) error {
	var failed error
	ctx := *c.context
	ctx.Fail = func(_ int, err error) {
		if failed == nil {
			failed = err
		}
	}
	out, err := p.Eval(&ctx, in, 1)
	if err == nil {
		err = failed
	}
	if err == nil {
		c.Values.AppendFrom(out, 0)
	}
	return err
}
