package engine

import (
	"sync/atomic"
	"time"

	"streamsql/catalog"
	"streamsql/operators/batch"
)

// filling is how far a view got with its history. Images say how many rows they
// have; of streams only the place in the log is known, so that the number of
// their rows is guessed from those that were read so far.
type filling struct {
	began       time.Time
	rows        atomic.Uint64 // read
	known       uint64        // of images
	first, last uint64        // the piece of the log that is read; none: first > last
	logRows     atomic.Uint64 // read from it
	seq         atomic.Uint64 // where the reading is
}

// read counts rows that were read; seq is where they stand in the log, 0: elsewhere.
func (f *filling) read(rows int, seq uint64) {
	f.rows.Add(uint64(rows))
	if seq > 0 {
		f.logRows.Add(uint64(rows))
		f.seq.Store(seq)
	}
}

// estimate is how many rows were read, about how many there are, and how long the
// rest may take; left is 0 when that is not known yet.
func (f *filling) estimate(now time.Time) (done, total uint64, left time.Duration) {
	done, total = f.rows.Load(), f.known
	if f.last >= f.first {
		if at := f.seq.Load(); at >= f.first {
			total += f.logRows.Load() * (f.last - f.first + 1) / (at - f.first + 1)
		}
	}
	total = max(total, done)
	if done > 0 && !f.began.IsZero() {
		left = time.Duration(float64(now.Sub(f.began)) * float64(total-done) / float64(done))
	}
	return done, total, left
}

// counting is a reading of rows that are counted.
func (f *filling) counting(rows func(max int) *batch.Chunk) func(max int) *batch.Chunk {
	return func(max int) *batch.Chunk {
		c := rows(max)
		if c != nil {
			f.read(c.N, 0)
		}
		return c
	}
}

// logOf is the piece of the log that a view's history is read from; first > last: none.
func (e *Engine) logOf(j *job, snap *snapshot) (first, last uint64) {
	var streams []int
	for i, s := range j.flow.Sources {
		id := catalog.ID(s.Table)
		if s.Table != 0 && snap.images[id] == nil && e.externals[id] == nil {
			streams = append(streams, i)
		}
	}
	if len(streams) == 0 {
		return 1, 0
	}
	return max(e.beginOf(j.flow, streams), e.log.FirstSeq()), snap.cut.LogSeq
}

// watermarkOf is the lowest of the streams that a job reads, or that the views do
// which it reads. Engine.mu is held.
func (e *Engine) watermarkOf(j *job) (low int64, ok bool) {
	seen, jobs := map[uint64]bool{}, map[*job]bool{}
	var visit func(r *job)
	visit = func(r *job) {
		if jobs[r] {
			return
		}
		jobs[r] = true
		for _, s := range r.flow.Sources {
			seen[s.Table] = true
		}
		for _, id := range r.knows {
			seen[id] = true
		}
		for _, v := range r.views {
			visit(v)
		}
	}
	visit(j)
	upToDate := len(j.pending)+len(j.inFlight) == 0
	for id := range seen {
		w, has := j.watermarks[id]
		if !has && upToDate { // after a restart, say
			w, has = e.watermarks[id]
		}
		if has && (!ok || w < low) {
			low, ok = w, true
		}
	}
	return low, ok
}
