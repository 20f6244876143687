package parser

import (
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/sqlerr"
)

// TiDB's grammar has no FILTER (WHERE …) and no WITHIN GROUP (ORDER BY …) behind
// an aggregate, and takes FIRST_VALUE and LAST_VALUE only with OVER. The pre-pass
// hides such a clause from it, has the expressions of all clauses parsed as the
// fields of one SELECT in a text of their own, in which they stand at the place
// where they were typed, and puts them into the tree. So it does with DISTINCT in
// calls of functions of the user's own, and OVER behind them (over.go).

// Aggregate is a call of a function with clauses that TiDB's grammar lacks. Expr
// is the call: an *ast.AggregateFuncExpr, *ast.FuncCallExpr or *ast.WindowFuncExpr.
type Aggregate struct {
	ast.ExprNode
	Filter ast.ExprNode // nil: no FILTER
	Within ast.ExprNode // of WITHIN GROUP (ORDER BY Within); nil: none
	Desc   bool         // Within
	// Distinct and Over are of an *ast.FuncCallExpr.
	Distinct bool
	Over     *ast.WindowSpec // nil: no OVER
}

// Accept implements ast.Node.
func (a *Aggregate) Accept(v ast.Visitor) (ast.Node, bool) {
	if _, skip := v.Enter(a); skip {
		return v.Leave(a)
	}
	for _, e := range []*ast.ExprNode{&a.ExprNode, &a.Filter, &a.Within} {
		if *e == nil {
			continue
		}
		n, ok := (*e).Accept(v)
		if !ok {
			return a, false
		}
		*e = n.(ast.ExprNode)
	}
	if a.Over != nil {
		n, ok := a.Over.Accept(v)
		if !ok {
			return a, false
		}
		a.Over = n.(*ast.WindowSpec)
	}
	return v.Leave(a)
}

// behind is one of the hidden clauses: text[pos:end], of which text[from:to] is
// the expression.
type behind struct {
	fn                 int // where the function's name begins
	within, desc       bool
	pos, from, to, end int
	expr               ast.ExprNode
}

