package bind

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Timing says how time picks the right row that a left row meets.
type Timing uint8

// The timings.
const (
	AtArrival   Timing = iota // AS OF PROCTIME(): what the right side holds when the left row comes
	AtEventTime               // AS OF column: what it held then
	Closest                   // ASOF: the nearest by the inequality in On
)

// TimedJoin gives the columns of Left, then those of Right (nullable if Outer).
// A left row meets at most one right row, or if Outer, NULLs.
type TimedJoin struct {
	Timing      Timing
	Outer       bool
	Left, Right Rel
	On          []*expr.Expr // conjuncts over both sides; all must be true
	Time        *expr.Expr   // AtEventTime: a column of Left
	Cols        []Col
}

// Columns of a timed join: left's, then right's.
func (r *TimedJoin) Columns() []Col { return r.Cols }

// timedJoin binds the join of l and r, whose condition is on.
func (b *binder) timedJoin(n *ast.Join, on *parser.TimedOn, l, r source) (source, error) {
	j := &TimedJoin{Left: l.rel, Right: r.rel, Outer: n.Tp == ast.LeftJoin}
	if n.Tp == ast.RightJoin || n.Tp == parser.FullJoin {
		return source{}, sqlerr.Unsupported("a temporal or ASOF join that is RIGHT or FULL")
	}
	switch {
	case on.Asof:
		j.Timing = Closest
	case on.Time != nil:
		j.Timing = AtEventTime
		t, err := b.expr(on.Time, &names{clause: "FOR SYSTEM_TIME AS OF", from: &l.scope})
		if err != nil {
			return source{}, err
		}
		if t.Op != expr.OpColumn || t.Type.Kind != types.DateTime && t.Type.Kind != types.Timestamp {
			return source{}, sqlerr.Unsupported("FOR SYSTEM_TIME AS OF a column that is neither DATETIME nor TIMESTAMP")
		}
		j.Time = t
	}
	j.Cols = append(j.Cols, l.rel.Columns()...)
	for _, c := range r.rel.Columns() {
		if j.Outer {
			c.Type = c.Type.Nullable()
		}
		j.Cols = append(j.Cols, c)
	}
	out := source{rel: j}
	out.scope.cols = append(out.scope.cols, l.scope.cols...)
	for _, c := range r.scope.cols {
		if j.Outer {
			c.Type = c.Type.Nullable()
		}
		out.scope.cols = append(out.scope.cols, c)
	}
	var err error
	j.On, err = b.conjuncts(on.ExprNode, &names{clause: "on clause", from: &out.scope})
	return out, err
}
