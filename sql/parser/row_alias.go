package parser

import "slices"

// isInsert reports that the statement is an INSERT, or EXPLAIN of one.
func (p *Parser) isInsert() bool {
	first := p.tokens[:min(4, len(p.tokens))]
	return slices.ContainsFunc(first, func(t token) bool { return t.word == kwInsert })
}

// rowAlias reads AS new [(columns)] behind the values of an INSERT, which TiDB's
// grammar does not have, and hides it.
func (p *Parser) rowAlias(i int) (err error) {
	c := &cursor{p: p, i: i + 1}
	a := &RowAlias{}
	if a.Name, err = c.identifier(); err != nil {
		return err
	}
	if c.acceptOp('(') {
		if a.Columns, err = c.columnList(); err != nil {
			return err
		}
	}
	if !p.isEnd(c.i) && p.word(c.i) != kwOn {
		return c.unexpected()
	}
	p.newRow = a
	p.blank(p.tokens[i].pos, p.tokens[c.i-1].end)
	return nil
}
