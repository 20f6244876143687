package operators

import (
	"streamsql/operators/batch"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Map filters and computes, row by row, and remembers nothing.
type Map struct {
	inbox
	lending
	evaluation
	cond    *filter // nil: all rows are kept
	project []projection
	same    bool // Project is nil: rows as they are
	chosen  eval.Selection
	out     []types.Type
}

// projection is a column passed on, or a program.
type projection struct {
	col     int
	program *eval.Program // nil: a column
}

// NewMap makes a Map over rows of the types input.
func NewMap(spec MapSpec, input []types.Type, env Env) (*Map, error) {
	m := &Map{evaluation: evaluation{env: env}, same: spec.Project == nil, out: input}
	m.chosen.Gather = func(v *vector.Vector, rows []int32) *vector.Vector { return m.loan.GatherVector(v, rows) }
	var err error
	if len(spec.Filter) > 0 {
		if m.cond, err = newFilter(spec.Filter, env); err != nil {
			return nil, err
		}
	}
	if m.same {
		return m, nil
	}
	m.out = make([]types.Type, len(spec.Project))
	m.project = make([]projection, len(spec.Project))
	for i, e := range spec.Project {
		m.out[i] = e.Type
		if e.Op == expr.OpColumn {
			m.project[i].col = e.Col
		} else if m.project[i].program, err = eval.Compile(e); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// String names the operator as EXPLAIN does.
func (m *Map) String() string { return "Map" }

// Types are the types of the output columns.
func (m *Map) Types() []types.Type { return m.out }

// Transient: nothing is remembered.
func (m *Map) Transient() bool { return true }

// Begin opens a batch.
func (m *Map) Begin(b *Batch) {
	m.inbox.begin(1)
	m.evaluation.begin(b)
	if m.cond != nil {
		m.cond.begin(b)
	}
}

// Push queues a chunk.
func (m *Map) Push(_ int, c *batch.Chunk) { m.push(0, c) }

// CloseInput notes the end of the input.
func (m *Map) CloseInput(int) { m.close() }

// Step works off chunks, slices of them when the budget is small.
func (m *Map) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	for m.head < len(m.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, at := m.first()
		n := min(budget, batch.TargetRows, c.N-at)
		whole := c
		if n < c.N {
			whole = m.loan.Slice(c, at, at+n)
		}
		out, err := m.apply(whole)
		if err != nil {
			return Done, err
		}
		if out != nil {
			emit(out)
		}
		m.done(n)
		budget -= n
	}
	return Done, nil
}

// apply computes the output of c, nil if it has no rows.
func (m *Map) apply(c *batch.Chunk) (*batch.Chunk, error) {
	var sel []int32
	if m.cond != nil {
		switch sel = m.cond.sel(c); len(sel) {
		case 0:
			return nil, nil
		case c.N:
			sel = nil
		}
	}
	var out *batch.Chunk
	var err error
	switch {
	case m.same && sel == nil:
		return c, nil
	case m.same:
		return m.loan.Gather(c, sel), nil
	case sel == nil:
		out, err = m.all(c)
	default:
		out = m.some(c, sel)
	}
	if err != nil {
		return nil, err
	}
	if m.failed != nil {
		out = m.withoutFailed(out)
		m.report(c, sel)
	}
	return out, nil
}

// all computes the projections of all rows.
func (m *Map) all(c *batch.Chunk) (*batch.Chunk, error) {
	out := m.loan.Chunk(len(m.project), c.N)
	out.Weights = c.Weights
	for i, p := range m.project {
		if p.program == nil {
			out.Cols[i] = c.Cols[p.col]
			continue
		}
		v, own, err := p.program.EvalOwn(&m.ctx, c.Cols, c.N)
		if err != nil {
			return nil, err
		}
		if own {
			m.loan.Own(v)
		}
		out.Cols[i] = v
	}
	return out, nil
}

// some computes the projections of the rows sel.
func (m *Map) some(c *batch.Chunk, sel []int32) *batch.Chunk {
	m.chosen.Select(c.Cols, sel)
	defer m.chosen.Forget()
	out := m.loan.Chunk(len(m.project), len(sel))
	for i, p := range m.project {
		if p.program == nil {
			out.Cols[i] = m.chosen.Column(p.col)
			continue
		}
		v, own := p.program.EvalSelected(&m.ctx, &m.chosen)
		if own {
			m.loan.Own(v)
		}
		out.Cols[i] = v
	}
	if c.Weights != nil {
		out.Weights = m.loan.Ints(len(sel))
		for k, i := range sel {
			out.Weights[k] = c.Weights[i]
		}
	}
	return out
}

// withoutFailed takes the rows that failed out of out; nil: no other is left.
func (m *Map) withoutFailed(out *batch.Chunk) *batch.Chunk {
	keep := make([]int32, 0, out.N)
	for i := range out.N {
		if m.failed[i] == nil {
			keep = append(keep, int32(i))
		}
	}
	if len(keep) == 0 {
		return nil
	}
	return m.loan.Gather(out, keep)
}
