package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/engine/build"
	"streamsql/planner/physical"
)

// The rows of the views of streamsql.

func (e *Engine) addJobs(add func(values ...any)) {
	cat := e.Catalog()
	for _, s := range e.Status() {
		t, ok := cat.TableByID(s.View)
		if !ok {
			continue
		}
		var watermark, left, reason any
		if s.Watermark != nil {
			watermark = *s.Watermark
		}
		if s.State == "filling" {
			left = int64(s.FillLeft.Seconds() + 0.5)
		}
		if text := s.Error + s.Reason; text != "" {
			reason = text
		}
		kind := string(t.Kind)
		if t.Hidden {
			kind = "shared query"
		}
		add(t.Database, t.Name, kind, s.State, s.Batch, s.Behind, s.BehindRows, s.Lag.Milliseconds(), s.Rows, s.RowsIn, s.Batches,
			s.RowErrors, s.FillDone, s.FillTotal, left, watermark, s.Checkpoint, s.KeepsAfter, s.Subscribers, s.Memory, s.CPU.Microseconds(), s.LateRows, reason)
	}
}

func (e *Engine) addOperators(add func(values ...any)) {
	cat := e.Catalog()
	for _, s := range e.Status() {
		t, ok := cat.TableByID(s.View)
		a, runs := e.Analyze(s.View)
		if !ok || !runs {
			continue
		}
		row := func(id int, kind, text string) {
			if f, ok := a.Operators[id]; ok {
				add(t.Database, t.Name, id, kind, text, f.Tasks, f.In, f.Out, f.CPU.Microseconds(), f.StateRows, f.StateBytes)
			}
		}
		end := "View"
		if t.Delivers() {
			end = "Sink"
		}
		row(viewNode, end, strings.Join(columnNames(t), ", "))
		physical.Walk(a.Plan.Root, func(n *physical.Node) bool {
			row(n.ID, string(n.Kind), build.Describe(n))
			return true
		})
	}
}

// viewNode is the id of the view behind a plan.
const viewNode = 0

func columnNames(t *catalog.Table) []string {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return names
}

func (e *Engine) addBatches(add func(values ...any)) {
	e.mu.Lock()
	durable := e.timeline.Durable()
	cuts := e.timeline.Recent()
	e.mu.Unlock()
	for _, c := range cuts {
		done := 0
		if c.ID <= durable {
			done = 1
		}
		add(c.ID, c.Time, c.LogSeq, done)
	}
}

// addPartitions lists the partitions of streams: of an external one how far it is
// read, of one with event time each partition's watermark.
func (e *Engine) addPartitions(add func(values ...any)) {
	e.mu.Lock()
	externals, offsets := maps.Clone(e.externals), map[catalog.ID][]uint64{}
	for id, x := range externals {
		offsets[id] = slices.Clone(x.offsets)
	}
	e.mu.Unlock()
	e.streams.Lock()
	defer e.streams.Unlock()
	for _, id := range slices.Sorted(maps.Keys(e.streams.of)) {
		s, x := e.streams.of[id], externals[id]
		n := s.table.PartitionCount()
		if x != nil {
			n = len(offsets[id])
		}
		for part := range n {
			var next, watermark, took any
			if x != nil {
				next, took = offsets[id][part], x.reading[part].Load()/1000
			}
			if s.clock != nil {
				if w := s.clock.Now(part); w > minWatermark {
					watermark = w
				}
			}
			add(s.table.Database, s.table.Name, part, next, watermark, took)
		}
	}
}

// minWatermark is below every watermark that there is.
const minWatermark = -1 << 62

func (e *Engine) addTenants(add func(values ...any)) {
	for _, g := range e.Groups() {
		add(g.Name, fmt.Sprint(g.Weight))
	}
}

func (e *Engine) addUsage(add func(values ...any)) {
	for _, g := range e.Groups() {
		add(g.Name, g.CPU.Microseconds(), g.Memory, g.Queries)
	}
}

func (e *Engine) addSinks(add func(values ...any)) {
	cat := e.Catalog()
	for _, s := range e.Status() {
		t, ok := cat.TableByID(s.View)
		if !ok || s.Sink == nil {
			continue
		}
		var reason any
		if text := s.Error + s.Reason; text != "" {
			reason = text
		}
		add(t.Database, t.Name, s.Sink.Connector, s.Sink.Changelog, s.State, s.Sink.Taken, s.Sink.Came, s.Sink.Went, reason)
	}
}
