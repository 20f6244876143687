package state

import (
	"bytes"
	"errors"
	"math/rand"
	"slices"
	"testing"

	"streamsql/operators/account"
)

// fill makes a row of n bytes that says what it is.
func fill(b []byte, seed uint32) {
	for i := range b {
		b[i] = byte(seed>>(8*(i&3))) ^ byte(i)
	}
}

// TestStoreAgainstMap changes a store at random, beside a map that says what
// must be in it; takes images, whose content must not change; and restores
// checkpoints, of the pages as they were written one after the other.
func TestStoreAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	acc := account.New("test", nil, 0)
	s := NewStore(acc)
	model := map[Ref][]byte{}
	type moment struct {
		im   *Image
		want map[Ref][]byte
	}
	var moments []moment
	disk := map[uint64][]byte{}
	refs := []Ref{}
	for step := range 30000 {
		switch k := rng.Intn(100); {
		case k < 45 || len(refs) == 0:
			n := 1 + rng.Intn(100)
			if rng.Intn(50) == 0 {
				n = 1 + rng.Intn(9000)
			}
			r, err := s.Alloc(n)
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := model[r]; ok || r == 0 {
				t.Fatalf("ref %x given twice", r)
			}
			row := s.Mutable(r)
			if len(row) != n {
				t.Fatalf("asked for %d bytes, got %d", n, len(row))
			}
			fill(row, uint32(step))
			model[r] = bytes.Clone(row)
			refs = append(refs, r)
		case k < 70:
			r := refs[rng.Intn(len(refs))]
			row := s.Mutable(r)
			fill(row, uint32(step))
			model[r] = bytes.Clone(row)
		case k < 99 && (step/10000%2 == 1 || k < 85):
			i := rng.Intn(len(refs))
			s.Free(refs[i])
			delete(model, refs[i])
			refs[i] = refs[len(refs)-1]
			refs = refs[:len(refs)-1]
		case step%10 == 0:
			want := make(map[Ref][]byte, len(model))
			for r, b := range model {
				want[r] = b
			}
			moments = append(moments, moment{s.Snapshot(), want})
			if len(moments) > 3 {
				same(t, moments[0].im.Rows, moments[0].want)
				k := rng.Intn(len(moments)) // in any order
				moments[k].im.Release()
				moments = slices.Delete(moments, k, k+1)
			}
			held, bytes := map[*page]bool{}, int64(0)
			for _, m := range moments {
				for no, p := range m.im.pages {
					if p != nil && !held[p] && (no >= len(s.pages) || s.pages[no] != p) {
						held[p] = true
						bytes += int64(len(p.data))
					}
				}
			}
			if kept := moments[0].im.Kept(); kept != bytes || acc.Used() != s.Bytes()+bytes {
				t.Fatalf("step %d: images hold %d bytes alone, the store says %d, the account %d for %d", step, bytes, kept, acc.Used(), s.Bytes())
			}
		case step%11 == 0:
			d := s.Checkpoint()
			for _, no := range d.Freed {
				delete(disk, no)
			}
			for _, no := range d.Changed {
				disk[no] = bytes.Clone(d.Page(no))
			}
			restored := NewStore(nil)
			for no, data := range disk {
				if err := restored.Load(no, bytes.Clone(data)); err != nil {
					t.Fatal(err)
				}
			}
			restored.FinishLoad()
			if restored.Digest() != d.Hash() || restored.Rows() != d.Len() {
				t.Fatalf("step %d: restored store differs: %d rows, want %d", step, restored.Rows(), d.Len())
			}
			same(t, restored.Scan, model)
			d.Release()
		}
	}
	same(t, s.Scan, model)
	for _, m := range moments {
		m.im.Release()
	}
	if acc.Used() != s.Bytes() {
		t.Fatalf("account says %d, pages have %d", acc.Used(), s.Bytes())
	}
	for _, r := range refs {
		s.Free(r)
	}
	if s.Bytes() > int64(len(slotSizes)*PageSize) {
		t.Fatalf("an empty store holds %d bytes", s.Bytes())
	}
	s.Close()
	if acc.Used() != 0 {
		t.Fatalf("closed store left %d bytes", acc.Used())
	}
}

func same(t *testing.T, scan func(func(Ref, []byte) bool), want map[Ref][]byte) {
	t.Helper()
	n := 0
	scan(func(r Ref, row []byte) bool {
		n++
		if !bytes.Equal(row, want[r]) {
			t.Fatalf("row %x is %x, want %x", r, row, want[r])
		}
		return true
	})
	if n != len(want) {
		t.Fatalf("%d rows, want %d", n, len(want))
	}
}

func TestStoreStopsAtTheCap(t *testing.T) {
	s := NewStore(account.New("small", nil, 3*PageSize))
	n := 0
	for {
		if _, err := s.Alloc(64); err != nil {
			if !errors.Is(err, account.ErrCap) {
				t.Fatal(err)
			}
			break
		}
		n++
	}
	if int64(n) != s.Rows() || n < 3*PageSize/70 {
		t.Fatalf("%d rows before the cap, store says %d", n, s.Rows())
	}
}

func TestLoadRefusesBrokenPages(t *testing.T) {
	s := NewStore(nil)
	r, _ := s.Alloc(20)
	good := s.Snapshot().Page(r.page())
	for name, spoil := range map[string]func(b []byte) []byte{
		"version":  func(b []byte) []byte { b[0] = 9; return b },
		"kind":     func(b []byte) []byte { b[1] = 7; return b },
		"slot":     func(b []byte) []byte { b[2] = 25; return b },
		"count":    func(b []byte) []byte { b[4]++; return b },
		"length":   func(b []byte) []byte { b[headerSize] = 200; return b },
		"short":    func(b []byte) []byte { return b[:100] },
		"shortest": func(b []byte) []byte { return b[:3] },
	} {
		if err := NewStore(nil).Load(1, spoil(bytes.Clone(good))); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A large store has little more memory than its rows, whatever their lengths.
func TestSlotsFitRows(t *testing.T) {
	s, rng, sum := NewStore(nil), rand.New(rand.NewSource(1)), int64(0)
	for range 100_000 {
		n := 100 + rng.Intn(800)
		if _, err := s.Alloc(n); err != nil {
			t.Fatal(err)
		}
		sum += int64(n)
	}
	if most := sum * 106 / 100; s.Bytes() > most {
		t.Errorf("%d bytes for rows of %d", s.Bytes(), sum)
	}
	small := NewStore(nil)
	for n := range 900 {
		if _, err := small.Alloc(n + 1); err != nil {
			t.Fatal(err)
		}
	}
	if most := int64(50 * PageSize); small.Bytes() > most {
		t.Errorf("%d bytes for 900 rows of 405 KB", small.Bytes())
	}
}
