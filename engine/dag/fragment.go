// Package dag steps the operators between two shuffles: a pure core without
// goroutine, clock or lock.
package dag

import (
	"fmt"

	"streamsql/operators"
	"streamsql/operators/batch"
)

// Node places one operator in a fragment.
type Node struct {
	ID     int // the plan node's
	Op     operators.Operator
	Inputs int // how many inputs the operator has
	To     int // index of the node that takes its output; −1: the fragment's output
	Input  int // which input of To
}

// Port is an input of the fragment: input Input of node Node.
type Port struct{ Node, Input int }

// Fragment is the operators of one stage for one range of logical partitions,
// a tree in which every node comes before the node that takes its output.
type Fragment struct {
	Nodes []Node
	Ports []Port
	// Copied: whoever takes the fragment's output copies it at once.
	Copied bool
	run    []progress
	loans  []*batch.Loan // by node: of what it emits; nil: that is not given back
	brief  []bool        // by node: neither it nor whom its output reaches holds what is worked off
	pace   []int         // by node: rows of its next Step

	Meters []Meter // by node; nil: nothing is counted
	clock  func() int64
}

// prepare is called before the first batch.
func (f *Fragment) prepare() {
	n := len(f.Nodes)
	f.run, f.pace, f.loans, f.brief = make([]progress, n), make([]int, n), make([]*batch.Loan, n), make([]bool, n)
	for i := range f.pace {
		f.pace[i] = firstBudget
	}
	if f.clock == nil {
		f.clock = monotonic
	}
	for i := n - 1; i >= 0; i-- {
		free := f.Copied
		if to := f.Nodes[i].To; to >= 0 {
			free = f.brief[to]
		}
		if op, ok := f.Nodes[i].Op.(operators.Lending); ok && free {
			f.loans[i] = &batch.Loan{}
			op.Lend(f.loans[i])
		}
		op, ok := f.Nodes[i].Op.(operators.Transient)
		f.brief[i] = free && ok && op.Transient()
	}
}

// progress is how far a node is in the open batch.
type progress struct {
	open    int // inputs not closed yet
	pending bool
	done    bool
}

// Begin opens a batch in all operators.
func (f *Fragment) Begin(b *operators.Batch) {
	if f.run == nil {
		f.prepare()
	}
	for i := range f.Nodes {
		n := &f.Nodes[i]
		f.run[i] = progress{open: n.Inputs, pending: n.Inputs == 0}
		n.Op.Begin(b)
	}
}

// Push queues a chunk on a port.
func (f *Fragment) Push(port int, c *batch.Chunk) {
	p := f.Ports[port]
	if f.Meters != nil {
		f.Meters[p.Node].In.Add(int64(c.N))
	}
	f.Nodes[p.Node].Op.Push(p.Input, c)
	f.run[p.Node].pending = true
}

// ClosePort says that a port has delivered all of the batch.
func (f *Fragment) ClosePort(port int) {
	p := f.Ports[port]
	f.close(p.Node, p.Input)
}

func (f *Fragment) close(node, input int) {
	f.Nodes[node].Op.CloseInput(input)
	f.run[node].open--
	f.run[node].pending = true
}

// Step lets one operator work for at most about budget rows, the one nearest to the
// output that has something to do. Done: nothing to do until the next Push or
// ClosePort; once all ports are closed, the batch is applied. Waiting: the same,
// but operators wait for something from outside.
func (f *Fragment) Step(budget int, out func(*batch.Chunk)) (operators.Status, error) {
	idle := operators.Done
	for i := len(f.Nodes) - 1; i >= 0; i-- {
		r := &f.run[i]
		if !r.pending {
			continue
		}
		n := &f.Nodes[i]
		emit := out
		if n.To >= 0 {
			to := n.To
			emit = func(c *batch.Chunk) {
				f.Nodes[to].Op.Push(n.Input, c)
				f.run[to].pending = true
			}
		}
		if f.Meters != nil {
			emit = f.counted(i, emit)
		}
		if f.loans[i] != nil {
			f.loans[i].End() // all who come behind this node have nothing left to do
		}
		began := f.clock()
		st, err := n.Op.Step(min(budget, f.pace[i]), emit)
		took := f.clock() - began
		f.pace[i] = min(paced(f.pace[i], took), budget)
		if f.Meters != nil {
			f.Meters[i].Time.Add(took)
			f.Meters[i].Steps.Add(1)
		}
		if err != nil {
			return operators.Done, fmt.Errorf("operator %d: %w", n.ID, err)
		}
		if st == operators.Waiting {
			idle = st
			continue
		}
		if st == operators.Done {
			r.pending = false
			if r.open == 0 && !r.done {
				r.done = true
				if n.To >= 0 {
					f.close(n.To, n.Input)
				}
			}
		}
		return operators.More, nil
	}
	return idle, nil
}

// Brief reports, between Begin and the end of the batch, that once there is nothing
// left to do nobody holds a chunk that was pushed on a port.
func (f *Fragment) Brief(port int) bool { return f.brief[f.Ports[port].Node] }

// End gives back what the fragment made for the batch, which is applied.
func (f *Fragment) End() {
	for _, l := range f.loans {
		if l != nil {
			l.End()
		}
	}
}

// Applied reports that every operator has finished the open batch.
func (f *Fragment) Applied() bool {
	for i := range f.run {
		if !f.run[i].done {
			return false
		}
	}
	return true
}
