package engine

import (
	"slices"
	"sort"
	"time"

	"streamsql/catalog"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
)

// change is what one batch changed in a view.
type change struct {
	id     uint64
	time   int64 // of the batch, in µs
	chunks []*batch.Chunk
	bytes  int64 // about, in memory
}

// changelog is what recent batches changed in a view, by batch id, for those
// who read it: other views, SUBSCRIBE, CHANGES and AS OF. The newest changes are
// in memory; those that a checkpoint has written lie on disk too, and leave memory
// first. Engine.mu guards it.
//
//	from ──────────── hot ─────────── saved ──────── the view's last batch
//	     on disk only     both            memory only
type changelog struct {
	account *account.Account
	keep    retention
	list    []change  // in memory, all after hot; ids ascend
	bytes   int64     // of list
	from    uint64    // the changes of all batches after this one are here
	since   int64     // the time of batch from; 0: not known
	born    point     // the batch of its history: as of before, it cannot be read
	hot     uint64    // those after this one are in memory
	saved   uint64    // those up to this one are on disk
	disk    []segment // what is kept there, ids ascend
	stored  []segment // what the last checkpoint has
	cache   cached    // the segment that was last read for a view that is behind
}

// retention bounds what a changelog keeps beyond what other views still need.
type retention struct {
	age     time.Duration // 0: as long as there is room
	batches int           // 0: any number
	bytes   int64         // in memory and on disk together
}

// point is a batch and its time.
type point struct {
	Batch uint64 `json:"batch"`
	Time  int64  `json:"time"`
}

const (
	// hotBytes is how much of a changelog stays in memory once it is on disk.
	hotBytes = 4 << 20
	// A view that says nothing of history keeps the changes of so many batches, for
	// readers that come back after a moment.
	defaultBatches = 1024
	// A view that does keeps them for that time, up to so many bytes on disk.
	historyBytes = 1 << 30
	// collectRows: a view without history and without readers does not keep what a
	// batch of more rows changes. It costs too much where nobody has asked for it.
	collectRows = 4096
)

// historyOption is the option of a view that says for how long it keeps changes.
const historyOption = "history"

// newChangelog makes the changelog of a continuous query, whose options are checked.
func newChangelog(t *catalog.Table, a *account.Account) changelog {
	l := changelog{account: a}
	l.retain(t)
	return l
}

// retain keeps changes as the query's options say from now on.
func (l *changelog) retain(t *catalog.Table) {
	l.keep = retention{batches: defaultBatches, bytes: hotBytes}
	if t.Delivers() {
		l.keep = retention{batches: 1} // it is for the sink alone
	} else if age, err := connector.ParseDuration(t.Options[historyOption]); err == nil {
		l.keep = retention{age: age, bytes: historyBytes}
	}
}

// checkHistory refuses a history that is no length of time.
func checkHistory(options map[string]string) error {
	v, ok := options[historyOption]
	if !ok {
		return nil
	}
	if age, err := connector.ParseDuration(v); err != nil || age <= 0 {
		return sqlerr.New(sqlerr.WrongArguments, "history is for how long a view keeps its changes, such as '1 hour', not '%s'", v)
	}
	return nil
}

// add takes in what a batch changed; nothing, if chunks is empty.
func (l *changelog) add(id uint64, at int64, chunks []*batch.Chunk) {
	if len(chunks) == 0 {
		return
	}
	c := change{id: id, time: at, chunks: chunks}
	for _, k := range chunks {
		c.bytes += chunkBytes(k)
	}
	l.list = append(l.list, c)
	l.bytes += c.bytes
	l.account.Force(c.bytes)
}

// skip forgets everything up to a batch whose changes were not collected.
func (l *changelog) skip(id uint64, at int64) {
	for len(l.list) > 0 {
		l.drop()
	}
	l.list, l.disk = nil, nil
	l.from, l.since, l.hot = id, at, id
}

