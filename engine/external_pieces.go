package engine

import (
	"context"
	"slices"
	"sync"

	"streamsql/catalog"
	"streamsql/engine/sched"
	"streamsql/engine/task"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
)

// pieces is what was read of an external stream a moment ago, for the views that
// have not read it yet: each piece is read and decoded once, by whoever comes first,
// with its system columns. All views read the same pieces, since a batch has the
// same bounds for each. What all have taken goes at once; beyond the limit what
// was read longest ago goes: views that are far behind read again, and may share that.
type pieces struct {
	account *account.Account
	limit   int64 // bytes
	mu      sync.Mutex
	at      map[place]*piece
	order   []*piece // as they were asked for first; some may be gone
	bytes   int64
}

// piecesBytes bounds what is kept of a stream, however much memory there is: enough
// for the batches that are in flight.
const piecesBytes = 256 << 20

// place is where a piece begins.
type place struct {
	part int
	from uint64
}

// piece is some rows of a partition, up to to at most.
type piece struct {
	place
	to    uint64
	want  []int // columns, ascending
	bytes int64 // 0: not read yet
	left  int   // how many will still take it
	once  sync.Once
	rows  pieceRows
}

// pieceRows is what reading a piece gives.
type pieceRows struct {
	chunk  *batch.Chunk
	origin *task.Origin
	next   uint64 // where to read on
}

func newPieces(a *account.Account, limit int64) *pieces {
	return &pieces{account: a, limit: min(limit, piecesBytes), at: map[place]*piece{}}
}

// take gives the rows of a piece to one of those who share it; read reads them, if
// nobody has.
func (p *pieces) take(at place, to uint64, with sharers, read func() pieceRows) (rows pieceRows, shared bool) {
	p.mu.Lock()
	x := p.at[at]
	if x == nil && with.n < 2 || x != nil && (x.to != to || !containsAll(x.want, with.want)) {
		p.mu.Unlock()
		return read(), false
	}
	if x == nil {
		x = &piece{place: at, to: to, want: with.want, left: with.n}
		p.at[at], p.order = x, append(p.order, x)
	}
	p.mu.Unlock()
	x.once.Do(func() { x.rows = read() })
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at[at] != x {
		return x.rows, true
	}
	if x.bytes == 0 {
		x.bytes = chunkBytes(x.rows.chunk)
		p.bytes += x.bytes
		p.account.Force(x.bytes)
	}
	if x.left--; x.left <= 0 {
		p.drop(x)
	}
	p.shrink()
	return x.rows, true
}

// containsAll reports that all of a sorted list are in another.
func containsAll(list, all []int) bool {
	for _, c := range all {
		if _, ok := slices.BinarySearch(list, c); !ok {
			return false
		}
	}
	return true
}

// shrink lets go of the oldest pieces while there is too much.
func (p *pieces) shrink() {
	for len(p.order) > 0 && (p.bytes > p.limit || p.at[p.order[0].place] != p.order[0]) {
		p.drop(p.order[0])
		p.order[0] = nil
		p.order = p.order[1:]
	}
}

// drop lets go of a piece, if it is there still.
func (p *pieces) drop(x *piece) {
	if p.at[x.place] != x {
		return
	}
	delete(p.at, x.place)
	p.bytes -= x.bytes
	p.account.Release(x.bytes)
}

// close lets go of everything.
func (p *pieces) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, x := range p.order {
		p.drop(x)
	}
	p.order = nil
}

// sharers are who reads the same range of a stream now, and keeps up with it.
type sharers struct {
	n    int   // sources of flows
	want []int // columns that any of them needs, ascending
}

// sharersOf counts those of a stream. Engine.mu is held.
func (e *Engine) sharersOf(x *external) (with sharers) {
	time := -1
	if w := x.table.EventTime; w != nil {
		time = w.Column
	}
	for _, j := range e.readers[x.table.ID] {
		if !j.keepsUp() {
			continue
		}
		for _, s := range j.flow.Sources {
			if catalog.ID(s.Table) == x.table.ID {
				with.n++
				with.want = append(with.want, s.Needs(time)...)
			}
		}
	}
	slices.Sort(with.want)
	with.want = slices.Compact(with.want)
	return with
}

// reading is how one source of a flow reads a range of a partition.
type reading struct {
	x        *external
	part     int
	from, to uint64
	with     sharers
	origin   *task.Origin // of the row at from
	last     *batch.Chunk // what was read last, for nobody else
	lastOf   *task.Origin // and where that came from
	spare    *batch.Chunk // the same, and nobody holds it any more
}

// rows reads on, as chunks with the columns that are wanted, and their origins; nil
// at the end.
func (r *reading) rows(max int) (*batch.Chunk, *task.Origin) {
	if r.from >= r.to {
		if r.spare != nil {
			r.x.spare.Put(r.spare) // for the next range of any partition
			r.spare = nil
		}
		return nil, nil
	}
	if r.spare == nil {
		r.spare, _ = r.x.spare.Get().(*batch.Chunk)
	}
	upto := min(r.to, r.from+uint64(max))
	rows, shared := r.x.pieces.take(place{r.part, r.from}, upto, r.with, func() pieceRows {
		c, next := r.x.read(r.part, r.from, upto, r.with.want, r.spare)
		return pieceRows{c, r.origin, next}
	})
	if r.last, r.lastOf, r.spare = rows.chunk, rows.origin, nil; shared {
		r.last, r.lastOf = nil, nil
	}
	r.from, r.origin = rows.next, rows.origin.Behind(rows.chunk)
	return rows.chunk, rows.origin
}

// reuse says that nobody holds what rows gave last.
func (r *reading) reuse() {
	if r.lastOf != nil {
		r.lastOf.Done()
	}
	r.spare, r.last, r.lastOf = r.last, nil, nil
}

// read reads a range of one partition that a batch is known to have, or the
// beginning of it, and says where it ends.
func (x *external) read(part int, from, to uint64, want []int, spare *batch.Chunk) (*batch.Chunk, uint64) {
	began := sched.ThreadCPU()
	c, next, err := x.source.ReadRange(context.Background(), part, connector.Offset(from), connector.Offset(to), want, spare)
	if took := sched.ThreadCPU() - began; took > 0 { // it is one thread's, unless a session reads itself
		x.reading[part].Add(took)
	}
	if err != nil || uint64(next) == from {
		// The offsets were there when the batch was cut: the source broke its promise.
		panic("connector " + x.table.Options["connector"] + " cannot read again what it gave before: " + errText(err))
	}
	return c, uint64(next)
}
