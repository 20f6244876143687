package engine

import (
	"context"
	"errors"
	"math"
	"slices"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/engine/topic"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/sql/vector"
)

// feed gives all that a snapshot holds of a flow's sources to its tasks, as one
// batch: history to a new view, or its only batch to a one-off query, over which
// its transaction's own writes lie (own may be nil). It reads streams from the
// log, so that it may take long: progress, if set, counts the rows.
func (e *Engine) feed(ctx context.Context, flow *task.Flow, info *task.Info, snap *snapshot, own *tx, progress *filling) error {
	if own == nil {
		own = &tx{}
	}
	tokens := flow.Open(info)
	var streams []int
	for i, s := range flow.Sources {
		id := catalog.ID(s.Table)
		switch {
		case s.Changes != nil:
			streams = append(streams, i)
			continue
		case s.Table == 0:
			if s.Constant.N > 0 {
				s.SendPruned(info, s.Constant)
			}
		case uint64(id) >= physical.LocalTable:
			for _, c := range snap.local[id] {
				s.Send(info, c)
			}
		case snap.images[id] != nil:
			key := e.keyOf(id, s.Equals)
			var scans []func(int) *batch.Chunk
			if found := e.seek(s.Table, s.Equals, s.Index, snap); found != nil && key == nil {
				rows := found.next
				if w := own.tables[id]; w != nil {
					rows = w.Over(rows)
				}
				s.SendTableRows(info, rows)
				break
			}
			for _, part := range snap.images[id].parts {
				rows := readRows(part, key)
				if w := own.tables[id]; w != nil {
					rows = w.Over(rows)
				}
				scans = append(scans, rows)
			}
			if key == nil && progress == nil && snap.images[id].rows() <= smallOrdered {
				scans = e.inKeyOrder(id, scans)
			}
			for _, rows := range scans {
				if progress != nil {
					rows = progress.counting(rows)
				}
				s.SendTableRows(info, rows)
			}
		case e.dimension(id) != nil:
			rows, err := e.dimension(id).rows(ctx, e.keyOf(id, s.Equals))
			if err != nil {
				return err
			}
			s.SendTableRows(info, rows)
		case e.feedExternal(s, info, snap):
		case isVirtual(id):
			for _, c := range e.virtual(id) {
				s.SendOrigin(info, c, &task.Origin{Time: -1})
			}
		default:
			streams = append(streams, i)
			continue
		}
		s.End(info, tokens[i])
	}
	if len(streams) == 0 {
		return nil
	}
	streams, err := e.feedChanges(ctx, flow, info, snap, streams, tokens)
	if err != nil {
		return err
	}
	if len(streams) == 0 {
		return nil
	}
	begins := make([]uint64, len(flow.Sources))
	for _, i := range streams {
		begins[i] = e.beginOf(flow, []int{i})
	}
	err = e.readLog(ctx, e.beginOf(flow, streams), snap.cut.LogSeq, func(seq uint64, b *topic.Block) error {
		for _, i := range streams {
			s := flow.Sources[i]
			if s.Table != b.Table || seq < begins[i] {
				continue
			}
			o := e.originOf(seq, b)
			if o == nil {
				o = &task.Origin{Time: -1} // it was dropped meanwhile
			}
			c, err := e.chunk(b, s.Needs(o.Time))
			if err != nil {
				return err
			}
			if err := s.AwaitCredit(ctx); err != nil {
				return err
			}
			s.SendNeeded(info, c, o)
			if progress != nil {
				progress.read(c.N, seq)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, i := range streams {
		s := flow.Sources[i]
		place := 0
		for _, c := range own.streams[catalog.ID(s.Table)] {
			s.SendOrigin(info, c, e.ownOrigin(catalog.ID(s.Table), place))
			place += c.N
		}
		s.End(info, tokens[i])
	}
	return nil
}

// beginOf is where in the log the first row of the streams may stand.
func (e *Engine) beginOf(flow *task.Flow, streams []int) uint64 {
	cat := e.Catalog()
	first := uint64(math.MaxUint64)
	for _, i := range streams {
		if t, ok := cat.TableByID(catalog.ID(flow.Sources[i].Table)); ok {
			first = min(first, e.hiddenOf(t)+1)
		}
	}
	return first
}

// readRows reads an image: the one row with the key, if there is one, or all.
func readRows(im operators.Image, key []*vector.Vector) func(max int) *batch.Chunk {
	if key != nil {
		if c, ok := im.Get(key, 0); ok {
			return func(int) *batch.Chunk {
				row := c
				c = nil
				return row
			}
		}
	}
	return im.Scan().Next
}

// keyOf is the key by which a row of a table or view can be looked up when some
// columns are known; nil: they are not enough.
func (e *Engine) keyOf(id catalog.ID, equals []physical.ColumnValue) []*vector.Vector {
	t, ok := e.cat.Load().TableByID(id)
	if !ok || len(equals) == 0 {
		return nil
	}
	var key []*vector.Vector
	for _, c := range t.Primary {
		k := slices.IndexFunc(equals, func(e physical.ColumnValue) bool { return e.Column == c })
		if k < 0 {
			return nil
		}
		key = append(key, equals[k].Value.Value.Vector(t.Columns[c].Type))
	}
	return key
}

// readLog calls fn for each block of the log between two sequences, inclusive, but
// for those that nobody needs and that have been trimmed.
func (e *Engine) readLog(ctx context.Context, from, to uint64, fn func(seq uint64, b *topic.Block) error) error {
	for {
		if from = max(from, e.log.FirstSeq()); from > to {
			return nil
		}
		err := e.log.Read(ctx, from, to, func(seq uint64, blocks []*topic.Block) error {
			for _, b := range blocks {
				if err := fn(seq, b); err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, topic.ErrTrimmed) {
			return err
		}
	}
}

// collectsFill reports that what the filling of a view brings is kept as the
// changes of its first batch: there is little of it.
func (e *Engine) collectsFill(j *job, snap *snapshot) bool {
	const groups = 16 // of the log: streams say only where they begin
	for i, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		switch {
		case s.Table == 0 || snap.images[id] != nil:
		case e.externals[id] != nil:
			return false
		case snap.cut.LogSeq > e.beginOf(j.flow, []int{i})+groups:
			return false
		}
	}
	return snap.rows() <= collectRows
}
