package parser

import (
	"strings"
	"unicode/utf8"
)

// ColumnNames is the name of a derived table that names its columns: d (a, b).
type ColumnNames struct {
	Name    string
	Columns []string
}

// firstNamed stands in TiDB's tree for the first of Statement.Named, the characters
// behind it for the others: as the alias of the derived table, whose columns TiDB's
// grammar only lets LATERAL name. No name of MySQL's has such a character.
const (
	firstNamed = rune(0x100000)
	maxNamed   = 0xFFFE
)

// NamedIndex is the place in Statement.Named that an alias stands for; −1: none.
func NamedIndex(alias string) int {
	r, n := utf8.DecodeRuneInString(alias)
	if n != len(alias) || r < firstNamed || r >= firstNamed+maxNamed {
		return -1
	}
	return int(r - firstNamed)
}

// columnNames reads [AS] name (columns) behind token i, the bracket that ends a derived
// table opened at token open, and puts a mark in its place.
func (p *Parser) columnNames(i, open int) error {
	switch before := p.op(open - 1); {
	case before == ',' || before == '(':
	case p.word(open-1) == kwFrom || p.word(open-1) == kwJoin || p.word(open-1) == kwStraightJoin:
	case open > 0 && strings.EqualFold(p.textOf(open-1), "lateral"):
	default:
		return nil
	}
	c := &cursor{p: p, i: i + 1}
	c.accept(kwAs)
	at := c.i
	name, err := c.identifier()
	if err != nil || !c.acceptOp('(') {
		return nil // TiDB will complain, if it must
	}
	named := ColumnNames{Name: name}
	if named.Columns, err = c.columnList(); err != nil {
		return err
	}
	if k := strings.IndexFunc(p.text, func(r rune) bool { return r >= firstNamed }); k >= 0 || len(p.named) == maxNamed {
		return syntaxError(p.text, max(k, 0))
	}
	p.overwrite(p.tokens[at].pos, p.tokens[c.i-1].end, string(firstNamed+rune(len(p.named))))
	p.named = append(p.named, named)
	return nil
}
