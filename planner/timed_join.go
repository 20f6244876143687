package planner

import (
	"fmt"
	"slices"

	"streamsql/catalog"
	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// checkTimed refuses joins in which time would not pick one row.
func checkTimed(d *logical.Deriver, root logical.Node) (err error) {
	logical.Walk(root, func(n logical.Node) {
		if j, ok := n.(*logical.TimedJoin); ok && err == nil {
			err = checkTimedJoin(d, j)
		}
	})
	return err
}

func checkTimedJoin(d *logical.Deriver, j *logical.TimedJoin) error {
	right := logical.ColSet{}
	for _, k := range j.Keys {
		right[k.Right.ID] = true
	}
	switch {
	case j.Timing == logical.AtEventTime && !bounded(j):
		return sqlerr.Unsupported("FOR SYSTEM_TIME AS OF a column that has no watermark over a stream (declare WATERMARK FOR it, or use AS OF PROCTIME())")
	case j.Timing == logical.Closest && j.Order == "":
		return sqlerr.Unsupported("ASOF JOIN without an inequality (>=, >, <= or <) between a column of each side")
	case j.Timing == logical.Closest && len(j.On) > 0:
		return sqlerr.Unsupported("ASOF JOIN on more than equalities, one inequality, and conditions on the right side alone")
	case j.Timing != logical.Closest && !d.Props(j.Right).HasKeyIn(right):
		what := "a temporal join"
		if s, ok := j.Right.(*logical.Scan); ok {
			what = fmt.Sprintf("a temporal join with '%s'", s.Table.Name)
		}
		return sqlerr.Unsupported(what + " whose ON does not give a unique key of the right side")
	}
	return nil
}

// bounded reports that it becomes known when no further row of a time comes on
// the left side of a join AtEventTime.
func bounded(j *logical.TimedJoin) bool {
	left, _ := j.Bounds()
	return len(left) > 0 && !slices.ContainsFunc(left, func(s physical.StreamDelay) bool { return s.Table == physical.BatchTime })
}

// refuseDimensions refuses a continuous query that would have to follow the
// changes of a dimension table.
func refuseDimensions(root logical.Node) (err error) {
	var walk func(n logical.Node)
	walk = func(n logical.Node) {
		if s, ok := n.(*logical.Scan); ok && s.Table.Kind == catalog.DimensionTable && err == nil {
			err = sqlerr.Unsupported(fmt.Sprintf("reading dimension table '%s' in a continuous query but by JOIN or LEFT JOIN on its whole key: it tells nobody of its changes", s.Table.Name))
		}
		if j, ok := n.(*logical.TimedJoin); ok && j.Timing == logical.Outside {
			walk(j.Left)
			return
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	walk(root)
	return err
}
