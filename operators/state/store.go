package state

import (
	"sync"
	"sync/atomic"

	"streamsql/operators/account"
)

// Ref addresses a row of a Store: page number << 16 | slot. It stays the row's
// as long as the row lives, over restores too. No row has Ref 0.
type Ref uint64

func (r Ref) page() uint64 { return uint64(r) >> 16 }
func (r Ref) slot() uint32 { return uint32(r) & 0xFFFF }

// Store is a heap of rows: byte records of at least one byte, without pointers,
// in pages of equal slots by size class, larger ones in a page each.
//
// Memory is reserved from the account page by page. One goroutine at a time,
// except where a method says otherwise.
type Store struct {
	account *account.Account
	pages   []*page  // by page number; 0 is never used
	unused  []uint64 // page numbers free for reuse
	avail   [][]uint64
	rows    int64
	bytes   int64 // of all pages

	epoch       uint64        // raised by each image
	shared      atomic.Uint64 // the newest epoch that a live image has; 0: none
	retired     atomic.Int64  // bytes of pages that only images still hold
	mu          sync.Mutex    // guards images and retirements
	images      map[*Image]struct{}
	retirements []retirement // that make up retired
	cold        []*page      // that nobody holds once the batch is through

	touched []uint64 // page numbers changed or freed since the last checkpoint
	gone    map[uint64]bool
	ledger  *ledger
}

// NewStore makes an empty store that takes its memory from a (nil: uncounted).
func NewStore(a *account.Account) *Store {
	return &Store{
		account: a, pages: make([]*page, 1), avail: make([][]uint64, len(slotSizes)),
		epoch: 1, images: map[*Image]struct{}{}, gone: map[uint64]bool{}, ledger: newLedger(),
	}
}

// Rows returns how many rows live.
func (s *Store) Rows() int64 { return s.rows }

// Bytes returns the memory of all pages.
func (s *Store) Bytes() int64 { return s.bytes }

// Alloc makes a row of n > 0 bytes of undefined content. The error is the account's.
func (s *Store) Alloc(n int) (Ref, error) {
	if n > maxSlot {
		p := newBig(n)
		no, err := s.add(p)
		if err != nil {
			return 0, err
		}
		s.rows++
		return Ref(no << 16), nil
	}
	class := coarseOf[(n+7)/8]
	if s.bytes >= fineFrom {
		class = fineOf[(n+7)/8]
	}
	no, p, err := s.room(class)
	if err != nil {
		return 0, err
	}
	slot := p.take()
	p.setLength(slot, n)
	s.rows++
	return Ref(no<<16 | uint64(slot)), nil
}

// room finds or makes a page of the class with a free slot, ready to write to.
func (s *Store) room(class uint8) (uint64, *page, error) {
	list := s.avail[class]
	for len(list) > 0 {
		no := list[len(list)-1]
		// Entries go stale when their page is freed or full.
		if p := s.pages[no]; p != nil && !p.big && p.class == class && p.avail {
			if p.live < p.slots {
				s.avail[class] = list
				return no, s.writable(no), nil
			}
			p.avail = false
		}
		list = list[:len(list)-1]
	}
	p := newSlab(class)
	no, err := s.add(p)
	if err != nil {
		s.avail[class] = list
		return 0, nil, err
	}
	p.avail = true
	s.avail[class] = append(list, no)
	return no, p, nil
}

// add gives a new page a number.
func (s *Store) add(p *page) (uint64, error) {
	if err := s.account.Reserve(int64(len(p.data))); err != nil {
		return 0, err
	}
	s.bytes += int64(len(p.data))
	p.epoch = s.epoch
	var no uint64
	if k := len(s.unused); k > 0 {
		no, s.unused = s.unused[k-1], s.unused[:k-1]
		s.pages[no] = p
	} else {
		no = uint64(len(s.pages))
		s.pages = append(s.pages, p)
	}
	p.dirty = true
	if !s.gone[no] {
		s.touched = append(s.touched, no)
	}
	return no, nil
}

// writable makes page no ready to be written to: its own copy, marked dirty.
func (s *Store) writable(no uint64) *page {
	p := s.pages[no]
	if p.epoch != s.epoch {
		if p.epoch <= s.shared.Load() {
			s.account.Force(int64(len(p.data)))
			s.retire(p, false)
			p = p.copied()
			s.pages[no] = p
		}
		p.epoch = s.epoch
	}
	if !p.dirty {
		p.dirty = true
		if !s.gone[no] {
			s.touched = append(s.touched, no)
		}
	}
	return p
}

// Get returns a row. It must not be changed, and is good until the row is freed
// or the page copied: by the first change of a row after a Snapshot or Checkpoint.
func (s *Store) Get(r Ref) []byte { return s.pages[r.page()].row(r.slot()) }

// Has reports whether a row is there that was given the Ref r, maybe another
// than the one that had it before.
func (s *Store) Has(r Ref) bool {
	no := r.page()
	return no < uint64(len(s.pages)) && s.pages[no] != nil && r.slot() < uint32(s.pages[no].slots) && s.pages[no].length(r.slot()) > 0
}

// Slot is Get for rows of a length that the caller knows: the slot whole, which
// saves looking the length up.
func (s *Store) Slot(r Ref) []byte { return s.pages[r.page()].slot(r.slot()) }

// Mutable returns a row to be changed in place, until the next call of Free,
// Snapshot or Checkpoint.
func (s *Store) Mutable(r Ref) []byte { return s.writable(r.page()).row(r.slot()) }

// MutableSlot is Mutable as Slot is Get.
func (s *Store) MutableSlot(r Ref) []byte {
	no := r.page()
	p := s.pages[no]
	if p.epoch != s.epoch || !p.dirty {
		p = s.writable(no)
	}
	return p.slot(r.slot())
}

// Free ends a row. A page without rows goes, unless it is the one of its class
// that the next row would go to.
func (s *Store) Free(r Ref) {
	no := r.page()
	s.rows--
	if s.pages[no].big {
		s.drop(no)
		return
	}
	p := s.writable(no)
	p.setLength(r.slot(), 0)
	p.give(r.slot())
	list := s.avail[p.class]
	switch {
	case !p.avail:
		p.avail = true
		s.avail[p.class] = append(list, no)
	case p.live == 0 && list[len(list)-1] != no:
		s.drop(no)
	}
}

// drop releases a page and its number.
func (s *Store) drop(no uint64) {
	p := s.pages[no]
	if !p.dirty && !s.gone[no] {
		s.touched = append(s.touched, no)
	}
	s.gone[no] = true // it is in touched, whatever the number is used for next
	s.pages[no] = nil
	s.unused = append(s.unused, no)
	s.bytes -= int64(len(p.data))
	s.retire(p, true)
}

// Close gives the memory back to the account. Images stay readable.
func (s *Store) Close() {
	s.mu.Lock()
	s.account.Release(s.bytes + s.retired.Swap(0))
	s.retirements = nil
	s.mu.Unlock()
	s.bytes, s.rows, s.pages = 0, 0, nil
}
