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

// OverTogether is the place among j's Keys of the first pair of times by which both
// sides forget rows: once it is over on both, no row comes that they could meet. -1:
// none is. (The event time itself may come late still, and what is left of a session
// may meet one that was over before.)
func (d *Deriver) OverTogether(j *Join) int {
	l, r := d.Props(j.Left).Times, d.Props(j.Right).Times
	ends := func(t physical.Time) bool { return len(t.Watermark) > 0 && !t.Late && !t.Shrinks }
	return slices.IndexFunc(j.Keys, func(k JoinKey) bool { return ends(l[k.Left.ID]) && ends(r[k.Right.ID]) })
}

// outlastJoin is outlast for a join.
func (d *Deriver) outlastJoin(keys [][]int, j *Join) [][]int {
	at := d.OverTogether(j)
	if at < 0 || d.Props(j.Left).AppendOnly && d.Props(j.Right).AppendOnly {
		return keys
	}
	k := j.Keys[at]
	if !j.Kind.PadsLeft() {
		return withColumn(keys, k.Left.ID)
	}
	if keys = withColumn(keys, k.Right.ID); j.Kind == FullJoin {
		keys = withColumn(keys, k.Left.ID)
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
