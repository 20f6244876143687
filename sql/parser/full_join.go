package parser

import (
	"cmp"
	"slices"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// FullJoin is the Tp of an ast.Join that was written FULL [OUTER] JOIN, which
// TiDB's grammar does not have (it takes FULL for an alias). The pre-pass shows
// it a LEFT join, as long as that is, and finish puts the kind right.
const FullJoin = ast.RightJoin + 100

// outerJoin is a LEFT or FULL JOIN of the text, in the FROM of the SELECT at
// offset from.
type outerJoin struct {
	from int
	full bool
}

// noteOuterJoin notes a LEFT or FULL at token i that begins a join, and rewrites
// the latter. It reports false where there is no SELECT around it.
func (p *Parser) noteOuterJoin(i int) bool {
	for k := len(p.levels) - 1; k >= 0; k-- {
		if !p.levels[k].query {
			continue
		}
		full := p.tokens[i].word == kwFull
		p.outer = append(p.outer, outerJoin{from: p.levels[k].selectAt, full: full})
		if full {
			p.full = true
			p.overwrite(p.tokens[i].pos, p.tokens[i].end, "LEFT")
		}
		return true
	}
	return false
}

// beginsJoin reports that [OUTER] JOIN follows token i.
func (p *Parser) beginsJoin(i int) bool {
	return p.word(i+1) == kwJoin || p.word(i+1) == kwOuter && p.word(i+2) == kwJoin
}

// restoreFullJoins sets the kind of the full joins in the FROM of n. The text's
// LEFT and FULL JOINs are the tree's LEFT joins, in the same order.
func (f *finisher) restoreFullJoins(n *ast.SelectStmt) {
	if n.From == nil || n.Fields == nil || len(n.Fields.Fields) == 0 {
		return
	}
	var joins []*ast.Join
	collectLeftJoins(n.From.TableRefs, &joins)
	if len(joins) == 0 {
		return
	}
	// The SELECT is the last one before its first field.
	at, _ := slices.BinarySearchFunc(f.outer, n.Fields.Fields[0].Offset, func(o outerJoin, offset int) int { return cmp.Compare(o.from, offset) })
	first := at - 1
	for first > 0 && f.outer[first-1].from == f.outer[at-1].from {
		first--
	}
	if first < 0 || at-first != len(joins) {
		f.lost = true
		return
	}
	for k, j := range joins {
		if f.outer[first+k].full {
			j.Tp = FullJoin
		}
	}
}

// collectLeftJoins lists the LEFT joins of a FROM in the order of the text,
// without those of its subqueries.
func collectLeftJoins(n ast.ResultSetNode, joins *[]*ast.Join) {
	switch n := n.(type) {
	case *ast.Join:
		collectLeftJoins(n.Left, joins)
		if n.Tp == ast.LeftJoin {
			*joins = append(*joins, n)
		}
		if n.Right != nil {
			collectLeftJoins(n.Right, joins)
		}
	case *ast.TableSource:
		collectLeftJoins(n.Source, joins)
	}
}
