// Package rule holds the rewrites of the logical plan, one a file, and runs them.
//
// Each rule has a name, which traces, EXPLAIN and tests show, and a reason. A
// rule keeps the meaning of the tree on its own; none relies on another having
// run, though one often makes room for another: they run in the order of Rules,
// again and again, until nothing changes. Late ones run when the others have come
// to an end, and then these again.
package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Rule is one rewrite.
type Rule struct {
	Name   string
	Reason string
	// Late rules wait until the others have come to an end, to know all that they find.
	Late bool
	// Apply gives the new root, or the tree's own when there is nothing to do.
	Apply func(c *Context, t *logical.Tree) logical.Node
}

// Context is what rules may ask.
type Context struct {
	IDs     *logical.IDs
	Derived *logical.Deriver
	// Fold computes a call of constants; not ok when it fails, warns, or depends on
	// more than its arguments (RAND, but NOW() and a session's time zone too).
	Fold func(*expr.Expr) (v expr.Value, ok bool)
	// Cast converts explicitly.
	Cast func(*expr.Expr, types.Type) (*expr.Expr, error)
	// Volatile says of a function whether each call has a value of its own (RAND,
	// UUID). NOW(), the same throughout a batch, is not volatile.
	Volatile func(fn string) bool
	// Clock says of a function whether it tells the batch's time.
	Clock func(fn string) bool
	// Stopped, if set, is asked before each rule whether to leave the tree as it is.
	Stopped func() bool
}

// Rules in their order: first make expressions small, then move filters down,
// then shape joins, then drop what is not needed, and last choose how to run.
var Rules = []Rule{
	foldConstants,
	simplifyFilter,
	factorOr,
	emptyFilter,
	propagateEmpty,
	aggregateOverNothing,
	joinOneRow,
	mergeFilters,
	simplifyOuterJoin,
	pushFilterThroughProject,
	pushFilterThroughAggregate,
	pushFilterThroughDistinct,
	pushFilterThroughUnion,
	pushFilterThroughWindow,
	pushFilterThroughUnfold,
	pushFilterThroughSetOp,
	pushFilterThroughPartition,
	rankFilterToTopN,
	pushFilterIntoJoin,
	pushJoinCondition,
	pushSemiJoin,
	transferConditions,
	orderJoins,
	extractJoinKeys,
	lookupJoin,
	windowBoundsJoin,
	extremeJoinToTopN,
	intervalJoin,
	pushFilterIntoTimedJoin,
	shapeTimedJoin,
	asofLateOut,
	countAll,
	eliminateDistinct,
	distinctBelowSemi,
	aggregateBelowSemi,
	groupByKey,
	eliminateJoin,
	sortOneRow,
	shortenTies,
	mergeProjects,
	pruneColumns,
	removeIdentityProject,
	closeWindow,
	sessionByID,
	setOpBySortKey,
	groupBySortKey,
	twoPhaseAggregate,
	windowsByPanes,
}

// maxRounds bounds the fixpoint. A tree that is not stable by then is still
// right, only less good than it could be.
const maxRounds = 32

// Optimize runs the rules on t until none changes it. It returns the names of
// those that did, in order, one entry for each time.
func Optimize(c *Context, t *logical.Tree) []string { return run(c, t, Rules) }

func run(c *Context, t *logical.Tree, rules []Rule) (fired []string) {
	for range maxRounds {
		once := func(late bool) (changed bool) {
			for _, r := range rules {
				if r.Late != late {
					continue
				}
				if c.Stopped != nil && c.Stopped() {
					return false
				}
				if root := r.Apply(c, t); root != t.Root {
					t.Root = root
					fired = append(fired, r.Name)
					changed = true
				}
			}
			return changed
		}
		if !once(false) && !once(true) {
			break
		}
	}
	return fired
}

// everywhere makes a rule of a rewrite of single nodes, which sees inputs first.
func everywhere(f func(*Context, logical.Node) logical.Node) func(*Context, *logical.Tree) logical.Node {
	return func(c *Context, t *logical.Tree) logical.Node {
		return logical.Rewrite(t.Root, func(n logical.Node) logical.Node { return f(c, n) })
	}
}

// volatile reports whether e holds a volatile function: it must stay where it is
// written and be computed as often as written.
func (c *Context) volatile(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpCall && c.Volatile(x.Fn)
		return !found
	})
	return found
}

// split parts list into the expressions for which yes holds and the others.
func split(list []*expr.Expr, yes func(*expr.Expr) bool) (in, out []*expr.Expr) {
	for _, e := range list {
		if yes(e) {
			in = append(in, e)
		} else {
			out = append(out, e)
		}
	}
	return in, out
}

// clocked reports whether e depends on the batch's time.
func (c *Context) clocked(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpCall && c.Clock != nil && c.Clock(x.Fn)
		return !found
	})
	return found
}
