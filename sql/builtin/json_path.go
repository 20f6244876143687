package builtin

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"streamsql/sql/sqlerr"
)

// A jsonPath is a path of MySQL's: `$` and its legs.
type jsonPath []pathLeg

type legKind uint8

const (
	legMember    legKind = iota // .key
	legCell                     // [n], [last-n], [n to m]
	legAnyMember                // .*
	legAnyCell                  // [*]
	legDescend                  // **: what comes behind, at any depth
)

type pathLeg struct {
	kind     legKind
	key      string
	from, to cellIndex // one cell: both the same
}

// cellIndex counts from the front, or, with last, from the end.
type cellIndex struct {
	n    int
	last bool
}

func (c cellIndex) in(length int) int {
	if c.last {
		return length - 1 - c.n
	}
	return c.n
}

// plain reports a path that at most one value is at.
func (p jsonPath) plain() bool {
	for _, l := range p {
		if l.kind != legMember && (l.kind != legCell || l.from != l.to) {
			return false
		}
	}
	return true
}

// parsePath reads a path; error 3143 names the byte at which it is none.
func parsePath(s string) (jsonPath, error) {
	p := &pathParser{s: s}
	p.space()
	if !p.accept('$') {
		return nil, p.wrong()
	}
	var path jsonPath
	for p.space(); p.i < len(s); p.space() {
		l, ok := p.leg()
		if !ok {
			return nil, p.wrong()
		}
		path = append(path, l)
	}
	if n := len(path); n > 0 && path[n-1].kind == legDescend {
		return nil, p.wrong()
	}
	return path, nil
}

type pathParser struct {
	s string
	i int
}

func (p *pathParser) wrong() error {
	return sqlerr.New(sqlerr.InvalidJSONPath, "Invalid JSON path expression. The error is around character position %d.", min(p.i+1, len(p.s)))
}

func (p *pathParser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\n\r", p.s[p.i]) >= 0 {
		p.i++
	}
}

func (p *pathParser) accept(c byte) bool {
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *pathParser) leg() (pathLeg, bool) {
	switch {
	case p.accept('.'):
		p.space()
		if p.accept('*') {
			return pathLeg{kind: legAnyMember}, true
		}
		return p.member()
	case p.accept('['):
		return p.cell()
	case p.accept('*'):
		return pathLeg{kind: legDescend}, p.accept('*')
	}
	return pathLeg{}, false
}

