package operators

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Leaders is the TopN of the rows that RANK() numbers 1, the first of each
// partition with all that tie, over input in which a row is taken back only for
// one of its partition that does not come behind it in the order: over rows that
// stay, or counts that grow. A row that is behind the leaders can never lead
// then, and only these are kept.
//
// A batch is worked off in phases: of its rows those in the lead are found
// (leading), then leaders before them that they overtake go (overtake), they
// themselves are counted (count), and at last what is empty or over is freed.
//
// A partition's row: the Ref of its first leader, 8; the encoded key. The leaders
// of a partition are a list; the row of one:
//
//	0   the Ref of the one before it, 8
//	8   the Ref of the next one, 8
//	16  the Ref of its partition's row, 8
//	24  how often it is there, 8
//	32  the length of what it is ordered by, 4
//	36  what it is ordered by, so that the order of bytes is the order
//	…   the encoded row
type Leaders struct {
	inbox
	*leading
	env    Env
	batch  *Batch
	number bool
	out    []types.Type
	partOf *index
	store  *state.Store
	byRow  *state.Table
	codec  *state.Codec
	expiry *partExpiry // nil: partitions stay
	dying  state.Ref   // the partition that is being dropped; 0: none

	phase    leadPhase
	next     int         // of parts, or of rows
	refs     []state.Ref // of parts
	changed  []state.Ref // leaders whose count the batch changed
	touched  []touchedPart
	falling  state.Ref // the partition whose leaders are being overtaken; 0: none
	pending  *batch.Chunk
	key, enc []byte
}

type leadPhase uint8

const (
	findLeaders leadPhase = iota
	overtakeLeaders
	countLeaders
	settleLeaders
	dropLeaders
)

const (
	leadHeader = 36
	leadPart   = 8
)

// NewLeaders makes a Leaders. It reads of spec how rows are parted and ordered.
func NewLeaders(spec TopNSpec, env Env) *Leaders {
	in := newLeading(spec)
	l := &Leaders{leading: in, env: env, number: spec.Number, out: append([]types.Type(nil), spec.Input...), codec: state.NewCodec(spec.Input)}
	if spec.Number {
		l.out = append(l.out, NumberType())
	}
	l.partOf = newIndex(newGroupingAs(in.group.types, positions(len(spec.Partition))), leadPart, env.Account)
	l.store, l.byRow = state.NewStore(env.Account), state.NewTable(env.Account)
	l.expiry = newPartExpiry(spec.Expiry, spec.Partition, l.partOf, env.Account)
	return l
}

// String names the operator as EXPLAIN does.
func (l *Leaders) String() string { return "TopN" }

// Types are the types of the output columns.
func (l *Leaders) Types() []types.Type { return l.out }

// Begin opens a batch.
func (l *Leaders) Begin(b *Batch) {
	l.begin(1)
	l.batch, l.phase, l.next = b, findLeaders, 0
	if l.expiry != nil {
		l.expiry.advanced = false
	}
}

// Push queues a chunk.
func (l *Leaders) Push(_ int, c *batch.Chunk) {
	if c = l.expiry.live(c); c != nil {
		l.push(0, c)
	}
}

// CloseInput notes the end of the input.
func (l *Leaders) CloseInput(int) { l.close() }

// States are the partitions, the leaders, and what has expired.
func (l *Leaders) States() []*state.Store {
	list := []*state.Store{l.partOf.store, l.store}
	if l.expiry != nil {
		list = append(list, l.expiry.over.store)
	}
	return list
}

// Rebuild derives the indexes from the stores.
func (l *Leaders) Rebuild() error {
	l.partOf.rebuild()
	l.store.Scan(func(r state.Ref, row []byte) bool {
		l.byRow.Insert(leaderHash(row), r)
		return true
	})
	if l.expiry != nil {
		l.expiry.rebuild(l.partOf.store)
	}
	return nil
}

func leaderHash(row []byte) uint64 {
	at := leadHeader + binary.LittleEndian.Uint32(row[32:])
	return state.HashInt(getInt(row[16:])) ^ state.HashBytes(row[at:])
}

func leaderOrder(row []byte) []byte {
	return row[leadHeader : leadHeader+binary.LittleEndian.Uint32(row[32:])]
}

func leaderRow(row []byte) []byte { return row[leadHeader+binary.LittleEndian.Uint32(row[32:]):] }

