package build

import (
	"streamsql/planner"
	"streamsql/planner/explain"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
)

// Plan plans the query of a materialized view, once for its life: encoded is
// what the catalog keeps, from which physical.Decode makes the plan at a restart.
func Plan(q *bind.Query) (plan *physical.Plan, encoded []byte, err error) {
	if plan, err = planner.Plan(q, planner.Options{Continuous: true}); err != nil {
		return nil, nil, err
	}
	encoded, err = physical.Encode(plan)
	return plan, encoded, err
}

// Unbounded says which operators of a view's plan keep ever more, and what to do.
func Unbounded(plan *physical.Plan) []string { return explain.Unbounded(plan) }

// Describe says what a node does, as EXPLAIN does.
func Describe(n *physical.Node) string { return explain.Spec(n) }
