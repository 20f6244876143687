package topic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"
)

// Streams is where logs come from: a Server, or one with faults injected.
type Streams interface {
	Stream(ctx context.Context, name string) (Stream, error)
}

// Errors of a log, found with errors.Is.
var (
	// ErrTrimmed: the sequence asked for has been trimmed away.
	ErrTrimmed = errors.New("trimmed")
	// ErrLost: messages that were acknowledged are not there any more.
	ErrLost = errors.New("lost")
	// ErrFenced: somebody else writes this log.
	ErrFenced = errors.New("another writer has taken over the log")
	// ErrUnknown: it is not known whether the rows are durable.
	ErrUnknown = errors.New("outcome unknown")
	// ErrClosed: the log is closed.
	ErrClosed = errors.New("the log is closed")
	// ErrTooLarge: the transaction is over the limit.
	ErrTooLarge = errors.New("transaction too large")
)

// LogError is an error about a place of a log.
type LogError struct {
	Log string
	Seq uint64
	Err error
}

func (e *LogError) Error() string { return fmt.Sprintf("log %s at %d: %v", e.Log, e.Seq, e.Err) }
func (e *LogError) Unwrap() error { return e.Err }

// Log is a commit log. Its messages are groups of transactions. Safe for
// concurrent use.
type Log struct {
	name    string
	stream  Stream
	deleted *deletions
	run     uint64 // names this opening of the log
	damage  error

	first, last atomic.Uint64 // last: acknowledged and delivered to the hooks
	hooks       []func(seq uint64, g *Group)
	stamp       func(b *Block) bool
	txID        atomic.Uint64
	committer
}

// OpenLog opens the log called name and makes it if missing.
func OpenLog(ctx context.Context, s Streams, name string) (*Log, error) {
	l := &Log{name: name, run: rand.Uint64()}
	l.txID.Store(rand.Uint64())
	var err error
	if l.stream, err = s.Stream(ctx, name); err != nil {
		return nil, err
	}
	first, last, err := l.stream.Bounds(ctx)
	if errors.Is(err, ErrLost) {
		l.damage, err = err, nil
	}
	if err == nil {
		l.deleted, err = openDeletions(ctx, s, name)
	}
	if errors.Is(err, ErrLost) {
		l.damage, err = err, nil
	}
	if err != nil {
		return nil, err
	}
	l.first.Store(first)
	l.last.Store(last)
	l.start(l)
	return l, nil
}

// Name returns the log's name.
func (l *Log) Name() string { return l.name }

// Damage returns nil, or an error (ErrLost) that says that the log has lost
// acknowledged messages at its end. What is there can be read. Nothing can be
// appended, since that would give sequences a second time.
func (l *Log) Damage() error { return l.damage }

// LastSeq returns the sequence of the last group that is acknowledged and was
// delivered to OnCommit, or was there at the start; 0 if none.
func (l *Log) LastSeq() uint64 { return l.last.Load() }

// FirstSeq returns the first sequence that was not trimmed.
func (l *Log) FirstSeq() uint64 { return l.first.Load() }

// OnCommit adds fn to what is called for each group that becomes durable after
// the start, in the order of sequences, before its writers are told. Blocks
// hold the chunks that were handed to Append. fn must be quick and must not call
// Append. To be called before the first Append. Of a transaction that took
// several messages, only the last is delivered.
func (l *Log) OnCommit(fn func(seq uint64, g *Group)) { l.hooks = append(l.hooks, fn) }

// SetDeadline bounds the wait for one message to become durable (10 s unless
// set). To be called before the first Append.
func (l *Log) SetDeadline(d time.Duration) { l.deadline = d }

// Append makes blocks durable as one transaction and returns the sequence of the
// group that holds it: a reader that has everything up to there has all of it.
// Concurrent calls share a group. On an error in whose chain is ErrUnknown
// the rows may still turn up; on any other they do not.
func (l *Log) Append(ctx context.Context, blocks []*Block) (uint64, error) {
	if l.damage != nil {
		return 0, l.damage
	}
	r := &request{tx: Tx{ID: l.txID.Add(1), Blocks: blocks}, done: make(chan struct{})}
	for _, b := range blocks {
		if b.Rows() > maxBlockRows || b.Columns() > maxBlockColumns {
			return 0, &LogError{l.name, l.LastSeq(), ErrTooLarge}
		}
		r.data = pad8(AppendBlock(r.data, b), 0)
	}
	if len(r.data) > maxTransaction {
		return 0, &LogError{l.name, l.LastSeq(), ErrTooLarge}
	}
	return l.submit(ctx, r)
}

