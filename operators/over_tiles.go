package operators

// tile is the tile of row i, from 1 on, when n rows are put into tiles tiles, and
// the row at which the next tile begins. The first n % tiles tiles have a row
// more. What is not among the rows is in tile 0.
func tile(n, tiles, i int64) (number, end int64) {
	switch {
	case i < 0:
		return 0, 0
	case i >= n:
		return 0, i + 1
	}
	size, larger := n/tiles, n%tiles
	if k := i / (size + 1); k < larger {
		return k + 1, (k + 1) * (size + 1)
	}
	k := (i - larger) / size // tiles before it that are counted as if all had size rows
	return k + 1, larger + (k+1)*size
}

// narrow leaves of the rows from lo to hi, which lie between two changes, the first
// run of those in another tile than before. It looks at no more than most tiles;
// to begin with, when all are as they were, next is where to go on.
//
// A change of one row moves the edge of each tile by a row at most: so it reaches
// as many rows as there are tiles, not the partition.
func (r *reacher) narrow(p *overPart, lo, hi int64, most int) (from, next int64) {
	if r.kind != reachTiles {
		return lo, hi
	}
	for from, next = lo, lo; next < hi && most > 0; most-- {
		now, end := tile(p.n, r.n, next)
		was, wasEnd := tile(r.had, r.n, next-r.moved)
		same := now == was
		if same && from < next {
			break // behind a run
		}
		next = min(end, wasEnd+r.moved, hi)
		if same {
			from = next
		}
	}
	return from, next
}
