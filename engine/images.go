package engine

import (
	"sync/atomic"

	"streamsql/operators"
)

// imageSet is the images of all partitions of a view or table at one batch,
// shared by the history that keeps it and the queries that read it. The last
// one to let go releases them.
type imageSet struct {
	parts []operators.Image
	refs  atomic.Int32
	under *imageSet // the parts are its own, with further columns; nil: they are this set's own
}

// newImageSet starts with one reference, the maker's.
func newImageSet(parts []operators.Image) *imageSet {
	s := &imageSet{parts: parts}
	s.refs.Store(1)
	return s
}

func (s *imageSet) retain() *imageSet { s.refs.Add(1); return s }

func (s *imageSet) release() {
	if s != nil && s.refs.Add(-1) == 0 {
		if s.under != nil {
			s.under.release()
			return
		}
		for _, p := range s.parts {
			p.Release()
		}
	}
}

// rows counts the rows of all partitions.
func (s *imageSet) rows() int64 {
	var n int64
	for _, p := range s.parts {
		n += p.Rows()
	}
	return n
}

// memory is what the parts took at their moment, and what images of the same view
// keep beside what it takes now.
func (s *imageSet) memory() (own, kept int64) {
	for _, p := range s.parts {
		o, k := p.Memory()
		own, kept = own+o, kept+k
	}
	return own, kept
}

// moment is a batch that was applied, with the images after it (nil: not taken).
type moment struct {
	id     uint64
	images *imageSet
}

// moments is the recent history of a view or table, newest last.
type moments []moment

// keepImages is how many recent images are kept, for queries that read several
// views at one batch; but only the newest batch's where they hold more than a part in
// keepShare of the view's size, and more than keepBytes. A query that finds none
// asks for one.
const (
	keepImages = 8
	keepShare  = 4
	keepBytes  = 4 << 20
)

// at finds the images as of batch id. Where none were taken, below is the batch
// to try instead (0: no older one is there).
func (h moments) at(id uint64) (images *imageSet, below uint64) {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].id <= id {
			if h[i].images != nil {
				return h[i].images, 0
			}
			return nil, h[i].id - 1
		}
	}
	return nil, 0
}

// add takes in the newest moment and lets go of the oldest images, except those
// that a pinned batch reads.
func (h moments) add(m moment, pins map[uint64]int) moments {
	h = append(h, m)
	if h.heavy() {
		for i := range h[:len(h)-1] {
			if !h.pinned(i, pins) {
				h[i].images.release()
				h[i].images = nil
			}
		}
	}
	images := 0
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].images == nil {
			continue
		}
		if images++; images > keepImages && !h.pinned(i, pins) {
			h[i].images.release()
			h[i].images = nil
			images--
		}
	}
	// Moments without images say only that there is none; the oldest may go.
	for len(h) > maxMoments && h[0].images == nil {
		h = h[1:]
	}
	if cap(h) > 4*maxMoments {
		h = append(moments(nil), h...)
	}
	return h
}

// heavy reports that images hold more than they may.
func (h moments) heavy() bool {
	for i := len(h) - 1; i >= 0; i-- {
		if h[i].images != nil {
			own, kept := h[i].images.memory()
			return kept > max(own/keepShare, keepBytes)
		}
	}
	return false
}

// pinned reports that an open transaction reads at a batch for which moment i counts.
func (h moments) pinned(i int, pins map[uint64]int) bool {
	for id := range pins {
		if id >= h[i].id && (i == len(h)-1 || id < h[i+1].id) {
			return true
		}
	}
	return false
}

// maxMoments bounds the history of a view that takes no images.
const maxMoments = 64

func (h moments) releaseAll() {
	for _, m := range h {
		m.images.release()
	}
}
