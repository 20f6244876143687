package topic_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// soak asks for the large sizes.
var soak = os.Getenv("STREAMSQL_SOAK") != ""

func size(small, large int) int {
	if soak {
		return large
	}
	return small
}

// TestMain runs the test binary as the process that gets killed if it is asked to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STREAMSQL_TEST_WRITE"); dir != "" {
		writers, _ := strconv.Atoi(os.Getenv("STREAMSQL_TEST_WRITERS"))
		rows, _ := strconv.Atoi(os.Getenv("STREAMSQL_TEST_ROWS"))
		if err := write(dir, writers, rows); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// write appends rows from several writers and prints each once it is
// acknowledged; without a bound if rows is 0.
func write(dir string, writers, rows int) error {
	s, err := topic.Open(dir)
	if err != nil {
		return err
	}
	l, err := topic.OpenLog(context.Background(), s, "commits")
	if err != nil {
		return err
	}
	base := time.Now().UnixNano()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; rows == 0 || i < rows; i++ {
				id := base + int64(w)*1e6 + int64(i)
				if _, err := l.Append(context.Background(), []*topic.Block{block(id)}); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				_, _ = os.Stdout.WriteString("ack " + strconv.FormatInt(id, 10) + "\n")
			}
		})
	}
	wg.Wait()
	return s.Close()
}

func block(xs ...int64) *topic.Block {
	c := batch.New([]types.Type{types.MakeBigInt()}, len(xs))
	for _, x := range xs {
		c.Cols[0].AppendInt(x)
		c.PushWeight(1)
	}
	return topic.NewBlock(topic.Header{Table: 1}, c)
}

// recovered opens the log under dir and returns its rows, and the error that says
// what is wrong with it, if anything is.
func recovered(dir string) (rows []int64, err error) {
	s, err := topic.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	l, err := topic.OpenLog(context.Background(), s, "commits")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	err = l.Read(context.Background(), l.FirstSeq(), l.LastSeq(), func(_ uint64, blocks []*topic.Block) error {
		for _, b := range blocks {
			v, err := b.Column(0)
			if err != nil {
				return err
			}
			rows = append(rows, v.I...)
		}
		return nil
	})
	return rows, errors.Join(err, l.Damage())
}

func child(dir string, writers, rows int, prefix ...string) *exec.Cmd {
	args := append(prefix, os.Args[0], "-test.run=^$")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "STREAMSQL_TEST_WRITE="+dir,
		"STREAMSQL_TEST_WRITERS="+strconv.Itoa(writers), "STREAMSQL_TEST_ROWS="+strconv.Itoa(rows))
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKill kills a process that writes, again and again on the same files: no
// acknowledged row is lost, none is there twice.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	acked := map[int64]bool{}
	for range size(5, 200) {
		cmd := child(dir, 8, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		want := 1 + rand.IntN(400) // rows before the kill
		sc := bufio.NewScanner(out)
		for sc.Scan() {
			var id int64
			if _, err := fmt.Sscanf(sc.Text(), "ack %d", &id); err != nil {
				continue // cut off by the kill
			}
			acked[id] = true
			if want--; want == 0 {
				_ = cmd.Process.Kill()
			}
		}
		if err := cmd.Wait(); err == nil || want > 0 {
			t.Fatalf("the writer ended by itself: %v", err)
		}
		rows, err := recovered(dir)
		if err != nil {
			t.Fatal(err)
		}
		count := map[int64]int{}
		for _, id := range rows {
			count[id]++
			if count[id] > 1 {
				t.Fatalf("%d is there twice", id)
			}
		}
		for id := range acked {
			if count[id] == 0 {
				t.Fatalf("%d was acknowledged and is lost", id)
			}
		}
	}
	t.Logf("%d acknowledged rows", len(acked))
}

