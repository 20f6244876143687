package checkpoint

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"pgregory.net/rapid"
)

func open(t testing.TB, dir string) *DB {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func seq(pages map[uint64][]byte) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		for p, b := range pages {
			if !yield(p, b) {
				return
			}
		}
	}
}

// put writes one round of job 1 and 2 with the same pages in a store each.
func put(t testing.TB, d *DB, round uint64, pages map[uint64][]byte) {
	t.Helper()
	w, err := d.Begin(round)
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{}
	for job := uint64(1); job <= 2; job++ {
		if err := w.PutPages(job, 7, 3, 1, seq(pages)); err != nil {
			t.Fatal(err)
		}
		m.Jobs = append(m.Jobs, Job{ID: job, Batch: round * 10, Meta: []byte("meta"), Stores: []Store{{Op: 7, Part: 3, Index: 1, Rows: 5, Hash: 1 << 63}}})
	}
	if err := w.Commit(m); err != nil {
		t.Fatal(err)
	}
}

// pages loads job 2's store at the round of m.
func pages(d *DB, m *Manifest) (map[uint64]string, error) {
	out := map[uint64]string{}
	err := d.LoadPages(m.Round, 2, m.Jobs[1].Stores[0], func(p uint64, data []byte) error {
		out[p] = string(data)
		return nil
	})
	return out, err
}

func keys(t testing.TB, d *DB, prefix byte) int {
	t.Helper()
	n := 0
	err := d.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{prefix}})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestRoundsAgainstModel writes random rounds, some given up, some cut off by a
// close, and compares the two kept ones with a map.
func TestRoundsAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		d := open(t, dir)
		defer func() { _ = d.Close() }()
		var kept []map[uint64]string
		cur := map[uint64]string{}
		round := uint64(0)
		for range rapid.IntRange(1, 8).Draw(rt, "rounds") {
			round++
			change := map[uint64][]byte{}
			next := map[uint64]string{}
			for p, v := range cur {
				next[p] = v
			}
			for range rapid.IntRange(0, 6).Draw(rt, "pages") {
				p := rapid.Uint64Range(1, 8).Draw(rt, "page")
				if rapid.Bool().Draw(rt, "free") {
					change[p] = nil
					delete(next, p)
				} else {
					v := fmt.Sprintf("%d in %d", p, round)
					if rapid.Bool().Draw(rt, "large") {
						v += string(make([]byte, 3000))
					}
					change[p], next[p] = []byte(v), v
				}
			}
			switch rapid.SampledFrom([]string{"commit", "commit", "abort", "crash"}).Draw(rt, "end") {
			case "commit":
				put(t, d, round, change)
				cur = next
				kept = append(kept, cur)
				kept = kept[max(0, len(kept)-2):]
			case "abort":
				w, err := d.Begin(round)
				if err != nil {
					rt.Fatal(err)
				}
				if err := w.PutPages(2, 7, 3, 1, seq(change)); err != nil {
					rt.Fatal(err)
				}
				if rapid.Bool().Draw(rt, "flushed") {
					_ = w.wb.Flush()
				}
				w.Abort()
			case "crash":
				w, err := d.Begin(round)
				if err != nil {
					rt.Fatal(err)
				}
				if err := w.PutPages(2, 7, 3, 1, seq(change)); err != nil {
					rt.Fatal(err)
				}
				_ = w.wb.Flush()
				_ = d.Close()
				d = open(t, dir)
			}
			for back, load := range []func() (*Manifest, error){d.Latest, d.Previous} {
				m, err := load()
				if back >= len(kept) {
					if !errors.Is(err, ErrNone) {
						rt.Fatalf("checkpoint %d back: %v", back, err)
					}
					continue
				}
				if err != nil {
					rt.Fatal(err)
				}
				got, err := pages(d, m)
				if want := kept[len(kept)-1-back]; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
					rt.Fatalf("round %d: %v, want %v: %v", m.Round, got, want, err)
				}
			}
		}
	})
}

func TestStaleVersionsGo(t *testing.T) {
	d := open(t, t.TempDir())
	defer d.Close()
	for round := uint64(1); round <= 20; round++ {
		change := map[uint64][]byte{round%3 + 1: []byte("x")}
		if round%5 == 0 {
			change[round%3+1] = nil
		}
		put(t, d, round, change)
	}
	// Three pages at most in two versions, and what waits to go with the next round.
	if n := keys(t, d, pagePrefix); n > 2*3*2+len(d.garbage) || keys(t, d, manifestPrefix) != 2 {
		t.Fatalf("%d page keys, %d manifests", n, keys(t, d, manifestPrefix))
	}
	d.DropJob(1)
	d.DropJob(2)
	w, err := d.Begin(21)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(&Manifest{}); err != nil {
		t.Fatal(err)
	}
	if n := keys(t, d, pagePrefix); n != 0 {
		t.Fatalf("%d page keys of dropped jobs", n)
	}
}

