package engine

import (
	"streamsql/engine/eventtime"
	"streamsql/engine/table"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/vector"
)

// finisher completes the changelog of an upsert stream while it is accepted: new
// rows get their arrivals and watermarks. It keeps the blocks, one for each
// partition, that go into the log. The committer alone stamps upsert streams, in
// the order in which it appends.
func (e *Engine) finisher(t *table.Table, blocks *[]*topic.Block) func(*batch.Chunk) *batch.Chunk {
	return func(c *batch.Chunk) *batch.Chunk {
		parts := t.Parts(c)
		made := make([]*topic.Block, len(parts))
		var marks *vector.Vector
		if w := t.Desc.EventTime; w != nil {
			times := c.Cols[w.Column]
			before := make([]int64, c.N)
			for k, p := range parts {
				made[k] = &topic.Block{Header: topic.Header{Partition: uint16(p.Partition)}, High: eventtime.None}
				for _, i := range p.Rows {
					if !times.IsNull(int(i)) {
						made[k].High = max(made[k].High, times.I[i])
					}
				}
				e.stampUpsert(t, made[k])
				mark := beforeOf(made[k])
				for _, i := range p.Rows {
					before[i] = mark
					if c.Weight(int(i)) > 0 && !times.IsNull(int(i)) {
						mark = max(mark, times.I[i]-w.Delay)
					}
				}
			}
			marks = watermarkVector(times, before)
		}
		c = t.Number(c, marks)
		for k, p := range parts {
			h := topic.Header{Table: uint64(t.Desc.ID), Partition: uint16(p.Partition)}
			rows := c
			if len(parts) > 1 {
				rows = c.Gather(p.Rows)
			}
			b := topic.NewBlock(h, rows)
			if s := made[k]; s != nil {
				b.Flags, b.Watermark, b.IdleMark, b.High, b.Stamped = s.Flags, s.Watermark, s.IdleMark, s.High, true
			}
			*blocks = append(*blocks, b)
		}
		return c
	}
}

// stampUpsert stamps a block of an upsert stream with event time.
func (e *Engine) stampUpsert(t *table.Table, b *topic.Block) {
	e.streams.Lock()
	defer e.streams.Unlock()
	if s := e.streams.of[t.Desc.ID]; s != nil { // else it is being dropped
		s.stamp(b)
	}
}

// watermarkVector is watermarks as a column like times; eventtime.None is NULL.
func watermarkVector(times *vector.Vector, marks []int64) *vector.Vector {
	t := times.Type
	t.NotNull = false
	v := vector.New(t, len(marks))
	for _, m := range marks {
		if m == eventtime.None {
			v.AppendNull()
		} else {
			v.AppendInt(m)
		}
	}
	return v
}