// trim forgets what is beyond the retention at time now, except changes from
// batch need on. What is on disk leaves memory when that holds too much.
func (l *changelog) trim(now int64, need uint64) {
	batches, bytes := len(l.list), l.bytes
	for _, s := range l.disk {
		if s.Last > l.hot {
			break
		}
		batches, bytes = batches+s.Batches, bytes+s.Bytes
	}
	// beyond reports that the oldest n batches, the last of them of the given time, need
	// not be kept.
	beyond := func(n int, at int64) bool {
		return l.keep.age > 0 && at < now-l.keep.age.Microseconds() ||
			l.keep.batches > 0 && batches-n >= l.keep.batches || bytes > l.keep.bytes
	}
	for len(l.disk) > 0 && l.disk[0].Last < need && beyond(l.disk[0].Batches, l.disk[0].Time) {
		s := l.disk[0]
		l.disk = l.disk[1:]
		batches, bytes = batches-s.Batches, bytes-s.Bytes
		l.from, l.since = s.Last, s.Time
	}
	for len(l.list) > 0 {
		c := &l.list[0]
		if c.id > l.from {
			if len(l.disk) > 0 || c.id >= need || !beyond(1, c.time) {
				break
			}
			l.from, l.since = c.id, c.time
		}
		batches, bytes = batches-1, bytes-c.bytes
		l.drop()
	}
	l.hot = max(l.hot, l.from)
	if l.cache.segment.Last < need {
		l.cache = cached{}
	}
	for l.bytes > hotBytes && len(l.list) > 0 && l.list[0].id <= l.saved {
		l.hot = l.list[0].id
		l.drop()
	}
}

// inherit takes over from the changelog of the same view's former job what it has in
// memory of the batches up to first, the one that this job was filled with.
func (l *changelog) inherit(old *changelog, first uint64) {
	if l.from > first {
		return // it does not reach back so far itself
	}
	for len(l.list) > 0 && l.list[0].id <= first {
		l.drop()
	}
	l.from, l.since, l.hot = first, l.born.Time, first
	if old.from > first {
		return
	}
	before := old.list[:old.after(first)]
	from, since := old.from, old.since
	if old.hot > old.from { // what lies before is on disk, under the former job's name
		if len(before) == 0 {
			return
		}
		from, since, before = before[0].id, before[0].time, before[1:]
	}
	for _, c := range before {
		l.bytes += c.bytes
		l.account.Force(c.bytes)
	}
	l.list = slices.Concat(before, l.list)
	l.from, l.since, l.hot, l.born = from, since, from, old.born
}

// oldest is the first batch as of which the view can be read.
func (l *changelog) oldest() point {
	if l.from > l.born.Batch {
		return point{l.from, l.since}
	}
	return l.born
}

// drop lets go of the oldest change in memory.
func (l *changelog) drop() {
	l.bytes -= l.list[0].bytes
	l.account.Release(l.list[0].bytes)
	l.list[0].chunks = nil
	l.list = l.list[1:]
}

// at returns what batch id changed, which is in memory: nil, if nothing.
func (l *changelog) at(id uint64) []*batch.Chunk {
	if i := l.after(id - 1); i < len(l.list) && l.list[i].id == id {
		return l.list[i].chunks
	}
	return nil
}

// after is the position in the list of the first change after a batch.
func (l *changelog) after(id uint64) int {
	return sort.Search(len(l.list), func(i int) bool { return l.list[i].id > id })
}

// chunkBytes is about the memory that a chunk takes.
func chunkBytes(c *batch.Chunk) int64 {
	n := 64 + 8*cap(c.Weights)
	for _, v := range c.Cols {
		if v == nil {
			continue // not read
		}
		n += 200 + 8*(cap(v.I)+cap(v.F)+cap(v.Valid)) + 32*cap(v.W) + 4*cap(v.Off) + cap(v.Buf)
	}
	return int64(n)
}