// TestFsyncPrecedesAcknowledgement watches the system calls of a writer: between
// two acknowledgements there is a successful fsync of the log's block file.
func TestFsyncPrecedesAcknowledgement(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("strace is not installed")
		}
		t.Skip("strace is not installed")
	}
	trace := filepath.Join(t.TempDir(), "trace")
	const rows = 50
	cmd := child(t.TempDir(), 1, rows, strace, "-f", "-y", "-s", "16", "-e", "trace=write,fsync,fdatasync", "-o", trace)
	if out, err := cmd.Output(); err != nil || strings.Count(string(out), "ack ") != rows {
		t.Fatalf("%v: %s", err, out)
	}
	f, err := os.Open(trace)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// A call that another thread interrupts is on two lines; the first names the file.
	begun := regexp.MustCompile(`^(\d+) +fsync\(\d+<.*/streams/commits/msgs/\d+\.blk>.* <unfinished`)
	whole := regexp.MustCompile(`^\d+ +fsync\(\d+<.*/streams/commits/msgs/\d+\.blk>\) += 0`)
	ended := regexp.MustCompile(`^(\d+) +<\.\.\. fsync resumed>\) += 0`)
	pending := map[string]bool{}
	synced, acks := 0, 0
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		line := sc.Text()
		switch {
		case whole.MatchString(line):
			synced++
		case begun.MatchString(line):
			pending[begun.FindStringSubmatch(line)[1]] = true
		case ended.MatchString(line):
			if thread := ended.FindStringSubmatch(line)[1]; pending[thread] {
				delete(pending, thread)
				synced++
			}
		case strings.Contains(line, `"ack `):
			if synced == 0 {
				t.Fatalf("acknowledgement %d without an fsync before: %s", acks+1, line)
			}
			synced = 0
			acks++
		}
	}
	if acks != rows {
		t.Fatalf("%d acknowledgements in the trace", acks)
	}
}

// sample writes a small log and returns its rows.
func sample(t *testing.T, dir string) []int64 {
	t.Helper()
	s, err := topic.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l, err := topic.OpenLog(context.Background(), s, "commits")
	if err != nil {
		t.Fatal(err)
	}
	var rows []int64
	for range 20 {
		var xs []int64
		for range 60 {
			xs = append(xs, rand.Int64())
		}
		rows = append(rows, xs...)
		if _, err := l.Append(context.Background(), []*topic.Block{block(xs...)}); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// copyOf copies a directory. Without the index JetStream rebuilds it from the
// blocks, as after a kill.
func copyOf(t *testing.T, dir string, index bool) string {
	t.Helper()
	to := t.TempDir()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		if !index && e.Name() == "index.db" {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func files(t *testing.T, dir, pattern string) []string {
	t.Helper()
	var out []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if ok, _ := filepath.Match(pattern, filepath.Base(path)); ok && err == nil && !e.IsDir() {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// TestTornBlock cuts the last block file of the log at every 512 bytes: it always
// opens, and holds a prefix; what is missing is said.
func TestTornBlock(t *testing.T) {
	dir := t.TempDir()
	rows := sample(t, dir)
	for _, index := range []bool{true, false} {
		whole := 0
		for cut := int64(0); ; cut += int64(size(1024, 512)) {
			torn := copyOf(t, dir, index)
			blk := files(t, filepath.Join(torn, "jetstream/$G/streams/commits"), "*.blk")
			last := blk[len(blk)-1]
			if i, err := os.Stat(last); err != nil || cut > i.Size() {
				break
			}
			if err := os.Truncate(last, cut); err != nil {
				t.Fatal(err)
			}
			got, err := recovered(torn)
			if len(got) > len(rows) || !slices.Equal(got, rows[:len(got)]) {
				t.Fatalf("cut at %d: not a prefix", cut)
			}
			if len(got) < len(rows) && err == nil {
				t.Fatalf("cut at %d: %d of %d rows, and no error", cut, len(got), len(rows))
			}
			if len(got) > 0 {
				whole++
			}
		}
		if whole == 0 {
			t.Fatal("no cut left anything")
		}
	}
}

// TestFlippedBit turns single bits all over the files: all rows are there, or an
// error says that they are not.
func TestFlippedBit(t *testing.T) {
	dir := t.TempDir()
	rows := sample(t, dir)
	noticed := 0
	for i := range size(60, 1000) {
		flipped := copyOf(t, dir, i%2 == 0)
		all := files(t, flipped, "*")
		weigh := append(all, slices.Repeat(files(t, flipped, "*.blk"), 5)...)
		name := weigh[rand.IntN(len(weigh))]
		data, err := os.ReadFile(name)
		if err != nil || len(data) == 0 {
			continue
		}
		bit := rand.IntN(len(data) * 8)
		data[bit/8] ^= 1 << (bit % 8)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := recovered(flipped)
		if err == nil && !slices.Equal(got, rows) {
			rel, _ := filepath.Rel(flipped, name)
			t.Errorf("bit %d of %s: %d of %d rows, and no error", bit, rel, len(got), len(rows))
		}
		if err != nil {
			noticed++
		}
	}
	if noticed == 0 {
		t.Error("no flipped bit was noticed")
	}
}
