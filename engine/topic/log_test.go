package topic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// oneColumn makes a chunk of BIGINTs.
func oneColumn(xs ...int64) *batch.Chunk {
	c := batch.New([]types.Type{types.MakeBigInt()}, len(xs))
	for _, x := range xs {
		c.Cols[0].AppendInt(x)
		c.PushWeight(1)
	}
	return c
}

func blockOf(table uint64, xs ...int64) *Block {
	return NewBlock(Header{Table: table}, oneColumn(xs...))
}

func openServer(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openLog(t testing.TB, s Streams) *Log {
	t.Helper()
	l, err := OpenLog(context.Background(), s, "commits")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// contents reads the log as "sequence: values" of each group.
func contents(l *Log, from uint64) ([]string, error) {
	var out []string
	err := l.Read(context.Background(), from, l.LastSeq(), func(seq uint64, blocks []*Block) error {
		s := fmt.Sprintf("%d:", seq)
		for _, b := range blocks {
			v, err := b.Column(0)
			if err != nil {
				return err
			}
			s += fmt.Sprintf(" %d%v", b.Table, v.I)
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

func mustAppend(t testing.TB, l *Log, blocks ...*Block) uint64 {
	t.Helper()
	seq, err := l.Append(context.Background(), blocks)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestLogAppendReadReopen(t *testing.T) {
	dir := t.TempDir()
	s := openServer(t, dir)
	l := openLog(t, s)
	var live []uint64
	l.OnCommit(func(seq uint64, g *Group) { live = append(live, seq) })
	mustAppend(t, l, blockOf(1, 10, 11), blockOf(2, 20))
	mustAppend(t, l, blockOf(1, 12))
	want := "[1: 1[10 11] 2[20] 2: 1[12]]"
	got, err := contents(l, 1)
	if err != nil || fmt.Sprint(got) != want || fmt.Sprint(live) != "[1 2]" {
		t.Fatalf("%v, live %v, %v", got, live, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_ = s.Close()
	if d := time.Since(start); d > 2*time.Second {
		t.Fatalf("the server took %v to stop", d)
	}
	l = openLog(t, openServer(t, dir))
	got, err = contents(l, 1)
	if err != nil || fmt.Sprint(got) != want || l.Damage() != nil {
		t.Fatalf("after reopening: %v, %v, %v", got, err, l.Damage())
	}
	if seq := mustAppend(t, l, blockOf(3, 1)); seq != 3 {
		t.Fatalf("sequence %d after reopening", seq)
	}
}

func TestLogGroupsConcurrentWriters(t *testing.T) {
	l := openLog(t, openServer(t, t.TempDir()))
	var order []uint64
	rows := map[int64]int{}
	l.OnCommit(func(seq uint64, g *Group) {
		order = append(order, seq)
		for _, tx := range g.Txs {
			for _, b := range tx.Blocks {
				v, _ := b.Column(0)
				rows[v.I[0]]++
			}
		}
	})
	var wg sync.WaitGroup
	const writers, each = 32, 20
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := l.Append(context.Background(), []*Block{blockOf(1, int64(w*each+i))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i, seq := range order {
		if seq != uint64(i+1) {
			t.Fatalf("delivered %d as number %d", seq, i+1)
		}
	}
	if len(rows) != writers*each || l.LastSeq() >= writers*each/4 {
		t.Fatalf("%d rows in %d groups", len(rows), l.LastSeq())
	}
	n := 0
	if err := l.Read(context.Background(), 1, l.LastSeq(), func(_ uint64, b []*Block) error { n += len(b); return nil }); err != nil || n != writers*each {
		t.Fatalf("%d blocks read: %v", n, err)
	}
}

func TestLogSplitsLargeTransactions(t *testing.T) {
	dir := t.TempDir()
	s := openServer(t, dir)
	l := openLog(t, s)
	c := batch.New([]types.Type{types.MakeVarChar(0)}, 1)
	big := make([]byte, 20<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(big) // does not compress
	c.Cols[0].AppendBytes(big)
	c.PushWeight(1)
	mustAppend(t, l, blockOf(1, 1))
	seq := mustAppend(t, l, NewBlock(Header{Table: 2}, c), blockOf(3, 3))
	last := mustAppend(t, l, blockOf(1, 2))
	if seq < 3 || last != seq+1 {
		t.Fatalf("sequences %d, %d", seq, last)
	}
	_ = l.Close()
	_ = s.Close()
	l = openLog(t, openServer(t, dir))
	for from := uint64(1); from <= seq; from++ {
		found := false
		err := l.Read(context.Background(), from, last, func(at uint64, blocks []*Block) error {
			if len(blocks) != 2 {
				return nil
			}
			found = true
			v, err := blocks[0].Column(0)
			if err != nil || at != seq || string(v.Bytes(0)) != string(big) {
				t.Errorf("at %d: other bytes, %v", at, err)
			}
			return nil
		})
		if err != nil || !found {
			t.Fatalf("from %d: found %v, %v", from, found, err)
		}
	}
}

func TestLogTrimAndDelete(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := openServer(t, dir)
	l := openLog(t, s)
	for i := range int64(6) {
		mustAppend(t, l, blockOf(uint64(1+i%2), i))
	}
	var gone []uint64
	err := l.Survey(ctx, 1, 5, func(c Contents) {
		if len(c.Tables) == 1 && c.Tables[0] == 2 && c.First == c.Seq && c.Bytes > 0 {
			gone = append(gone, c.Seq)
		}
	})
	if err != nil || fmt.Sprint(gone) != "[2 4]" || l.Gone() != 0 {
		t.Fatalf("%v, %v, %d", gone, err, l.Gone())
	}
	if err := l.DeleteMessages(ctx, gone); err != nil || l.Gone() != 4 {
		t.Fatalf("%v, %d", err, l.Gone())
	}
	check := func(l *Log, from uint64, want string) {
		t.Helper()
		if got, err := contents(l, from); err != nil || fmt.Sprint(got) != want {
			t.Fatalf("%v, %v", got, err)
		}
	}
	check(l, 1, "[1: 1[0] 3: 1[2] 5: 1[4] 6: 2[5]]")
	if err := l.Trim(ctx, 3); err != nil {
		t.Fatal(err)
	}
	check(l, 3, "[3: 1[2] 5: 1[4] 6: 2[5]]")
	if _, err := contents(l, 2); !errors.Is(err, ErrTrimmed) {
		t.Fatalf("below the trim: %v", err)
	}
	_ = l.Close()
	_ = s.Close()
	s = openServer(t, dir)
	l = openLog(t, s)
	check(l, 3, "[3: 1[2] 5: 1[4] 6: 2[5]]")
	if err := l.stream.Delete(ctx, 5); err != nil { // behind the log's back
		t.Fatal(err)
	}
	var le *LogError
	if _, err := contents(l, 3); !errors.Is(err, ErrLost) || !errors.As(err, &le) || le.Seq != 5 {
		t.Fatalf("a hidden message: %v", err)
	}
}

func TestLogNoticesLostTail(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := openServer(t, dir)
	l := openLog(t, s)
	for i := range int64(3) {
		mustAppend(t, l, blockOf(1, i))
	}
	if err := l.stream.(*natsStream).mark.setLast(5); err != nil { // as if two more had been acknowledged
		t.Fatal(err)
	}
	_ = l.Close()
	l = openLog(t, s)
	if !errors.Is(l.Damage(), ErrLost) {
		t.Fatalf("damage: %v", l.Damage())
	}
	if _, err := l.Append(ctx, []*Block{blockOf(1, 9)}); !errors.Is(err, ErrLost) {
		t.Fatalf("append: %v", err)
	}
	if got, err := contents(l, 1); err != nil || len(got) != 3 {
		t.Fatalf("%v, %v", got, err)
	}
}

func TestLogFencesOtherWriter(t *testing.T) {
	s := openServer(t, t.TempDir())
	a, b := openLog(t, s), openLog(t, s)
	mustAppend(t, a, blockOf(1, 1))
	if _, err := b.Append(context.Background(), []*Block{blockOf(1, 2)}); !errors.Is(err, ErrFenced) {
		t.Fatalf("second writer: %v", err)
	}
	if _, err := b.Append(context.Background(), []*Block{blockOf(1, 3)}); !errors.Is(err, ErrFenced) {
		t.Fatalf("second writer again: %v", err)
	}
	if seq := mustAppend(t, a, blockOf(1, 4)); seq != 2 {
		t.Fatalf("first writer at %d", seq)
	}
}
