package topic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Bounds of one read request: the answers must fit the connection's pending limits.
const (
	readMessages = 512
	readBytes    = 16 << 20
	readIdle     = 10 * time.Second // longest wait for the next message of an answer
)

// natsStream is a Stream on JetStream.
type natsStream struct {
	name, subject string
	nc            *nats.Conn
	js            jetstream.JetStream
	st            jetstream.Stream
	mark          *mark
}

func (s *natsStream) Publish(data []byte, expect uint64) Ack {
	f, err := s.js.PublishMsgAsync(&nats.Msg{Subject: s.subject, Data: data},
		jetstream.WithExpectLastSequence(expect), jetstream.WithRetryAttempts(0))
	if err != nil {
		return func(context.Context) (uint64, error) { return 0, err }
	}
	return func(ctx context.Context) (uint64, error) {
		select {
		case a := <-f.Ok():
			if err := s.mark.setLast(a.Sequence); err != nil { // it lags then, no more
				slog.Warn("log server", "log", s.name, "error", err)
			}
			return a.Sequence, nil
		case err := <-f.Err():
			var api *jetstream.APIError
			if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
				api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
				return 0, ErrConflict
			}
			return 0, err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (s *natsStream) Bounds(ctx context.Context) (first, last uint64, err error) {
	i, err := s.st.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	// JetStream's own first sequence may hide a loss.
	m := s.mark.get()
	first = min(m.first, i.State.LastSeq+1)
	if m.last > i.State.LastSeq {
		err = &LogError{s.name, i.State.LastSeq, fmt.Errorf("%w: the log ends here, but up to %d was acknowledged", ErrLost, m.last)}
	}
	return first, i.State.LastSeq, err
}

func (s *natsStream) Delete(ctx context.Context, seq uint64) error {
	err := s.st.DeleteMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}

func (s *natsStream) Purge(ctx context.Context, seq uint64) error {
	if err := s.mark.setFirst(seq); err != nil {
		return err
	}
	return s.st.Purge(ctx, jetstream.WithPurgeSequence(seq))
}

// Read asks for the messages by direct batch requests, which need no consumer.
func (s *natsStream) Read(ctx context.Context, from, to uint64, fn func(uint64, []byte) error) error {
	inbox := s.nc.NewInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return err
	}
	for from = max(from, 1); from <= to; {
		n := min(to-from+1, readMessages)
		req := fmt.Sprintf(`{"seq":%d,"batch":%d,"max_bytes":%d}`, from, n, readBytes)
		if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+s.name, inbox, []byte(req)); err != nil {
			return err
		}
		next, err := s.answer(ctx, sub, from, to, fn)
		if err != nil {
			return err
		}
		if next == from {
			return nil // nothing at or after from
		}
		from = next
	}
	return nil
}

// answer takes in the messages that answer one request, to its end mark, and
// returns the sequence to go on at: from itself if there was none.
func (s *natsStream) answer(ctx context.Context, sub *nats.Subscription, from, to uint64, fn func(uint64, []byte) error) (uint64, error) {
	next := from
	for {
		wait, cancel := context.WithTimeout(ctx, readIdle)
		m, err := sub.NextMsgWithContext(wait)
		cancel()
		if err != nil {
			return 0, fmt.Errorf("log %s: read at %d: %w", s.name, next, err)
		}
		switch m.Header.Get("Status") {
		case "":
		case "204", "404": // the end of the answer; nothing there
			return next, nil
		default:
			return 0, fmt.Errorf("log %s: read at %d: %s %s", s.name, next, m.Header.Get("Status"), m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
		if err != nil || seq < next {
			return 0, fmt.Errorf("log %s: read at %d: a message without its sequence", s.name, next)
		}
		next = seq + 1
		if seq > to {
			continue // to the end mark
		}
		if err := fn(seq, m.Data); err != nil {
			return 0, err
		}
	}
}
