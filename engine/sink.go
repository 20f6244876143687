package engine

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/planner/physical"
	"streamsql/sql/sqlerr"
)

// sinkEnd is the end of a job whose result goes elsewhere. What a batch changed
// stays in the job's changelog, in memory and with its checkpoints, until the
// connector has it for safe: so that it holds up nothing but the job, and a restart
// delivers what is missing. Engine.mu guards it.
type sinkEnd struct {
	kind  *connector.Kind
	spec  connector.SinkSpec
	to    connector.Sink // nil: it is not open; who is busy has it to himself
	feed  *changefeed    // nil: appends need none
	taken uint64         // batches up to this one are safe there
	came  uint64         // rows given, since it was made
	went  uint64         // rows taken back
	busy  bool           // deliver is at work
	fault string         // why the connector does not take what comes; empty: it does
}

// changelogOption is the option of a sink that says how it is told changes.
const changelogOption = "changelog"

// newSink checks what a sink says of itself. It opens nothing yet.
func (e *Engine) newSink(t *catalog.Table, plan *physical.Plan) (*sinkEnd, error) {
	kind, err := e.sinkKind(t, plan)
	if err != nil {
		return nil, err
	}
	s := &sinkEnd{kind: kind}
	if s.spec.Options, err = e.optionValues(kind, t.Options, knownOptions[t.Kind]...); err != nil {
		return nil, err
	}
	if s.spec.Changelog, err = changelogOf(kind, t, plan); err != nil {
		return nil, err
	}
	s.spec.Key = plan.Key
	for _, c := range t.Columns {
		s.spec.Columns = append(s.spec.Columns, connector.Column{Name: c.Name, Type: c.Type})
	}
	if s.spec.Changelog != connector.Append {
		s.feed = newChangefeed(t)
	}
	return s, nil
}

// sinkKind is what takes the result: a connector, or a table of this server.
func (e *Engine) sinkKind(t *catalog.Table, plan *physical.Plan) (*connector.Kind, error) {
	if t.Kind == catalog.ContinuousQuery {
		return e.intoKind(t, plan)
	}
	name := t.Options["connector"]
	if name == "" {
		return nil, sqlerr.New(sqlerr.WrongArguments, "CREATE SINK says where to: WITH (connector = '…')")
	}
	kind, err := e.connectors.Kind(name)
	if err == nil && kind.Sink == nil {
		err = sqlerr.New(sqlerr.WrongArguments, "Connector '%s' cannot be written to", kind.Name)
	}
	return kind, err
}

// changelogOf is how a sink is told what changes: as the statement says, or the first
// of the connector's ways that fits the query.
func changelogOf(kind *connector.Kind, t *catalog.Table, plan *physical.Plan) (connector.Changelog, error) {
	fits := func(c connector.Changelog) bool {
		return c == connector.Append && plan.AppendOnly || c == connector.Upsert && plan.Key != nil || c == connector.Retract
	}
	given := connector.Changelog(strings.ToLower(t.Options[changelogOption]))
	if given == "" {
		if i := slices.IndexFunc(kind.Changelogs, fits); i >= 0 {
			return kind.Changelogs[i], nil
		}
		given = kind.Changelogs[0]
	}
	switch {
	case !slices.Contains(kind.Changelogs, given):
		return "", sqlerr.New(sqlerr.WrongArguments, "A sink of connector '%s' takes changelog = %s, not '%s'", kind.Name, quotedList(kind.Changelogs), given)
	case fits(given):
		return given, nil
	case given == connector.Upsert:
		return "", sqlerr.New(sqlerr.WrongArguments, "Sink '%s' cannot have changelog = 'upsert': the result of its query has no unique key; group by something, or take 'retract'", t.Name)
	}
	return "", sqlerr.New(sqlerr.WrongArguments, "Sink '%s' cannot have changelog = 'append': its query takes rows back (%s)", t.Name, build.Retracts(plan))
}

