package physical

import (
	"fmt"
	"reflect"
	"testing"
)

// TestFindWatermarks: they are found in pointers, slices and structs of specs,
// and not in other nodes.
func TestFindWatermarks(t *testing.T) {
	type spec struct {
		Sides  []*Expiry
		Closes Watermark
		Below  *Node
	}
	w := func(ids ...uint64) (w Watermark) {
		for _, id := range ids {
			w = append(w, StreamDelay{Table: id})
		}
		return w
	}
	s := spec{
		Sides: []*Expiry{nil, {Watermark: w(3, 1)}}, Closes: w(2),
		Below: &Node{Kind: Source},
	}
	var found []uint64
	findWatermarks(reflect.ValueOf(s), func(w Watermark) {
		for _, d := range w {
			found = append(found, d.Table)
		}
	})
	if got := fmt.Sprint(found); got != "[3 1 2]" {
		t.Errorf("found %s", got)
	}
}