// Step looks at rows, and with the input closed goes through the phases.
func (l *Leaders) Step(budget int, emit func(*batch.Chunk)) (Status, error) {
	budget, more := l.takeAll(&l.inbox, budget)
	if more {
		return More, nil
	}
	if !l.closed() {
		return Done, nil
	}
	for {
		if budget <= 0 {
			l.flush(emit)
			return More, nil
		}
		n, err := l.work(budget)
		if err != nil {
			return Done, err
		}
		if n < 0 {
			l.flush(emit)
			return Done, nil
		}
		if budget -= n; l.pending != nil && l.pending.N >= batch.TargetRows {
			l.flush(emit)
		}
	}
}

// work does at most about budget rows of what is to be done at the end of the
// batch. It returns how many it did, −1 when nothing is left.
func (l *Leaders) work(budget int) (n int, err error) {
	switch l.phase {
	case findLeaders:
		if n, err = l.findParts(min(budget, blockRows)); n == 0 {
			l.dropOvertaken()
			l.phase, l.next = overtakeLeaders, 0
		}
	case overtakeLeaders:
		if n = l.overtake(budget); n == 0 {
			l.phase, l.next = countLeaders, 0
		}
	case countLeaders:
		for ; l.next < len(l.rows) && n < budget; n++ {
			if err := l.count(l.rows[l.next]); err != nil {
				return n, err
			}
			l.next++
		}
		if l.next == len(l.rows) {
			l.phase = settleLeaders
			l.reset()
		}
	case settleLeaders:
		if n, err = l.settle(budget); n == 0 {
			l.phase, l.refs = dropLeaders, emptied(l.refs)
		}
	default:
		if n, err = l.drop(budget); n == 0 {
			n = -1
		}
	}
	return n, err
}

// findParts finds or makes the rows of the batch's next n partitions; 0: all are found.
func (l *Leaders) findParts(n int) (int, error) {
	n = min(n, len(l.parts)-len(l.refs))
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = uint32(len(l.refs) + i)
	}
	cols := newVectors(l.group.types, n)
	l.find.appendKeys(l.group, ids, cols)
	l.partOf.open(cols, n)
	for i := range n {
		r := l.partOf.find(i)
		if r == 0 {
			var err error
			if r, err = l.partOf.add(i); err != nil {
				return 0, err
			}
			if l.expiry != nil {
				l.expiry.add(r)
			}
		}
		l.refs = append(l.refs, r)
		l.touched = append(l.touched, touchedPart{r, l.partOf.hashes[i]})
	}
	return n, nil
}

// overtake gives back leaders that a row of the batch comes before, about n of
// them; 0: none is left.
func (l *Leaders) overtake(n int) (did int) {
	for ; did < n; did++ {
		if l.falling == 0 {
			if l.next == len(l.parts) {
				return did
			}
			if p := &l.parts[l.next]; p.some && l.behind(l.orderOf(l.rows[p.at]), l.refs[l.next]) < 0 {
				l.falling = l.refs[l.next]
			}
			l.next++
			continue
		}
		r := state.Ref(getInt(l.partOf.store.Get(l.falling)))
		if r == 0 {
			l.falling = 0
			continue
		}
		row := l.store.Get(r)
		l.put(leaderRow(row), -getInt(row[24:]))
		l.free(r)
	}
	return did
}

// orderOf makes what a row of the batch is ordered by, in l.key.
func (l *Leaders) orderOf(r leadRow) []byte {
	l.key = l.key[:0]
	for _, k := range l.order.keys {
		l.key = state.AppendOrderedKey(l.key, l.mine.Cols[k.Col], int(r.row), k.Desc)
	}
	return l.key
}

// behind is above 0 if key comes behind the leaders of a partition, below if before.
func (l *Leaders) behind(key []byte, part state.Ref) int {
	r := state.Ref(getInt(l.partOf.store.Get(part)))
	if r == 0 {
		return 0
	}
	return bytes.Compare(key, leaderOrder(l.store.Get(r)))
}

