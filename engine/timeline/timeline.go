// Package timeline is the server's one clock of batches: which id comes next,
// what each recent cut covers, and up to where cuts are durable. It is pure:
// the caller brings locks, time and the log of cuts.
package timeline

import "sort"

// Cut is what one batch id stands for.
type Cut struct {
	ID      uint64
	LogSeq  uint64              // all commit groups up to here
	Time    int64               // NOW() of the batch, µs since 1970 UTC
	Offsets map[uint64][]uint64 // external sources: table → next offset per partition
	// Watermarks are the streams' own after the batch, of those that have one. Cuts
	// share the map; it must not be changed.
	Watermarks map[uint64]int64 `json:",omitempty"`
}

// Keep is how many recent cuts are remembered at least.
const Keep = 4096

// Timeline orders cuts. The zero value is the beginning of time.
type Timeline struct {
	recent  []Cut // ids ascend by one
	durable uint64
}

// Last returns the latest cut; the zero Cut before the first.
func (t *Timeline) Last() Cut {
	if len(t.recent) == 0 {
		return Cut{}
	}
	return t.recent[len(t.recent)-1]
}

// Next makes the next cut: it covers the log up to seq and the given offsets.
// Its time is now, or the last cut's if the clock went backwards.
func (t *Timeline) Next(seq uint64, now int64, offsets map[uint64][]uint64) Cut {
	last := t.Last()
	return Cut{ID: last.ID + 1, LogSeq: max(seq, last.LogSeq), Time: max(now, last.Time), Offsets: offsets}
}

// Add takes a cut in: the next one, or while recovering the next recorded one.
func (t *Timeline) Add(c Cut) {
	t.recent = append(t.recent, c)
	if len(t.recent) > 2*Keep {
		t.recent = append([]Cut(nil), t.recent[len(t.recent)-Keep:]...)
	}
}

// SetDurable says that the records of all cuts up to id are on disk.
func (t *Timeline) SetDurable(id uint64) { t.durable = max(t.durable, id) }

// Durable is the last id whose record, and all before it, are on disk.
func (t *Timeline) Durable() uint64 { return t.durable }

// Covering returns the first cut that covers log sequence seq, false when there is none yet.
// A sequence from before what is remembered is covered by the oldest cut remembered.
func (t *Timeline) Covering(seq uint64) (uint64, bool) {
	i := sort.Search(len(t.recent), func(i int) bool { return t.recent[i].LogSeq >= seq })
	if i == len(t.recent) {
		return 0, seq == 0
	}
	return t.recent[i].ID, true
}

// Get returns the cut with an id, if it is still remembered.
func (t *Timeline) Get(id uint64) (Cut, bool) {
	if len(t.recent) == 0 || id < t.recent[0].ID || id > t.Last().ID {
		return Cut{}, false
	}
	return t.recent[id-t.recent[0].ID], true
}

// Oldest returns the oldest cut that is remembered; the zero Cut before the first.
func (t *Timeline) Oldest() Cut {
	if len(t.recent) == 0 {
		return Cut{}
	}
	return t.recent[0]
}

// AsOf returns the last cut whose time is not later than at, if it is still remembered.
func (t *Timeline) AsOf(at int64) (Cut, bool) {
	i := sort.Search(len(t.recent), func(i int) bool { return t.recent[i].Time > at })
	if i == 0 {
		return Cut{}, false
	}
	return t.recent[i-1], true
}

// Recent lists the cuts that are remembered, oldest first.
func (t *Timeline) Recent() []Cut { return append([]Cut(nil), t.recent...) }
