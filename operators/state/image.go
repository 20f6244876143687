package state

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Image is a store as it was at one moment. It is immutable, and safe for all,
// without a lock, until its Release.
type Image struct {
	store *Store
	pages []*page
	epoch uint64
	rows  int64
	bytes int64
}

// retirement is pages that are the store's no more, and that only the images with
// epochs from … to still hold.
type retirement struct {
	from, to uint64
	bytes    int64
	pages    []*page // whose memory can be used again then: they have no rows
	copied   []*page // the same, once the batch is through that is under way then
}

// keptCold bounds Store.cold: 8 MiB.
const keptCold = 512

// Snapshot takes an image. It costs a copy of the page pointers; after it, the
// first write to each page copies the page, so take one when somebody reads,
// not every batch.
func (s *Store) Snapshot() *Image {
	im := &Image{store: s, pages: append([]*page(nil), s.pages...), epoch: s.epoch, rows: s.rows, bytes: s.bytes}
	s.mu.Lock()
	for _, p := range s.cold { // no batch is under way
		p.recycle()
	}
	clear(s.cold)
	s.cold = s.cold[:0]
	s.images[im] = struct{}{}
	s.shared.Store(s.epoch)
	s.mu.Unlock()
	s.epoch++
	return im
}

// Release ends the image: nobody reads it any more, and its pages need no more
// copying. It may be called by any goroutine, once or more often.
func (im *Image) Release() {
	s := im.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.images[im]; !ok {
		return
	}
	delete(s.images, im)
	newest := uint64(0)
	for other := range s.images {
		newest = max(newest, other.epoch)
	}
	s.shared.Store(newest)
	kept := s.retirements[:0]
	for _, r := range s.retirements {
		if r.from == im.epoch || r.to == im.epoch {
			if r.from, r.to = s.holders(r.from, r.to); r.to == 0 {
				s.retired.Add(-r.bytes)
				s.account.Release(r.bytes)
				for _, p := range r.pages {
					p.recycle()
				}
				s.chill(r.copied)
				continue
			}
		}
		kept = addRetirement(kept, r)
	}
	s.retirements = kept
}

// holders are the first and the last of the live images with epochs from … to; 0: there is
// none. Store.mu is held.
func (s *Store) holders(from, to uint64) (first, last uint64) {
	for im := range s.images {
		if im.epoch < from || im.epoch > to {
			continue
		}
		if last = max(last, im.epoch); first == 0 || im.epoch < first {
			first = im.epoch
		}
	}
	return first, last
}

// addRetirement adds r to those of the same images.
func addRetirement(list []retirement, r retirement) []retirement {
	for k := range list {
		if list[k].from == r.from && list[k].to == r.to {
			list[k].bytes += r.bytes
			list[k].pages, list[k].copied = append(list[k].pages, r.pages...), append(list[k].copied, r.copied...)
			return list
		}
	}
	return append(list, r)
}

// retire notes that a page is the store's no more: its memory is free once no
// image holds it. empty: it has no rows left, so that none is held; else the batch that
// is under way may hold some.
func (s *Store) retire(p *page, empty bool) {
	n := int64(len(p.data))
	s.mu.Lock()
	defer s.mu.Unlock()
	first, last := s.holders(p.epoch, s.epoch)
	if last == 0 {
		s.account.Release(n)
		if empty {
			p.recycle()
		} else {
			s.chill([]*page{p})
		}
		return
	}
	s.retired.Add(n)
	r := retirement{from: first, to: last, bytes: n}
	if empty {
		r.pages = []*page{p}
	} else {
		r.copied = []*page{p}
	}
	s.retirements = addRetirement(s.retirements, r)
}

// chill keeps pages until no batch is under way. Store.mu is held.
func (s *Store) chill(pages []*page) {
	s.cold = append(s.cold, pages[:min(len(pages), keptCold-len(s.cold))]...)
}

// Bytes is what the store's pages took at the moment of the image.
func (im *Image) Bytes() int64 { return im.bytes }

// Kept is what the images of the store, this one and others, hold now beside the
// store's own pages.
func (im *Image) Kept() int64 { return im.store.retired.Load() }

// Len returns how many rows the image has.
func (im *Image) Len() int64 { return im.rows }

// Get returns a row that lived at the moment of the image.
func (im *Image) Get(r Ref) []byte { return im.pages[r.page()].row(r.slot()) }

// Rows calls f for each row, in the order of the Refs, until it returns false.
func (im *Image) Rows(f func(r Ref, row []byte) bool) { im.RowsFrom(0, f) }

// RowsFrom is Rows from the row with Ref from on (the next one, if that is
// gone), so that a scan can go in pieces: begin at 0, go on after the last Ref seen.
func (im *Image) RowsFrom(from Ref, f func(r Ref, row []byte) bool) {
	first := from.slot()
	for no := max(from.page(), 1); no < uint64(len(im.pages)); no++ {
		if no != from.page() {
			first = 0
		}
		if p := im.pages[no]; p != nil && !p.eachFrom(no, first, f) {
			return
		}
	}
}

// eachFrom calls f for the rows of slots from first on, and reports whether f wants more.
func (p *page) eachFrom(no uint64, first uint32, f func(r Ref, row []byte) bool) bool {
	for slot := first; slot < uint32(p.slots); slot++ {
		if n := p.length(slot); n > 0 {
			at := p.base + slot*p.size
			if !f(Ref(no<<16|uint64(slot)), p.data[at:at+uint32(n)]) {
				return false
			}
		}
	}
	return true
}

