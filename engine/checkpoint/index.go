package checkpoint

import "slices"

// version is one stored version of a page or blob.
type version struct {
	round  uint64
	chunks uint32 // of a blob; 1 for a page
	gone   bool   // says that the thing is no more
}

// versions are those of one page or blob, oldest first: at most three, the
// third being of the round under way.
type versions []version

// at returns the version that round sees.
func (vs versions) at(round uint64) (version, bool) {
	for i := len(vs) - 1; i >= 0; i-- {
		if vs[i].round <= round {
			return vs[i], !vs[i].gone
		}
	}
	return version{}, false
}

// prune splits vs into what the rounds prev and cur see and what neither does.
// A last version that says "gone" is needed by nobody once nothing lies before it.
func (vs versions) prune(prev, cur uint64) (keep, drop versions) {
	for i, v := range vs {
		seen := func(round uint64) bool {
			return v.round <= round && (i+1 == len(vs) || vs[i+1].round > round)
		}
		if v.round > cur || seen(prev) || seen(cur) {
			keep = append(keep, v)
		} else {
			drop = append(drop, v)
		}
	}
	for len(keep) > 0 && keep[0].gone && keep[0].round <= cur {
		drop = append(drop, keep[0])
		keep = keep[1:]
	}
	return keep, drop
}

func (vs versions) with(v version) versions {
	if i := slices.IndexFunc(vs, func(o version) bool { return o.round == v.round }); i >= 0 {
		vs[i] = v
		return vs
	}
	return append(vs, v)
}

// index knows every key of the store: a page of 16 KiB costs about 50 bytes.
type index struct {
	pages map[storeID]map[uint64]versions
	blobs map[blobID]versions
}

func newIndex() *index {
	return &index{pages: map[storeID]map[uint64]versions{}, blobs: map[blobID]versions{}}
}

func (x *index) addPage(s storeID, page uint64, v version) {
	m := x.pages[s]
	if m == nil {
		m = map[uint64]versions{}
		x.pages[s] = m
	}
	m[page] = m[page].with(v)
}

// count returns how many pages of s the round sees.
func (x *index) count(s storeID, round uint64) uint64 {
	n := uint64(0)
	for _, vs := range x.pages[s] {
		if _, ok := vs.at(round); ok {
			n++
		}
	}
	return n
}
