package parser

// alterStreamTable reads ALTER STREAM TABLE, which can say what ALTER TABLE can: the word
// STREAM is hidden from TiDB's parser. False: the statement is no such one.
func (p *Parser) alterStreamTable(st *Statement) (bool, error) {
	c := cursor{p: p}
	if !c.acceptText("alter") || !c.accept(kwStream, kwTable) {
		return false, nil
	}
	st.AlterStream = true
	p.blank(p.tokens[1].pos, p.tokens[1].end)
	return true, p.standard(st, c.i)
}
