package operators

import (
	"slices"
	"sync"

	"github.com/tidwall/btree"

	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// expiring finds the rows of a store whose time is over, in work that goes with
// their number only: rows lie in lists by time, and the lists in a tree.
//
// The operator tells of each row that it makes (add) and of each that it ends
// (gone). Input rows whose time is over already go through live first: they would
// change what is there no more. At the end of a batch, when all is given out,
// advance looks at the watermark, and next names the rows to be dropped, without
// a retraction.
type expiring struct {
	Watermark
	account *account.Account
	over    *passed // rows not above it are gone
	// value reads the time of a row; false: there is none with that Ref any more, or
	// its time is NULL.
	value func(state.Ref) (int64, bool)
	// grain is the width of a list's times: 1 where many rows have the same.
	grain int64
	// moves: a row's time may become a later one without a word. With an earlier one it
	// is added once more.
	moves bool
	// shrinks: rows can be over when they come, and count until the batch ends.
	shrinks bool
	// ends: rows end by next alone, so that each is in its list, once.
	ends  bool
	lists *btree.Map[int64, *expiryList]
	last  *expiryList // the list that was added to last, and its key; nil: none
	at    int64
	due   []state.Ref
	later [][]state.Ref // with ends, the block that due is of, and those behind it
	sort  []state.Ref   // memory of due, if that is no block
}

// refBlock is how many Refs a block has room for.
const refBlock = 512

// refBlocks are blocks that are done with, the process's.
var refBlocks = sync.Pool{New: func() any { return new([refBlock]state.Ref) }}

// expiryList holds the rows of a time, in blocks of which all but the last are full.
// Some have ended by now; a Ref may be there twice when it was given again.
type expiryList struct {
	blocks [][]state.Ref
	n      int
	ended  int
}

// grainOfTimes is the grain, in µs, for times that differ from row to row: such
// rows may stay that much longer.
const grainOfTimes = 1 << 20

func newExpiring(w Watermark, grain int64, value func(state.Ref) (int64, bool), a *account.Account) *expiring {
	return &expiring{Watermark: w, account: a, over: newPassed(a), value: value, grain: grain, lists: &btree.Map[int64, *expiryList]{}}
}

func (x *expiring) list(time int64) int64 { return (time - mod(time, x.grain)) / x.grain }

// add notes a new row. Its time must be readable by now.
func (x *expiring) add(r state.Ref) {
	if time, ok := x.value(r); ok {
		x.addAt(r, time)
	}
}

// addAt is add of a row with that time.
func (x *expiring) addAt(r state.Ref, time int64) {
	key := x.list(time)
	l := x.last
	if l == nil || x.at != key {
		var ok bool
		if l, ok = x.lists.Get(key); !ok {
			l = &expiryList{}
			x.lists.Set(key, l)
		}
		x.last, x.at = l, key
	}
	x.push(l, r)
	x.account.Force(8)
}

// push puts a Ref behind the others of a list. The first block grows from small, as
// most lists are where times differ from row to row.
func (x *expiring) push(l *expiryList, r state.Ref) {
	last := len(l.blocks) - 1
	switch {
	case last < 0:
		l.blocks, last = append(l.blocks, nil), 0
	case len(l.blocks[last]) == refBlock/8 && last == 0: // the first block is large from here on
		first := newBlock()
		l.blocks[0] = append(first, l.blocks[0]...)
	case len(l.blocks[last]) == refBlock:
		l.blocks, last = append(l.blocks, newBlock()), last+1
	}
	l.blocks[last] = append(l.blocks[last], r)
	l.n++
}

func newBlock() []state.Ref { return refBlocks.Get().(*[refBlock]state.Ref)[:0] }

// done gives the memory of a block back.
func done(block []state.Ref) {
	switch {
	case cap(block) != refBlock:
	case vector.SparesPoisoned():
		clear(block[:refBlock]) // no row has Ref 0
	default:
		refBlocks.Put((*[refBlock]state.Ref)(block[:refBlock]))
	}
}

// end takes a list out of the tree.
func (x *expiring) end(key int64) {
	x.lists.Delete(key)
	x.last = nil
}

// gone notes that a row is about to end. When most of a list has, it is cleaned up.
func (x *expiring) gone(r state.Ref) {
	time, ok := x.value(r)
	if !ok {
		return
	}
	key := x.list(time)
	l, ok := x.lists.Get(key)
	if !ok {
		return // it is being dropped
	}
	if l.ended++; l.ended < 64 || 2*l.ended < l.n {
		return
	}
	n := l.n
	refs := x.alive(l, key, nil) // due may be of x.sort
	*l = expiryList{}
	for _, other := range refs {
		if other != r {
			x.push(l, other)
		}
	}
	x.account.Release(8 * int64(n-l.n))
	if l.n == 0 {
		x.end(key)
	}
}

// alive are the rows of a list that are there still, each once, in mem if there is room;
// the list is done with. Those whose time has become a later one go to its list.
func (x *expiring) alive(l *expiryList, key int64, mem []state.Ref) []state.Ref {
	refs := slices.Grow(mem[:0], l.n)
	for _, block := range l.blocks {
		refs = append(refs, block...)
		done(block)
	}
	slices.Sort(refs)
	return slices.DeleteFunc(slices.Compact(refs), func(r state.Ref) bool {
		time, ok := x.value(r)
		if !ok || !x.moves {
			return !ok || x.list(time) != key
		}
		later := x.list(time) > key
		if later {
			x.add(r)
		}
		return later
	})
}

// live is c without the rows whose column col is over, unless such rows count; nil: no
// other is left.
func (x *expiring) live(c *batch.Chunk, col int) *batch.Chunk {
	over, ok := x.over.at()
	if !ok || x.shrinks {
		return c
	}
	v := c.Cols[col]
	var keep []int32
	for i := range c.N {
		gone := v.I[i] <= over && !v.IsNull(i)
		if gone && keep == nil {
			keep = make([]int32, 0, c.N)
			for k := range i {
				keep = append(keep, int32(k))
			}
		}
		if !gone && keep != nil {
			keep = append(keep, int32(i))
		}
	}
	switch {
	case keep == nil:
		return c
	case len(keep) == 0:
		return nil
	}
	return c.Gather(keep)
}

// advance moves on to the watermark after the batch.
func (x *expiring) advance(b *Batch) error {
	if at, ok := x.At(b); ok {
		return x.over.set(at)
	}
	return nil
}

// next are at most n rows that are over. The operator ends them before it asks
// for more; none: that was all.
func (x *expiring) next(n int) []state.Ref {
	over, ok := x.over.at()
	if !ok {
		return nil
	}
	for len(x.due) == 0 {
		if len(x.later) > 0 {
			done(x.later[0])
			if x.later = x.later[1:]; len(x.later) > 0 {
				x.due = x.later[0]
			}
			continue
		}
		key, l, ok := x.lists.Min()
		if !ok || (key+1)*x.grain-1 > over {
			return nil
		}
		x.end(key)
		x.account.Release(8 * int64(l.n))
		if x.ends {
			x.later, x.due = l.blocks, l.blocks[0]
		} else {
			if cap(x.sort) > 8*l.n && cap(x.sort) > 1<<16 {
				x.sort = nil // of a list that was larger than they are
			}
			x.sort = x.alive(l, key, x.sort)
			x.due = x.sort
		}
	}
	n = min(n, len(x.due))
	out := x.due[:n]
	x.due = x.due[n:]
	return out
}

// rebuild notes the rows of the store just loaded.
func (x *expiring) rebuild(s *state.Store) {
	x.over.rebuild()
	s.Scan(func(r state.Ref, _ []byte) bool {
		x.add(r)
		return true
	})
}

// dueAt is the batch time from which on a row is over, where the watermark is
// the batch's time; else Never: streams' watermarks come by themselves.
func (x *expiring) dueAt() int64 {
	if len(x.Watermark) != 1 || x.Watermark[0].Table != BatchTime {
		return Never
	}
	if key, _, ok := x.lists.Min(); ok {
		return (key+1)*x.grain - 1 + x.Watermark[0].Delay
	}
	return Never
}
