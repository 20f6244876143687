package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// kill parses KILL {QUERY | CONNECTION} of a function's value, as MySQL takes it:
// TiDB's grammar has a function only behind KILL alone. It reports false where
// the statement is no such one.
func (p *Parser) kill(st *Statement) (bool, error) {
	if len(p.tokens) < 6 || !strings.EqualFold(p.textOf(0), "kill") || p.tokens[2].kind != tokWord || p.op(3) != '(' {
		return false, nil
	}
	what := p.textOf(1)
	if !strings.EqualFold(what, "query") && !strings.EqualFold(what, "connection") {
		return false, nil
	}
	p.blank(p.tokens[1].pos, p.tokens[1].end)
	if err := p.standard(st, 2); err != nil {
		return true, err
	}
	if k, ok := st.Node.(*ast.KillStmt); ok {
		k.Query = strings.EqualFold(what, "query")
	}
	return true, nil
}
