package parser

// drop reads DROP STREAM TABLE, DIMENSION TABLE, MATERIALIZED VIEW, SINK and CONTINUOUS QUERY,
// and DROP TABLE and DROP VIEW where they say CASCADE: TiDB's tree does not keep that word.
func (p *Parser) drop(st *Statement) error {
	if ok, err := p.dropFunction(st); ok {
		return err
	}
	if ok, err := p.dropSecret(st); ok {
		return err
	}
	d := &Drop{}
	c := cursor{p: p, i: 1}
	last := p.word(len(p.tokens) - 2)
	switch d.Kind = c.objectKind(); {
	case d.Kind != "":
	case last == kwCascade && c.accept(kwTable):
		d.Kind = "table"
	case last == kwCascade && c.accept(kwView):
		d.Kind = "view"
	default:
		return p.standard(st, 0)
	}
	d.IfExists = c.ifExists()
	var err error
	if d.Names, err = c.tableNames(); err != nil {
		return err
	}
	if d.Cascade = c.accept(kwCascade); !d.Cascade {
		c.accept(kwRestrict)
	}
	st.Drop = d
	return c.expectEnd()
}
