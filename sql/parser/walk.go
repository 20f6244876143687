package parser

import (
	"fmt"

	"github.com/pingcap/tidb/pkg/parser/charset"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/types"

	"streamsql/sql/sqlerr"
)

// maxDepth bounds how deep a tree can get: brackets, CASEs and subqueries in
// one another, and operators in a row (a AND b AND c is two deep, - - 1 too).
// Every walker of the tree recurses, and an overflow of the stack would end the
// process.
const maxDepth = 4000

// clause is the part of a SELECT that the walk is in.
type clause uint8

const (
	clauseNone clause = iota
	clauseFrom
	clauseGroup
	clauseOrder
	clauseOther
)

// level is one open bracket, or CASE, of the walk.
type level struct {
	isCase bool
	query  bool    // a SELECT was seen in it
	inside bool    // it, or a level around it, is a query
	clause clause  //
	fn     keyword // CAST or CONVERT, when it holds the arguments of that
	fnAt   int     // the token of fn
	chain  int     // operators in a row so far

	openAt   int  // the token that opens it
	selectAt int  // the offset of the query's SELECT
	sets     bool // it is the list of GROUPING SETS
}

// walk goes once over the tokens from the given one on: it bounds the depth,
// refuses what is not there yet, and rewrites what TiDB's grammar lacks.
func (p *Parser) walk(from int) error {
	p.levels = append(p.levels[:0], level{})
	depth := 0 // of all open levels and their chains
	for i := from; !p.isEnd(i); i++ {
		if err := p.rewriteWindow(i, &p.levels[len(p.levels)-1]); err != nil {
			return err
		}
		t, top := &p.tokens[i], &p.levels[len(p.levels)-1]
		if t.word != kwNone {
			if p.op(i-1) != '.' {
				if err := p.refuseWord(i, top); err != nil {
					return err
				}
				depth += p.enterWord(i, top)
			}
		} else if t.kind == tokOp {
			if t.op == ':' && p.op(i+1) == ':' && p.tokens[i+1].pos == t.end {
				return sqlerr.Unsupported("the :: cast (use CAST(… AS …))")
			}
			if t.op == ')' && len(p.levels) > 1 && p.levels[len(p.levels)-2].clause == clauseFrom {
				if err := p.columnNames(i, top.openAt); err != nil {
					return err
				}
			}
			depth += p.enterOp(i, top)
		} else if t.kind == tokWord {
			if err := p.refuseTableFunction(i, top); err != nil {
				return err
			}
			if err := p.refuseExclude(i); err != nil {
				return err
			}
			p.distinct(i)
		}
		if depth > maxDepth {
			return errorAt(p.text, t.pos, fmt.Sprintf("The expression is nested too deeply (more than %d levels)", maxDepth))
		}
	}
	return nil
}

// enterOp accounts for an operator; it returns by how much the depth changes.
func (p *Parser) enterOp(i int, top *level) int {
	switch p.tokens[i].op {
	case '(', '{', '[':
		next := level{inside: top.inside, openAt: i}
		if w := p.word(i - 1); w == kwCast || w == kwConvert {
			next.fn, next.fnAt = w, i-1
		}
		next.sets = p.word(i-1) == kwSets && p.word(i-2) == kwGrouping
		if top.sets && p.op(i+1) == ')' { // the set of no columns
			p.overwrite(p.tokens[i].pos, p.tokens[i+1].end, "''")
		}
		p.levels = append(p.levels, next)
		return 1
	case ')', '}', ']':
		change := 0
		for top.isCase && len(p.levels) > 1 { // a CASE without END: TiDB will complain
			change += p.pop()
			top = &p.levels[len(p.levels)-1]
		}
		if len(p.levels) > 1 {
			change += p.pop()
		}
		return change
	case ',':
		if top.fn == kwConvert {
			p.rewriteType(i+1, top)
		}
		if top.clause == clauseFrom {
			return top.link()
		}
		return top.restart()
	case '.', ':', ';':
		return 0
	default:
		return top.link()
	}
}

