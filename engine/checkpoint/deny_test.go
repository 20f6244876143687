package checkpoint

import (
	"errors"
	"testing"
)

// TestAbortAfterCommit: a deferred Abort takes nothing back of what was
// committed, neither at once nor with the next round.
func TestAbortAfterCommit(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	for round := uint64(1); round <= 3; round++ {
		w, err := d.Begin(round)
		if err != nil {
			t.Fatal(err)
		}
		// Page `round` changes in this round only.
		if err := w.PutPages(2, 7, 3, 1, seq(map[uint64][]byte{round: {byte(round)}})); err != nil {
			t.Fatal(err)
		}
		m := &Manifest{Jobs: []Job{{ID: 1}, {ID: 2, Stores: []Store{{Op: 7, Part: 3, Index: 1}}}}}
		if err := w.Commit(m); err != nil {
			t.Fatal(err)
		}
		w.Abort()
	}
	_ = d.Close()
	d = open(t, dir)
	defer d.Close()
	m, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := pages(d, m); err != nil || len(got) != 3 || got[1] != "\x01" {
		t.Fatalf("%v, %v", got, err)
	}
}

// TestDeny: the checkpoint before a denied one becomes the newest, what the
// denied one wrote is not seen by later rounds, and a restart agrees.
func TestDeny(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	put(t, d, 1, map[uint64][]byte{1: []byte("a"), 2: []byte("b")})
	put(t, d, 2, map[uint64][]byte{1: []byte("c"), 3: []byte("d")})
	put(t, d, 3, map[uint64][]byte{1: []byte("wrong"), 2: nil, 4: []byte("wrong")})
	d.Deny()
	if n := d.NewestRound(); n != 3 {
		t.Fatalf("newest round: %d", n)
	}
	if _, err := d.Begin(3); err == nil {
		t.Fatal("the number of the denied round was given again")
	}
	want := func(round uint64) {
		t.Helper()
		m, err := d.Latest()
		if err != nil || m.Round != round {
			t.Fatalf("newest: %v, %v; want round %d", m, err, round)
		}
		got, err := pages(d, m)
		if err != nil || len(got) != 3 || got[1] != "c" || got[2] != "b" || got[3] != "d" {
			t.Fatalf("%v, %v", got, err)
		}
	}
	want(2)
	put(t, d, 4, nil)
	want(4)
	_ = d.Close()
	d = open(t, dir)
	defer d.Close()
	want(4)
	d.Deny()
	want(2)
	d.Deny()
	if _, err := d.Latest(); !errors.Is(err, ErrNone) {
		t.Fatalf("after all were denied: %v", err)
	}
	d.Deny() // of nothing
	put(t, d, 5, map[uint64][]byte{1: []byte("c"), 2: []byte("b"), 3: []byte("d")})
	want(5)
}
