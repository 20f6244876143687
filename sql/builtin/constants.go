package builtin

import (
	"bytes"

	"streamsql/sql/collate"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// constants is a list of constants in which values are looked up: all of them at
// once, where comparing would take one after the other.
type constants struct {
	ints  map[int64]int32
	keys  map[string]int32 // texts and documents by their keys
	t     types.Type       // of texts
	short [][]numbered     // texts that are equal when their bytes are, by length
}

// numbered is a text and its number.
type numbered struct {
	text string
	n    int32
}

// Bounds of constants.short: the longest text, and how many of one length are
// cheaper to compare than to hash.
const (
	shortText = 128
	fewTexts  = 8
)

// newConstants is an empty list for values of x that are compared with others. It
// is nil if they cannot be looked up.
func newConstants(x *expr.Expr, c types.Collation) *constants {
	s := &constants{t: x.Type}
	switch x.Type.Class() {
	case types.ClassInt:
		if isUnsigned(x.Type) {
			return nil
		}
		s.ints = map[int64]int32{}
	case types.ClassBytes:
		if s.keys = map[string]int32{}; !s.t.IsBinary() && s.t.Kind != types.JSON {
			s.t.Collation = c
		}
	default:
		return nil
	}
	return s
}

// add numbers one more constant that is not NULL; one that is equal to an earlier
// one has no effect. No: it cannot be looked up.
func (s *constants) add(item *expr.Expr, n int32) bool {
	switch {
	case s.ints != nil:
		if item.Type.Class() != types.ClassInt || isUnsigned(item.Type) {
			return false
		}
		if _, again := s.ints[item.Value.I]; !again {
			s.ints[item.Value.I] = n
		}
	case item.Type.Class() != types.ClassBytes:
		return false
	default:
		key := string(collate.AppendKeyOf(nil, s.t, item.Value.S))
		if _, again := s.keys[key]; !again {
			s.keys[key] = n
		}
	}
	return true
}

// sort makes the list by length, once all are added.
func (s *constants) sort() {
	if s.keys == nil || s.t.Kind == types.JSON || collate.Of(s.t) > types.BinaryCollation {
		return
	}
	var short [][]numbered
	for key, n := range s.keys {
		if len(key) > shortText {
			return
		}
		for len(short) <= len(key) {
			short = append(short, nil)
		}
		if short[len(key)] = append(short[len(key)], numbered{key, n}); len(short[len(key)]) > fewTexts {
			return
		}
	}
	s.short = short
}

// find is the number of the constant that row i is equal to, and −1 if there is
// none; key is scratch.
func (s *constants) find(a Operand, i int, key *[]byte) int32 {
	if s.ints != nil {
		if n, ok := s.ints[a.Int(i)]; ok {
			return n
		}
		return -1
	}
	text := a.Str(i)
	if s.short != nil {
		if len(text) > 0 && text[len(text)-1] == ' ' && collate.Of(s.t) == types.UTF8MB4Bin {
			text = bytes.TrimRight(text, " ")
		}
		if len(text) < len(s.short) {
			for _, c := range s.short[len(text)] {
				if c.text == string(text) {
					return c.n
				}
			}
		}
		return -1
	}
	*key = collate.AppendKeyOf((*key)[:0], s.t, text)
	if n, ok := s.keys[string(*key)]; ok {
		return n
	}
	return -1
}

// Choice tells which of several constants a value is equal to.
type Choice struct{ list *constants }

// ChoiceOf is the Choice among conditions subject = constant of one subject, in
// order; nil if they have to be compared one by one.
func ChoiceOf(conditions []*expr.Expr) *Choice {
	x := conditions[0].Args[0]
	c := textCollation(conditions[0].Args...)
	list := newConstants(x, c)
	if list == nil || x.Type.Kind == types.JSON {
		return nil
	}
	for n, e := range conditions {
		switch item := e.Args[1]; {
		case item.Op != expr.OpConst:
			return nil
		case item.Value.Null: // nothing is equal to it
		case x.Type.Class() == types.ClassBytes && textCollation(e.Args...) != c, !list.add(item, int32(n)):
			return nil
		}
	}
	list.sort()
	return &Choice{list}
}

// Find writes, for each value of o, the number of the first condition that is true,
// and that after the last where none is.
func (c *Choice) Find(o Operand, which []int32, none int32) {
	var key []byte
	for i := range which {
		which[i] = none
		if o.NullAt(i) {
			continue
		}
		if n := c.list.find(o, i, &key); n >= 0 {
			which[i] = n
		}
	}
}
