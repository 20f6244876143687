package operators

import "testing"

func TestLongList(t *testing.T) {
	var l longList[int]
	for round := range 3 {
		for i := range 3*listBlock + 5 {
			l.push(i * round)
		}
		for i := 0; i < l.len(); {
			piece := l.from(i, 1000)
			for k, x := range piece {
				if x != (i+k)*round || *l.at(i + k) != x {
					t.Fatalf("item %d of round %d is %d", i+k, round, x)
				}
			}
			i += len(piece)
		}
		if round == 1 {
			for i := l.len() - 1; i >= 0; i-- {
				if x := l.pop(); x != i {
					t.Fatalf("popped %d, not %d", x, i)
				}
			}
			l.push(7)
			if l.len() != 1 || *l.at(0) != 7 {
				t.Fatalf("%d items", l.len())
			}
		}
		if l.clear(); l.len() != 0 {
			t.Fatal("not empty")
		}
	}
}
