package regex

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Bounds of an automaton, which keep its building below some milliseconds.
const (
	maxEdges   = 1 << 14 // states · classes, which fit a uint16
	maxClasses = 255
	maxLooks   = 1 << 17 // ranges of runes · instructions that read one
)

// automaton reads runes, which it knows by their class alone: those of a class are
// alike to the whole expression. A state is where its row of next begins, so that a
// step is one addition and one load; those below plain need more than a step.
type automaton struct {
	ascii   [utf8.RuneSelf]uint8
	bounds  []rune  // range k is the runes from bounds[k] on
	kind    []uint8 // its class
	classes int
	next    []uint16 // state + class → state
	states  []about  // by number: state / classes
	plain   uint16

	// start is the state at the beginning, and inside that at a place which is
	// not one: a match that is looked for backward may end inside the text.
	start, inside uint16
}

// about is what is known of a state.
type about struct {
	match bool   // what was read so far ends a match
	last  bool   // the same, if it is also the end of the text
	skip  int16  // all bytes lead back to the state but this one; or stops, or loops: all do
	run   string // a text that leads to the state after it, and to no match on the way
	after uint16
}

// dead is the state in which nothing can match any more.
const dead = 0

// The values of skip that are no byte.
const (
	stops = -1
	loops = -2
)

// class is that of a rune beyond ASCII.
func (a *automaton) class(r rune) uint8 {
	return a.kind[sort.Search(len(a.bounds), func(k int) bool { return a.bounds[k] > r })-1]
}

// end is where a match in s ends, −1: there is none. It is the leftmost-first
// match's, with any just some match's.
func (a *automaton) end(s []byte, any bool) int {
	state, i, found := a.start, 0, -1
	for {
		if state < a.plain {
			if state == dead {
				return found
			}
			at := &a.states[int(state)/a.classes]
			if i = at.skipTo(s, i); at.match {
				if found = i; any {
					return found
				}
			}
			if n := len(at.run); n > 0 && len(s)-i >= n && s[i] == at.run[0] && string(s[i:i+n]) == at.run {
				i += n
				state = at.after
				continue
			}
		}
		if i == len(s) {
			break
		}
		if c := s[i]; c < utf8.RuneSelf {
			state = a.next[int(state)+int(a.ascii[c])]
			i++
		} else {
			r, size := utf8.DecodeRune(s[i:])
			state = a.next[int(state)+int(a.class(r))]
			i += size
		}
	}
	if a.states[int(state)/a.classes].last {
		found = len(s)
	}
	return found
}

// skipTo is the first place from i on at which the state is left.
func (t *about) skipTo(s []byte, i int) int {
	if t.skip == stops {
		return i
	}
	if t.skip >= 0 {
		if n := bytes.IndexByte(s[i:], byte(t.skip)); n >= 0 {
			return i + n
		}
	}
	return len(s)
}

// begin is where the longest match that ends at s[:end] begins. There is one.
func (a *automaton) begin(s []byte, end int) int {
	state, i, found := a.start, end, end
	if end < len(s) {
		state = a.inside
	}
	for {
		if state < a.plain {
			if state == dead {
				return found
			}
			at := &a.states[int(state)/a.classes]
			if at.match {
				found = i
			}
			if n := len(at.run); n > 0 && i >= n && s[i-1] == at.run[n-1] && string(s[i-n:i]) == at.run {
				i -= n
				state = at.after
				continue
			}
		}
		if i == 0 {
			break
		}
		if c := s[i-1]; c < utf8.RuneSelf {
			state = a.next[int(state)+int(a.ascii[c])]
			i--
		} else {
			r, size := utf8.DecodeLastRune(s[:i])
			state = a.next[int(state)+int(a.class(r))]
			i -= size
		}
	}
	if a.states[int(state)/a.classes].last {
		found = 0
	}
	return found
}

// builder makes an automaton out of a program. A state is a list of places in the
// program, those that the match prefers first.
type builder struct {
	*automaton
	prog   *syntax.Prog
	search bool // a match may begin anywhere, and the preferred one counts; else the longest
	ids    map[string]uint16
	lists  [][]uint32
	seen   []bool
	sample []rune // a rune of each class
	wide   []bool // the class has runes beyond ASCII
}

// again in a list: the search may still begin here. It is preferred least.
const again = ^uint32(0)

