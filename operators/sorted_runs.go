package operators

import (
	"bytes"
	"container/heap"
	"slices"

	"streamsql/operators/account"
)

// sortedRuns puts the rows of a batch in order by their keys: rows are sorted in
// runs as they come, and the runs merged as they are read, so that no Step is
// longer than its budget. Rows of equal keys meet in the merge: there their
// weights add up.
type sortedRuns struct {
	account *account.Account
	runs    runHeap
	held    int64 // bytes reserved
	merging bool
	made    runMaker
}

// run is a sorted sequence of rows.
type run struct {
	key  [][]byte // orders the row
	row  [][]byte // what goes with the key
	w    []int64
	next int
}

// runMaker collects the rows of a run before they are sorted.
type runMaker struct {
	buf  []byte
	ends []int // after each key, after each row
	w    []int64
}

// begin starts a run. Its keys and rows are appended to buf, push ends each.
func (s *sortedRuns) begin() *runMaker {
	s.made = runMaker{ends: s.made.ends[:0], w: s.made.w[:0]}
	return &s.made
}

// push ends a row: its key and what goes with it lie in buf, up to keyEnd and to buf's end.
func (m *runMaker) push(keyEnd int, w int64) {
	m.ends = append(m.ends, keyEnd, len(m.buf))
	m.w = append(m.w, w)
}

// finish sorts the run that was begun. The error is the account's.
func (s *sortedRuns) finish() error {
	m := &s.made
	n := len(m.w)
	if n == 0 {
		return nil
	}
	size := int64(len(m.buf) + 60*n)
	if err := s.account.Reserve(size); err != nil {
		return err
	}
	s.held += size
	order := make([]int32, n)
	keys, rows := make([][]byte, n), make([][]byte, n)
	at := 0
	for i := range n {
		order[i] = int32(i)
		keys[i], rows[i] = m.buf[at:m.ends[2*i]], m.buf[m.ends[2*i]:m.ends[2*i+1]]
		at = m.ends[2*i+1]
	}
	slices.SortFunc(order, func(a, b int32) int { return bytes.Compare(keys[a], keys[b]) })
	r := &run{key: make([][]byte, n), row: make([][]byte, n), w: make([]int64, n)}
	for i, o := range order {
		r.key[i], r.row[i], r.w[i] = keys[o], rows[o], m.w[o]
	}
	s.runs = append(s.runs, r)
	s.merging = false
	return nil
}

// empty reports that no row is left.
func (s *sortedRuns) empty() bool { return len(s.runs) == 0 }

// next takes the rows of the smallest key out: the key, what went with one of
// the rows, the sum of their weights, and how many they were. Not when empty.
func (s *sortedRuns) next() (key, row []byte, w int64, took int) {
	if !s.merging {
		s.merging = true
		heap.Init(&s.runs)
	}
	first := s.runs[0]
	key, row = first.key[first.next], first.row[first.next]
	for len(s.runs) > 0 {
		r := s.runs[0]
		if !bytes.Equal(r.key[r.next], key) {
			break
		}
		w += r.w[r.next]
		took++
		if r.next++; r.next == len(r.key) {
			heap.Pop(&s.runs)
		} else {
			heap.Fix(&s.runs, 0)
		}
	}
	return key, row, w, took
}

// rows is how many rows are left.
func (s *sortedRuns) rows() int {
	n := 0
	for _, r := range s.runs {
		n += len(r.key) - r.next
	}
	return n
}

// cut keeps the rows of the smallest keys alone, limit of them counted by their
// weights, which are all positive. It returns the greatest key if limit rows are there, else nil.
func (s *sortedRuns) cut(limit int64) (last []byte, err error) {
	kept := &run{}
	m := runMaker{}
	for left := limit; left > 0 && len(s.runs) > 0; {
		key, row, w, _ := s.next()
		w = min(w, left)
		left -= w
		m.buf = append(m.buf, key...)
		keyEnd := len(m.buf)
		m.buf = append(m.buf, row...)
		m.push(keyEnd, w)
		if left == 0 {
			last = key
		}
	}
	at := 0
	for i := range m.w {
		kept.key, kept.row = append(kept.key, m.buf[at:m.ends[2*i]]), append(kept.row, m.buf[m.ends[2*i]:m.ends[2*i+1]])
		at = m.ends[2*i+1]
	}
	kept.w = m.w
	s.reset()
	if len(kept.key) == 0 {
		return nil, nil
	}
	s.held = int64(len(m.buf) + 60*len(m.w))
	s.runs = runHeap{kept}
	return last, s.account.Reserve(s.held)
}

// reset forgets all rows and gives their memory back.
func (s *sortedRuns) reset() {
	s.runs, s.merging = nil, false
	s.account.Release(s.held)
	s.held = 0
	if cap(s.made.w) > 1<<16 {
		s.made = runMaker{}
	}
	s.made.buf = nil
}

// runHeap has the run with the smallest next row first.
type runHeap []*run

func (h runHeap) Len() int { return len(h) }
func (h runHeap) Less(i, j int) bool {
	return bytes.Compare(h[i].key[h[i].next], h[j].key[h[j].next]) < 0
}
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push is heap.Interface's.
func (h *runHeap) Push(x any) { *h = append(*h, x.(*run)) }

// Pop is heap.Interface's.
func (h *runHeap) Pop() any {
	old := *h
	r := old[len(old)-1]
	*h = old[:len(old)-1]
	return r
}