// enterWord accounts for a keyword; it returns by how much the depth changes.
func (p *Parser) enterWord(i int, top *level) int {
	switch p.tokens[i].word {
	case kwSelect:
		top.query, top.inside, top.clause, top.selectAt = true, true, clauseOther, p.tokens[i].pos
		return top.restart()
	case kwFrom:
		if top.query {
			top.clause = clauseFrom
		}
		return top.restart()
	case kwGroup:
		if p.word(i+1) == kwBy {
			top.clause = clauseGroup
			return top.restart()
		}
	case kwOrder:
		if p.word(i+1) == kwBy {
			top.clause = clauseOrder
			return top.restart()
		}
	case kwWhere, kwHaving, kwLimit, kwWindow, kwUnion, kwExcept, kwIntersect:
		if top.clause != clauseNone {
			top.clause = clauseOther
		}
		return top.restart()
	case kwWhen, kwThen, kwElse, kwSet, kwValues:
		return top.restart()
	case kwCase:
		p.levels = append(p.levels, level{isCase: true, inside: top.inside})
		return 1
	case kwEnd:
		if top.isCase {
			return p.pop()
		}
	case kwAs:
		if top.fn == kwCast {
			p.rewriteType(i+1, top)
		}
	case kwAnd, kwOr, kwXor, kwNot, kwIs, kwLike, kwIlike, kwIn, kwBetween, kwDiv, kwMod, kwRegexp, kwRlike,
		kwCollate, kwBinary, kwEscape, kwInterval, kwJoin, kwStraightJoin:
		return top.link()
	}
	return 0
}

func (p *Parser) pop() int {
	top := p.levels[len(p.levels)-1]
	p.levels = p.levels[:len(p.levels)-1]
	return -1 - top.chain
}

func (l *level) link() int {
	l.chain++
	return 1
}

func (l *level) restart() int {
	n := l.chain
	l.chain = 0
	return -n
}

// castTypes are the types of columns that users write in CAST, and what
// MySQL's CAST calls them. No word here is shorter than what replaces it, save
// INT: see rewriteType.
var castTypes = map[string]string{
	"tinyint": "SIGNED", "smallint": "SIGNED", "mediumint": "SIGNED", "integer": "SIGNED", "bigint": "SIGNED",
	"int": "SIGNED", "varchar": "CHAR", "text": "CHAR", "numeric": "DECIMAL",
}

// rewriteType puts the word that MySQL's CAST knows in the place of a column
// type at token i, within its bytes. INT has no room for SIGNED: it becomes
// DEC, a type that TiDB's grammar takes there, and finish puts the type right.
func (p *Parser) rewriteType(i int, top *level) {
	if p.tokens[i].kind != tokWord {
		return
	}
	to, ok := castTypes[string(lower(nil, p.textOf(i)))]
	if !ok {
		return
	}
	t := p.tokens[i]
	end := t.end
	if to == "SIGNED" {
		if p.op(i+1) == '(' && p.tokens[i+2].kind == tokNumber && p.op(i+3) == ')' { // a display width
			i += 3
			end = p.tokens[i].end
		}
		if sign := string(lower(nil, p.textOf(i+1))); sign == "unsigned" || sign == "signed" {
			to = map[string]string{"unsigned": "UNSIGNED", "signed": "SIGNED"}[sign]
			end = p.tokens[i+1].end
		}
	}
	if len(to) > end-t.pos {
		to = "DEC"
		p.casts = append(p.casts, p.tokens[top.fnAt].pos)
	}
	p.overwrite(t.pos, end, to)
}

// signedType is the type that TiDB's grammar gives CAST(… AS SIGNED).
func signedType() *types.FieldType {
	t := types.NewFieldType(mysql.TypeLonglong)
	t.SetCharset(charset.CharsetBin)
	t.SetCollate(charset.CollationBin)
	t.AddFlag(mysql.BinaryFlag)
	flen, decimal := mysql.GetDefaultFieldLengthAndDecimalForCast(mysql.TypeLonglong)
	t.SetFlen(flen)
	t.SetDecimal(decimal)
	return t
}
