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
	"slices"

	"streamsql/catalog"
	"streamsql/planner/decorrelate"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/planner/physical/build"
	"streamsql/planner/rule"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

// Options say what a plan is for.
type Options struct {
	// Continuous: the plan keeps a result up to date; else it answers once.
	Continuous bool
	// Settled says of a one-off plan that its sources give just the rows that are
	// there. Without, a base table may come as a snapshot with a transaction's own
	// changes beside it, which take rows of the snapshot back: MIN and MAX then keep
	// all values, and a LIMIT cuts only where all rows have met.
	Settled bool
	// recursive: the plan is a recursive expression's, whose state is kept from one
	// batch of a query to the next.
	recursive bool
	// Interrupted, if set, says why not to go on planning; nil: go on.
	Interrupted func() error
	// Trace, if set, gets the names of the rules that changed the tree, in order.
	Trace func(ruleName string)
}

// Plan plans q. A feature that a continuous query cannot have yet is error 1235.
func Plan(q *bind.Query, o Options) (*physical.Plan, error) {
	tree, err := logical.Build(q, logical.Options{
		Continuous: o.Continuous, AppendOnly: o.appendOnly, Grows: grows, Times: times, Lateness: q.Lateness, KeepLate: q.KeepLate,
	})
	if err != nil {
		return nil, err
	}
	if err := logical.Check(tree); err != nil {
		return nil, fmt.Errorf("bound tree: %w", err)
	}
	c := context(tree, o)
	if err := decorrelate.Tree(tree, c.Derived); err != nil {
		return nil, err
	}
	if err := logical.Check(tree); err != nil {
		return nil, fmt.Errorf("decorrelated tree: %w", err)
	}
	emits := q.EmitOnClose && logical.EmitOnClose(tree, c.Derived)
	for _, name := range rule.Optimize(c, tree) {
		if o.Trace != nil {
			o.Trace(name)
		}
	}
	if o.Interrupted != nil {
		if err := o.Interrupted(); err != nil {
			return nil, err
		}
	}
	// Of a join it is known only now by what it joins, and so which windows its rows are in.
	if q.EmitOnClose && !emits && !logical.EmitOnClose(tree, c.Derived) {
		return nil, sqlerr.Unsupported("EMIT ON WINDOW CLOSE where no window_end, of a stream with WATERMARK FOR, tells when a row is final")
	}
	if err := logical.Check(tree); err != nil {
		return nil, err
	}
	if err := checkTimed(c.Derived, tree.Root); err != nil {
		return nil, err
	}
	if err := o.planRecursions(tree); err != nil {
		return nil, err
	}
	if o.Continuous && !o.recursive {
		tree.Root = timeFilters(c, tree.Root)
		if err := refuseDimensions(tree.Root); err != nil {
			return nil, err
		}
		if err := refuse(c, tree.Root); err != nil {
			return nil, err
		}
	}
	return build.Plan(tree, c.Derived, o.Continuous)
}

// appendOnly says whether what a source gives never retracts. Asked once, that
// is anything but a table that the transaction may have changed; kept up to
// date, a stream without a key of the user's, or a materialized view whose plan
// says so.
func (o Options) appendOnly(t *catalog.Table) bool {
	switch {
	case !o.Continuous:
		return o.Settled || t.Kind != catalog.BaseTable && !t.Upsert()
	case t.Kind == catalog.StreamTable:
		return !slices.ContainsFunc(t.Primary, func(k int) bool { return !t.Columns[k].Hidden })
	case t.Kind == catalog.MaterializedView:
		p, err := physical.Head(t.Plan)
		return err == nil && p.AppendOnly
	}
	return false
}

// grows says whether an object's rows become ever more: a stream's do, and those
// of a materialized view whose plan says so. A table has what people put there.
func grows(t *catalog.Table) bool {
	if t.Kind == catalog.MaterializedView {
		p, err := physical.Head(t.Plan)
		return err != nil || p.Grows
	}
	return t.Kind == catalog.StreamTable
}

// times are the columns of an object that are bound to a watermark: the event
// time of a stream, and of a materialized view those that its plan names.
func times(t *catalog.Table) map[int]physical.Time {
	switch {
	case t.EventTime != nil:
		own := physical.Watermark{{Table: uint64(t.ID)}}
		return map[int]physical.Time{t.EventTime.Column: {Watermark: own, Late: true}}
	case t.Kind == catalog.MaterializedView:
		if p, err := physical.Head(t.Plan); err == nil {
			return p.Times
		}
	}
	return nil
}
