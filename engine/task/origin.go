package task

import (
	"sync"

	"streamsql/catalog"
	"streamsql/engine/exchange"
	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Origin says where the rows of a chunk came into their stream, which is what
// the system columns show. They are computed when the first source asks, once for
// all of them.
type Origin struct {
	// First is the arrival of the first row; each further one is one more.
	First uint64
	// Before is the partition's watermark before the first row; Known: there is one.
	Before int64
	Known  bool
	// Time is the stream's time column, −1: it has none, and Delay its watermark's delay.
	Time  int
	Delay int64
	// Key are the columns of the stream's key, if it is an upsert stream: no two rows
	// of the chunk that come, and no two that go, agree in them.
	Key []int

	arrival   columnOnce
	watermark columnOnce
	behind    struct {
		once   sync.Once
		before int64
		known  bool
	}
}

// Behind makes the origin of the rows that came behind those of c, which has the
// stream's columns; that of the time may be nil where nobody asks for watermarks. The
// watermark is found out once, but the origin is the caller's own: whoever reads on
// may read other rows than the next one who does, and has system columns of its own.
func (o *Origin) Behind(c *batch.Chunk) *Origin {
	b := &o.behind
	b.once.Do(func() {
		b.before, b.known = o.Before, o.Known
		if o.Time >= 0 && c.Cols[o.Time] != nil {
			times := c.Cols[o.Time]
			for i, t := range times.I[:c.N] {
				if at := t - o.Delay; (!b.known || at > b.before) && !times.IsNull(i) {
					b.before, b.known = at, true
				}
			}
		}
	})
	return &Origin{First: o.First + uint64(c.N), Before: b.before, Known: b.known, Time: o.Time, Delay: o.Delay, Key: o.Key}
}

// columnOnce is a column that is computed at most once.
type columnOnce struct {
	once sync.Once
	v    *vector.Vector
}

// Column is a system column for n rows with those times; times may be nil for
// the arrival, or where the stream has no event time: then the watermark is NULL.
func (o *Origin) Column(system, n int, times *vector.Vector) *vector.Vector {
	if system == catalog.ArrivalColumn {
		o.arrival.once.Do(func() { o.arrival.v = Arrivals(o.First, n) })
		return o.arrival.v
	}
	o.watermark.once.Do(func() { o.watermark.v, _, _ = Watermarks(o.Before, o.Known, o.Delay, n, times) })
	return o.watermark.v
}

// Done gives the system columns back. Whoever calls it is the only one who has asked for
// some, and nobody holds them any more, nor will ask.
func (o *Origin) Done() {
	for _, c := range []*columnOnce{&o.arrival, &o.watermark} {
		if c.v != nil {
			vector.Give(c.v)
			c.v = nil
		}
	}
}

// Arrivals are n numbers from first on.
func Arrivals(first uint64, n int) *vector.Vector {
	t := types.MakeBigInt()
	t.Unsigned, t.NotNull = true, true
	v := vector.Take(t, n)
	for i := range uint64(n) {
		v.I = append(v.I, int64(first+i))
	}
	v.N = n
	return v
}

// Watermarks are the watermark before each of n rows, if it was before (known)
// before the first; and that after the last.
func Watermarks(before int64, known bool, delay int64, n int, times *vector.Vector) (*vector.Vector, int64, bool) {
	if times == nil {
		times = vector.New(types.MakeDateTime(6), n)
		for range n {
			times.AppendNull()
		}
	}
	t := times.Type
	t.NotNull = false
	v := vector.Take(t, n)
	i := 0
	for ; i < n && !known; i++ {
		v.AppendNull()
		if !times.IsNull(i) {
			before, known = times.I[i]-delay, true
		}
	}
	if v.Valid == nil {
		v.I, v.N = v.I[:n], n
		for i := range v.I {
			v.I[i] = before
			if !times.IsNull(i) {
				before = max(before, times.I[i]-delay)
			}
		}
		return v, before, known
	}
	for ; i < n; i++ {
		v.AppendInt(before)
		if !times.IsNull(i) {
			before = max(before, times.I[i]-delay)
		}
	}
	return v, before, known
}

// AskOf replaces the system columns among columns by where a table keeps them,
// if it does.
func (s *Source) AskOf(t *catalog.Table) {
	var own []int
	for k, c := range s.Columns {
		if c >= 0 {
			continue
		}
		if at := t.SystemColumn(c); at >= 0 {
			if own == nil {
				own = append(own, s.Columns...)
			}
			own[k] = at
			continue
		}
		s.system = true
		if ofChange(c) {
			s.mark = t.Columns[t.EventTime.Column].Type.Nullable()
		}
	}
	if own != nil {
		s.Columns = own
	}
}

// Needs are the columns of the table that the source's columns are made from,
// where time is the position of the stream's time column.
func (s *Source) Needs(time int) []int {
	if !s.system {
		return s.Columns
	}
	var need []int
	for _, c := range s.Columns {
		if c >= 0 {
			need = append(need, c)
		}
	}
	if time >= 0 && s.asks(catalog.WatermarkColumn) {
		need = append(need, time)
	}
	return need
}

func (s *Source) asks(system int) bool {
	for _, c := range s.Columns {
		if c == system {
			return true
		}
	}
	return false
}

// SendOrigin is Send of rows that came from o (nil: from no stream).
func (s *Source) SendOrigin(info *Info, c *batch.Chunk, o *Origin) {
	if !s.system {
		s.Send(info, c)
		return
	}
	s.deferred(info, c.N, func() *batch.Chunk {
		var times *vector.Vector
		if o.Time >= 0 {
			times = c.Cols[o.Time]
		}
		return s.with(c.N, c.Weights, func(at int) *vector.Vector {
			switch at {
			case catalog.DeletedColumn:
				return o.deletions(c, s.mark)
			case catalog.RetractedColumn:
				return o.retractions(c, s.mark)
			}
			return c.Cols[at]
		}, o, times)
	})
}

// SendOriginRows feeds rows that a task makes itself: chunks that have the table's
// columns that the source Needs, each with where it came from. reuse is told when
// nobody holds the chunk that rows gave last any more, if that is known.
func (s *Source) SendOriginRows(info *Info, rows func(max int) (*batch.Chunk, *Origin), reuse func()) {
	watermarks := s.asks(catalog.WatermarkColumn)
	s.send(exchange.Message{Batch: info.Batch.ID, Info: info, Reuse: reuse, Rows: func(max int) *batch.Chunk {
		c, o := rows(max)
		if c == nil {
			return nil
		}
		if !s.system {
			return s.prune(c)
		}
		var times *vector.Vector
		if watermarks && o.Time >= 0 {
			times = c.Cols[o.Time]
		}
		return s.with(c.N, c.Weights, func(at int) *vector.Vector { return c.Cols[at] }, o, times)
	}})
}

// SendNeeded is SendOrigin of a chunk that has just Needs.
func (s *Source) SendNeeded(info *Info, c *batch.Chunk, o *Origin) {
	if !s.system {
		s.SendPruned(info, c)
		return
	}
	own := 0
	for _, at := range s.Columns {
		if at >= 0 {
			own++
		}
	}
	var times *vector.Vector
	if own < len(c.Cols) {
		times = c.Cols[own]
	}
	next := 0
	s.SendPruned(info, s.with(c.N, c.Weights, func(int) *vector.Vector { next++; return c.Cols[next-1] }, o, times))
}

// ofChange tells system columns of changes from those of rows.
func ofChange(system int) bool {
	return system == catalog.DeletedColumn || system == catalog.RetractedColumn
}

// with is a chunk of the source's columns: its own from col, system columns from o.
func (s *Source) with(n int, weights []int64, col func(at int) *vector.Vector, o *Origin, times *vector.Vector) *batch.Chunk {
	out := &batch.Chunk{N: n, Weights: weights, Cols: make([]*vector.Vector, len(s.Columns))}
	for k, at := range s.Columns {
		if at >= 0 || ofChange(at) {
			out.Cols[k] = col(at)
		} else {
			out.Cols[k] = o.Column(at, n, times)
		}
	}
	return out
}

// deferred feeds the n rows of a chunk that the tasks make, once, when they come to it.
func (s *Source) deferred(info *Info, n int, chunk func() *batch.Chunk) {
	whole := sync.OnceValue(chunk)
	for lo := 0; lo < n; lo += Budget {
		given := false
		s.SendRows(info, func(int) *batch.Chunk {
			if given {
				return nil
			}
			given = true
			if n <= Budget {
				return whole()
			}
			return whole().Slice(lo, min(lo+Budget, n))
		})
	}
}