// build makes an automaton, nil if the expression has none. With search it reads
// forward and finds a match anywhere, else it reads backward from a match's end.
func build(re *syntax.Regexp, search bool) *automaton {
	prog, err := syntax.Compile(re)
	if err != nil {
		return nil
	}
	b := &builder{automaton: &automaton{}, prog: prog, search: search, ids: map[string]uint16{}, seen: make([]bool, len(prog.Inst))}
	if !b.classify() {
		return nil
	}
	b.state(nil) // dead
	b.start = b.first(syntax.EmptyBeginText)
	b.inside = b.first(0)
	for k := 0; k < len(b.lists); k++ {
		if len(b.lists)*b.classes > maxEdges {
			return nil
		}
		for _, r := range b.sample {
			b.next = append(b.next, b.step(b.lists[k], r))
		}
	}
	b.finish()
	return b.automaton
}

// classify finds the classes of runes. No: there are too many, or the program asks
// what an automaton cannot know.
func (b *builder) classify() bool {
	bounds := []rune{0, utf8.RuneSelf}
	add := func(lo, hi rune) { bounds = append(bounds, lo, hi+1) }
	for k := range b.prog.Inst {
		in := &b.prog.Inst[k]
		switch in.Op {
		case syntax.InstEmptyWidth:
			if op := syntax.EmptyOp(in.Arg); op != syntax.EmptyBeginText && op != syntax.EmptyEndText {
				return false
			}
		case syntax.InstRuneAnyNotNL:
			add('\n', '\n')
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				r := in.Rune[0]
				add(r, r)
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					add(f, f)
				}
				continue
			}
			for i := 0; i < len(in.Rune); i += 2 {
				add(in.Rune[i], in.Rune[i+1])
			}
		}
	}
	slices.Sort(bounds)
	b.bounds = slices.Compact(bounds)
	if b.bounds[len(b.bounds)-1] > unicode.MaxRune {
		b.bounds = b.bounds[:len(b.bounds)-1]
	}
	if !b.unite() {
		return false
	}
	for c := range b.ascii {
		b.ascii[c] = b.class(rune(c))
	}
	return true
}

// unite gives ranges one class whose runes the same instructions match: those of \w
// are hundreds. No: there are too many.
func (b *builder) unite() bool {
	var reads []*syntax.Inst
	for k := range b.prog.Inst {
		switch in := &b.prog.Inst[k]; in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			reads = append(reads, in)
		}
	}
	if len(reads)*len(b.bounds) > maxLooks {
		return false
	}
	classes := map[string]uint8{}
	matched := make([]byte, len(reads))
	for _, r := range b.bounds {
		for i, in := range reads {
			matched[i] = 0
			if in.MatchRune(r) {
				matched[i] = 1
			}
		}
		k, known := classes[string(matched)]
		if !known {
			if len(classes) == maxClasses {
				return false
			}
			k = uint8(len(classes))
			classes[string(matched)] = k
			b.sample, b.wide = append(b.sample, r), append(b.wide, false)
		}
		b.kind = append(b.kind, k)
		b.wide[k] = b.wide[k] || r >= utf8.RuneSelf
	}
	b.classes = len(classes)
	return true
}

// first is the state before anything was read, at a place of which flags are true.
func (b *builder) first(flags syntax.EmptyOp) uint16 {
	clear(b.seen)
	list, full := b.follow(nil, uint32(b.prog.Start), flags)
	if b.search && !full {
		list = append(list, again)
	}
	return b.state(list)
}

// follow appends the places that are reached from pc without reading, at a place of
// which flags are true. Those that need the end of the text stay. full: a match is
// reached, and what is preferred less does not count.
func (b *builder) follow(list []uint32, pc uint32, flags syntax.EmptyOp) (_ []uint32, full bool) {
	if b.seen[pc] {
		return list, false
	}
	b.seen[pc] = true
	in := &b.prog.Inst[pc]
	switch in.Op {
	case syntax.InstFail:
		return list, false
	case syntax.InstAlt, syntax.InstAltMatch:
		if list, full = b.follow(list, in.Out, flags); full {
			return list, true
		}
		return b.follow(list, in.Arg, flags)
	case syntax.InstCapture, syntax.InstNop:
		return b.follow(list, in.Out, flags)
	case syntax.InstEmptyWidth:
		if op := syntax.EmptyOp(in.Arg); op&flags == op {
			return b.follow(list, in.Out, flags)
		} else if op == syntax.EmptyBeginText {
			return list, false
		}
	}
	return append(list, pc), b.search && in.Op == syntax.InstMatch
}

