package operators

import (
	"encoding/binary"

	"streamsql/operators/batch"
	"streamsql/operators/state"
)

// versions keeps the rows that an upsert stream has held of each key, by the time
// from which on they count, those of one time by their arrival.
//
// A row that comes is a version from its own time on; from the watermark before
// it, if that is later: left rows below have their answers already. A row that
// goes says something only if no other takes its place: then there is none from
// the time on that the deletion comes with, which lies right behind the deleted
// row and before whatever comes later at that time. A row that is replaced stays
// what it was until its successor's time.
//
// None of this looks at another row, so that neither their order nor the batches
// they come in matter.
type versions struct {
	spec   *TimedSpec
	keys   *grouping
	groups *asofGroups
	rows   *orderedRows
	// over finds the versions below which nobody asks any more. Those before them go.
	over *expiring
}

func newVersions(spec *TimedSpec, keys *grouping, both Watermark, env Env) *versions {
	v := &versions{spec: spec, keys: keys, groups: newAsofGroups(keys, env.Account), rows: newOrderedRows(spec.Right, env.Account)}
	v.over = newExpiring(both, grainOfTimes, v.begins, env.Account)
	return v
}

func (v *versions) states() []*state.Store {
	return []*state.Store{v.groups.store, v.rows.store, v.over.over.store}
}

func (v *versions) rebuild() {
	v.groups.rebuild()
	v.rows.rebuild()
	v.over.rebuild(v.rows.store)
}

// begins is from when on a version counts, for over; false: over is done with it.
func (v *versions) begins(r state.Ref) (int64, bool) {
	if !v.rows.store.Has(r) || v.rows.store.Get(r)[8]&touched == 0 {
		return 0, false
	}
	return int64(placePrefix(v.rows.time(r)) ^ 1<<63), true
}

// deletion reports a version that says that there is none.
func (v *versions) deletion(r state.Ref) bool {
	place := v.rows.time(r)
	return place[len(place)-1] != 0
}

// open prepares a chunk of the right input.
func (v *versions) open(c *batch.Chunk) { v.keys.open(c.Cols, c.N) }

// take notes what row i of the open chunk says.
func (v *versions) take(c *batch.Chunk, i int) error {
	at, mark, kind := c.Cols[v.spec.RightTime], c.Cols[v.spec.Marks.Watermark], byte(0)
	if c.Weight(i) < 0 {
		at, mark, kind = c.Cols[v.spec.Marks.Deleted], nil, 1
	}
	if c.Weight(i) == 0 || at.IsNull(i) || v.spec.unmatchable(v.keys.cols, i) {
		return nil
	}
	from := at.I[i]
	if mark != nil && !mark.IsNull(i) {
		from = max(from, mark.I[i])
	}
	v.groups.grouping = v.keys
	group, err := v.groups.of(i)
	if err != nil {
		return err
	}
	o := v.rows
	o.enc = binary.BigEndian.AppendUint64(timePlace(o.enc[:0], from), uint64(c.Cols[v.spec.Marks.Arrival].I[i]))
	o.enc = append(o.enc, kind)
	r, made, err := o.find(group, c.Cols, i)
	if err != nil || !made {
		return err
	}
	v.groups.count(group, 1)
	row := o.store.Mutable(r)
	putInt(row, 1)
	row[8] |= touched // over has it
	o.show(r)
	v.over.add(r)
	return nil
}

// at is the version of the key in row i of g's open chunk that counts at a time;
// 0: there is none.
func (v *versions) at(g *grouping, i int, time int64) state.Ref {
	v.groups.grouping = g
	group := v.groups.find(i)
	if group == 0 {
		return 0
	}
	r := v.rows.before(v.rows.at(group, timePlace(nil, time+1)))
	if r == 0 || v.deletion(r) {
		return 0
	}
	return r
}

// forget drops versions before those that all who still ask find, at most about
// limit, and returns how much work that was.
func (v *versions) forget(limit int) (work int) {
	for work < limit {
		due := v.over.next(1)
		if len(due) == 0 {
			return work
		}
		work++
		r := due[0]
		if _, ok := v.begins(r); !ok {
			continue // a later one has dropped it
		}
		e := v.rows.entry(r)
		for p := v.rows.before(e); p != 0; p = v.rows.before(e) {
			v.drop(p)
			work++
		}
		v.rows.store.Mutable(r)[8] &^= touched
		if v.deletion(r) {
			v.drop(r)
		}
	}
	return work
}

func (v *versions) drop(r state.Ref) {
	group := v.rows.group(r)
	v.rows.hide(r)
	v.rows.free(r)
	v.groups.count(group, -1)
}
