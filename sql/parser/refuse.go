package parser

import (
	"strings"

	"streamsql/sql/sqlerr"
)

// What is not there yet is refused by name. TiDB's grammar would misread some
// of it (a SEMI JOIN b is an inner join of a table that is called SEMI), and
// answer the rest with a syntax error that does not say what is missing.

// refusedStatements are statements by their first words. A word in brackets
// may be missing.
var refusedStatements = readStatements(`
create or replace dimension table
create temporary dimension table
create or replace temporary stream table
create or replace stream table
create or replace materialized view
create or replace sink
create [or replace] source
create [or replace] connection
create or replace continuous query
create [or replace] trigger
create [or replace] event
create [or replace] procedure
create [or replace] resource group
create [or replace] role
create [or replace] server
create [or replace] tablespace
drop source
drop connection
drop trigger
drop event
drop server
drop tablespace
drop resource group
alter source
alter secret
alter function
alter event
alter server
alter tablespace
alter resource group
refresh materialized view
show sources
show create event
show create trigger
show create procedure
show create user
show binary logs
show binlog events
show master logs
show relaylog events
show slave status
show slave hosts
show replicas
show replica status
show storage engines
show engine
explain for connection
set persist
set persist_only
set statement
install
uninstall
handler
xa
check
repair
cache
reset
purge
change
clone
signal
resignal
checksum table
get diagnostics
get current diagnostics
get stacked diagnostics
import table
start replica
stop replica
start slave
stop slave
copy
merge
declare
execute immediate
`)

type refusedStatement struct {
	feature string
	words   []string // in lower case; "[w]" may be missing
}

// readStatements files the statements of a list by their first word.
func readStatements(list string) map[string][]refusedStatement {
	m := map[string][]refusedStatement{}
	for line := range strings.Lines(list) {
		words := strings.Fields(strings.NewReplacer("[or replace]", "[or] [replace]").Replace(line))
		if len(words) == 0 {
			continue
		}
		var feature []string
		for _, w := range words {
			if w[0] != '[' {
				feature = append(feature, strings.ToUpper(w))
			}
		}
		m[words[0]] = append(m[words[0]], refusedStatement{strings.Join(feature, " "), words})
	}
	return m
}

// refuseStatement refuses a statement by its first words.
func (p *Parser) refuseStatement() error {
	if p.tokens[0].kind != tokWord {
		return nil
	}
	var low [longestWord]byte
	if len(p.textOf(0)) > longestWord {
		return nil
	}
	for _, r := range refusedStatements[string(lower(low[:0], p.textOf(0)))] {
		if p.begins(r.words) {
			return sqlerr.Unsupported(r.feature)
		}
	}
	return nil
}

// begins reports whether the statement begins with the words.
func (p *Parser) begins(words []string) bool {
	i := 0
	for _, w := range words {
		optional := w[0] == '['
		if p.tokens[i].kind == tokWord && strings.EqualFold(p.textOf(i), strings.Trim(w, "[]")) {
			i++
		} else if !optional {
			return false
		}
	}
	return true
}

// operandBefore reports whether what stands before token i can end an operand
// or a table: then a word at i is not a name of its own, unless it is an alias.
func (p *Parser) operandBefore(i int) bool {
	if i == 0 {
		return false
	}
	switch t := p.tokens[i-1]; t.kind {
	case tokOp:
		return t.op == ')'
	case tokWord:
		switch s := p.textOf(i - 1); {
		case strings.EqualFold(s, "null"), strings.EqualFold(s, "true"), strings.EqualFold(s, "false"):
			return true
		default:
			return p.op(i-2) == '.' || !isReserved(s)
		}
	default:
		return true
	}
}