// step is the state after a rune.
func (b *builder) step(list []uint32, r rune) uint16 {
	clear(b.seen)
	var next []uint32
	full := false
	for _, pc := range list {
		if pc == again {
			if next, full = b.follow(next, uint32(b.prog.Start), 0); !full {
				next = append(next, again)
			}
			break
		}
		in := &b.prog.Inst[pc]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if !in.MatchRune(r) {
				continue
			}
		default:
			continue
		}
		if next, full = b.follow(next, in.Out, 0); full {
			break
		}
	}
	return b.state(next)
}

// state is the number of a list.
func (b *builder) state(list []uint32) uint16 {
	var key []byte
	for _, pc := range list {
		key = binary.BigEndian.AppendUint32(key, pc)
	}
	id, ok := b.ids[string(key)]
	if !ok {
		id = uint16(len(b.lists))
		b.ids[string(key)] = id
		b.lists = append(b.lists, list)
	}
	return id
}

// finish works out what is known of each state, and gives those of which something
// is the lowest numbers. So far a state is its number.
func (b *builder) finish() {
	for k, list := range b.lists {
		is := func(pc uint32) bool { return pc != again && b.prog.Inst[pc].Op == syntax.InstMatch }
		clear(b.seen)
		var end []uint32
		for _, pc := range list {
			if pc == again { // the end itself may be a match that begins here
				pc = uint32(b.prog.Start)
			}
			end, _ = b.follow(end, pc, syntax.EmptyEndText)
		}
		b.states = append(b.states, about{match: slices.ContainsFunc(list, is), last: slices.ContainsFunc(end, is), skip: b.skipped(k)})
	}
	for k := range b.states {
		b.states[k].run, b.states[k].after = b.runFrom(k)
	}
	b.renumber()
}

func (b *builder) skipped(state int) int16 {
	row := b.next[state*b.classes : (state+1)*b.classes]
	for k, to := range row {
		if b.wide[k] && int(to) != state {
			return stops
		}
	}
	out := int16(loops)
	for c, class := range b.ascii {
		if int(row[class]) != state {
			if out != loops {
				return stops
			}
			out = int16(c)
		}
	}
	return out
}

// leastRun is the length from which comparing a run costs less than its steps.
const leastRun = 4

// runFrom is a text that a text which gets on in the expression is likely to have
// at a state, and the state after it: as long as one byte alone leads to a state
// that was found later.
func (b *builder) runFrom(state int) (run string, after uint16) {
	var text []byte
	for at := state; len(text) < 256; {
		row := b.next[at*b.classes : (at+1)*b.classes]
		only := -1
		for c, class := range b.ascii {
			if int(row[class]) <= at {
				continue
			}
			if only >= 0 {
				only = -1
				break
			}
			only = c
		}
		if only < 0 {
			break
		}
		text = append(text, byte(only))
		if at = int(row[b.ascii[only]]); b.states[at].match {
			return b.found(text, at)
		}
		after = uint16(at)
	}
	return b.found(text, int(after))
}

// found is a run of some length, the other way round for an automaton that reads backward.
func (b *builder) found(text []byte, after int) (string, uint16) {
	if len(text) < leastRun {
		return "", 0
	}
	if !b.search {
		slices.Reverse(text)
	}
	return string(text), uint16(after)
}

// renumber makes states of numbers.
func (b *builder) renumber() {
	order := make([]int, 0, len(b.states)) // new → old
	special := func(k int) bool {
		t := &b.states[k]
		return k == dead || t.match || t.skip != stops && b.search || t.run != ""
	}
	for _, want := range []bool{true, false} {
		for k := range b.states {
			if special(k) == want {
				order = append(order, k)
			}
		}
		if want {
			b.plain = uint16(len(order) * b.classes)
		}
	}
	place := make([]uint16, len(order)) // old → state
	for n, k := range order {
		place[k] = uint16(n * b.classes)
	}
	next, states := make([]uint16, 0, len(b.next)), make([]about, 0, len(order))
	for _, k := range order {
		for _, to := range b.next[k*b.classes : (k+1)*b.classes] {
			next = append(next, place[to])
		}
		t := b.states[k]
		t.after = place[t.after]
		states = append(states, t)
	}
	b.next, b.states, b.start, b.inside = next, states, place[b.start], place[b.inside]
}
