package cutlog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"streamsql/engine/topic"
)

func open(t *testing.T, dir string) (*Log, func()) {
	t.Helper()
	s, err := topic.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(context.Background(), s, "cuts")
	if err != nil {
		t.Fatal(err)
	}
	return l, func() { _ = l.Close(); _ = s.Close() }
}

func ids(t *testing.T, l *Log, from uint64) string {
	t.Helper()
	var out []uint64
	if err := l.Read(context.Background(), from, func(r *Record) error { out = append(out, r.ID); return nil }); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(out)
}

func TestRecordRoundTrip(t *testing.T) {
	tables := rapid.Uint64Range(0, 1<<40)
	rapid.Check(t, func(t *rapid.T) {
		r := Record{
			ID: rapid.Uint64().Draw(t, "id"), Time: rapid.Int64().Draw(t, "time"), LogSeq: rapid.Uint64().Draw(t, "seq"),
			Offsets:    rapid.MapOf(tables, rapid.SliceOf(rapid.Uint64())).Draw(t, "offsets"),
			IdleMarks:  rapid.MapOf(tables, rapid.SliceOf(rapid.Int64())).Draw(t, "idle"),
			Watermarks: rapid.MapOf(tables, rapid.Int64()).Draw(t, "watermarks"),
			Stamps:     rapid.MapOf(tables, rapid.SliceOf(rapid.Int64())).Draw(t, "stamps"),
			Attempt:    rapid.Uint32().Draw(t, "attempt"), OwnerEpoch: rapid.Uint64().Draw(t, "epoch"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "timers") {
			r.Timers = append(r.Timers, Timer{rapid.Uint64().Draw(t, "owner"), rapid.Int64().Draw(t, "due")})
		}
		msg := encodeMessage(4, 5, [][]byte{appendRecord(nil, &r), appendRecord(nil, &r)})
		run, got, err := decodeMessage(4, msg)
		if err != nil || run != 5 || len(got) != 2 {
			t.Fatalf("run %d, %d records: %v", run, len(got), err)
		}
		for _, m := range []int{len(r.Offsets), len(r.IdleMarks), len(r.Watermarks), len(r.Stamps)} {
			if m == 0 {
				return // nil and empty are one
			}
		}
		if !reflect.DeepEqual(got[1], r) {
			t.Fatalf("%+v, want %+v", got[1], r)
		}
		msg[rapid.IntRange(0, len(msg)-1).Draw(t, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, _, err := decodeMessage(4, msg); !errors.Is(err, topic.ErrCorrupt) {
			t.Fatalf("a flipped bit: %v", err)
		}
	})
}

// TestFirstFormatOpens: records without stamps, as they were written first.
func TestFirstFormatOpens(t *testing.T) {
	want := Record{ID: 7, Time: 9, LogSeq: 3, Watermarks: map[uint64]int64{4: -5}, Timers: []Timer{{1, 2}}}
	old := appendRecord(nil, &want)
	old = old[:len(old)-1] // the number of stamps
	msg := encodeMessage(4, 5, [][]byte{old, old})
	msg[4] = 1
	end := len(msg) - crcSize
	binary.LittleEndian.PutUint32(msg[end:], crc32.Checksum(msg[:end], castagnoli))
	_, got, err := decodeMessage(4, msg)
	if err != nil || len(got) != 2 || !reflect.DeepEqual(got[1], want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestLogAppendReopenTrim(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	l, done := open(t, dir)
	if err := <-l.Append(&Record{ID: 1}); err != nil {
		t.Fatal(err)
	}
	var waits []<-chan error
	for id := uint64(2); id <= 200; id++ {
		waits = append(waits, l.Append(&Record{ID: id, LogSeq: id * 2, Offsets: map[uint64][]uint64{3: {id}}}))
	}
	for i, w := range waits {
		if err := <-w; err != nil {
			t.Fatalf("cut %d: %v", i+2, err)
		}
	}
	if l.seq > 100 {
		t.Fatalf("%d messages for 200 records that queued up", l.seq)
	}
	if err := <-l.Append(&Record{ID: 200}); err == nil {
		t.Fatal("an id came twice")
	}
	if err := l.TrimBefore(ctx, 200); err != nil {
		t.Fatal(err)
	}
	if err := <-l.Append(&Record{ID: 205}); err != nil {
		t.Fatal(err)
	}
	done()
	l, done = open(t, dir)
	defer done()
	if got := ids(t, l, 200); got != "[200 205]" || l.LastID() != 205 || l.FirstID() == 1 {
		t.Fatalf("after reopening: %s, first %d, last %d", got, l.FirstID(), l.LastID())
	}
	if err := l.TrimBefore(ctx, 1000); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, l, 0); got != "[205]" {
		t.Fatalf("all trimmed: %s", got)
	}
	if err := <-l.Append(&Record{ID: 206}); err != nil {
		t.Fatal(err)
	}
}

func TestLogNoticesMissingMessage(t *testing.T) {
	l, done := open(t, t.TempDir())
	defer done()
	for id := uint64(1); id <= 3; id++ {
		if err := <-l.Append(&Record{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.stream.Delete(context.Background(), 2); err != nil {
		t.Fatal(err)
	}
	if err := l.Read(context.Background(), 1, func(*Record) error { return nil }); !errors.Is(err, topic.ErrLost) {
		t.Fatalf("a missing record: %v", err)
	}
}