// refuseWord refuses by a keyword and what stands around it.
func (p *Parser) refuseWord(i int, top *level) error {
	if err := p.refuseTableFunction(i, top); err != nil {
		return err
	}
	prev, next := p.word(i-1), p.word(i+1)
	switch w := p.tokens[i].word; w {
	case kwFull, kwSemi, kwAnti:
		return p.refuseJoin(i)
	case kwLeft:
		if p.beginsJoin(i) {
			p.noteOuterJoin(i)
		}
	case kwAsof:
		return p.asofJoin(i)
	case kwCube, kwRollup:
		if p.op(i+1) == '(' && (top.clause == clauseGroup || top.sets) && (prev == kwBy || p.op(i-1) == ',' || top.sets) {
			p.groupingSets(i)
		}
	case kwGrouping:
		if next == kwSets && p.op(i+2) == '(' && (top.clause == clauseGroup || top.sets) {
			p.groupingSets(i)
		}
	case kwEmit:
		return p.refuseEmit(i)
	case kwWatermark:
		if next == kwFor && p.word(0) == kwCreate && (p.op(i-1) == '(' || p.op(i-1) == ',') {
			return sqlerr.Unsupported("WATERMARK FOR outside of CREATE STREAM TABLE")
		}
	case kwFilter:
		if p.op(i-1) == ')' && p.op(i+1) == '(' && p.word(i+2) == kwWhere {
			return p.aggregateClause(i, 3, false)
		}
	case kwWithin:
		if p.op(i-1) == ')' && next == kwGroup && p.op(i+2) == '(' && p.word(i+3) == kwOrder && p.word(i+4) == kwBy {
			return p.aggregateClause(i, 5, true)
		}
	case kwOver:
		return p.over(i)
	case kwFirstValue, kwLastValue:
		p.renameValue(i)
	case kwFor:
		if next == kwSystemTime {
			return p.systemTime(i)
		}
	case kwAs:
		return p.refuseAs(i, top)
	case kwQualify:
		return p.refuseQualify(i, top)
	case kwNulls:
		if (next == kwFirst || next == kwLast) && top.clause == clauseOrder &&
			(p.operandBefore(i) || prev == kwAsc || prev == kwDesc) {
			return sqlerr.Unsupported("NULLS " + p.upper(i+1) + " (NULL is the least value; order by x IS NULL before x to have it last)")
		}
	case kwMatchRecognize, kwPivot, kwUnpivot:
		if p.op(i+1) == '(' && p.operandBefore(i) {
			return sqlerr.Unsupported(p.upper(i))
		}
	case kwTablesample:
		if p.operandBefore(i) {
			return sqlerr.Unsupported("TABLESAMPLE")
		}
	case kwIlike:
		if p.operandBefore(i) || prev == kwNot {
			return sqlerr.Unsupported("ILIKE (use LIKE with COLLATE utf8mb4_0900_ai_ci)")
		}
	case kwSounds:
		if next == kwLike && p.operandBefore(i) {
			return sqlerr.Unsupported("SOUNDS LIKE")
		}
	case kwInto:
		if top.query {
			return sqlerr.Unsupported("SELECT … INTO")
		}
	}
	return nil
}

func (p *Parser) upper(i int) string { return strings.ToUpper(p.textOf(i)) }

// refuseJoin finds the kinds of join that TiDB's grammar takes for an alias.
// A table may be called so: FROM semi JOIN t is a join with table semi.
func (p *Parser) refuseJoin(i int) error {
	prev := p.word(i - 1)
	if !p.operandBefore(i) && prev != kwLeft && prev != kwRight && prev != kwNatural && prev != kwInner {
		return nil
	}
	if p.word(i) == kwFull && p.beginsJoin(i) && p.noteOuterJoin(i) {
		return nil
	}
	for j := i + 1; ; j++ {
		switch p.word(j) {
		case kwOuter, kwInner, kwLeft, kwRight, kwAll, kwSemi, kwAnti:
			continue
		case kwJoin:
			return sqlerr.Unsupported(p.upper(i) + " JOIN" + joinHints[p.word(i)])
		}
		return nil
	}
}

// joinHints say what to write in place of a join that is refused.
var joinHints = map[keyword]string{
	kwSemi: " (use IN or EXISTS)", kwAnti: " (use NOT EXISTS)", kwFull: " outside of SELECT",
}

