package rule

import "streamsql/planner/logical"

var aggregateBelowSemi = Rule{
	Name:   "aggregate_below_semi",
	Reason: "whether a group matches by its keys is whether a row of it does: no state needs to make groups",
	Apply: everywhere(func(c *Context, n logical.Node) logical.Node {
		j, ok := n.(*logical.Join)
		if !ok || !j.Kind.LeftOnly() {
			return n
		}
		// Without keys there is one group in any case.
		a, ok := j.Right.(*logical.Aggregate)
		if !ok || len(a.Keys) == 0 || readsAggregate(j, a) {
			return n
		}
		return j.WithInputs([]logical.Node{j.Left, a.Input})
	}),
}

// readsAggregate reports that j reads more of a, its right side, than its keys.
func readsAggregate(j *logical.Join, a *logical.Aggregate) bool {
	made := logical.ColSet{}
	for _, g := range a.Aggs {
		made[g.ID] = true
	}
	for _, e := range j.On {
		if made.ReadsAny(e) {
			return true
		}
	}
	for _, k := range j.Keys {
		if made[k.Right.ID] {
			return true
		}
	}
	return false
}
