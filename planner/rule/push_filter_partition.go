package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

var pushFilterThroughPartition = Rule{
	Name:   "push_filter_through_partition",
	Reason: "a condition on the columns of the partition holds for all of its rows or none: partitions that are left out need no state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		f, ok := n.(*logical.Filter)
		if !ok {
			return n
		}
		var partition []int
		switch in := f.Input.(type) {
		case *logical.TopN:
			partition = in.Partition
		case *logical.Over:
			partition = in.Partition
		}
		if len(partition) == 0 {
			return n
		}
		rows := f.Input.Inputs()[0]
		down, stay := c.byPartition(f.Conds, rows, partition)
		if len(down) == 0 {
			return n
		}
		return logical.NewFilter(f.Input.WithInputs([]logical.Node{logical.NewFilter(rows, down)}), stay)
	}),
}

func ids(cols []logical.Col) []int {
	list := make([]int, len(cols))
	for i, c := range cols {
		list[i] = c.ID
	}
	return list
}

// sameForEqual are conditions that are alike for all texts that are equal, though
// not the same.
var sameForEqual = map[string]bool{"=": true, "<=>": true, "in": true, "is null": true, "is not null": true}

// byPartition parts conditions into those that read columns of a partition alone, and others.
func (c *Context) byPartition(conds []*expr.Expr, in logical.Node, partition []int) (down, stay []*expr.Expr) {
	part, texts := logical.ColSet{}, textColumns(in)
	for _, id := range partition {
		part[id] = true
	}
	return split(conds, func(e *expr.Expr) bool {
		reads := map[int]bool{}
		e.Columns(reads)
		return len(reads) > 0 && part.Has(e) && !c.volatile(e) && (plainComparison(e) || !texts.ReadsAny(e))
	})
}

// plainComparison reports a condition on columns as they are that is alike for values
// that are equal.
func plainComparison(e *expr.Expr) bool {
	plain := sameForEqual[e.Fn]
	for _, a := range e.Args {
		plain = plain && a.Op != expr.OpCall
	}
	return plain
}
