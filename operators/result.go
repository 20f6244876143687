package operators

import (
	"streamsql/operators/batch"
	"streamsql/sql/vector"
)

// Result is the end of a continuous query: it holds the rows that readers see.
type Result interface {
	Stateful
	// Snapshot takes an image of the rows after the last batch. Between batches. It
	// makes the next writes to each page dearer, so take one when somebody reads.
	Snapshot() Image
	// Changes returns what the batches since the last call changed, of those with
	// Batch.Changes. Within a batch, rows that cancel out may be in it.
	Changes() []*batch.Chunk
}

// Image is a result as it was after one batch: immutable and safe for all,
// without a lock, until Release.
type Image interface {
	// Rows is about the number of rows.
	Rows() int64
	// Memory is, in bytes, what the result took at that moment, and what images of
	// it, this one and older ones, now keep beside what it takes.
	Memory() (own, kept int64)
	// Scan begins a reading of all rows.
	Scan() Scanner
	// Get looks up the row whose key is row i of key, which has the columns of the
	// result's unique key in their order, not NULL; nil: there is none. ok is false
	// for a result that cannot be looked up in: it must be scanned.
	Get(key []*vector.Vector, i int) (row *batch.Chunk, ok bool)
	// Release ends the image; it may be called more than once.
	Release()
}

// Scanner reads an image in pieces. One goroutine at a time.
type Scanner interface {
	// Next returns at most maxRows rows, nil at the end. Weights say how often each is there.
	Next(maxRows int) *batch.Chunk
}
