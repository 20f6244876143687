package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"streamsql/engine/checkpoint"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
)

// segment is a piece of a changelog on disk: a blob of the view's checkpoint.
type segment struct {
	First   uint64 `json:"first"` // batch
	Last    uint64 `json:"last"`
	Time    int64  `json:"time"` // of the last batch
	Batches int    `json:"batches"`
	Bytes   int64  `json:"bytes"`
}

// segmentBytes: a segment that is smaller is written again with the next changes
// behind it, so that a view with few changes does not have very many of them.
const segmentBytes = 256 << 10

func (s segment) blob() string { return fmt.Sprintf("changes/%d", s.First) }

// savedLog is what a checkpoint says of a view's changelog.
type savedLog struct {
	From     uint64    `json:"from"`
	Since    int64     `json:"since,omitempty"`
	Born     point     `json:"born,omitzero"`
	Segments []segment `json:"segments,omitempty"`
}

// logPart is what one round writes of a changelog: its newest segment, perhaps in
// the place of the last one, and the names of those that are no more.
type logPart struct {
	saved  savedLog
	upTo   uint64
	write  *segment
	rows   []change // of write
	remove []string
	sink   *savedSink // of a sink's: what that has delivered
}

// surplus is the last of the changes not on disk yet, up to batch upTo, that need
// not get there: of a view that says nothing of history, what is before batch need
// and more than stays in memory. nil: there is none.
func (l *changelog) surplus(upTo, need uint64) *change {
	first, i := l.after(max(l.saved, l.from)), l.after(upTo)
	if l.keep.age > 0 {
		return nil
	}
	for bytes := int64(0); i > first && (l.list[i-1].id >= need || bytes <= l.keep.bytes); i-- {
		bytes += l.list[i-1].bytes
	}
	if i <= first {
		return nil
	}
	return &l.list[i-1]
}

// part prepares the writing of the changes up to a batch; those from batch need on
// are wanted by other views.
func (l *changelog) part(upTo, need uint64) logPart {
	p := logPart{upTo: upTo, saved: savedLog{From: l.from, Since: l.since, Born: l.born}}
	if c := l.surplus(upTo, need); c != nil {
		p.saved.From, p.saved.Since = c.id, c.time
	}
	for _, s := range l.stored {
		if s.Last <= p.saved.From {
			p.remove = append(p.remove, s.blob())
		} else {
			p.saved.Segments = append(p.saved.Segments, s)
		}
	}
	first, end := l.after(max(l.saved, p.saved.From)), l.after(upTo)
	if first >= end {
		return p
	}
	var replaced *segment
	if n := len(p.saved.Segments); n > 0 {
		if last := p.saved.Segments[n-1]; last.Bytes < segmentBytes && last.First > l.hot {
			first, p.saved.Segments, replaced = l.after(last.First-1), p.saved.Segments[:n-1], &last
		}
	}
	p.rows = append([]change(nil), l.list[first:end]...)
	if replaced != nil && replaced.First != p.rows[0].id {
		p.remove = append(p.remove, replaced.blob()) // its beginning is no longer kept
	}
	p.write = &segment{First: p.rows[0].id, Batches: len(p.rows)}
	for _, c := range p.rows {
		p.write.Last, p.write.Time = c.id, c.time
	}
	return p
}

// put writes the part, and completes what the checkpoint says of the changelog.
func (p *logPart) put(w *checkpoint.Writer, job uint64) error {
	for _, name := range p.remove {
		if err := w.PutBlob(job, name, nil); err != nil {
			return err
		}
	}
	if p.write == nil {
		return nil
	}
	data := encodeChanges(job, p.rows)
	p.write.Bytes = int64(len(data))
	p.saved.Segments = append(p.saved.Segments, *p.write)
	return w.PutBlob(job, p.write.blob(), data)
}

// written takes over what is on disk now.
func (l *changelog) written(p logPart) {
	for len(l.list) > 0 && l.list[0].id <= p.saved.From {
		l.drop()
	}
	if p.saved.From > l.from {
		l.from, l.since, l.hot = p.saved.From, p.saved.Since, max(l.hot, p.saved.From)
	}
	l.saved, l.stored, l.disk = p.upTo, p.saved.Segments, nil
	for _, s := range p.saved.Segments {
		if s.Last > l.from { // it may have been trimmed meanwhile
			l.disk = append(l.disk, s)
		}
	}
}

// restore is the changelog of a view that a checkpoint left at a batch.
func (l *changelog) restore(s *savedLog, at uint64) {
	if s == nil {
		s = &savedLog{From: at}
	}
	l.from, l.since, l.born, l.disk, l.stored = s.From, s.Since, s.Born, s.Segments, s.Segments
	l.hot, l.saved = at, at
}

// encodeChanges is a segment: for each batch its id and time, 8 bytes each, the
// number of its chunks, 4, and these as blocks.
func encodeChanges(job uint64, changes []change) []byte {
	le := binary.LittleEndian
	var out []byte
	for _, c := range changes {
		out = le.AppendUint64(out, c.id)
		out = le.AppendUint64(out, uint64(c.time))
		out = le.AppendUint32(out, uint32(len(c.chunks)))
		for _, k := range c.chunks {
			out = topic.EncodeBlock(out, job, 0, c.id, k)
		}
	}
	return out
}

