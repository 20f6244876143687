package parser

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// TimedOn is the condition of a join in which time says which row of the right
// side a row of the left one meets:
//
//	left JOIN right FOR SYSTEM_TIME AS OF time [AS alias] ON …
//	left ASOF [LEFT] JOIN right [AS alias] ON …
//
// TiDB's grammar has neither: the words are hidden from it, and the join is
// known again by where its condition begins.
type TimedOn struct {
	ast.ExprNode
	Asof bool
	// Time is the column of AS OF; nil: PROCTIME(), or an ASOF join.
	Time *ast.ColumnNameExpr
}

// systemTime reads FOR SYSTEM_TIME AS OF … at token i, behind the table that it
// is about, and hides it.
func (p *Parser) systemTime(i int) error {
	c := &cursor{p: p, i: i}
	if err := c.expect(kwFor, kwSystemTime, kwAs, kwOf); err != nil {
		return err
	}
	on := &TimedOn{}
	if p.word(c.i) == kwProctime && p.op(c.i+1) == '(' && p.op(c.i+2) == ')' {
		c.i += 3
	} else if t := p.tokens[c.i]; t.kind == tokWord && p.op(c.i+1) != '(' || t.kind == tokQuoted {
		var err error
		if on.Time, err = c.columnName(); err != nil {
			return err
		}
	} else if p.isEnd(c.i) {
		return c.unexpected()
	} else {
		return sqlerr.Unsupported("FOR SYSTEM_TIME AS OF anything but PROCTIME() or a column of the left side")
	}
	p.blank(p.tokens[i].pos, p.tokens[c.i-1].end)
	if p.isEnd(c.i) || !p.joins(i) {
		return sqlerr.Unsupported("FOR SYSTEM_TIME AS OF outside of a JOIN … ON")
	}
	return c.timedOn(on)
}

// asofJoin reads ASOF [LEFT | INNER] JOIN at token i, and hides ASOF. A table or
// an alias may be called so: FROM asof JOIN t.
func (p *Parser) asofJoin(i int) error {
	if !p.operandBefore(i) {
		return p.refuseJoin(i)
	}
	c := &cursor{p: p, i: i + 1}
	if c.accept(kwLeft) {
		c.accept(kwOuter)
	} else {
		c.accept(kwInner)
	}
	if !c.accept(kwJoin) {
		return p.refuseJoin(i)
	}
	p.blank(p.tokens[i].pos, p.tokens[i].end)
	if err := c.tableFactor(); err != nil {
		return err
	}
	return c.timedOn(&TimedOn{Asof: true})
}

// joins reports that the table before token i, with its alias if it has one, is
// the right side of a join.
func (p *Parser) joins(i int) bool {
	for k := 1; k <= 6; k++ { // JOIN [db .] table [[AS] alias]
		switch p.word(i - k) {
		case kwJoin:
			return true
		case kwFrom:
			return false
		}
	}
	return false
}

// tableFactor passes over a table of FROM: its name, or what is in brackets.
func (c *cursor) tableFactor() error {
	if c.p.op(c.i) != '(' {
		_, err := c.tableName()
		return err
	}
	for depth := 0; !c.p.isEnd(c.i); c.i++ {
		switch c.p.op(c.i) {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				c.i++
				return nil
			}
		}
	}
	return c.unexpected()
}

// timedOn passes over an alias and notes the condition that must follow.
func (c *cursor) timedOn(on *TimedOn) error {
	if c.p.word(c.i) != kwOn {
		c.accept(kwAs)
		if c.p.word(c.i) == kwUsing {
			return sqlerr.Unsupported("USING in a temporal or ASOF join (use ON)")
		}
		if _, err := c.identifier(); err != nil {
			return err
		}
		if c.acceptOp('(') {
			if _, err := c.columnList(); err != nil {
				return err
			}
		}
	}
	if c.p.word(c.i) == kwUsing {
		return sqlerr.Unsupported("USING in a temporal or ASOF join (use ON)")
	}
	if c.p.word(c.i) == kwFor && c.p.word(c.i+1) == kwSystemTime {
		return sqlerr.Unsupported("FOR SYSTEM_TIME AS OF in an ASOF join")
	}
	if err := c.expect(kwOn); err != nil {
		return err
	}
	if c.p.timed == nil {
		c.p.timed = map[int]*TimedOn{}
	}
	c.p.timed[c.p.tokens[c.i].pos] = on
	return nil
}

// columnName reads [[db.]table.]column.
func (c *cursor) columnName() (*ast.ColumnNameExpr, error) {
	n := &ast.ColumnName{}
	for {
		name, err := c.identifier()
		if err != nil {
			return nil, err
		}
		n.Schema, n.Table, n.Name = n.Table, n.Name, ast.NewCIStr(name)
		if n.Schema.O != "" && c.p.op(c.i) == '.' || !c.acceptOp('.') {
			return &ast.ColumnNameExpr{Name: n}, nil
		}
	}
}

// timedJoin puts what the pre-pass has found of a join into the tree.
func (f *finisher) timedJoin(n *ast.Join) {
	if n.On == nil {
		return
	}
	if on := f.timed[n.On.Expr.OriginTextPosition()]; on != nil {
		on.ExprNode = n.On.Expr
		n.On.Expr = on
		f.joined++
	}
}
