package cutlog

import (
	"context"
	"errors"
	"testing"
	"time"

	"streamsql/engine/topic"
	"streamsql/engine/topic/fault"
)

// TestRecordsAreRetriedInOrder lets writes fail: every record gets on disk once,
// in order, and nobody is told before.
func TestRecordsAreRetriedInOrder(t *testing.T) {
	s, err := topic.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d := fault.New(s)
	l, err := Open(context.Background(), d, "cuts")
	if err != nil {
		t.Fatal(err)
	}
	for id := uint64(1); id <= 3; id++ {
		d.Next(fault.Refuse, fault.Lose)
		if err := <-l.Append(&Record{ID: id}); err != nil {
			t.Fatal(err)
		}
		d.Next(fault.None)
	}
	if got := ids(t, l, 0); got != "[1 2 3]" {
		t.Fatal(got)
	}
	release := d.Stall()
	done := l.Append(&Record{ID: 4})
	select {
	case err := <-done:
		t.Fatalf("told before the fsync: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	other, err := Open(context.Background(), d, "cuts")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := <-other.Append(&Record{ID: 5}); err != nil {
		t.Fatal(err)
	}
	if err := <-l.Append(&Record{ID: 6}); !errors.Is(err, topic.ErrFenced) {
		t.Fatalf("another writer: %v", err)
	}
	_ = l.Close()
}
