package operators

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf8"

	"streamsql/operators/account"
	"streamsql/operators/state"
	"streamsql/sql/agg"
	"streamsql/sql/builtin"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// listAggregate makes one value of all values of a group in order: GROUP_CONCAT,
// JSON_ARRAYAGG, JSON_OBJECTAGG. Its state is the handle of the result in the
// heap, 0 if there is none, nullMember if there cannot be one.
type listAggregate struct {
	keptValues
	heap agg.Heap

	text    []byte
	cols    []*vector.Vector
	members []member
	seen    map[string]bool
	cuts    int64 // results cut so far in the query
}

// member is one of a JSON object.
type member struct{ key, value []byte }

// nullMember is no handle of a heap.
const nullMember = 1

func newListAggregate(c agg.Call, cols []int, at int, heap agg.Heap, a *account.Account) *listAggregate {
	l := &listAggregate{keptValues: newKeptValues(c, cols, at, a, ordered), heap: heap}
	l.cols = newVectors(l.types, 1)
	return l
}

func (l *listAggregate) size() int { return 8 }

func (l *listAggregate) refresh(group state.Ref, row []byte, warn func(uint16, string)) error {
	l.text = l.text[:0]
	old, made := binary.LittleEndian.Uint64(row[l.at:]), uint64(0)
	switch l.call.Fn {
	case "group_concat":
		if l.concat(group) {
			l.cuts++
			if warn != nil {
				warn(sqlerr.CutByGroupConcat, sqlerr.New(sqlerr.CutByGroupConcat, "Row %d was cut by GROUP_CONCAT()", l.cuts).Message)
			}
		}
	case "json_arrayagg":
		l.array(group)
	default:
		if !l.object(group) {
			made = nullMember
		}
	}
	kept := old > nullMember
	switch {
	case made == nullMember:
	case l.kept.end(group, false) == 0: // no value: NULL
	case kept && bytes.Equal(l.heap.Get(old), l.text):
		return nil
	default:
		var err error
		if made, err = l.heap.Put(l.text); err != nil {
			return err
		}
	}
	if kept {
		l.heap.Drop(old)
	}
	binary.LittleEndian.PutUint64(row[l.at:], made)
	return nil
}

// each calls f with the entries of a group in order, and how often each is there,
// until it returns false.
func (l *listAggregate) each(group state.Ref, f func(entry []byte, n int64) bool) {
	l.kept.ascend(group, func(r state.Ref) bool {
		row := l.kept.store.Get(r)
		return f(row[multisetValue:], getInt(row))
	})
}

// decode is the values of an entry, good until the next call.
func (l *listAggregate) decode(entry []byte) []*vector.Vector {
	entry = l.skip(entry)
	for _, v := range l.cols {
		v.Reset()
		entry = state.DecodeOrdered(entry, v)
	}
	return l.cols
}

// concat puts GROUP_CONCAT's text together, as much as the limit lets; true: it
// was cut.
func (l *listAggregate) concat(group state.Ref) (cut bool) {
	first := true
	var last []byte
	others := len(l.orders) - l.call.Apart
	adjacent := others == 0
	if l.call.Distinct && !adjacent {
		l.seen = map[string]bool{}
	}
	l.each(group, func(entry []byte, n int64) bool {
		values := l.skip(entry)
		if l.call.Distinct {
			key := l.skipOrder(entry, others)
			key = key[:len(key)-len(values)]
			switch {
			case adjacent && !first && bytes.Equal(key, last), !adjacent && l.seen[string(key)]:
				return true
			case !adjacent:
				l.seen[string(key)] = true
			}
			last, n = key, 1
		}
		text := l.decode(entry)[0].Bytes(0)
		for ; n > 0; n-- {
			if !first {
				l.text = append(l.text, l.call.Separator...)
			}
			first = false
			l.text = append(l.text, text...)
			if int64(len(l.text)) > l.call.MaxLen {
				cut = true
				return false
			}
		}
		return true
	})
	if cut {
		end := int(l.call.MaxLen)
		for end > 0 && !utf8.RuneStart(l.text[end]) {
			end--
		}
		l.text = l.text[:end]
	}
	return cut
}

func (l *listAggregate) array(group state.Ref) {
	l.text = append(l.text, '[')
	first := true
	l.each(group, func(entry []byte, n int64) bool {
		value := l.decode(entry)[0].Bytes(0)
		for ; n > 0; n-- {
			if !first {
				l.text = append(l.text, ", "...)
			}
			first = false
			l.text = append(l.text, value...)
		}
		return true
	})
	l.text = append(l.text, ']')
}

// object puts the members in the order of MySQL's normal form: by the length of
// the key, then by its bytes; of members with one key the last one counts.
// false: a key is NULL.
func (l *listAggregate) object(group state.Ref) bool {
	l.members = l.members[:0]
	ok := true
	l.each(group, func(entry []byte, _ int64) bool {
		values := l.decode(entry)
		if ok = !values[0].IsNull(0); !ok {
			return false
		}
		l.members = append(l.members, member{slices.Clone(values[0].Bytes(0)), slices.Clone(values[1].Bytes(0))})
		return true
	})
	slices.SortStableFunc(l.members, func(a, b member) int {
		if len(a.key) != len(b.key) {
			return len(a.key) - len(b.key)
		}
		return bytes.Compare(a.key, b.key)
	})
	l.text = append(l.text, '{')
	for i, m := range l.members {
		if i+1 < len(l.members) && bytes.Equal(m.key, l.members[i+1].key) {
			continue
		}
		if len(l.text) > 1 {
			l.text = append(l.text, ", "...)
		}
		l.text = append(append(builtin.AppendJSONString(l.text, m.key), ": "...), m.value...)
	}
	l.text = append(l.text, '}')
	return ok
}

func (l *listAggregate) results(heap agg.Heap, _ rows) results { return &listResults{l.at, heap} }

type listResults struct {
	at   int
	heap agg.Heap
}

// AppendResult appends the texts.
func (l *listResults) AppendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	for i, row := range rows {
		switch h := binary.LittleEndian.Uint64(row[l.at:]); h {
		case 0:
			out.AppendNull()
		case nullMember:
			out.AppendNull()
			fail(i, sqlerr.New(sqlerr.JSONNullKey, "JSON documents may not contain NULL member names."))
		default:
			out.AppendBytes(l.heap.Get(h))
		}
	}
}
