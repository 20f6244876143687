package rule

import "streamsql/planner/logical"

var eliminateJoin = Rule{
	Name:   "eliminate_join",
	Reason: "a left join that gives each left row once, with right columns that nobody reads, gives the left rows",
	Apply: func(c *Context, t *logical.Tree) logical.Node {
		drop := map[logical.Node]bool{}
		needs(t.Root, logical.SetOf(t.Out), func(n logical.Node, need logical.ColSet) {
			j, ok := n.(*logical.Join)
			if ok && j.Kind == logical.LeftJoin && c.meetsOne(j) && !readsAny(need, j.Right) {
				drop[j] = true
			}
		})
		return dropRight(t.Root, drop)
	},
}

// meetsOne reports that a left row of j meets one right row at most.
func (c *Context) meetsOne(j *logical.Join) bool {
	keys := logical.ColSet{}
	for _, k := range j.Keys {
		keys[k.Right.ID] = true
	}
	return c.Derived.Props(j.Right).HasKeyIn(keys)
}

func readsAny(need logical.ColSet, n logical.Node) bool {
	for _, c := range n.Columns() {
		if need[c.ID] {
			return true
		}
	}
	return false
}

// dropRight puts the left side in the place of each join in drop. Projections
// above lose the columns that they hand on for nobody.
func dropRight(n logical.Node, drop map[logical.Node]bool) logical.Node {
	if drop[n] {
		return dropRight(n.(*logical.Join).Left, drop)
	}
	in := append([]logical.Node(nil), n.Inputs()...)
	for i, o := range in {
		in[i] = dropRight(o, drop)
	}
	out := over(n, in...)
	p, ok := out.(*logical.Project)
	if !ok || out == n {
		return out
	}
	have := logical.SetOf(p.Input.Columns())
	kept := &logical.Project{Input: p.Input}
	for _, it := range p.Items {
		if have.Has(it.Expr) {
			kept.Items = append(kept.Items, it)
		}
	}
	return kept
}