func (p *pathParser) member() (pathLeg, bool) {
	from := p.i
	if p.accept('"') {
		for p.i < len(p.s) && p.s[p.i] != '"' {
			if p.s[p.i] == '\\' {
				p.i++
			}
			p.i++
		}
		if !p.accept('"') {
			return pathLeg{}, false
		}
		var key string
		err := json.Unmarshal([]byte(p.s[from:p.i]), &key)
		return pathLeg{kind: legMember, key: key}, err == nil
	}
	for p.i < len(p.s) && strings.IndexByte(" \t\n\r.[*", p.s[p.i]) < 0 {
		p.i++
	}
	key := p.s[from:p.i]
	return pathLeg{kind: legMember, key: key}, key != "" && (key[0] < '0' || key[0] > '9') && !strings.ContainsAny(key, `-"'\`)
}

func (p *pathParser) cell() (pathLeg, bool) {
	p.space()
	if p.accept('*') {
		p.space()
		return pathLeg{kind: legAnyCell}, p.accept(']')
	}
	l := pathLeg{kind: legCell}
	var ok bool
	if l.from, ok = p.index(); !ok {
		return l, false
	}
	l.to = l.from
	p.space()
	if strings.HasPrefix(p.s[p.i:], "to") {
		p.i += 2
		p.space()
		if l.to, ok = p.index(); !ok {
			return l, false
		}
		p.space()
	}
	return l, p.accept(']')
}

func (p *pathParser) index() (cellIndex, bool) {
	if strings.HasPrefix(p.s[p.i:], "last") {
		p.i += 4
		p.space()
		if !p.accept('-') {
			return cellIndex{last: true}, true
		}
		p.space()
		n, ok := p.number()
		return cellIndex{n, true}, ok
	}
	n, ok := p.number()
	return cellIndex{n: n}, ok
}

func (p *pathParser) number() (int, bool) {
	from := p.i
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		p.i++
	}
	n, err := strconv.ParseUint(p.s[from:p.i], 10, 32)
	return int(n), err == nil
}

// find calls f with each value at the path, in the order of the document, until
// it returns false. A value that is no array is the one cell of itself.
func (p jsonPath) find(v any, f func(any) bool) bool {
	if len(p) == 0 {
		return f(v)
	}
	l, rest := p[0], p[1:]
	switch l.kind {
	case legMember:
		if o, ok := v.(*jsonObject); ok {
			if m, ok := o.get(l.key); ok {
				return rest.find(m, f)
			}
		}
	case legAnyMember:
		if o, ok := v.(*jsonObject); ok {
			for _, m := range o.values {
				if !rest.find(m, f) {
					return false
				}
			}
		}
	case legCell, legAnyCell:
		return l.cells(v, func(e any) bool { return rest.find(e, f) })
	case legDescend:
		return l.descend(v, rest, f)
	}
	return true
}

func (l pathLeg) cells(v any, f func(any) bool) bool {
	a, ok := v.([]any)
	if !ok {
		if l.kind == legCell && l.from.in(1) <= 0 && l.to.in(1) >= 0 {
			return f(v)
		}
		return true
	}
	from, to := 0, len(a)-1
	if l.kind == legCell {
		from, to = max(l.from.in(len(a)), 0), min(l.to.in(len(a)), len(a)-1)
		if l.from == l.to && l.from.in(len(a)) < 0 {
			return true
		}
	}
	for k := from; k <= to; k++ {
		if !f(a[k]) {
			return false
		}
	}
	return true
}

// descend finds what is at rest below v or at any depth in it.
func (l pathLeg) descend(v any, rest jsonPath, f func(any) bool) bool {
	// A scalar is its own cell 0, but not once more below itself.
	if _, scalar := asContainer(v); scalar && rest[0].kind != legDescend {
		return true
	}
	if !rest.find(v, f) {
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !l.descend(e, rest, f) {
				return false
			}
		}
	case *jsonObject:
		for _, e := range v.values {
			if !l.descend(e, rest, f) {
				return false
			}
		}
	}
	return true
}

func asContainer(v any) (n int, scalar bool) {
	switch v := v.(type) {
	case []any:
		return len(v), false
	case *jsonObject:
		return len(v.keys), false
	}
	return 1, true
}

// rawFind is the value at a plain path in a document in normal form, as it
// stands there; nil: there is none. It reads no more than it must.
func (p jsonPath) rawFind(doc []byte) []byte {
	for _, l := range p {
		switch {
		case l.kind == legMember && doc[0] == '{':
			doc = rawMember(doc, l.key)
		case l.kind == legMember:
			return nil
		case doc[0] != '[':
			if l.from.in(1) != 0 {
				return nil
			}
		default:
			doc = rawCell(doc, l.from)
		}
		if doc == nil {
			return nil
		}
	}
	return doc
}

// rawEnd is where the value ends that begins at doc[i].
func rawEnd(doc []byte, i int) int {
	for depth := 0; i < len(doc); i++ {
		switch doc[i] {
		case '"':
			for i++; doc[i] != '"'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ':':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(doc)
}

func rawMember(doc []byte, key string) []byte {
	want := AppendJSONString(nil, key)
	for i := 1; i < len(doc) && doc[i] != '}'; {
		end := rawEnd(doc, i)
		name := doc[i:end]
		i = end + 2
		end = rawEnd(doc, i)
		if bytes.Equal(name, want) {
			return doc[i:end]
		}
		i = end + 2
	}
	return nil
}

func rawCell(doc []byte, at cellIndex) []byte {
	var cells [][]byte // only when counted from the end
	for i, n := 1, 0; i < len(doc) && doc[i] != ']'; n++ {
		end := rawEnd(doc, i)
		if at.last {
			cells = append(cells, doc[i:end])
		} else if n == at.n {
			return doc[i:end]
		}
		i = end + 2
	}
	if k := len(cells) - 1 - at.n; at.last && k >= 0 {
		return cells[k]
	}
	return nil
}

// appendJSONNumber appends a number as MySQL stores it: integers of 64 bits as
// they are, all else as a DOUBLE.
func appendJSONNumber(dst []byte, s string) []byte {
	if !strings.ContainsAny(s, ".eE") && s != "-0" {
		if _, err := strconv.ParseInt(s, 10, 64); err == nil {
			return append(dst, s...)
		}
		if _, err := strconv.ParseUint(s, 10, 64); err == nil {
			return append(dst, s...)
		}
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && math.IsInf(x, 0) {
		return append(dst, s...)
	}
	return appendJSONDouble(dst, x)
}
