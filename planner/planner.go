// Package planner turns a bound query into the plan that runs:
//
//	bound tree → logical tree → rules, until none applies → physical plan
//
// The same for continuous and one-off queries, whose plans differ in what their
// sources promise (a snapshot retracts nothing) and in that only a one-off
// result has an order.
package planner

import (
	"fmt"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/planner/physical/build"
	"streamsql/planner/rule"
	"streamsql/sql/bind"
)

// Options say what a plan is for.
type Options struct {
	// Continuous: the plan keeps a result up to date; else it answers once.
	Continuous bool
	// Trace, if set, gets the names of the rules that changed the tree, in order.
	Trace func(ruleName string)
}

// Plan plans q. A feature that a continuous query cannot have yet is error 1235.
func Plan(q *bind.Query, o Options) (*physical.Plan, error) {
	tree, err := logical.Build(q, logical.Options{Continuous: o.Continuous, AppendOnly: appendOnly})
	if err != nil {
		return nil, err
	}
	if err := logical.Check(tree); err != nil {
		return nil, fmt.Errorf("bound tree: %w", err)
	}
	c := context(tree)
	for _, name := range rule.Optimize(c, tree) {
		if o.Trace != nil {
			o.Trace(name)
		}
	}
	if err := logical.Check(tree); err != nil {
		return nil, err
	}
	if o.Continuous {
		if err := refuse(c, tree.Root); err != nil {
			return nil, err
		}
	}
	return build.Plan(tree, c.Derived, o.Continuous)
}

// appendOnly says whether an object's changelog never retracts: a stream without
// a key of the user's, or a materialized view whose plan says so.
func appendOnly(t *catalog.Table) bool {
	switch t.Kind {
	case catalog.StreamTable:
		for _, k := range t.Primary {
			if !t.Columns[k].Hidden {
				return false
			}
		}
		return true
	case catalog.MaterializedView:
		p, err := physical.Decode(t.Plan)
		return err == nil && p.AppendOnly
	}
	return false
}
