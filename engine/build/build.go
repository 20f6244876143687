// Package build is the one door from plans to operators: it cuts a physical
// plan into stages at its shuffles, makes each stage's operators once per task,
// and wires the tasks up.
package build

import (
	"fmt"
	"slices"
	"time"

	"streamsql/engine/dag"
	"streamsql/engine/sched"
	"streamsql/engine/task"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Options say how a plan is to run.
type Options struct {
	Tasks    int // per stage, where the plan allows more than one
	Exec     task.Executor
	Group    *sched.Group
	Account  *account.Account
	Location *time.Location // the query's time zone
	Rules    eval.Rules     // what the query's sql_mode says
	// View adds a view at the end that keeps the result, Sink one that gives it away.
	// Without, the result goes to Collect.
	View, Sink bool
	// Count, of a Sink: only the number of its rows is of interest.
	Count bool
	// Collect takes the result of a one-off query, from any task.
	Collect   func(c *batch.Chunk)
	HasCredit func(wake func()) bool
	Complete  func(batchID uint64) // a batch went through all tasks
	Failed    func(err error)
	// Clock, if set, makes the flow count what its operators do: see task.Figures. It
	// is read by the goroutine that steps a task, before and after.
	Clock func() int64
	Trace func(t *task.Task, batchID uint64, event string)
	// Answers answers the questions of look-up joins with a dimension table.
	Answers func(table uint64) (operators.Answers, error)
}

// stage is a piece of the plan between shuffles, or nodes that several read.
type stage struct {
	nodes []placed
	ports []port
	tasks int
	outs  []outlet // none: the last one
	made  []*task.Task
	edges []int // inbox edges made so far: the port of each
}

// outlet is where a stage's output goes: to a port of another, by a shuffle, or
// (nil) from each task to the one in the same place.
type outlet struct {
	to   *stage
	port int
	how  *physical.ShuffleSpec
}

// placed is a plan node in a stage; node nil is the pass-through or the end.
type placed struct {
	node  *physical.Node
	to    int
	input int
	ins   int
	end   bool // the view or the sink
	types []types.Type
	// served, of a Merge, Distinct or TopN: it is the result, in these columns of it.
	served []int
}

// port is where rows enter a stage.
type port struct {
	node, input int
	from        *stage
	how         *physical.ShuffleSpec // from: as the outlet's
	source      *physical.Node
	firstEdge   int
}

type builder struct {
	o      Options
	plan   *physical.Plan
	stages []*stage // producers before consumers
	// shared are the nodes that several others read, with their stages once made.
	shared map[*physical.Node]*stage
	flow   *task.Flow
}

// Flow makes the tasks of a plan.
func Flow(plan *physical.Plan, o Options) (*task.Flow, error) {
	b := &builder{o: o, plan: plan, shared: shared(plan.Root), flow: &task.Flow{Tracker: dag.NewTracker(o.Complete)}}
	if err := b.cut(); err != nil {
		return nil, err
	}
	for _, s := range b.stages {
		if err := b.make(s); err != nil {
			return nil, err
		}
	}
	for _, s := range b.stages {
		if err := b.wire(s); err != nil {
			return nil, err
		}
	}
	return b.flow, nil
}

// cut divides the plan into stages, with the view or the sink at the end.
func (b *builder) cut() error {
	root := b.plan.Root
	if !b.o.View && !b.o.Sink {
		b.stage(root, false)
		return nil
	}
	if node, columns := servable(b.plan); node != nil && b.o.View {
		s := b.stage(node, false)
		s.nodes[len(s.nodes)-1].served = columns
		return nil
	}
	if settled(root) || b.o.Sink && b.plan.AppendOnly {
		b.stage(root, true)
		return nil
	}
	// A row and its later retraction must meet in the same task.
	keys := b.plan.Key
	if len(keys) == 0 {
		keys = make([]int, len(b.plan.Output))
		for i := range keys {
			keys[i] = i
		}
	}
	last := &stage{}
	last.nodes = append(last.nodes, placed{to: -1, ins: 1, end: true})
	how := &physical.ShuffleSpec{Kind: physical.Hash, Keys: keys}
	up := b.stage(root, false)
	last.ports = append(last.ports, port{node: 0, from: up, how: how})
	up.outs = append(up.outs, outlet{to: last, how: how})
	last.tasks = b.o.Tasks
	if len(keys) == 0 {
		last.tasks = 1
	}
	b.stages = append(b.stages, last)
	return nil
}

// servable finds the Merge, Distinct or first-row TopN whose state is the whole
// result of a plan, in the given columns of its output: above it nothing is
// computed or left out, and none of its results can be out of range.
func servable(p *physical.Plan) (node *physical.Node, columns []int) {
	n := p.Root
	columns = make([]int, len(n.Fields))
	for i := range columns {
		columns[i] = i
	}
	for ; n.Kind == physical.Map; n = n.Inputs[0] {
		if len(n.Map.Filter) > 0 {
			return nil, nil
		}
		if n.Map.Project == nil {
			continue
		}
		for k, c := range columns {
			e := n.Map.Project[c]
			if e.Op != expr.OpColumn {
				return nil, nil
			}
			columns[k] = e.Col
		}
	}
	if n.Agg != nil && n.Agg.Expiry != nil {
		return nil, nil // the result stays when the groups go
	}
	switch n.Kind {
	case physical.TopN:
		if s := n.TopN; s.Few && s.Offset == 0 {
			return n, columns
		} else if s.First && s.Expiry == nil && !slices.Contains(columns, len(n.Inputs[0].Fields)) { // that is the number
			return n, columns
		}
	case physical.Distinct:
		return n, columns
	case physical.Merge:
		for _, c := range n.Agg.Aggs {
			if !operators.CanServe(c) {
				return nil, nil
			}
		}
		return n, columns
	}
	return nil, nil
}

// settled reports that a row and its retraction come out of the same task of
// the stage that has n as its root.
func settled(n *physical.Node) bool {
	switch n.Kind {
	case physical.Merge, physical.Distinct, physical.Join, physical.SetOp, physical.Emit, physical.Session, physical.TimeFilter, physical.Shuffle, physical.Values:
		return true
	case physical.TopN, physical.Over, physical.TemporalJoin, physical.VersionJoin, physical.AsofJoin, physical.LookupJoin:
		return true
	case physical.Source:
		return n.Props.AppendOnly || n.Source.Table == 0
	case physical.Map, physical.Window, physical.Unfold, physical.Expand, physical.Union:
		for _, in := range n.Inputs {
			if !settled(in) {
				return false
			}
		}
		return true
	}
	return false
}

// stage makes the stage whose last node is root, and before it those that feed it.
func (b *builder) stage(root *physical.Node, end bool) *stage {
	s := &stage{tasks: b.o.Tasks}
	top := b.place(s, root)
	if end {
		s.nodes[top].to = len(s.nodes)
		s.nodes = append(s.nodes, placed{to: -1, ins: 1, end: true})
	}
	for _, p := range s.ports {
		if p.from != nil && p.how != nil && p.how.Kind == physical.Single || p.source != nil && p.source.Kind == physical.Values {
			s.tasks = 1
		}
	}
	if len(s.ports) == 1 && s.ports[0].from != nil && s.ports[0].how == nil {
		s.tasks = s.ports[0].from.tasks
	}
	b.stages = append(b.stages, s)
	return s
}

// place adds n and what is below it, up to shuffles and sources; it returns n's index.
func (b *builder) place(s *stage, n *physical.Node) int {
	if n.Kind == physical.Source || n.Kind == physical.Shuffle || n.Kind == physical.Values {
		// A stage needs an operator: one that passes rows on.
		s.nodes = append(s.nodes, placed{to: -1, ins: 1, types: fieldTypes(n.Fields)})
		at := len(s.nodes) - 1
		b.enter(s, n, at, 0)
		return at
	}
	below := make([]int, len(n.Inputs))
	for i, in := range n.Inputs {
		below[i] = -1
		if _, ok := b.shared[in]; !ok && in.Kind != physical.Source && in.Kind != physical.Shuffle && in.Kind != physical.Values {
			below[i] = b.place(s, in)
		}
	}
	at := len(s.nodes)
	s.nodes = append(s.nodes, placed{node: n, to: -1, ins: len(n.Inputs)})
	for i, in := range n.Inputs {
		if below[i] >= 0 {
			s.nodes[below[i]].to, s.nodes[below[i]].input = at, i
		} else {
			b.enter(s, in, at, i)
		}
	}
	return at
}

// enter makes a port: of a source, of the stage under a shuffle, or of the one of
// a node that others read too.
func (b *builder) enter(s *stage, n *physical.Node, node, input int) {
	p := port{node: node, input: input}
	if _, ok := b.shared[n]; ok {
		p.from = b.under(n)
	} else if n.Kind == physical.Shuffle {
		p.from, p.how = b.under(n.Inputs[0]), n.Shuffle
	} else {
		p.source = n
	}
	if p.from != nil {
		p.from.outs = append(p.from.outs, outlet{to: s, port: len(s.ports), how: p.how})
	}
	s.ports = append(s.ports, p)
}

// under is the stage with root n, made once.
func (b *builder) under(n *physical.Node) *stage {
	made, ok := b.shared[n]
	if made == nil {
		made = b.stage(n, false)
	}
	if ok {
		b.shared[n] = made
	}
	return made
}

// shared finds the nodes that several others read; their stages are still to be made.
func shared(root *physical.Node) map[*physical.Node]*stage {
	readers, out := map[*physical.Node]int{}, map[*physical.Node]*stage{}
	physical.Walk(root, func(n *physical.Node) bool {
		for _, in := range n.Inputs {
			if readers[in]++; readers[in] > 1 {
				out[in] = nil
			}
		}
		return true
	})
	return out
}

// make creates the tasks of a stage. Its producers' tasks are there already.
func (b *builder) make(s *stage) error {
	for i := range s.ports {
		p := &s.ports[i]
		p.firstEdge = len(s.edges)
		n := 1 // a source has one edge into each task
		if p.from != nil {
			n = p.from.tasks
		}
		for range n {
			s.edges = append(s.edges, i)
		}
	}
	for k := range s.tasks {
		frag := &dag.Fragment{}
		for _, p := range s.ports {
			frag.Ports = append(frag.Ports, dag.Port{Node: p.node, Input: p.input})
		}
		for _, n := range s.nodes {
			id, op, err := b.operator(n)
			if err != nil {
				return err
			}
			if st, ok := op.(operators.Stateful); ok {
				b.flow.Stateful = append(b.flow.Stateful, task.Stateful{Node: id, Index: k, Operator: st})
			}
			if r, ok := op.(operators.Result); ok {
				b.flow.Results = append(b.flow.Results, r)
			}
			frag.Nodes = append(frag.Nodes, dag.Node{ID: id, Op: op, Inputs: n.ins, To: n.to, Input: n.input})
		}
		if b.o.Clock != nil {
			frag.Metered(b.o.Clock)
		}
		t := task.New(frag, s.edges, b.o.Group, b.o.Exec)
		t.Index, t.Stage = k, len(b.flow.Stages)
		t.Failed, t.Trace = b.o.Failed, b.o.Trace
		s.made = append(s.made, t)
	}
	b.flow.Stages = append(b.flow.Stages, s.made)
	return nil
}

// wire connects a stage's tasks to the next stage's, or to whoever collects.
func (b *builder) wire(s *stage) error {
	for i, p := range s.ports {
		if p.source == nil {
			continue
		}
		src, err := b.source(p.source)
		if err != nil {
			return err
		}
		for _, t := range s.made {
			src.Targets = append(src.Targets, task.Target{Task: t, Edge: s.ports[i].firstEdge})
		}
		b.flow.Sources = append(b.flow.Sources, src)
	}
	for k, t := range s.made {
		if len(s.outs) == 0 {
			t.Outputs = []task.Output{{Collect: b.o.Collect, HasCredit: b.o.HasCredit}}
		}
		for _, o := range s.outs {
			t.Outputs = append(t.Outputs, o.output(k))
		}
	}
	return nil
}

// output connects task k of the stage.
func (o outlet) output(k int) task.Output {
	var out task.Output
	for _, to := range o.to.made {
		out.Targets = append(out.Targets, task.Target{Task: to, Edge: o.to.ports[o.port].firstEdge + k})
	}
	n := len(o.to.made)
	switch {
	case n == 1:
	case o.how == nil:
		parts := make([]*batch.Chunk, n)
		out.Route = func(c *batch.Chunk, loans []*batch.Loan) []*batch.Chunk {
			parts[k%n] = loans[k%n].Copy(c)
			return parts
		}
	case o.how.Kind == physical.Hash:
		out.Route = operators.NewPartitioner(o.how.Keys, n).Split
	}
	return out
}

func (b *builder) source(n *physical.Node) (*task.Source, error) {
	switch {
	case n.Kind == physical.Values:
		c, err := b.constant(n)
		return &task.Source{Constant: c}, err
	case n.Source.Table == 0:
		return &task.Source{Constant: &batch.Chunk{N: 1}}, nil
	}
	return &task.Source{Table: n.Source.Table, Columns: n.Source.Columns, Equals: n.Source.Equals, Index: n.Source.Index, Changes: n.Source.Changes}, nil
}

// constant computes the rows of a Values node.
func (b *builder) constant(n *physical.Node) (*batch.Chunk, error) {
	c := batch.New(fieldTypes(n.Fields), len(n.Values))
	ctx := &eval.Context{Location: b.o.Location, Rules: b.o.Rules}
	for _, row := range n.Values {
		for k, e := range row {
			v, err := eval.Const(e, ctx)
			if err != nil {
				return nil, fmt.Errorf("VALUES: %w", err)
			}
			appendValue(c.Cols[k], v)
		}
		c.PushWeight(1)
	}
	return c, nil
}

func appendValue(v *vector.Vector, x expr.Value) {
	switch {
	case x.Null:
		v.AppendNull()
	case v.Type.Class() == types.ClassFloat:
		v.AppendFloat(x.F)
	case v.Type.Class() == types.ClassBytes:
		v.AppendBytes(x.S)
	case x.Wide != nil:
		v.AppendWide(*x.Wide)
	default:
		v.AppendInt(x.I)
	}
}

func fieldTypes(fs []physical.Field) []types.Type {
	ts := make([]types.Type, len(fs))
	for i, f := range fs {
		ts[i] = f.Type
	}
	return ts
}