// decodeChanges reads a segment.
func decodeChanges(data []byte) (changes []change, err error) {
	le := binary.LittleEndian
	for len(data) > 0 {
		if len(data) < 20 {
			return nil, checkpoint.ErrCorrupt
		}
		c := change{id: le.Uint64(data), time: int64(le.Uint64(data[8:]))}
		chunks := le.Uint32(data[16:])
		data = data[20:]
		for range chunks {
			b, n, err := topic.DecodeBlock(data)
			if err != nil {
				return nil, errors.Join(checkpoint.ErrCorrupt, err)
			}
			k, err := b.Chunk(nil)
			if err != nil {
				return nil, errors.Join(checkpoint.ErrCorrupt, err)
			}
			c.chunks, data = append(c.chunks, k), data[n:]
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// segmentAfter is the segment that holds the first change after a batch, of those
// that are no longer in memory; false: that change is in memory, or not there yet.
func (l *changelog) segmentAfter(id uint64) (segment, bool) {
	if id >= l.hot {
		return segment{}, false
	}
	for _, s := range l.disk {
		if s.Last > id {
			return s, s.First <= l.hot
		}
	}
	return segment{}, false
}

// errMoved says that a segment is no longer where it was: look again.
var errMoved = errors.New("the segment was written anew")

// readSegment reads changes from disk; errMoved, if they are elsewhere by now.
// Engine.mu is not held.
func (e *Engine) readSegment(j *job, s segment) ([]change, error) {
	data, err := e.checkpoint.ReadBlob(j.table.StateID(), s.blob())
	if err != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !slices.ContainsFunc(j.log.disk, func(x segment) bool { return x.First == s.First }) {
			return nil, errMoved
		}
		return nil, fmt.Errorf("changes of %s.%s from batch %d on: %w", j.table.Database, j.table.Name, s.First, err)
	}
	return decodeChanges(data)
}

// replays reports that a restored view has changes of a batch that it does not
// see again, but some reader does. Engine.mu is held.
func (j *job) replays(id uint64) bool {
	for _, s := range j.log.disk {
		if s.First <= id && id <= s.Last {
			return true // whether it is exactly that batch, the reading will tell
		}
	}
	return j.log.at(id) != nil
}

// needsCold reports that a view which the job reads has lost the changes of a
// batch from memory. Engine.mu is held.
func (j *job) needsCold(p *pendingBatch) bool {
	if p.cold != nil {
		return false
	}
	for _, v := range j.views {
		if _, cold := v.log.segmentAfter(p.id - 1); cold {
			return true
		}
	}
	return false
}

// readCold reads what the job's views changed in a batch, as far as it is no
// longer in memory.
func (e *Engine) readCold(j *job, id uint64) (map[*job][]*batch.Chunk, error) {
	out := map[*job][]*batch.Chunk{}
	e.mu.Lock()
	from := map[*job]segment{}
	for _, v := range j.views {
		if s, cold := v.log.segmentAfter(id - 1); cold {
			from[v] = s
		}
	}
	e.mu.Unlock()
	for v, s := range from {
		changes, err := e.readCached(v, s)
		if errors.Is(err, errMoved) {
			return e.readCold(j, id)
		}
		if err != nil {
			return nil, err
		}
		for _, c := range changes {
			if c.id == id {
				out[v] = c.chunks
			}
		}
	}
	return out, nil
}

// readCached is readSegment that keeps the last one: a view that is behind reads
// it batch by batch.
func (e *Engine) readCached(j *job, s segment) ([]change, error) {
	e.mu.Lock()
	if j.log.cache.segment == s {
		defer e.mu.Unlock()
		return j.log.cache.changes, nil
	}
	e.mu.Unlock()
	changes, err := e.readSegment(j, s)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil && j.failed == nil {
		j.log.cache = cached{s, changes}
	}
	return changes, err
}

// cached is a segment that was read.
type cached struct {
	segment segment
	changes []change
}

// restoreOld takes in the changelog that the first version of checkpoints kept for
// readers that were behind: blocks with the batch as their sequence.
func (l *changelog) restoreOld(data []byte) error {
	for len(data) > 0 {
		b, n, err := topic.DecodeBlock(data)
		if err != nil {
			return errors.Join(checkpoint.ErrCorrupt, err)
		}
		c, err := b.Chunk(nil)
		if err != nil {
			return errors.Join(checkpoint.ErrCorrupt, err)
		}
		if k := len(l.list); k == 0 || l.list[k-1].id != b.Seq {
			if k == 0 {
				l.from, l.hot, l.saved = b.Seq-1, b.Seq-1, b.Seq-1
			}
			l.list = append(l.list, change{id: b.Seq})
		}
		last := &l.list[len(l.list)-1]
		last.chunks = append(last.chunks, c)
		data = data[n:]
	}
	return nil
}
