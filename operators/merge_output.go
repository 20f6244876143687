package operators

import (
	"fmt"
	"slices"

	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// giving is scratch of giveOut. The result rows of a block of groups, old ones,
// then new ones, lie in one chunk, so that what changed need not be moved.
type giving struct {
	states [][]byte
	keys   [][]byte
	group  []int32 // of each result row: its group in the block
	old    int     // how many of them are old
	chunk  *batch.Chunk
	failed []error // by result row; nil: none has failed
	drop   []bool
	sel    []int32
}

// giveOut emits the changes of the next n dirty groups.
func (m *Merge) giveOut(n int, emit func(*batch.Chunk)) error {
	block := m.dirty[m.given : m.given+n]
	g := &m.give
	g.states, g.keys, g.group, g.failed = g.states[:0], g.keys[:0], g.group[:0], nil
	for i, d := range block {
		row := m.index.store.MutableSlot(d.ref)
		m.rows[i] = row
		if count := getInt(row); count < 0 {
			return fmt.Errorf("%s: a group has %d rows: a retraction of what was never inserted", m.env.Node, count)
		}
		for _, a := range m.aggs {
			if err := a.refresh(d.ref, row, m.batch.Warn); err != nil {
				return err
			}
		}
		if m.quiet {
			continue
		}
		if d.before >= 0 {
			g.states = append(g.states, m.before.at(d.before))
			g.keys = append(g.keys, row[m.fixed:])
			g.group = append(g.group, int32(i))
		}
	}
	if !m.quiet {
		m.giveChanges(n, emit)
	}
	for i, d := range block {
		empty := getInt(m.rows[i]) == 0 && len(m.spec.Keys) > 0
		if empty && m.spec.Whole {
			m.dropHandles(m.rows[i])
		}
		switch {
		case empty && m.over != nil && d.before >= 0:
			m.over.gone(d.ref)
			m.index.remove(d.hash, d.ref)
		case empty:
			m.index.remove(d.hash, d.ref)
		case m.over != nil && d.before < 0:
			m.over.add(d.ref)
		case m.over != nil:
			m.over.changed(d.ref, m.before.at(d.before))
		}
	}
	m.given += n
	return nil
}

// dropHandles ends what the one values of a group that is empty have in the heap.
func (m *Merge) dropHandles(row []byte) {
	for _, a := range m.aggs {
		if h := a.handle(row); h != 0 && a.multiset() == nil {
			m.heap.Drop(h)
		}
	}
}

// giveChanges emits what changed in the block of n groups, whose old results were gathered.
func (m *Merge) giveChanges(n int, emit func(*batch.Chunk)) {
	g := &m.give
	g.old = len(g.states)
	for i, row := range m.rows[:n] {
		if getInt(row) > 0 || len(m.spec.Keys) == 0 {
			g.states = append(g.states, row)
			g.keys = append(g.keys, row[m.fixed:])
			g.group = append(g.group, int32(i))
		}
	}
	m.results(g)
	m.reportFailures(n, g)
	if c := g.changes(len(m.spec.Keys), m.loan); c != nil {
		emit(c)
	}
}

// results computes the result rows.
func (m *Merge) results(g *giving) {
	n := len(g.states)
	g.chunk = m.loan.New(m.out, n)
	g.chunk.N = n
	keys := len(m.spec.Keys)
	m.index.codec.Decode(g.keys, g.chunk.Cols[:keys])
	for k, a := range m.read {
		a.AppendResult(g.states, g.chunk.Cols[keys+k], func(i int, err error) {
			if g.failed == nil {
				g.failed = make([]error, n)
			}
			g.failed[i] = err
		})
	}
}

// reportFailures reports each group that is out of range now and was not before
// the batch, and takes the report back when it is no more.
func (m *Merge) reportFailures(n int, g *giving) {
	if g.failed == nil || m.batch.Fail == nil {
		return
	}
	was, is := make([]int, n), make([]int, n) // result row + 1 of the failure
	for i, err := range g.failed {
		switch {
		case err == nil:
		case i < g.old:
			was[g.group[i]] = i + 1
		default:
			is[g.group[i]] = i + 1
		}
	}
	fail := func(i int, w int64) {
		keys := g.chunk.Cols[:len(m.spec.Keys)]
		m.batch.Fail(RowError{Operator: m.env.Node, Err: g.failed[i], Row: rowText(keys, i, m.env.Location), Weight: w})
	}
	for k := range n {
		switch {
		case is[k] != 0 && was[k] == 0:
			fail(is[k]-1, 1)
		case was[k] != 0 && is[k] == 0:
			fail(was[k]-1, -1)
		}
	}
}

// changes is the chunk without what is withheld, or equal in old and new; nil:
// nothing is left.
func (g *giving) changes(keys int, loan *batch.Loan) *batch.Chunk {
	c := g.chunk
	c.Weights = loan.Ints(c.N)
	for i := range c.Weights {
		if c.Weights[i] = 1; i < g.old {
			c.Weights[i] = -1
		}
	}
	if drop := g.unchanged(keys); drop != nil {
		g.sel = g.sel[:0]
		for i := range c.N {
			if !drop[i] {
				g.sel = append(g.sel, int32(i))
			}
		}
		c = loan.Gather(c, g.sel)
	}
	if c.N == 0 {
		return nil
	}
	if g.old == 0 {
		c.Weights = nil
	}
	return c
}

// unchanged marks the result rows that are withheld, or the same before and
// after; nil: there are none.
func (g *giving) unchanged(keys int) []bool {
	var drop []bool
	mark := func(i int) {
		if drop == nil {
			g.drop = slices.Grow(g.drop[:0], g.chunk.N)[:g.chunk.N]
			clear(g.drop)
			drop = g.drop
		}
		drop[i] = true
	}
	for i, err := range g.failed {
		if err != nil {
			mark(i)
		}
	}
	// Both parts are in the order of their groups.
	for o, n := 0, g.old; o < g.old && n < g.chunk.N; {
		switch a, b := g.group[o], g.group[n]; {
		case a < b:
			o++
		case a > b:
			n++
		default:
			if (g.failed == nil || g.failed[o] == nil && g.failed[n] == nil) && g.sameResult(keys, o, n) {
				mark(o)
				mark(n)
			}
			o, n = o+1, n+1
		}
	}
	return drop
}

func (g *giving) sameResult(keys, o, n int) bool {
	for _, v := range g.chunk.Cols[keys:] {
		if !equalValues(v, o, n) {
			return false
		}
	}
	return true
}

// equalValues compares two values of a column, NULL equal to NULL.
func equalValues(v *vector.Vector, i, j int) bool {
	if v.IsNull(i) || v.IsNull(j) {
		return v.IsNull(i) && v.IsNull(j)
	}
	switch v.Type.Class() {
	case types.ClassFloat:
		return v.F[i] == v.F[j]
	case types.ClassBytes:
		return string(v.Bytes(i)) == string(v.Bytes(j))
	case types.ClassDecimal:
		if v.IsWide() {
			return v.W[i] == v.W[j]
		}
		return v.I[i] == v.I[j]
	default:
		return v.I[i] == v.I[j]
	}
}