// refuseEmit finds a result policy where it does not belong: it says how a
// result that stays is kept, and stands at the end of its query.
func (p *Parser) refuseEmit(i int) error {
	const where = " outside of CREATE MATERIALIZED VIEW: it comes last in a query that stays"
	if p.word(i+1) == kwOn && p.word(i+2) == kwWindow && p.word(i+3) == kwClose {
		return sqlerr.Unsupported("EMIT ON WINDOW CLOSE" + where)
	}
	if n := p.emitWords(len(p.tokens) - 1); n > 0 && i == len(p.tokens)-1-n {
		return sqlerr.Unsupported("EMIT CHANGES" + where)
	}
	return nil
}

// emitWords is how many tokens before the given one are a result policy: 2 of
// EMIT CHANGES, 4 of EMIT ON WINDOW CLOSE, else 0 (SELECT emit changes names a
// column).
func (p *Parser) emitWords(end int) int {
	n := 0
	switch {
	case p.word(end-2) == kwEmit && p.word(end-1) == kwChanges:
		n = 2
	case p.word(end-4) == kwEmit && p.word(end-3) == kwOn && p.word(end-2) == kwWindow && p.word(end-1) == kwClose:
		n = 4
	default:
		return 0
	}
	if prev := p.word(end - n - 1); p.operandBefore(end-n) || prev == kwAsc || prev == kwDesc {
		return n
	}
	return 0
}

func (p *Parser) refuseAs(i int, top *level) error {
	if p.word(i+1) == kwOf && p.word(i-1) != kwSystemTime {
		if done, err := p.asOf(i, top); done {
			return err
		}
		return sqlerr.Unsupported("AS OF here (AS OF BATCH n or AS OF TIMESTAMP t belongs at the end of a SELECT)")
	}
	if len(p.levels) == 1 && !top.query && p.op(i+1) != '(' && p.isInsert() {
		return p.rowAlias(i)
	}
	return nil
}

// refuseQualify finds QUALIFY as a clause: behind a table or an operand, with
// an expression behind it.
func (p *Parser) refuseQualify(i int, top *level) error {
	if !top.query || !p.operandBefore(i) {
		return nil
	}
	next := p.tokens[i+1]
	expression := next.kind == tokQuoted || next.kind == tokNumber || next.kind == tokString ||
		next.op == '(' || next.kind == tokWord && !isReserved(p.textOf(i+1)) || p.op(i+2) == '('
	if expression && p.word(i+1) != kwUsing {
		return sqlerr.Unsupported("QUALIFY (use WHERE around a derived table)")
	}
	return nil
}

const tableFunctions = " (there are TUMBLE, HOP, SESSION, CUMULATE, CHANGES and JSON_TABLE)"

// refuseTableFunction refuses a function call where a table is expected.
func (p *Parser) refuseTableFunction(i int, top *level) error {
	if p.op(i+1) != '(' || top.clause != clauseFrom {
		return nil
	}
	switch p.word(i - 1) {
	case kwFrom, kwJoin, kwStraightJoin:
	default:
		if p.op(i-1) != ',' {
			return nil
		}
	}
	switch name := p.upper(i); name {
	case "SELECT", "VALUES", "LATERAL":
		return nil
	case "CHANGES":
		return p.changesFunction(i)
	case "TABLE":
		if p.tokens[i+2].kind == tokWord && p.op(i+3) == '(' {
			return sqlerr.Unsupported("TABLE(" + p.upper(i+2) + "(…)) in FROM" + tableFunctions)
		}
		return sqlerr.Unsupported("TABLE(…) in FROM around anything but a function" + tableFunctions)
	default:
		return sqlerr.Unsupported(name + "(…) in FROM" + tableFunctions)
	}
}

// refuseExclude refuses EXCLUDE at the end of a window's frame, as MySQL does.
func (p *Parser) refuseExclude(i int) error {
	if !strings.EqualFold(p.textOf(i), "exclude") || p.isEnd(i+1) {
		return nil
	}
	what := p.upper(i + 1)
	switch last := i + 2; what {
	case "CURRENT", "NO":
		if p.isEnd(last) || p.op(last+1) != ')' {
			return nil
		}
		what += " " + p.upper(last)
	case "GROUP", "TIES":
		if p.op(last) != ')' {
			return nil
		}
	default:
		return nil
	}
	return sqlerr.Unsupported("EXCLUDE " + what + " in a window's frame")
}
