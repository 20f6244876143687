package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"

	"streamsql/sql/sqlerr"
)

// noEffect warns of syntax that is taken and changes nothing.
func (b *binder) noEffect(what string) {
	b.env.warn(sqlerr.NotSupportedYet, what+" has no effect")
}

// selectOptions warns of the words behind SELECT that only advise.
func (b *binder) selectOptions(o *ast.SelectStmtOpts) {
	for _, w := range []struct {
		given bool
		word  string
	}{
		{o.StraightJoin, "SELECT STRAIGHT_JOIN"},
		{o.SQLSmallResult, "SQL_SMALL_RESULT"},
		{o.SQLBigResult, "SQL_BIG_RESULT"},
		{o.SQLBufferResult, "SQL_BUFFER_RESULT"},
		{!o.SQLCache, "SQL_NO_CACHE"},
	} {
		if w.given {
			b.noEffect(w.word)
		}
	}
	b.priority(o.Priority)
}

// priority warns of LOW_PRIORITY, HIGH_PRIORITY and DELAYED.
func (b *binder) priority(p mysql.PriorityEnum) {
	if p != mysql.NoPriority {
		b.noEffect(mysql.Priority2Str[p])
	}
}

// indexHints warns of USE, FORCE and IGNORE INDEX.
func (b *binder) indexHints(n *ast.TableName) {
	for _, h := range n.IndexHints {
		switch h.HintType {
		case ast.HintForce:
			b.noEffect("FORCE INDEX")
		case ast.HintIgnore:
			b.noEffect("IGNORE INDEX")
		default:
			b.noEffect("USE INDEX")
		}
	}
}
