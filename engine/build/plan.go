package build

import (
	"slices"
	"strings"

	"streamsql/planner"
	"streamsql/planner/explain"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
)

// Plan plans the query of a materialized view, once for its life: encoded is
// what the catalog keeps, from which physical.Decode makes the plan at a restart.
// interrupted says why not to go on, nil: go on.
func Plan(q *bind.Query, interrupted func() error) (plan *physical.Plan, encoded []byte, err error) {
	if plan, err = planner.Plan(q, planner.Options{Continuous: true, Interrupted: interrupted}); err != nil {
		return nil, nil, err
	}
	encoded, err = physical.Encode(plan)
	return plan, encoded, err
}

// Unbounded says which operators of a view's plan keep ever more, and what to do.
func Unbounded(plan *physical.Plan) []string { return explain.Unbounded(plan) }

// Retracts says which operator of a continuous plan takes rows of the result back,
// as EXPLAIN shows it; empty: none does.
func Retracts(plan *physical.Plan) string {
	if plan.AppendOnly {
		return ""
	}
	first := plan.Root
	physical.Walk(plan.Root, func(n *physical.Node) bool {
		if !n.Props.AppendOnly {
			first = n // of those that do, the one furthest down
		}
		return !n.Props.AppendOnly
	})
	return strings.TrimSpace(string(first.Kind) + " " + explain.Spec(first))
}

// AnswersOnce reports a plan that makes of a row what only its own batch can say: what
// a table holds then, or what time it is. Filled again, it would give something else.
func AnswersOnce(plan *physical.Plan) bool {
	found := false
	physical.Walk(plan.Root, func(n *physical.Node) bool {
		switch n.Kind {
		case physical.TemporalJoin, physical.VersionJoin, physical.LookupJoin:
			found = true
		case physical.Map:
			for _, e := range slices.Concat(n.Map.Project, n.Map.Filter) {
				found = found || planner.TellsTime(e)
			}
		}
		return !found
	})
	return found
}

// Describe says what a node does, as EXPLAIN does.
func Describe(n *physical.Node) string { return explain.Spec(n) }
