package topic

import (
	"context"
	"errors"
)

// Stream is an append-only sequence of messages on disk, numbered from 1
// without reuse. It is the seam at which tests inject faults: nothing above it
// knows JetStream. Safe for concurrent use, but see Publish.
type Stream interface {
	// Publish starts to append data, on condition that the last sequence is expect,
	// and returns a function that waits for the outcome; data must stay untouched
	// until then. Calls take effect in the order they are made. Ack returns the
	// sequence once the message is fsynced; ErrConflict if expect was wrong; any
	// other error leaves it open whether the message is or will be there.
	Publish(data []byte, expect uint64) Ack
	// Read calls fn for each message from `from` to `to` (inclusive) in order. A
	// sequence that was deleted is left out. data is fn's to keep.
	Read(ctx context.Context, from, to uint64, fn func(seq uint64, data []byte) error) error
	// Bounds returns the first sequence that was not purged (at most last+1) and the
	// last one ever given (0 if none). An error with ErrLost in its chain comes with both:
	// messages beyond last had been acknowledged.
	Bounds(ctx context.Context) (first, last uint64, err error)
	// Delete removes one message for good; one that is not there is no error.
	Delete(ctx context.Context, seq uint64) error
	// Purge removes all messages below seq.
	Purge(ctx context.Context, seq uint64) error
}

// Ack waits for the outcome of a Publish. It must be called once.
type Ack func(ctx context.Context) (seq uint64, err error)

// ErrConflict says that another message was appended first.
var ErrConflict = errors.New("the log has moved on")
