package operators

import (
	"streamsql/operators/state"
	"streamsql/sql/vector"
)

// finder numbers the keys of a batch from 0 on. Its table needs no clearing
// between batches: a slot counts only with the current generation.
type finder struct {
	slots []finderSlot
	gen   uint32
	n     int
	ints  []int64 // one: the keys by number
	nulls int     // one: number of the key NULL, +1
	enc   []byte  // else: the encoded keys, one after the other
	off   []int
	// hashes are those of the encoded keys by number.
	hashes []uint64
	rows   [][]byte // scratch of appendKeys
}

type finderSlot struct {
	key   uint64 // one: the key; else its hash
	group uint32
	gen   uint32
}

func (f *finder) reset() {
	f.n, f.nulls = 0, 0
	f.ints, f.enc, f.off, f.hashes = f.ints[:0], f.enc[:0], f.off[:0], f.hashes[:0]
	if f.gen++; f.gen == 0 {
		clear(f.slots)
		f.gen = 1
	}
	if len(f.slots) > 1<<16 && cap(f.enc) > 1<<22 {
		f.enc = nil
	}
}

// groupsOf finds the numbers of the keys of the rows lo … lo+len(out), new ones
// for new keys.
func (f *finder) groupsOf(g *grouping, lo int, out []uint32) {
	if need := 2 * (f.n + len(out)); need > len(f.slots) {
		f.grow(g, need)
	}
	if !g.one {
		f.groupsOfEncoded(g, lo, out)
		return
	}
	mask := uint64(len(f.slots) - 1)
	nulls := g.cols[0].HasNulls()
	keys, hashes := g.ints[lo:lo+len(out)], g.hashes[lo:lo+len(out)]
	for i, k := range keys {
		if nulls && g.null(lo+i) {
			out[i] = f.nullGroup()
			continue
		}
		for at := hashes[i] & mask; ; at = (at + 1) & mask {
			s := &f.slots[at]
			if s.gen != f.gen {
				*s = finderSlot{uint64(k), uint32(f.n), f.gen}
				f.ints = append(f.ints, k)
				f.n++
			} else if s.key != uint64(k) {
				continue
			}
			out[i] = s.group
			break
		}
	}
}

func (f *finder) nullGroup() uint32 {
	if f.nulls == 0 {
		f.ints = append(f.ints, 0)
		f.n++
		f.nulls = f.n
	}
	return uint32(f.nulls - 1)
}

func (f *finder) groupsOfEncoded(g *grouping, lo int, out []uint32) {
	mask := uint64(len(f.slots) - 1)
	if len(f.off) == 0 {
		f.off = append(f.off, 0)
	}
	for i := range out {
		h := g.hashes[lo+i]
		for at := h & mask; ; at = (at + 1) & mask {
			s := &f.slots[at]
			if s.gen != f.gen {
				*s = finderSlot{h, uint32(f.n), f.gen}
				f.enc = g.codec.Append(f.enc, g.cols, lo+i)
				f.off, f.hashes = append(f.off, len(f.enc)), append(f.hashes, h)
				f.n++
			} else if s.key != h || !g.codec.Is(f.encoded(s.group), g.cols, lo+i) {
				continue
			}
			out[i] = s.group
			break
		}
	}
}

func (f *finder) encoded(group uint32) []byte { return f.enc[f.off[group]:f.off[group+1]] }

// grow makes room for need/2 keys.
func (f *finder) grow(g *grouping, need int) {
	size := 1024
	for size < need {
		size *= 2
	}
	old, gen := f.slots, f.gen
	f.slots, f.gen = make([]finderSlot, size), 1
	mask := uint64(size - 1)
	for _, s := range old {
		if s.gen != gen {
			continue
		}
		h := s.key
		if g.one {
			h = state.HashInt(int64(s.key))
		}
		at := h & mask
		for f.slots[at].gen != 0 {
			at = (at + 1) & mask
		}
		f.slots[at] = finderSlot{s.key, s.group, 1}
	}
}

// appendKeys appends the keys with the numbers ids to the first columns of cols.
func (f *finder) appendKeys(g *grouping, ids []uint32, cols []*vector.Vector) {
	if g.one {
		for _, id := range ids {
			if int(id) == f.nulls-1 {
				cols[0].AppendNull()
			} else {
				cols[0].AppendInt(f.ints[id])
			}
		}
		return
	}
	f.rows = f.rows[:0]
	for _, id := range ids {
		f.rows = append(f.rows, f.encoded(id))
	}
	g.codec.Decode(f.rows, cols[:len(g.keys)])
}

// hashesOf sets out to the hashes of the encoded keys with the numbers ids.
func (f *finder) hashesOf(ids []uint32, out []uint64) {
	for i, id := range ids {
		out[i] = f.hashes[id]
	}
}
