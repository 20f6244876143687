package build

import (
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/physical"
	"streamsql/sql/bind"
)

var rankFuncs = map[logical.RankFunc]physical.RankFunc{
	logical.RowNumber: physical.RowNumber, logical.Rank: physical.Rank, logical.DenseRank: physical.DenseRank,
}

// topN is Shuffle by the partition → TopN; of one partition, TopN in each task →
// Shuffle to one → TopN, where a row is taken back in the task that it came to.
// The columns that break ties come first.
func (b *builder) topN(n *logical.TopN, want []logical.Col) (*rel, error) {
	cols := tiesFirst(n.Input.Columns(), n.Ties, want, n.Reads())
	r, err := b.node(n.Input, cols)
	if err != nil {
		return nil, err
	}
	in, below, props := r.give(cols), b.derived.Props(n.Input), b.derived.Props(n)
	spec := physical.TopNSpec{
		Order: sortKeys(n.Order, cols), Func: rankFuncs[n.Rank], Limit: n.Limit, Offset: n.Offset, Number: n.Number != nil,
		AppendOnly: below.AppendOnly,
	}
	for _, id := range n.Partition {
		spec.Partition = append(spec.Partition, indexOf(cols, id))
	}
	spec.Leaders = b.leads(n)
	if spec.Leaders {
		perBatch := spec
		perBatch.PerBatch, perBatch.Number = true, false
		in = &physical.Node{Kind: physical.TopN, Inputs: []*physical.Node{in}, Fields: fields(cols), TopN: &perBatch, Props: physical.Props{AppendOnly: below.AppendOnly}}
	} else if len(n.Partition) == 0 && n.Limit >= 0 && n.Limit < maxLocal && n.Offset < maxLocal && stays(in) {
		local := spec
		local.Limit, local.Offset, local.Number = n.Limit+n.Offset, 0, false
		local.First, local.Few = keepsFirst(local), keepsFew(local)
		in = &physical.Node{Kind: physical.TopN, Inputs: []*physical.Node{in}, Fields: fields(cols), TopN: &local, Props: physical.Props{Keys: positions(below.Keys, cols)}}
		b.keep(in, topNState(local), below.Grows && !local.AppendOnly)
		spec.AppendOnly = false
	}
	spec.First = keepsFirst(spec)
	out := append([]logical.Col(nil), cols...)
	if n.Number != nil {
		out = append(out, *n.Number)
	}
	node := &physical.Node{
		Kind: physical.TopN, Inputs: []*physical.Node{shuffle(in, spec.Partition)}, Fields: fields(out), TopN: &spec, Props: propsOf(props, out),
	}
	spec.Expiry = b.partitionExpiry(n.Input, n.Partition, cols)
	spec.Few = keepsFew(spec)
	local := in.Kind == physical.TopN && !spec.Leaders
	grows := below.Grows && (len(n.Partition) > 0 || !spec.AppendOnly) && !local && spec.Expiry == nil
	state := topNState(spec)
	if local {
		state = "the first rows of each task"
	}
	state += untilOver(spec.Expiry, cols)
	b.keep(node, state, grows)
	return over(node, out, props), nil
}

// partitionExpiry is when partitions are over: once a time among their columns
// is, that no late row comes behind.
func (b *builder) partitionExpiry(in logical.Node, partition []int, cols []logical.Col) *physical.Expiry {
	list := make([]logical.Col, len(partition))
	for i, id := range partition {
		list[i] = cols[indexOf(cols, id)]
	}
	e := expiry(b.derived.Props(in), list)
	if e != nil {
		e.Col = indexOf(cols, list[e.Col].ID)
	}
	return e
}

func untilOver(e *physical.Expiry, cols []logical.Col) string {
	if e == nil {
		return ""
	}
	return " until " + cols[e.Col].Name + " is over"
}

// tiesFirst are the columns ties, in order, then those of all that are wanted or read.
func tiesFirst(all []logical.Col, ties []int, want []logical.Col, read []int) []logical.Col {
	var cols []logical.Col
	for _, id := range ties {
		cols = append(cols, all[indexOf(all, id)])
	}
	need := logical.SetOf(want)
	for _, id := range read {
		need[id] = true
	}
	for _, c := range pick(all, need) {
		if indexOf(cols, c.ID) < 0 {
			cols = append(cols, c)
		}
	}
	return cols
}

func sortKeys(order []bind.Order, cols []logical.Col) []physical.SortKey {
	var keys []physical.SortKey
	for _, k := range order {
		keys = append(keys, physical.SortKey{Col: indexOf(cols, k.Col), Desc: k.Desc})
	}
	return keys
}

// stays reports that a row of n and its retraction come out of the same task.
func stays(n *physical.Node) bool {
	switch n.Kind {
	case physical.Merge, physical.Distinct, physical.Join, physical.SetOp, physical.TopN, physical.Over, physical.Shuffle, physical.Values:
		return true
	case physical.Source:
		return n.Props.AppendOnly || n.Source.Table == 0
	case physical.Map, physical.Union:
		for _, in := range n.Inputs {
			if !stays(in) {
				return false
			}
		}
		return true
	}
	return false
}

// leads reports that the rows of n are those that RANK() numbers 1 in their
// partition, and that no other row can become one of these by another's leaving.
func (b *builder) leads(n *logical.TopN) bool {
	if n.Rank == logical.RowNumber || n.Limit != 1 || n.Offset != 0 || len(n.Order) == 0 {
		return false
	}
	return b.derived.Props(n.Input).AppendOnly || len(n.Order) == 1 && b.derived.Advances(n.Input, n.Order[0], n.Partition)
}

// keepsFirst reports a TopN that needs nothing but the first row of each partition.
func keepsFirst(s physical.TopNSpec) bool {
	return s.AppendOnly && s.Limit == 1 && s.Offset == 0 && s.Func == physical.RowNumber
}

// keepsFew reports a TopN of so few rows of each partition that they are a list: at
// most as many as its operator has room for. It lets no partition go.
func keepsFew(s physical.TopNSpec) bool {
	return s.AppendOnly && s.Limit >= 1 && s.Limit+s.Offset > 1 && s.Limit+s.Offset <= physical.MostFew && s.Func == physical.RowNumber && s.Expiry == nil
}

func topNState(s physical.TopNSpec) string {
	rows := "all rows, in order"
	switch {
	case s.Leaders:
		rows = "the first rows"
	case keepsFirst(s):
		rows = "the first row"
	case s.AppendOnly && s.Limit >= 0:
		rows = "the first rows"
	}
	if len(s.Partition) > 0 && strings.HasPrefix(rows, "the") {
		rows += " of each partition"
	}
	return rows
}
