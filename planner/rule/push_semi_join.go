package rule

import (
	"streamsql/planner/logical"
)

var pushSemiJoin = Rule{
	Name:   "push_semi_join",
	Reason: "a semi or anti join leaves rows out, as a filter does: below another join it spares that one's state",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || !j.Kind.LeftOnly() {
			return n
		}
		below, ok := j.Left.(*logical.Join)
		if !ok || below.Kind.LeftOnly() { // two of them would change places for ever
			return n
		}
		need := logical.ColSet{}
		for _, k := range j.Keys {
			need[k.Left.ID] = true
		}
		for _, e := range j.On {
			if c.volatile(e) {
				return n
			}
			e.Columns(need)
		}
		right := logical.SetOf(j.Right.Columns())
		in := []logical.Node{below.Left, below.Right}
		for side, input := range in {
			// Rows that are padded, or that only decide whether others are given, must all be seen.
			if side == 1 && below.Kind != logical.InnerJoin || side == 0 && below.Kind == logical.FullJoin {
				continue
			}
			if mine := logical.SetOf(input.Columns()); only(need, mine, right) && touches(need, mine) {
				in[side] = j.WithInputs([]logical.Node{input, j.Right})
				return below.WithInputs(in)
			}
		}
		return n
	}),
}

// only reports that the columns of need are all in a or b.
func only(need, a, b logical.ColSet) bool {
	for id := range need {
		if !a[id] && !b[id] {
			return false
		}
	}
	return true
}

// touches reports that a column of need is in set.
func touches(need, set logical.ColSet) bool {
	for id := range need {
		if set[id] {
			return true
		}
	}
	return false
}