// Read calls fn for each group from `from` to `to` (inclusive) in order; groups
// without blocks are passed over. Every sequence of the range is either read and
// verified, or known to be deleted, or the error says which is not: ErrTrimmed
// below FirstSeq, ErrLost, ErrCorrupt. Blocks may be kept.
func (l *Log) Read(ctx context.Context, from, to uint64, fn func(seq uint64, blocks []*Block) error) error {
	return l.read(ctx, from, to, func(seq uint64, m *message, txs []Tx) error {
		var blocks []*Block
		for _, tx := range txs {
			blocks = append(blocks, tx.Blocks...)
		}
		if len(blocks) == 0 {
			return nil
		}
		return fn(seq, blocks)
	})
}

func (l *Log) read(ctx context.Context, from, to uint64, fn func(seq uint64, m *message, txs []Tx) error) error {
	from = max(from, 1)
	if from > to {
		return nil
	}
	if first := l.first.Load(); from < first {
		return &LogError{l.name, from, fmt.Errorf("%w: the log begins at %d", ErrTrimmed, first)}
	}
	start, err := l.lookBack(ctx, from)
	if err != nil {
		return err
	}
	var parts assembler
	next := start
	err = l.stream.Read(ctx, start, to, func(seq uint64, data []byte) error {
		if err := l.gap(next, seq); err != nil {
			return err
		}
		next = seq + 1
		m, err := decodeMessage(seq, data)
		if err != nil {
			return &LogError{l.name, seq, err}
		}
		m.size = len(data)
		txs, err := parts.add(m)
		if err != nil {
			return &LogError{l.name, seq, err}
		}
		if seq < from {
			return nil
		}
		place(txs)
		return fn(seq, m, txs)
	})
	if err != nil {
		return err
	}
	return l.gap(next, to+1)
}

// lookBack returns where to begin so as to have all parts of a split
// transaction of which `from` holds one.
func (l *Log) lookBack(ctx context.Context, from uint64) (uint64, error) {
	start := from
	err := l.stream.Read(ctx, from, from, func(seq uint64, data []byte) error {
		m, err := decodeMessage(seq, data)
		if err != nil {
			return &LogError{l.name, seq, err}
		}
		if m.split && uint64(m.part) < seq {
			start = max(seq-uint64(m.part), l.first.Load())
		}
		return nil
	})
	return start, err
}

// gap says whether the sequences from next to seq (exclusive) are rightly missing:
// deleted, or trimmed since the reading began.
func (l *Log) gap(next, seq uint64) error {
	if next = max(next, l.first.Load()); next >= seq {
		return nil
	}
	if miss, ok := l.deleted.missing(next, seq); ok {
		return &LogError{l.name, miss, fmt.Errorf("%w: the message is not there", ErrLost)}
	}
	return nil
}

// Trim removes all groups below seq. Who is reading them may get some of them.
func (l *Log) Trim(ctx context.Context, seq uint64) error {
	if seq <= l.first.Load() {
		return nil
	}
	seq = min(seq, l.last.Load()+1)
	l.first.Store(seq) // first, lest a reader take what goes for lost
	if err := l.stream.Purge(ctx, seq); err != nil {
		return fmt.Errorf("log %s: trim to %d: %w", l.name, seq, err)
	}
	return l.deleted.trim(ctx, seq)
}

// DeleteMessages removes groups for good, in any order. Reads pass over them.
func (l *Log) DeleteMessages(ctx context.Context, seqs []uint64) error {
	if err := l.deleted.add(ctx, seqs); err != nil { // first, lest a crash make it look like a loss
		return err
	}
	for _, s := range seqs {
		if err := l.stream.Delete(ctx, s); err != nil {
			return &LogError{l.name, s, fmt.Errorf("delete: %w", err)}
		}
	}
	return nil
}

// Contents is what a group holds rows of.
type Contents struct {
	First, Seq uint64   // its messages: one, unless a transaction is split over several
	Bytes      int      // of the last message
	Tables     []uint64 // each once
}

// Survey calls fn for each group from `from` to `to` (inclusive) in order.
func (l *Log) Survey(ctx context.Context, from, to uint64, fn func(c Contents)) error {
	begin := uint64(0)
	return l.read(ctx, from, min(to, l.last.Load()), func(seq uint64, m *message, txs []Tx) error {
		c := Contents{First: seq, Seq: seq, Bytes: m.size}
		if m.split {
			if m.part == 0 {
				begin = seq
			}
			if m.part < m.parts-1 {
				return nil
			}
			c.First = max(begin, from)
		}
		for _, tx := range txs {
			for _, b := range tx.Blocks {
				if !slices.Contains(c.Tables, b.Table) {
					c.Tables = append(c.Tables, b.Table)
				}
			}
		}
		fn(c)
		return nil
	})
}

// Gone is the highest sequence that was trimmed or deleted, 0: none.
func (l *Log) Gone() uint64 { return max(l.first.Load(), 1, l.deleted.end()) - 1 }

// Close waits for what is in flight and refuses what comes later.
func (l *Log) Close() error {
	l.stop()
	return nil
}
