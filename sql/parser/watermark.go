package parser

import (
	"slices"
	"strings"

	"streamsql/sql/sqlerr"
)

// watermark reads the WATERMARK FOR … AS … that stands among the columns of
// CREATE STREAM TABLE, and hides it, with the comma before or behind it, from
// TiDB's parser. It returns nil if there is none.
func (p *Parser) watermark() (*Watermark, error) {
	var found *Watermark
	for depth, i := 0, 0; !p.isEnd(i); i++ {
		switch p.op(i) {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth != 1 || p.word(i) != kwWatermark || p.word(i+1) != kwFor || p.op(i-1) != '(' && p.op(i-1) != ',' {
			continue
		}
		if found != nil {
			return nil, sqlerr.New(sqlerr.WrongUsage, "A stream table has one WATERMARK FOR")
		}
		c := cursor{p: p, i: i + 2}
		var err error
		if found, err = c.watermark(); err != nil {
			return nil, err
		}
		from, to := i, c.i
		if p.op(i-1) == ',' {
			from--
		} else if p.op(to) == ',' {
			to++
		}
		p.blank(p.tokens[from].pos, p.tokens[to-1].end)
		p.tokens = slices.Delete(p.tokens, from, to)
		i = from - 1
	}
	return found, nil
}

// watermark reads column AS column [- INTERVAL amount unit], up to the comma or
// bracket behind it.
func (c *cursor) watermark() (*Watermark, error) {
	w := &Watermark{Amount: "0", Unit: "second"}
	var err error
	if w.Column, err = c.identifier(); err != nil {
		return nil, err
	}
	if err := c.expect(kwAs); err != nil {
		return nil, err
	}
	if c.p.isEnd(c.i) || c.p.tokens[c.i].kind == tokOp && c.p.op(c.i) != '(' {
		return nil, c.unexpected()
	}
	of, err := c.identifier()
	if err != nil || !strings.EqualFold(of, w.Column) {
		return nil, c.odd(w.Column)
	}
	if c.acceptOp('-') {
		if !c.accept(kwInterval) {
			return nil, c.odd(w.Column)
		}
		if err := c.interval(w); err != nil {
			return nil, err
		}
	}
	if op := c.p.op(c.i); op != ',' && op != ')' {
		return nil, c.odd(w.Column)
	}
	return w, nil
}

// odd refuses a watermark that is another expression.
func (c *cursor) odd(column string) error {
	if c.p.isEnd(c.i) {
		return c.unexpected()
	}
	return sqlerr.Unsupported("WATERMARK FOR " + column + " AS another expression (write AS " + column +
		" or AS " + column + " - INTERVAL n unit)")
}

// interval reads amount unit: the amount is a number or a text with one.
func (c *cursor) interval(w *Watermark) (err error) {
	t := c.p.tokens[c.i]
	switch {
	case t.kind == tokString:
		w.Amount, err = c.text()
	case t.kind == tokNumber:
		w.Amount = c.p.textOf(c.i)
		c.i++
	case c.p.op(c.i) == '-' && c.p.tokens[c.i+1].kind == tokNumber:
		w.Amount = "-" + c.p.textOf(c.i+1)
		c.i += 2
	default:
		return c.unexpected()
	}
	if err != nil || c.p.tokens[c.i].kind != tokWord {
		return c.unexpected()
	}
	w.Unit = strings.ToLower(c.p.textOf(c.i))
	c.i++
	return nil
}
