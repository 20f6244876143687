package logical

import (
	"slices"

	"streamsql/planner/physical"
)

// FirstOver is the column among ids by whose time a state is over first; false: no
// column tells, or rows come late still.
func FirstOver(times map[int]physical.Time, ids []int) (id int, ok bool) {
	least := int64(0)
	for _, c := range ids {
		t, has := times[c]
		if !has || t.Late || len(t.Watermark) == 0 {
			continue
		}
		most := t.Watermark[0].Delay
		for _, s := range t.Watermark {
			most = max(most, s.Delay)
		}
		if !ok || most < least {
			id, least, ok = c, most, true
		}
	}
	return id, ok
}

// outlast are the keys of what a node gives that forgets its state by the time of one
// of the columns ids. Rows that had come of what is forgotten stay, even if that is
// taken back: the input's key may come again then, but only at another time, which so
// belongs to the key. What is appended only is not taken back.
func (d *Deriver) outlast(keys [][]int, in Node, ids []int) [][]int {
	p := d.Props(in)
	by, ok := FirstOver(p.Times, ids)
	if p.AppendOnly || !ok {
		return keys
	}
	return withColumn(keys, by)
}

// outlastJoin is outlast for a join, which forgets by the first time that must be
// equal on both sides.
func (d *Deriver) outlastJoin(keys [][]int, j *Join) [][]int {
	l, r := d.Props(j.Left), d.Props(j.Right)
	if l.AppendOnly && r.AppendOnly {
		return keys
	}
	for _, k := range j.Keys {
		_, left := FirstOver(l.Times, []int{k.Left.ID})
		_, right := FirstOver(r.Times, []int{k.Right.ID})
		if !left || !right {
			continue
		}
		if !j.Kind.PadsLeft() {
			return withColumn(keys, k.Left.ID)
		}
		if keys = withColumn(keys, k.Right.ID); j.Kind == FullJoin {
			keys = withColumn(keys, k.Left.ID)
		}
		return keys
	}
	return keys
}

func withColumn(keys [][]int, id int) [][]int {
	out := make([][]int, len(keys))
	for i, k := range keys {
		if out[i] = k; !slices.Contains(k, id) {
			out[i] = sorted(append(slices.Clone(k), id))
		}
	}
	return out
}
