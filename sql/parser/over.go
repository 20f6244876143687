package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// hiddenOver is OVER behind a call of a function of the user's own: text[pos:end].
type hiddenOver struct {
	fn       int // where the function's name begins, or its database's
	pos, end int
	spec     *ast.WindowSpec // nil once it is in the tree
}

// hiddenDistinct is DISTINCT in such a call, at pos.
type hiddenDistinct struct {
	fn, pos int
	found   bool // it is in the tree
}

// overWindows are the functions that TiDB's grammar takes with OVER.
var overWindows = map[string]bool{
	"count": true, "sum": true, "avg": true, "min": true, "max": true, "bit_and": true, "bit_or": true, "bit_xor": true,
	"std": true, "stddev": true, "stddev_pop": true, "stddev_samp": true, "variance": true, "var_pop": true, "var_samp": true,
	"group_concat": true, "json_arrayagg": true, "json_objectagg": true, "any_value": true, "approx_count_distinct": true,
	"approx_percentile": true, "row_number": true, "rank": true, "dense_rank": true, "percent_rank": true, "cume_dist": true,
	"ntile": true, "lag": true, "lead": true, "first_value": true, "last_value": true, "nth_value": true,
}

// over looks at OVER at token i. Behind a function that TiDB's grammar does not take
// with it, it is hidden.
func (p *Parser) over(i int) error {
	if p.op(i-1) != ')' {
		return nil
	}
	fn := p.called(i - 1)
	if fn < 0 {
		return nil
	}
	name := i
	for p.tokens[name].pos != fn {
		name--
	}
	if strings.EqualFold(p.textOf(name), "count") && strings.EqualFold(p.textOf(name+2), "distinct") {
		return sqlerr.Unsupported("COUNT(DISTINCT …) OVER (…)") // the binder refuses those of others
	}
	if overWindows[strings.ToLower(p.textOf(name))] && p.op(name+1) == '(' {
		return nil
	}
	last := i + 1
	if p.op(last) == '(' {
		last = p.closing(last)
	}
	if last == 0 || p.isEnd(last) {
		return p.unexpected(i + 1)
	}
	p.overs = append(p.overs, hiddenOver{fn: fn, pos: p.tokens[i].pos, end: p.tokens[last].end})
	return nil
}

// distinct hides DISTINCT at token i in a call of a function that TiDB's grammar does
// not take for an aggregate: one of the user's own.
func (p *Parser) distinct(i int) {
	if p.op(i-1) != '(' || i < 2 || p.word(i-2) != kwNone || !strings.EqualFold(p.textOf(i), "distinct") {
		return
	}
	if k := p.tokens[i-2].kind; k != tokWord && k != tokQuoted {
		return
	}
	if p.op(i-3) != '.' && overWindows[strings.ToLower(p.textOf(i-2))] || p.isEnd(i+1) || p.op(i+1) == ')' || p.op(i+1) == ',' {
		return
	}
	last := p.closing(i - 1)
	if last == 0 {
		return
	}
	p.distincts = append(p.distincts, hiddenDistinct{fn: p.called(last), pos: p.tokens[i].pos})
	p.blank(p.tokens[i].pos, p.tokens[i].end)
}

// overCall is what stands before the window in a text of its own. It is no longer than
// the shortest text that can stand before it as typed.
const overCall = "DO rank() "

// parseOvers has the hidden windows parsed, at the place where they were typed.
func (p *Parser) parseOvers() error {
	for k := len(p.overs) - 1; k >= 0; k-- { // one that is within another first
		o := &p.overs[k]
		p.edit()
		if o.pos < len(overCall) {
			return syntaxError(p.text, o.pos)
		}
		side := strings.Repeat(" ", o.pos-len(overCall)) + overCall + string(p.buf[o.pos:o.end])
		p.tidb.SetSQLMode(p.sqlMode())
		nodes, _, err := p.tidb.ParseSQL(side)
		if err != nil {
			return fromTiDB(p.text, side, err)
		}
		do, ok := nodes[0].(*ast.DoStmt)
		if !ok || len(nodes) != 1 || len(do.Exprs) != 1 {
			return syntaxError(p.text, o.pos)
		}
		call, ok := do.Exprs[0].(*ast.WindowFuncExpr)
		if !ok {
			return syntaxError(p.text, o.pos)
		}
		o.spec = &call.Spec
		p.blank(o.pos, o.end)
	}
	return nil
}
