package operators

import (
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// SinkSpec says what the end of a continuous query takes whose result goes elsewhere.
type SinkSpec struct {
	Input []types.Type // further columns of the input are left out
	// Net: within a batch, rows may come that cancel each other out; they are put
	// together first.
	Net bool
	// Count: nobody wants the rows, only how many there are.
	Count bool
}

// Sink is the end of a continuous query whose result goes elsewhere: what each
// batch changed is its Changes, and nothing else stays. It emits nothing.
type Sink struct {
	inbox
	spec    SinkSpec
	net     *net // nil: rows come net
	changes []*batch.Chunk
	came    int64
	went    int64
}

// NewSink makes a sink.
func NewSink(spec SinkSpec, env Env) *Sink {
	s := &Sink{spec: spec}
	if spec.Net {
		s.net = newNet(spec.Input, env.Account)
	}
	return s
}

// String names the operator.
func (s *Sink) String() string { return "Sink" }

// Transient: rows that are only counted, and come net, are not held.
func (s *Sink) Transient() bool { return s.spec.Count && s.net == nil }

// Begin opens a batch.
func (s *Sink) Begin(*Batch) { s.begin(1) }

// Push queues a chunk.
func (s *Sink) Push(_ int, c *batch.Chunk) {
	if n := len(s.spec.Input); n < len(c.Cols) {
		c = &batch.Chunk{Cols: c.Cols[:n:n], N: c.N, Weights: c.Weights}
	}
	s.push(0, c)
}

// CloseInput notes the end of the input.
func (s *Sink) CloseInput(int) { s.close() }

// States: nothing stays.
func (s *Sink) States() []*state.Store { return nil }

// Rebuild has nothing to derive.
func (s *Sink) Rebuild() error { return nil }

// Step takes rows in, and once all are there gives what is left of them.
func (s *Sink) Step(budget int, _ func(*batch.Chunk)) (Status, error) {
	for s.head < len(s.queue) {
		if budget <= 0 {
			return More, nil
		}
		_, c, lo := s.first()
		n := min(budget, c.N-lo)
		switch {
		case s.net != nil:
			if err := s.net.add(c, lo, lo+n); err != nil {
				return Done, err
			}
		case n < c.N:
			s.take(c.Slice(lo, lo+n))
		default:
			s.take(c)
		}
		s.done(n)
		budget -= n
	}
	if s.net == nil || !s.closed() {
		return Done, nil
	}
	for {
		if budget <= 0 {
			return More, nil
		}
		c := s.net.next(min(budget, batch.TargetRows))
		if c == nil {
			return Done, nil
		}
		s.take(c)
		budget -= c.N
	}
}

// take keeps changes, or counts them.
func (s *Sink) take(c *batch.Chunk) {
	if c.Weights == nil {
		s.came += int64(c.N)
	}
	for _, w := range c.Weights {
		if w > 0 {
			s.came += w
		} else {
			s.went -= w
		}
	}
	if !s.spec.Count {
		s.changes = append(s.changes, c)
	}
}

// Changes returns what the batches since the last call changed.
func (s *Sink) Changes() []*batch.Chunk {
	c := s.changes
	s.changes = nil
	return c
}

// Counts returns how many rows came and went in the batches since the last call.
func (s *Sink) Counts() (came, went int64) {
	came, went = s.came, s.went
	s.came, s.went = 0, 0
	return came, went
}

// Snapshot is of no rows: none stay.
func (s *Sink) Snapshot() Image { return noImage{} }

// noImage is an image of nothing.
type noImage struct{}

func (noImage) Rows() int64                                    { return 0 }
func (noImage) Memory() (own, kept int64)                      { return 0, 0 }
func (noImage) Scan() Scanner                                  { return noImage{} }
func (noImage) Next(int) *batch.Chunk                          { return nil }
func (noImage) Get([]*vector.Vector, int) (*batch.Chunk, bool) { return nil, false }
func (noImage) Release()                                       {}
