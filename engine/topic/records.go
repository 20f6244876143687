package topic

import "context"

// Records is a log of single messages, appended one at a time by
// compare-and-set: what the catalog needs of a Stream.
type Records struct{ Stream }

// OpenRecords opens the log called name and makes it if missing.
func OpenRecords(ctx context.Context, s Streams, name string) (Records, error) {
	st, err := s.Stream(ctx, name)
	return Records{st}, err
}

// Append appends data if the last sequence is expect, and returns its sequence
// once it is fsynced. After an error the message may or may not be there.
func (r Records) Append(ctx context.Context, data []byte, expect uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, publishDeadline)
	defer cancel()
	return r.Publish(data, expect)(ctx)
}
