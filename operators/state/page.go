package state

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync"

	"streamsql/sql/vector"
)

// A page begins with a header of 16 bytes, little endian:
//
//	0  u8   format version (1)
//	1  u8   kind: 0 slab of equal slots, 1 one big row
//	2  u16  slab: slot size in bytes
//	4  u16  slab: number of slots
//	8  u32  big: length of the row
//
// In a slab follow the lengths of the rows, u16 each, 0: the slot is free; then,
// from the next multiple of 8 on, the slots. In a big page follows the row.
const (
	// PageSize is the size of a slab page in bytes.
	PageSize = 16 << 10

	pageVersion = 1
	kindSlab    = 0
	kindBig     = 1
	headerSize  = 16
	maxSlot     = 4080 // longer rows get a page of their own
)

// fineFrom is the size in bytes of a store from which on its rows are given slots of
// fine classes. A page of each class costs more than it saves in a small one.
const fineFrom = 4 << 20

// slotSizes are the size classes: all that are 8 bytes apart up to 256, 16 up to 992,
// and a fifth from there. Small stores do with some of them, at most 25 % apart.
var slotSizes, coarse = func() (sizes []int, coarse []bool) {
	next := 16
	for n := 16; n < maxSlot; {
		if sizes, coarse = append(sizes, n), append(coarse, n == next); n == next {
			if next += 8; n >= 128 {
				next = n + max(16, n/5&^15)
			}
		}
		switch {
		case n < 256:
			n += 8
		case n < 992:
			n += 16
		default:
			n += n / 5 &^ 15
		}
	}
	return append(sizes, maxSlot), append(coarse, true)
}()

// fineOf[(n+7)/8] is the smallest class that holds n bytes, coarseOf the smallest of
// those for small stores.
var fineOf, coarseOf = func() (fine, wide [maxSlot/8 + 1]uint8) {
	f, w := 0, 0
	for i := range fine {
		for slotSizes[f] < i*8 {
			f++
		}
		for slotSizes[w] < i*8 || !coarse[w] {
			w++
		}
		fine[i], wide[i] = uint8(f), uint8(w)
	}
	return fine, wide
}()

// page is one page in memory. data's bytes change only while no image holds the
// page; size and base never do, so that images may read them.
type page struct {
	data []byte
	size uint32 // slot size, or of a big page the length of its row
	base uint32 // where the first slot is

	// The rest belongs to the store.
	epoch uint64 // of the store when the page was made or copied
	slots int32
	live  int32
	free  []uint64 // a bit for each free slot
	hint  int32    // no word of free before this one has a bit
	class uint8
	big   bool
	dirty bool // changed since the last checkpoint
	avail bool // in its class's list of pages with room
}

func newSlab(class uint8) *page {
	size := slotSizes[class]
	n := (PageSize - headerSize - 8) / (size + 2)
	p := &page{
		data: takeMemory(), size: uint32(size), base: uint32(headerSize+2*n+7) &^ 7,
		slots: int32(n), free: make([]uint64, (n+63)/64), class: class,
	}
	clear(p.data)
	for i := range n {
		p.free[i>>6] |= 1 << (i & 63)
	}
	p.data[0], p.data[1] = pageVersion, kindSlab
	binary.LittleEndian.PutUint16(p.data[2:], uint16(size))
	binary.LittleEndian.PutUint16(p.data[4:], uint16(n))
	return p
}

func newBig(n int) *page {
	p := &page{data: make([]byte, headerSize+n), size: uint32(n), base: headerSize, slots: 1, live: 1, big: true}
	p.data[0], p.data[1] = pageVersion, kindBig
	binary.LittleEndian.PutUint32(p.data[8:], uint32(n))
	return p
}

// spare is memory of slab pages that are no more, the process's.
var spare sync.Pool

// takeMemory is memory for a slab page, of any content.
func takeMemory() []byte {
	if m, ok := spare.Get().(*[PageSize]byte); ok {
		return m[:]
	}
	return make([]byte, PageSize)
}

// recycle gives the memory of a page back that nobody reads any more, nor holds a row of.
func (p *page) recycle() {
	if p.big || cap(p.data) != PageSize { // a part of something larger
		return
	}
	m := (*[PageSize]byte)(p.data)
	p.data = nil
	if vector.SparesPoisoned() {
		for i := range m {
			m[i] = 0xA5
		}
		return
	}
	spare.Put(m)
}

// copied returns a page of equal content that the caller may write to.
func (p *page) copied() *page {
	q := *p
	if p.big {
		q.data = make([]byte, len(p.data))
	} else {
		q.data = takeMemory()
	}
	copy(q.data, p.data)
	return &q
}

func (p *page) length(slot uint32) int {
	if p.big {
		return int(p.size)
	}
	return int(binary.LittleEndian.Uint16(p.data[headerSize+2*slot:]))
}

func (p *page) setLength(slot uint32, n int) {
	binary.LittleEndian.PutUint16(p.data[headerSize+2*slot:], uint16(n))
}

// slot returns the whole of a slot.
func (p *page) slot(slot uint32) []byte {
	at := p.base + slot*p.size
	return p.data[at : at+p.size : at+p.size]
}

func (p *page) row(slot uint32) []byte {
	at := p.base + slot*p.size
	n := uint32(p.length(slot))
	return p.data[at : at+n : at+n]
}

// openPage reads a stored page, which it takes over, and finds its free slots.
func openPage(data []byte) (*page, error) {
	if len(data) < headerSize {
		return nil, fmt.Errorf("state page of %d bytes", len(data))
	}
	if data[0] != pageVersion {
		return nil, fmt.Errorf("state page of format %d, known is %d", data[0], pageVersion)
	}
	if data[1] == kindBig {
		n := int(binary.LittleEndian.Uint32(data[8:]))
		if n+headerSize != len(data) || n == 0 {
			return nil, fmt.Errorf("big state page of %d bytes says %d", len(data), n)
		}
		return &page{data: data, size: uint32(n), base: headerSize, slots: 1, live: 1, big: true}, nil
	}
	size, n := int(binary.LittleEndian.Uint16(data[2:])), int(binary.LittleEndian.Uint16(data[4:]))
	if data[1] != kindSlab || len(data) != PageSize || size == 0 || size > maxSlot || slotSizes[fineOf[(size+7)/8]] != size ||
		n != (PageSize-headerSize-8)/(size+2) {
		return nil, fmt.Errorf("state page with a broken header: kind %d, %d bytes, %d slots of %d", data[1], len(data), n, size)
	}
	p := &page{
		data: data, size: uint32(size), base: uint32(headerSize+2*n+7) &^ 7,
		slots: int32(n), free: make([]uint64, (n+63)/64), class: fineOf[(size+7)/8],
	}
	for i := range n {
		switch l := p.length(uint32(i)); {
		case l > size:
			return nil, fmt.Errorf("state page with a row of %d bytes in a slot of %d", l, size)
		case l > 0:
			p.live++
		default:
			p.free[i>>6] |= 1 << (i & 63)
		}
	}
	return p, nil
}

// give frees a slot; its length is 0 already.
func (p *page) give(slot uint32) {
	p.live--
	p.free[slot>>6] |= 1 << (slot & 63)
	p.hint = min(p.hint, int32(slot>>6))
}

// take finds a free slot; there is one.
func (p *page) take() uint32 {
	p.live++
	for p.free[p.hint] == 0 {
		p.hint++
	}
	w := p.free[p.hint]
	p.free[p.hint] = w & (w - 1)
	return uint32(p.hint)<<6 | uint32(bits.TrailingZeros64(w))
}
