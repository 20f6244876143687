package fault

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/types"
)

func block(x int64) []*topic.Block {
	c := batch.New([]types.Type{types.MakeBigInt()}, 1)
	c.Cols[0].AppendInt(x)
	c.PushWeight(1)
	return []*topic.Block{topic.NewBlock(topic.Header{Table: 1}, c)}
}

func open(t *testing.T) (*Disk, *topic.Log) {
	t.Helper()
	s, err := topic.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	d := New(s)
	l, err := topic.OpenLog(context.Background(), d, "commits")
	if err != nil {
		t.Fatal(err)
	}
	return d, l
}

// rows returns what the log holds, in order.
func rows(t *testing.T, l *topic.Log) []int64 {
	t.Helper()
	var out []int64
	err := l.Read(context.Background(), 1, l.LastSeq(), func(_ uint64, blocks []*topic.Block) error {
		for _, b := range blocks {
			v, err := b.Column(0)
			if err != nil {
				return err
			}
			out = append(out, v.I...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNoAcknowledgementBeforeFsync holds an fsync up: no writer may return, and
// no hook may run, until it is done.
func TestNoAcknowledgementBeforeFsync(t *testing.T) {
	d, l := open(t)
	synced := make(chan int, 10)
	l.OnCommit(func(uint64, *topic.Group) { synced <- d.Synced() })
	release := d.Stall()
	done := make(chan error, 1)
	go func() {
		_, err := l.Append(context.Background(), block(1))
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("returned before the fsync: %v", err)
	case <-synced:
		t.Fatal("delivered before the fsync")
	case <-time.After(100 * time.Millisecond):
	}
	release()
	if err := <-done; err != nil || <-synced != 1 {
		t.Fatalf("after the fsync: %v", err)
	}
}

func TestSlowFsyncIsWaitedFor(t *testing.T) {
	d, l := open(t)
	d.Delay(300 * time.Millisecond)
	start := time.Now()
	if _, err := l.Append(context.Background(), block(1)); err != nil || time.Since(start) < 300*time.Millisecond {
		t.Fatalf("after %v: %v", time.Since(start), err)
	}
}

// TestFaultsOfPublish goes through what may become of a message. The table says
// what the writer is told and what is in the log after a second, good Append.
func TestFaultsOfPublish(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		err  error // of the first Append
		want string
	}{
		{None, nil, "[1 2]"},
		{Refuse, topic.ErrUnknown, "[2]"},
		{Lose, nil, "[1 2]"}, // found in the log, so it is acknowledged after all
		{Hang, nil, "[1 2]"},
		{Drop, topic.ErrUnknown, "[2]"},
	} {
		d, l := open(t)
		l.SetDeadline(200 * time.Millisecond)
		var live []int64
		l.OnCommit(func(_ uint64, g *topic.Group) {
			for _, tx := range g.Txs {
				v, _ := tx.Blocks[0].Column(0)
				live = append(live, v.I...)
			}
		})
		d.Next(c.kind)
		if _, err := l.Append(context.Background(), block(1)); !errors.Is(err, c.err) {
			t.Errorf("%d: first append: %v", c.kind, err)
		}
		if _, err := l.Append(context.Background(), block(2)); err != nil {
			t.Errorf("%d: second append: %v", c.kind, err)
		}
		if got := rows(t, l); fmt.Sprint(got) != c.want || fmt.Sprint(live) != c.want {
			t.Errorf("%d: the log holds %v, delivered %v, want %s", c.kind, got, live, c.want)
		}
	}
}

// TestNothingSplitsOrDoublesUnderFaults lets writers run while publishes fail in
// all ways: what was acknowledged is there once, and the live path saw just what
// the log holds.
func TestNothingSplitsOrDoublesUnderFaults(t *testing.T) {
	d, l := open(t)
	l.SetDeadline(100 * time.Millisecond)
	var live []int64
	l.OnCommit(func(_ uint64, g *topic.Group) {
		for _, tx := range g.Txs {
			v, _ := tx.Blocks[0].Column(0)
			live = append(live, v.I...)
		}
	})
	var mu sync.Mutex
	acked := map[int64]bool{}
	var wg sync.WaitGroup
	for w := range int64(8) {
		wg.Go(func() {
			for i := range int64(20) {
				if w == 0 {
					d.Next(Kind(i % 5))
				}
				if _, err := l.Append(context.Background(), block(w*100+i)); err == nil {
					mu.Lock()
					acked[w*100+i] = true
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	d.Heal() // an append that failed without a publish left its fault behind
	l.SetDeadline(10 * time.Second)
	if _, err := l.Append(context.Background(), block(-1)); err != nil {
		t.Fatal(err)
	}
	got := rows(t, l)
	if fmt.Sprint(got) != fmt.Sprint(live) {
		t.Errorf("delivered %v, the log holds %v", live, got)
	}
	count := map[int64]int{}
	for _, x := range got {
		count[x]++
		if count[x] > 1 {
			t.Errorf("%d is there twice", x)
		}
	}
	for x := range acked {
		if count[x] == 0 {
			t.Errorf("%d was acknowledged and is lost", x)
		}
	}
	if len(acked) < 40 {
		t.Errorf("only %d of 160 appends succeeded", len(acked))
	}
}

func TestFailedReadIsAnError(t *testing.T) {
	d, l := open(t)
	if _, err := l.Append(context.Background(), block(1)); err != nil {
		t.Fatal(err)
	}
	d.FailReads(1)
	if err := l.Read(context.Background(), 1, 1, func(uint64, []*topic.Block) error { return nil }); !errors.Is(err, ErrInjected) {
		t.Fatalf("read: %v", err)
	}
}