// closing is the token of the bracket that closes the one at token i; 0: none does.
func (p *Parser) closing(i int) int {
	for depth := 0; !p.isEnd(i); i++ {
		switch p.op(i) {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

// aggregateClause notes FILTER (WHERE …) or WITHIN GROUP (ORDER BY …) at token i,
// whose expression begins words tokens further on, behind an opening bracket
// among them.
func (p *Parser) aggregateClause(i, words int, within bool) error {
	from := i + words
	open := i + 1
	if within {
		open++
	}
	last := p.closing(open)
	if last == 0 {
		return p.unexpected(len(p.tokens) - 1)
	}
	c := behind{fn: p.called(i - 1), within: within, pos: p.tokens[i].pos, from: p.tokens[from].pos, end: p.tokens[last].end}
	for _, o := range p.clauses {
		if o.end > c.pos {
			return sqlerr.Unsupported("FILTER within the condition of a FILTER")
		}
		if o.fn == c.fn && o.within == within {
			return p.unexpected(i)
		}
	}
	if w := p.word(last - 1); within && (w == kwDesc || w == kwAsc) {
		last--
		c.desc = w == kwDesc
	}
	if last <= from || c.fn < 0 {
		return p.unexpected(from)
	}
	c.to = p.tokens[last].pos
	p.clauses = append(p.clauses, c)
	return nil
}

// called is where the name of the function begins whose arguments, or a clause
// behind them, end with the bracket at token i; −1: there is none.
func (p *Parser) called(i int) int {
	for _, c := range p.clauses {
		if c.end == p.tokens[i].end {
			return c.fn
		}
	}
	for depth := 0; i > 0; i-- {
		switch p.op(i) {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				if p.tokens[i-1].kind != tokWord && p.tokens[i-1].kind != tokQuoted {
					return -1
				}
				if i > 2 && p.op(i-2) == '.' {
					i -= 2 // a database
				}
				return p.tokens[i-1].pos
			}
		}
	}
	return -1
}

// rename hides a function's name at token i that TiDB's grammar would not take,
// as a name of the same length.
func (p *Parser) rename(i int) {
	t := p.tokens[i]
	p.edit()
	p.buf[t.end-1] = '_'
	p.renamed = append(p.renamed, t.pos)
}

// renameValue lets FIRST_VALUE and LAST_VALUE without OVER be called.
func (p *Parser) renameValue(i int) {
	if p.op(i+1) != '(' || p.op(i-1) == '.' {
		return
	}
	last := p.closing(i + 1)
	if last == 0 {
		return
	}
	switch next := p.textOf(last + 1); {
	case strings.EqualFold(next, "OVER"), strings.EqualFold(next, "IGNORE"), strings.EqualFold(next, "RESPECT"), strings.EqualFold(next, "FROM") && p.word(last+2) == kwFirst:
	default:
		p.rename(i)
	}
}

// groupingSets makes GROUPING SETS (…), ROLLUP (…) and CUBE (…) at token i, in
// GROUP BY, calls of functions.
func (p *Parser) groupingSets(i int) {
	if p.word(i) != kwGrouping {
		p.rename(i)
		return
	}
	p.overwrite(p.tokens[i].pos, p.tokens[i+1].end, "grouping_sets")
	p.renamed = append(p.renamed, p.tokens[i].pos)
}

// parseClauses has the clauses' expressions parsed and hides them.
func (p *Parser) parseClauses() error {
	if len(p.clauses) == 0 {
		return nil
	}
	p.edit()
	side := []byte(strings.Repeat(" ", len(p.buf)))
	for k, c := range p.clauses {
		if k == 0 {
			copy(side[c.pos:], "SELECT")
		} else {
			side[c.pos] = ','
		}
		side[c.from-1], side[c.to] = '(', ')'
		copy(side[c.from:], p.buf[c.from:c.to])
	}
	for _, c := range p.clauses {
		p.blank(c.pos, c.end)
	}
	p.tidb.SetSQLMode(p.sqlMode())
	nodes, _, err := p.tidb.ParseSQL(string(side))
	if err != nil {
		return fromTiDB(p.text, string(side), err)
	}
	sel, ok := nodes[0].(*ast.SelectStmt)
	if !ok || len(nodes) != 1 || len(sel.Fields.Fields) != len(p.clauses) {
		return syntaxError(p.text, p.clauses[0].from)
	}
	for k := range p.clauses {
		e, ok := sel.Fields.Fields[k].Expr.(*ast.ParenthesesExpr)
		if !ok {
			return syntaxError(p.text, p.clauses[k].from)
		}
		p.clauses[k].expr = e.Expr
	}
	return nil
}

// call puts the clauses of the call n, and its name as typed, into the tree.
func (f *finisher) call(n ast.ExprNode) ast.ExprNode {
	at := n.OriginTextPosition()
	if fn, ok := n.(*ast.FuncCallExpr); ok {
		for _, r := range f.renamed {
			if r == at {
				name, _, _ := strings.Cut(f.text[at:], "(")
				fn.FnName = ast.NewCIStr(strings.Join(strings.Fields(name), " "))
			}
		}
	}
	a := &Aggregate{ExprNode: n}
	for k := range f.clauses {
		c := &f.clauses[k]
		if c.fn != at || c.expr == nil {
			continue
		}
		e, _ := c.expr.Accept(f)
		if c.within {
			a.Within, a.Desc = e.(ast.ExprNode), c.desc
		} else {
			a.Filter = e.(ast.ExprNode)
		}
		c.expr = nil
	}
	if _, ok := n.(*ast.FuncCallExpr); ok {
		for k := range f.distincts {
			if d := &f.distincts[k]; d.fn == at && !d.found {
				a.Distinct, d.found = true, true
			}
		}
		for k := range f.overs {
			if o := &f.overs[k]; o.fn == at && o.spec != nil {
				spec, _ := o.spec.Accept(f)
				a.Over, o.spec = spec.(*ast.WindowSpec), nil
			}
		}
	}
	if a.Filter == nil && a.Within == nil && !a.Distinct && a.Over == nil {
		return n
	}
	return a
}

// unused is where the first clause is that is not in the tree; −1: all are.
func (f *finisher) unused() int {
	at := -1
	note := func(pos int, unused bool) {
		if unused && (at < 0 || pos < at) {
			at = pos
		}
	}
	for _, c := range f.clauses {
		note(c.pos, c.expr != nil)
	}
	for _, d := range f.distincts {
		note(d.pos, !d.found)
	}
	for _, o := range f.overs {
		note(o.pos, o.spec != nil)
	}
	return at
}

// fieldEnd is where a field of a SELECT list ends as it was typed, of which
// TiDB's parser saw text[:end] only.
func (f *finisher) fieldEnd(end int) int {
	for _, c := range f.clauses {
		if c.pos >= end && strings.TrimSpace(f.text[end:c.pos]) == "" {
			end = c.end
		}
	}
	for _, o := range f.overs { // behind FILTER
		if o.pos >= end && strings.TrimSpace(f.text[end:o.pos]) == "" {
			end = o.end
		}
	}
	return end
}
