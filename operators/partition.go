package operators

import (
	"slices"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// LogicalPartitions is how many partitions keys hash to. Tasks hold ranges of
// them: task t of n those from t·65536/n on, rounded up.
const LogicalPartitions = 1 << 16

// LogicalPartition is the partition of a key with the given hash
// (state.HashColumns): its first 16 bits.
func LogicalPartition(hash uint64) int { return int(hash >> 48) }

// TaskOf is which of n tasks holds a logical partition.
func TaskOf(partition, n int) int { return partition * n >> 16 }

// PartitionRange is the range of logical partitions, lo to hi (exclusive), that
// task t of n holds.
func PartitionRange(t, n int) (lo, hi int) {
	return (t<<16 + n - 1) / n, ((t+1)<<16 + n - 1) / n
}

// Partitioner splits chunks by key for a hash shuffle. It keeps scratch memory:
// one goroutine at a time.
type Partitioner struct {
	keys   []int
	tasks  int
	hashes []uint64
	sel    [][]int32
	out    []*batch.Chunk
}

// NewPartitioner makes one for the key columns keys and a number of tasks.
func NewPartitioner(keys []int, tasks int) *Partitioner {
	return &Partitioner{keys: keys, tasks: tasks, sel: make([][]int32, tasks), out: make([]*batch.Chunk, tasks)}
}

// Split returns for each task a copy of the rows of c that go to it, of the memory of
// its loan; nil for none. The slice is good until the next call.
func (p *Partitioner) Split(c *batch.Chunk, loans []*batch.Loan) []*batch.Chunk {
	clear(p.out)
	if c.N == 0 {
		return p.out
	}
	if p.tasks == 1 {
		p.out[0] = loans[0].Copy(c)
		return p.out
	}
	for t := range p.sel {
		p.sel[t] = p.sel[t][:0]
	}
	hashes, known := c.Hashes, c.Hashes != nil && slices.Equal(c.HashedBy, p.keys)
	if !known {
		p.hashes = state.HashColumns(c.Cols, p.keys, c.N, p.hashes)
		hashes = p.hashes
	}
	for i, h := range hashes {
		t := TaskOf(LogicalPartition(h), p.tasks)
		p.sel[t] = append(p.sel[t], int32(i))
	}
	carry := known || slices.ContainsFunc(p.keys, func(k int) bool { return c.Cols[k].Type.Class() == types.ClassBytes })
	for t, sel := range p.sel {
		switch len(sel) {
		case 0:
		case c.N:
			p.out[t] = loans[t].Copy(c)
		default:
			p.out[t] = loans[t].Gather(c, sel)
			if carry {
				own := loans[t].Hashes(len(sel))
				for k, i := range sel {
					own[k] = hashes[i]
				}
				p.out[t].Hashes, p.out[t].HashedBy = own, p.keys
			}
		}
	}
	return p.out
}

// Partition is Split of a Partitioner used once.
func Partition(c *batch.Chunk, keys []int, tasks int) []*batch.Chunk {
	return NewPartitioner(keys, tasks).Split(c, make([]*batch.Loan, tasks))
}