// count counts a row of the batch among the leaders of its partition, unless it
// is behind them.
func (l *Leaders) count(at leadRow) error {
	part, key := l.refs[at.part], l.orderOf(at)
	if l.behind(key, part) > 0 {
		return nil
	}
	c := l.mine
	l.enc = l.codec.Append(l.enc[:0], c.Cols, int(at.row))
	hash := state.HashInt(int64(part)) ^ state.HashBytes(l.enc)
	r := l.byRow.Find(hash, func(r state.Ref) bool {
		row := l.store.Get(r)
		return getInt(row[16:]) == int64(part) && bytes.Equal(leaderRow(row), l.enc)
	})
	if r == 0 {
		var err error
		if r, err = l.store.Alloc(leadHeader + len(key) + len(l.enc)); err != nil {
			return err
		}
		row := l.store.Mutable(r)
		clear(row[:leadHeader])
		putInt(row[16:], int64(part))
		binary.LittleEndian.PutUint32(row[32:], uint32(len(key)))
		copy(row[leadHeader:], key)
		copy(row[leadHeader+len(key):], l.enc)
		l.link(r, row, part)
		l.byRow.Insert(hash, r)
	}
	row := l.store.Mutable(r)
	putInt(row[24:], getInt(row[24:])+c.Weight(int(at.row)))
	l.changed = append(l.changed, r)
	l.put(l.enc, c.Weight(int(at.row)))
	return nil
}

// link makes r the first leader of a partition.
func (l *Leaders) link(r state.Ref, row []byte, part state.Ref) {
	head := l.partOf.store.Mutable(part)
	if next := state.Ref(getInt(head)); next != 0 {
		putInt(l.store.Mutable(next), int64(r))
		putInt(row[8:], int64(next))
	}
	putInt(head, int64(r))
}

// free takes a leader out.
func (l *Leaders) free(r state.Ref) {
	row := l.store.Get(r)
	before, next := state.Ref(getInt(row)), state.Ref(getInt(row[8:]))
	if next != 0 {
		putInt(l.store.Mutable(next), int64(before))
	}
	if before != 0 {
		putInt(l.store.Mutable(before)[8:], int64(next))
	} else {
		putInt(l.partOf.store.Mutable(state.Ref(getInt(row[16:]))), int64(next))
	}
	l.byRow.Delete(leaderHash(row), r)
	l.store.Free(r)
}

// settle frees what the batch has emptied, about n rows; 0: nothing is left.
func (l *Leaders) settle(n int) (did int, err error) {
	for ; did < n && len(l.changed) > 0; did++ {
		r := l.changed[len(l.changed)-1]
		l.changed = l.changed[:len(l.changed)-1]
		if !l.store.Has(r) {
			continue // it was changed twice
		}
		switch count := getInt(l.store.Get(r)[24:]); {
		case count < 0:
			return did, fmt.Errorf("%s: a row is there %d times: a retraction of what was never inserted", l.env.Node, count)
		case count == 0:
			l.free(r)
		}
	}
	for ; did < n && len(l.touched) > 0; did++ {
		last := l.touched[len(l.touched)-1]
		l.touched = l.touched[:len(l.touched)-1]
		if getInt(l.partOf.store.Get(last.ref)) == 0 {
			if l.expiry != nil {
				l.expiry.gone(last.ref)
			}
			l.partOf.remove(last.hash, last.ref)
		}
	}
	return did, nil
}

// drop lets partitions go that are over, about n rows; 0: none is left.
func (l *Leaders) drop(n int) (did int, err error) {
	if l.expiry == nil {
		return 0, nil
	}
	for ; did < n; did++ {
		if l.dying == 0 {
			if l.dying, err = l.expiry.next(l.batch); err != nil || l.dying == 0 {
				return did, err
			}
		}
		if r := state.Ref(getInt(l.partOf.store.Get(l.dying))); r != 0 {
			l.free(r)
			continue
		}
		l.expiry.end(l.dying)
		l.dying = 0
	}
	return did, nil
}

// put appends an encoded row to the output.
func (l *Leaders) put(row []byte, w int64) {
	if l.pending == nil {
		l.pending = batch.New(l.out, 64)
	}
	cols := l.pending.Cols
	if l.number {
		cols[len(cols)-1].AppendInt(1)
		cols = cols[: len(cols)-1 : len(cols)-1]
	}
	l.codec.Decode([][]byte{row}, cols)
	l.pending.PushWeight(w)
}

func (l *Leaders) flush(emit func(*batch.Chunk)) {
	if l.pending != nil {
		emit(l.pending)
	}
	l.pending = nil
}
