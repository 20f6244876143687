package state

import (
	"math/rand"
	"testing"
)

func TestIntTableAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	tab := NewIntTable(nil)
	model := map[int64]Ref{}
	for step := range 300000 {
		k := int64(rng.Intn(40000)) * int64(1+step%3)
		if r, ok := model[k]; ok {
			if got := tab.FindInt(k); got != r {
				t.Fatalf("step %d: key %d is at %d, want %d", step, k, got, r)
			}
			switch rng.Intn(4) {
			case 0, 1:
				tab.DeleteInt(k, r)
				delete(model, k)
			case 2:
				model[k] = Ref(step + 1)
				if got := tab.SwapInt(k, HashInt(k), Ref(step+1)); got != r {
					t.Fatalf("step %d: key %d was at %d, want %d", step, k, got, r)
				}
			}
			continue
		}
		if got := tab.FindInt(k); got != 0 {
			t.Fatalf("step %d: key %d found at %d, but it is gone", step, k, got)
		}
		model[k] = Ref(step + 1)
		if step%2 == 0 {
			tab.InsertInt(k, Ref(step+1))
		} else if got := tab.SwapInt(k, HashInt(k), Ref(step+1)); got != 0 {
			t.Fatalf("step %d: key %d was at %d, but is not there", step, k, got)
		}
	}
	if tab.Len() != int64(len(model)) {
		t.Fatalf("Len %d, want %d", tab.Len(), len(model))
	}
	keys, hashes := []int64{}, []uint64{}
	for k := range int64(120000) {
		keys, hashes = append(keys, k), append(hashes, HashInt(k))
	}
	refs := make([]Ref, len(keys))
	tab.FindInts(keys, hashes, refs)
	for i, k := range keys {
		if refs[i] != model[k] {
			t.Fatalf("FindInts: key %d at %d, want %d", k, refs[i], model[k])
		}
	}
}

// TestTableOfFewHashes has many rows under one hash, which no split parts, and
// images that must not see later changes.
func TestTableOfFewHashes(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	tab := NewTable(nil)
	live := map[Ref]uint64{}
	var im *TableImage
	var then map[Ref]uint64
	for step := range 20000 {
		h := HashBytes([]byte{byte(rng.Intn(5))})
		if step%4 == 3 {
			for r, h := range live {
				tab.Delete(h, r)
				delete(live, r)
				break
			}
		} else {
			tab.Insert(h, Ref(step+1))
			live[Ref(step+1)] = h
		}
		if step%5000 == 4000 {
			im, then = tab.Snapshot(), map[Ref]uint64{}
			for r, h := range live {
				then[r] = h
			}
		}
	}
	for r, h := range live {
		if tab.Find(h, func(x Ref) bool { return x == r }) != r {
			t.Fatalf("row %d not found", r)
		}
	}
	for r := Ref(1); r <= 20000; r++ {
		for k := range 5 {
			h := HashBytes([]byte{byte(k)})
			found := im.Find(h, func(x Ref) bool { return x == r }) == r
			if want, ok := then[r]; found != (ok && want == h) {
				t.Fatalf("image: row %d under hash %d: found %v", r, k, found)
			}
		}
	}
}

// Keys that are alike but for a number have hashes of their own, and eight that
// follow one another slots beside one another.
func TestHashBeside(t *testing.T) {
	seen := map[uint64]bool{}
	for h := range uint64(50) {
		for n := int64(-40); n < 40; n++ {
			x := HashBeside(HashInt(int64(h)), n)
			if seen[x] {
				t.Fatalf("%d of %d: hash %x is there twice", n, h, x)
			}
			seen[x] = true
			if n&7 != 0 && spread(x) != spread(HashBeside(HashInt(int64(h)), n-1))+1 {
				t.Fatalf("%d of %d does not lie behind the one before", n, h)
			}
		}
	}
}