// Pages returns the number after that of the last page; 0 is never one.
func (im *Image) Pages() uint64 { return uint64(len(im.pages)) }

// Page returns the stored form of page no, nil if there is none of that number.
func (im *Image) Page(no uint64) []byte {
	if no >= uint64(len(im.pages)) || im.pages[no] == nil {
		return nil
	}
	return im.pages[no].data
}

// Delta is what a checkpoint writes: the pages that changed since the one
// before. Its image is to be released once they are written.
type Delta struct {
	*Image
	Changed []uint64 // numbers of the pages to write
	Freed   []uint64 // numbers of pages that are no more

	ledger *ledger
	no     uint64 // in the ledger
}

// Checkpoint takes a Delta. It costs as a Snapshot does.
func (s *Store) Checkpoint() *Delta {
	d := &Delta{Image: s.Snapshot(), ledger: s.ledger}
	for _, no := range s.touched {
		if p := s.pages[no]; p != nil {
			p.dirty = false
			d.Changed = append(d.Changed, no)
		} else {
			d.Freed = append(d.Freed, no)
		}
	}
	s.touched = s.touched[:0]
	clear(s.gone)
	s.ledger.add(d)
	return d
}

// Hash returns a hash of all that the store held at this checkpoint, which
// equals Digest of a store that loaded the same pages. It reads the changed
// pages, so call it where they are written; any goroutine may.
func (d *Delta) Hash() uint64 { return d.ledger.hash(d) }

// Release ends the delta, as that of an image. If nobody has asked for the hash, it is
// computed before the pages go: those of later deltas need it.
func (d *Delta) Release() {
	d.ledger.pass(d)
	d.Image.Release()
}

// ledger keeps the sum of the pages' hashes from checkpoint to checkpoint.
type ledger struct {
	mu      sync.Mutex
	sums    map[uint64]uint64 // by page number
	total   uint64
	pending []*Delta
	added   uint64 // deltas so far
	// The last delta that was worked off, and the hash after it. It is not kept
	// itself: it has all the pages of its moment.
	done, hashed uint64
}

func newLedger() *ledger { return &ledger{sums: map[uint64]uint64{}} }

func (l *ledger) add(d *Delta) {
	l.mu.Lock()
	l.added++
	d.no = l.added
	l.pending = append(l.pending, d)
	l.mu.Unlock()
}

// hash works the pending deltas off, in their order, up to d.
func (l *ledger) hash(d *Delta) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == d.no { // only the newest is asked for again
		return l.hashed
	}
	return l.upTo(d)
}

// pass is hash if that is still to be done.
func (l *ledger) pass(d *Delta) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done < d.no {
		l.upTo(d)
	}
}

func (l *ledger) upTo(d *Delta) uint64 {
	for len(l.pending) > 0 {
		next := l.pending[0]
		l.pending[0], l.pending = nil, l.pending[1:]
		for _, no := range next.Freed {
			l.set(no, 0)
		}
		for _, no := range next.Changed {
			l.set(no, pageHash(no, next.Image.pages[no].data))
		}
		if next == d {
			break
		}
	}
	l.done, l.hashed = d.no, l.total
	return l.total
}

func (l *ledger) set(no, sum uint64) {
	l.total += sum - l.sums[no]
	if sum == 0 {
		delete(l.sums, no)
	} else {
		l.sums[no] = sum
	}
}

// pageHash binds a page's bytes to its number.
func pageHash(no uint64, data []byte) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(no)
	_, _ = d.Write(data)
	return d.Sum64()
}

// Load puts a stored page, which the store takes over, into an empty store.
// FinishLoad must follow when all pages are there.
func (s *Store) Load(no uint64, data []byte) error {
	p, err := openPage(data)
	if err != nil {
		return err
	}
	if no == 0 || no >= 1<<48 {
		return fmt.Errorf("state page with the number %d", no)
	}
	for uint64(len(s.pages)) <= no {
		s.pages = append(s.pages, nil)
	}
	if s.pages[no] != nil {
		return fmt.Errorf("state page %d is there twice", no)
	}
	if err := s.account.Reserve(int64(len(data))); err != nil {
		return err
	}
	p.epoch = s.epoch
	s.pages[no] = p
	s.bytes += int64(len(data))
	s.rows += int64(p.live)
	s.ledger.set(no, pageHash(no, data))
	return nil
}

// FinishLoad rebuilds the lists of free space after the last Load.
func (s *Store) FinishLoad() {
	for no := uint64(len(s.pages)) - 1; no >= 1; no-- {
		p := s.pages[no]
		if p == nil {
			s.unused = append(s.unused, no)
		} else if !p.big && p.live < p.slots {
			p.avail = true
			s.avail[p.class] = append(s.avail[p.class], no)
		}
	}
}

// Digest returns the hash of what was loaded, to compare with that of the checkpoint.
func (s *Store) Digest() uint64 {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.total
}

// Scan calls f for each live row, which f must not change the store under.
func (s *Store) Scan(f func(r Ref, row []byte) bool) {
	for no, p := range s.pages {
		if p != nil && !p.eachFrom(uint64(no), 0, f) {
			return
		}
	}
}

func getInt(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) }
