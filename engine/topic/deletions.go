package topic

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sync"
)

// deletions remembers which messages of a log were deleted on purpose, so that a
// missing one that was not is noticed. The set lies in a stream of its own,
// whose last message is the set.
type deletions struct {
	log    string
	stream Stream

	mu    sync.Mutex
	last  uint64 // of stream
	spans []span // sorted, disjoint, not touching
}

// span is a range of sequences, both ends inclusive.
type span struct{ lo, hi uint64 }

const deletionsVersion = 1

// openDeletions reads the set. With ErrLost in the error's chain, the empty set
// comes with it.
func openDeletions(ctx context.Context, s Streams, log string) (*deletions, error) {
	d := &deletions{log: log}
	var err error
	if d.stream, err = s.Stream(ctx, log+"-deleted"); err != nil {
		return nil, err
	}
	if _, d.last, err = d.stream.Bounds(ctx); err != nil {
		return d, fmt.Errorf("log %s: set of deleted messages: %w", log, err)
	}
	if d.last == 0 {
		return d, nil
	}
	found := false
	err = d.stream.Read(ctx, d.last, d.last, func(_ uint64, data []byte) error {
		found = true
		d.spans, err = decodeSpans(data)
		return err
	})
	if err == nil && !found {
		err = ErrLost
	}
	if err != nil {
		return d, fmt.Errorf("log %s: set of deleted messages: %w", log, err)
	}
	return d, nil
}

// missing returns the first sequence in [lo, hi) that is not in the set.
func (d *deletions) missing(lo, hi uint64) (uint64, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.spans {
		if lo >= hi || lo < s.lo {
			break
		}
		if lo <= s.hi {
			lo = s.hi + 1
		}
	}
	return lo, lo < hi
}

// end is behind the last of the set, 0: it is empty.
func (d *deletions) end() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n := len(d.spans); n > 0 {
		return d.spans[n-1].hi + 1
	}
	return 0
}

// add puts seqs into the set, durably.
func (d *deletions) add(ctx context.Context, seqs []uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	spans := slices.Clone(d.spans)
	for _, s := range seqs {
		spans = append(spans, span{s, s})
	}
	return d.store(ctx, spans)
}

// trim forgets what lies below seq.
func (d *deletions) trim(ctx context.Context, seq uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.spans) == 0 || d.spans[0].lo >= seq {
		return nil
	}
	var spans []span
	for _, s := range d.spans {
		if s.hi >= seq {
			spans = append(spans, span{max(s.lo, seq), s.hi})
		}
	}
	return d.store(ctx, spans)
}

func (d *deletions) store(ctx context.Context, spans []span) error {
	slices.SortFunc(spans, func(a, b span) int {
		if a.lo < b.lo {
			return -1
		}
		return 1
	})
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.lo <= merged[n-1].hi+1 {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
		} else {
			merged = append(merged, s)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, publishDeadline)
	defer cancel()
	seq, err := d.stream.Publish(encodeSpans(merged), d.last)(ctx)
	if err != nil {
		if _, last, e := d.stream.Bounds(ctx); e == nil {
			d.last = last
		}
		return fmt.Errorf("log %s: set of deleted messages: %w", d.log, err)
	}
	d.last, d.spans = seq, merged
	return d.stream.Purge(ctx, seq)
}

// encodeSpans: version u32, count u32, lo and hi u64 each, CRC32C.
func encodeSpans(spans []span) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, deletionsVersion)
	out = le.AppendUint32(out, uint32(len(spans)))
	for _, s := range spans {
		out = le.AppendUint64(le.AppendUint64(out, s.lo), s.hi)
	}
	return le.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

func decodeSpans(data []byte) ([]span, error) {
	le := binary.LittleEndian
	end := len(data) - crcSize
	if end < 8 || crc32.Checksum(data[:end], castagnoli) != le.Uint32(data[end:]) {
		return nil, fmt.Errorf("%w: CRC", ErrCorrupt)
	}
	if v := le.Uint32(data); v != deletionsVersion {
		return nil, fmt.Errorf("%w: format version %d is not known", ErrCorrupt, v)
	}
	n := int(le.Uint32(data[4:]))
	if end != 8+16*n {
		return nil, fmt.Errorf("%w: %d spans in %d bytes", ErrCorrupt, n, end)
	}
	spans := make([]span, n)
	for i := range spans {
		spans[i] = span{le.Uint64(data[8+16*i:]), le.Uint64(data[16+16*i:])}
	}
	return spans, nil
}