func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	big := make([]byte, 2*blobChunk+5)
	for i := range big {
		big[i] = byte(i / 1000)
	}
	round := func(n uint64, put func(w *Writer) error) {
		t.Helper()
		w, err := d.Begin(n)
		if err != nil {
			t.Fatal(err)
		}
		if err := put(w); err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(&Manifest{Jobs: []Job{{ID: 4}}}); err != nil {
			t.Fatal(err)
		}
	}
	round(1, func(w *Writer) error { return errors.Join(w.PutBlob(4, "a", big), w.PutBlob(4, "b", []byte{})) })
	round(2, func(w *Writer) error { return errors.Join(w.PutBlob(4, "a", nil), w.PutBlob(4, "c", []byte("ccc"))) })
	_ = d.Close()
	d = open(t, dir)
	defer d.Close()
	show := func(round uint64) string {
		s := ""
		err := d.LoadBlobs(round, 4, func(name string, data []byte) error {
			s += fmt.Sprintf(" %s:%d", name, len(data))
			if name == "a" && string(data) != string(big) {
				t.Error("other bytes")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got := show(1); got != fmt.Sprintf(" a:%d b:0", len(big)) {
		t.Fatalf("round 1:%s", got)
	}
	if got := show(2); got != " b:0 c:3" {
		t.Fatalf("round 2:%s", got)
	}
	round(3, func(*Writer) error { return nil })
	round(4, func(*Writer) error { return nil })
	if n := keys(t, d, blobPrefix); n != 2 {
		t.Fatalf("%d keys of blobs are left", n)
	}
}

func TestMissingPageIsNoticed(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	put(t, d, 1, map[uint64][]byte{1: []byte("a"), 2: []byte("b")})
	put(t, d, 2, map[uint64][]byte{1: []byte("c")})
	err := d.db.Update(func(txn *badger.Txn) error { return txn.Delete(pageKey(storeID{2, 7, 3, 1}, 1, 2)) })
	if err != nil {
		t.Fatal(err)
	}
	_ = d.Close()
	d = open(t, dir)
	defer d.Close()
	m, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	// Page 1 is seen in its older version: the count is right, and only the hash of
	// the caller can tell. Without any version the count does.
	if got, err := pages(d, m); err != nil || got[1] != "a" {
		t.Fatalf("%v, %v", got, err)
	}
	d.index.pages[storeID{2, 7, 3, 1}] = map[uint64]versions{2: {{round: 1, chunks: 1}}}
	if _, err := pages(d, m); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("a missing page: %v", err)
	}
}

func TestUnreadableFilesAreMovedAside(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	d := open(t, dir)
	put(t, d, 1, map[uint64][]byte{1: []byte("a")})
	_ = d.Close()
	if err := os.WriteFile(filepath.Join(dir, "MANIFEST"), []byte("not a manifest"), 0o600); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	defer d.Close()
	if !errors.Is(d.Damage(), ErrCorrupt) {
		t.Fatalf("damage: %v", d.Damage())
	}
	if _, err := d.Latest(); !errors.Is(err, ErrNone) {
		t.Fatalf("latest: %v", err)
	}
	put(t, d, 2, map[uint64][]byte{1: []byte("b")})
}

func TestManifestNoticesFlippedBit(t *testing.T) {
	data := encodeManifest(&Manifest{Round: 3, Jobs: []Job{{ID: 1, Meta: []byte("m"), Stores: []Store{{Op: 1, Rows: 300}}}}})
	for i := range len(data) * 8 {
		data[i/8] ^= 1 << (i % 8)
		if _, err := decodeManifest(3, data); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("bit %d: %v", i, err)
		}
		data[i/8] ^= 1 << (i % 8)
	}
}

func TestBeginRefusesNearlyFullDisk(t *testing.T) {
	d := open(t, t.TempDir())
	defer d.Close()
	d.low = 1 << 60
	if _, err := d.Begin(1); err == nil {
		t.Fatal("began on a disk that is nearly full")
	}
}