func quotedList(cs []connector.Changelog) string {
	var b strings.Builder
	for i, c := range cs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("'" + string(c) + "'")
	}
	return b.String()
}

// open opens the connector.
func (s *sinkEnd) open(isNew bool) error {
	s.spec.New = isNew
	to, err := s.kind.Sink(s.spec)
	if err == nil { // else it may be a nil of the connector's own type
		s.to = to
	}
	return err
}

// savedSink is what a checkpoint holds of a sink.
type savedSink struct {
	Taken uint64 `json:"taken"`
	Came  uint64 `json:"came,omitempty"`
	Went  uint64 `json:"went,omitempty"`
}

func (s *sinkEnd) saved() *savedSink { return &savedSink{Taken: s.taken, Came: s.came, Went: s.went} }

// restore is where a checkpoint left a sink; nil receiver: the job is no sink.
func (s *sinkEnd) restore(m *savedSink) {
	if s != nil && m != nil {
		s.taken, s.came, s.went = m.Taken, m.Came, m.Went
	}
}

// beginAnew opens a sink whose job no checkpoint knows, so that it is filled from
// history again. That is right only where nothing of it has been delivered yet.
func (s *sinkEnd) beginAnew() error {
	if s == nil {
		return nil
	}
	if err := s.open(false); err != nil {
		return err
	}
	if n := s.to.Taken(); n > 0 {
		return fmt.Errorf("it has failed before, and delivered what batches up to %d had changed: to begin anew would deliver that twice; drop it and create it again", n)
	}
	return nil
}

// close lets go of the connector, once nobody is in it. Engine.mu is held.
func (s *sinkEnd) close() {
	if s != nil && s.to != nil && !s.busy {
		_ = s.to.Close()
		s.to = nil
	}
}

// sinkBacklog is how much of its changes a sink may have before it, in bytes, until
// its job takes no further batch.
const sinkBacklog = 32 << 20

// clogged reports that a sink does not keep up with its job. Engine.mu is held.
func (j *job) clogged() bool { return j.sink != nil && j.log.bytes > sinkBacklog }

// deliverable is the batch up to which a sink may give its changes away: those that
// readers of a view could see, once a checkpoint holds the job's beginning. Before that
// a crash makes it begin anew, at another batch. Engine.mu is held.
func (e *Engine) deliverable(j *job) uint64 {
	if j.sink == nil || j.failed != nil || j.filling || j.checkpointed < j.start {
		return 0
	}
	return min(e.timeline.Durable(), j.next()-1, j.lastApplied())
}

// deliverSoon sees to it that a sink gives away what it may. Engine.mu is held.
func (e *Engine) deliverSoon(j *job) {
	s := j.sink
	if s == nil || s.kind.Discards || s.busy || e.ctx.Err() != nil || e.deliverable(j) <= s.taken {
		return
	}
	s.busy = true
	e.fills.Add(1)
	go e.deliver(j)
}

// deliverAll is deliverSoon of all sinks. Engine.mu is held.
func (e *Engine) deliverAll() {
	for _, j := range e.sinks {
		e.deliverSoon(j)
	}
}

// How long to wait before what a connector did not take is given to it again.
const (
	sinkRetry    = 100 * time.Millisecond
	sinkRetryMax = 10 * time.Second
)

