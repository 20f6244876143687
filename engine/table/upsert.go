package table

import (
	"streamsql/catalog"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// Part is what a changelog of an upsert stream holds of one partition.
type Part struct {
	Partition int
	Rows      []int32 // positions in the changelog
}

// Parts divides a changelog by the partition of the rows' keys. The order within
// each stays.
func (t *Table) Parts(c *batch.Chunk) []Part {
	n := t.Desc.PartitionCount()
	at := make([]int, n) // of a partition among parts, + 1
	var parts []Part
	for i, h := range state.HashColumns(c.Cols, t.Desc.Primary, c.N, nil) {
		p := int(h % uint64(n))
		if at[p] == 0 {
			parts = append(parts, Part{Partition: p})
			at[p] = len(parts)
		}
		part := &parts[at[p]-1]
		part.Rows = append(part.Rows, int32(i))
	}
	return parts
}

// Number gives the new rows of a changelog their arrivals, and the watermarks in
// before, by row, where the stream has event time (else nil). Old rows keep what
// they came with. Only from within Accept.
func (t *Table) Number(c *batch.Chunk, before *vector.Vector) *batch.Chunk {
	out := &batch.Chunk{Cols: append([]*vector.Vector(nil), c.Cols...), N: c.N, Weights: c.Weights}
	old := c.Cols[t.arrival]
	arrival := vector.New(old.Type, c.N)
	for i := range c.N {
		if c.Weight(i) < 0 {
			arrival.AppendFrom(old, i)
			continue
		}
		t.last++
		arrival.AppendInt(int64(t.last))
	}
	out.Cols[t.arrival] = arrival
	if before == nil {
		return out
	}
	at := t.Desc.SystemColumn(catalog.WatermarkColumn)
	marks := vector.New(c.Cols[at].Type, c.N)
	for i := range c.N {
		if c.Weight(i) < 0 {
			marks.AppendFrom(c.Cols[at], i)
		} else {
			marks.AppendFrom(before, i)
		}
	}
	out.Cols[at] = marks
	return out
}
