package operators

// longList is a list that grows without copying what it has, so that adding to it
// takes the same time however long it is.
type longList[T any] struct {
	blocks [][]T // all full but the last
	n      int
}

const listBlock = 1 << 12

// len is the number of items.
func (l *longList[T]) len() int { return l.n }

// push adds an item at the end.
func (l *longList[T]) push(x T) {
	last := l.n / listBlock
	if last == len(l.blocks) {
		l.blocks = append(l.blocks, nil)
	}
	l.blocks[last] = append(l.blocks[last], x)
	l.n++
}

// at is item i, to be read or changed.
func (l *longList[T]) at(i int) *T { return &l.blocks[i/listBlock][i%listBlock] }

// from is at most limit items from i on: fewer where a block ends.
func (l *longList[T]) from(i, limit int) []T {
	rest := l.blocks[i/listBlock][i%listBlock:]
	return rest[:min(limit, len(rest))]
}

// pop takes the last item off.
func (l *longList[T]) pop() T {
	l.n--
	b := &l.blocks[l.n/listBlock]
	x := (*b)[l.n%listBlock]
	*b = (*b)[:l.n%listBlock]
	if l.n%listBlock == 0 && l.n > 0 {
		l.blocks = l.blocks[:l.n/listBlock]
	}
	return x
}

// clear empties the list. It keeps the memory of one block.
func (l *longList[T]) clear() {
	if len(l.blocks) > 0 {
		l.blocks = l.blocks[:1:1]
		l.blocks[0] = l.blocks[0][:0]
	}
	l.n = 0
}