// deliver gives a sink what it has before it, until there is nothing left.
func (e *Engine) deliver(j *job) {
	defer e.fills.Done()
	s, wait := j.sink, sinkRetry
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		upTo, after := e.deliverable(j), s.taken
		if upTo <= after || e.ctx.Err() != nil {
			break
		}
		e.mu.Unlock()
		var err error
		if s.to == nil {
			err = s.open(false)
		}
		if err == nil {
			err = e.eachChange(j, after, upTo, func(c *change) error { return e.give(j, c) })
		}
		e.mu.Lock()
		switch {
		case j.failed != nil || e.ctx.Err() != nil:
		case err != nil:
			if s.fault == "" {
				slog.Warn("a sink does not take its changes; they wait", "sink", j.table.Database+"."+j.table.Name, "error", err)
			}
			s.fault = err.Error()
			if s.taken > after { // it has got on
				wait = sinkRetry
			}
			e.mu.Unlock()
			select {
			case <-time.After(wait):
			case <-e.ctx.Done():
			case <-j.ctx.Done():
			}
			wait = min(2*wait, sinkRetryMax)
			e.mu.Lock()
		default:
			s.fault, wait = "", sinkRetry
			s.taken = max(s.taken, upTo)
			e.delivered(j)
		}
	}
	s.busy = false
	if j.failed != nil || e.ctx.Err() != nil {
		s.close()
	}
}

// delivered lets go of what a sink has taken, and its job go on. Engine.mu is held.
func (e *Engine) delivered(j *job) {
	e.trimLog(j)
	e.dispatch(j)
	e.progressed()
	if j.hasRoom() {
		e.wakeCutter()
	}
}

// give delivers what one batch changed.
func (e *Engine) give(j *job, c *change) error {
	s := j.sink
	rows, came, went := s.rows(c)
	if len(rows) > 0 {
		if err := s.to.Write(j.ctx, c.id, rows); err != nil {
			return err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s.fault = ""
	s.taken, s.came, s.went = c.id, s.came+came, s.went+went
	e.delivered(j)
	return nil
}

// rows are the changes of a batch as the connector is told them, and how many there
// are of those that come and that go.
func (s *sinkEnd) rows(c *change) (out []*batch.Chunk, came, went uint64) {
	if s.feed == nil {
		for _, k := range c.chunks {
			for i := range k.N {
				came += uint64(k.Weight(i))
			}
		}
		return c.chunks, came, 0
	}
	all := s.feed.rows(*c)
	var sel []int32
	for i := range all.N {
		switch op := string(all.Cols[0].Bytes(i)); {
		case op == opBefore && s.spec.Changelog == connector.Upsert:
			continue
		case op == opBefore, op == opDelete:
			went += uint64(all.Weight(i))
		default:
			came += uint64(all.Weight(i))
		}
		sel = append(sel, int32(i))
	}
	if len(sel) == 0 {
		return nil, 0, 0
	}
	all.Cols = slices.Delete(all.Cols, 1, 2) // the batch: it is the argument of Write
	if len(sel) < all.N {
		all = all.Gather(sel)
	}
	return []*batch.Chunk{all}, came, went
}

// settleSinks waits until the sinks among the queries have delivered what they can by
// now. Those that discard it have once it is applied.
func (e *Engine) settleSinks(ctx context.Context, queries []catalog.ID) error {
	due := map[catalog.ID]uint64{}
	e.mu.Lock()
	for _, id := range queries {
		if j := e.sinks[id]; j != nil && !j.sink.kind.Discards && !e.still(j) {
			due[id] = min(e.timeline.Durable(), j.lastApplied())
		}
	}
	e.mu.Unlock()
	return e.await(ctx, func() bool {
		for id, batch := range due {
			if j := e.sinks[id]; j != nil && j.failed == nil && j.sink.fault == "" && j.sink.taken < batch {
				return false
			}
		}
		return true
	})
}

// SinkStatus is a row of SHOW SINKS beside what ViewStatus says.
type SinkStatus struct {
	Connector string
	Changelog string
	Taken     uint64 // batches up to this one are delivered
	Came      uint64 // rows delivered
	Went      uint64 // and taken back
	Fault     string // why the connector takes nothing; empty: it does
}

// statusOfSink is the status of a job's sink; nil: it is a view. Engine.mu is held.
func (j *job) statusOfSink() *SinkStatus {
	s := j.sink
	if s == nil {
		return nil
	}
	return &SinkStatus{
		Connector: s.kind.Name, Changelog: string(s.spec.Changelog), Taken: s.taken, Came: s.came, Went: s.went, Fault: s.fault,
	}
}
