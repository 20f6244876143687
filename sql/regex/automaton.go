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
	maxEdges   = 1 << 14 // states · classes
	maxClasses = 255
)

// automaton reads runes, which it knows by their class alone: those of a class are
// alike to the whole expression.
type automaton struct {
	ascii   [utf8.RuneSelf]uint8
	bounds  []rune // class k is the runes from bounds[k] on
	classes int
	next    []uint16 // state · classes + class → state
	match   []bool   // by state: what was read so far ends a match
	last    []bool   // the same, if it is also the end of the text
	// skip: a state that all bytes lead back to but one: that one; loops: all do.
	skip []int16

	// start is the state at the beginning, and inside that at a place which is
	// not one: a match that is looked for backward may end inside the text.
	start, inside uint16
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
	return uint8(sort.Search(len(a.bounds), func(k int) bool { return a.bounds[k] > r }) - 1)
}

// end is where a match in s ends, −1: there is none. It is the leftmost-first
// match's, with any just some match's.
func (a *automaton) end(s []byte, any bool) int {
	state, i, found := a.start, 0, -1
	for {
		if a.match[state] {
			if found = i; any {
				return found
			}
		}
		if i == len(s) {
			break
		}
		if b := a.skip[state]; b != stops {
			n := -1
			if b >= 0 {
				n = bytes.IndexByte(s[i:], byte(b))
			}
			if n < 0 {
				n = len(s) - i
			}
			if i += n; a.match[state] {
				found = i
			}
			if i == len(s) {
				break
			}
		}
		var class uint8
		if c := s[i]; c < utf8.RuneSelf {
			class = a.ascii[c]
			i++
		} else {
			r, size := utf8.DecodeRune(s[i:])
			class = a.class(r)
			i += size
		}
		if state = a.next[int(state)*a.classes+int(class)]; state == dead {
			return found
		}
	}
	if a.last[state] {
		found = len(s)
	}
	return found
}

// begin is where the longest match that ends at s[:end] begins. There is one.
func (a *automaton) begin(s []byte, end int) int {
	state, i, found := a.start, end, end
	if end < len(s) {
		state = a.inside
	}
	for {
		if a.match[state] {
			found = i
		}
		if i == 0 {
			break
		}
		var class uint8
		if c := s[i-1]; c < utf8.RuneSelf {
			class = a.ascii[c]
			i--
		} else {
			r, size := utf8.DecodeLastRune(s[:i])
			class = a.class(r)
			i -= size
		}
		if state = a.next[int(state)*a.classes+int(class)]; state == dead {
			return found
		}
	}
	if a.last[state] {
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
}

// again in a list: the search may still begin here. It is preferred least.
const again = ^uint32(0)

// build makes an automaton, nil if the expression has none.
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
		for _, r := range b.bounds {
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
	if b.classes = len(b.bounds); b.classes > maxClasses {
		return false
	}
	for c := range b.ascii {
		b.ascii[c] = b.class(rune(c))
	}
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

// finish works out what is known of each state.
func (b *builder) finish() {
	for k, list := range b.lists {
		is := func(pc uint32) bool { return pc != again && b.prog.Inst[pc].Op == syntax.InstMatch }
		b.match = append(b.match, slices.ContainsFunc(list, is))
		clear(b.seen)
		var end []uint32
		for _, pc := range list {
			if pc == again { // the end itself may be a match that begins here
				pc = uint32(b.prog.Start)
			}
			end, _ = b.follow(end, pc, syntax.EmptyEndText)
		}
		b.last = append(b.last, slices.ContainsFunc(end, is))
		b.skip = append(b.skip, b.skipped(k))
	}
}

func (b *builder) skipped(state int) int16 {
	row := b.next[state*b.classes : (state+1)*b.classes]
	for k, to := range row {
		if b.bounds[k] >= utf8.RuneSelf && int(to) != state {
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
