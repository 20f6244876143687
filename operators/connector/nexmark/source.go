package nexmark

import (
	"context"
	"fmt"
	"math/bits"
	"sync"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// chunkRows is how many rows one reading gives at most.
const chunkRows = batch.TargetRows

// Source makes the rows of one table.
type Source struct {
	table      *table
	columns    []sourceColumn
	seq        *sequence
	partitions int
	texts      *texts
	pace       uint64
	opens      time.Time

	mu      sync.Mutex
	started bool
	first   uint64    // with a pace: the event that was due at the moment began
	began   time.Time // when Latest was first asked
}

// sourceColumn is a column as it is declared.
type sourceColumn struct {
	*column
	declared types.Type
}

// Partitions is how many there are.
func (s *Source) Partitions() int { return s.partitions }

// Close does nothing.
func (s *Source) Close() error { return nil }

// end is where a partition ends, if it does.
func (s *Source) end(partition int) (connector.Offset, bool) {
	rows, ends := s.seq.rows(s.table)
	return connector.Offset(s.share(rows, partition)), ends
}

// share is how many of the first rows of the table are in a partition.
func (s *Source) share(rows uint64, partition int) uint64 {
	p, n := uint64(partition), uint64(s.partitions)
	return (rows + n - 1 - p) / n
}

// Latest is the end, or what the pace allows by now. Before the source opens it is
// where the reader stands.
func (s *Source) Latest(_ context.Context, partition int, from connector.Offset, now time.Time) (connector.Offset, bool, error) {
	if now.Before(s.opens) {
		return from, false, nil
	}
	end, ends := s.end(partition)
	if s.pace == 0 {
		if !ends {
			return 1 << 48, false, nil
		}
		return end, true, nil
	}
	due := s.due(partition, from, now)
	whole, rest := due/epochEvents, due%epochEvents
	rows := whole*s.table.share + min(max(rest, s.table.first)-s.table.first, s.table.share)
	o := connector.Offset(s.share(rows, partition))
	if ends && o >= end {
		return end, true, nil
	}
	return o, false, nil
}

// due is how many events of the sequence have come by now. The pace begins with
// the event that the first reader stands at.
func (s *Source) due(partition int, from connector.Offset, now time.Time) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.started {
		s.started, s.began = true, now
		s.first = s.seq.event(s.table, uint64(from)*uint64(s.partitions)+uint64(partition))
	}
	hi, lo := bits.Mul64(uint64(max(now.Sub(s.began), 0)), s.pace)
	passed, _ := bits.Div64(hi, lo, uint64(time.Second)) // hi is small for some centuries
	return s.first + passed
}

// runs are spare runs of chunkRows rows.
var runs = sync.Pool{New: func() any { return &run{} }}

// ReadRange makes the rows of a range, at most chunkRows of them, in the columns want.
// Of spare it takes the numbers; its texts are nobody's own.
func (s *Source) ReadRange(_ context.Context, partition int, from, to connector.Offset, want []int, spare *batch.Chunk) (*batch.Chunk, connector.Offset, error) {
	if partition < 0 || partition >= s.partitions {
		return nil, from, fmt.Errorf("%s has no partition %d", name, partition)
	}
	if end, ends := s.end(partition); ends {
		to = min(to, end)
	}
	to = max(min(to, from+chunkRows), from)
	n := int(to - from)
	c := &batch.Chunk{Cols: make([]*vector.Vector, len(s.columns)), N: n}
	w := runs.Get().(*run)
	defer runs.Put(w)
	w.fill(s.seq, s.table, uint64(from)*uint64(s.partitions)+uint64(partition), uint64(s.partitions), n)
	for _, k := range want {
		col := s.columns[k]
		if c.Cols[k] != nil {
			continue
		}
		if col.numbers == nil {
			c.Cols[k] = s.texts.slice(col.column, col.declared, partition, uint64(from), n)
			continue
		}
		var v *vector.Vector
		if spare != nil {
			v = spare.Cols[k]
		}
		v = numbersOf(v, n)
		v.Type = col.declared
		col.numbers(s.seq, w, v.I)
		c.Cols[k] = v
	}
	return c, to, nil
}

// numbersOf is a vector of n numbers of any value: v, if it is not nil and not too
// short. In the place of one that was there is room for the longest chunk, so that short
// pieces between long ones do not cost memory each time.
func numbersOf(v *vector.Vector, n int) *vector.Vector {
	var numbers []int64
	switch {
	case v == nil:
		return &vector.Vector{I: make([]int64, n), N: n}
	case cap(v.I) >= n:
		numbers = v.I[:n]
	default:
		numbers = make([]int64, n, chunkRows)
	}
	*v = vector.Vector{I: numbers, N: n}
	return v
}
