package slt

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

type recordKind int

const (
	kindStatement recordKind = iota
	kindQuery
	kindSleep
	kindLoop
	kindRestart
	kindConnection
	kindUser
	kindSubscribe
	kindNext
)

func (k recordKind) String() string {
	return [...]string{"statement", "query", "sleep", "loop", "restart", "connection", "user", "subscribe", "next"}[k]
}

// A record is one step of a file. Loops hold their body.
type record struct {
	kind       recordKind
	line       int // of the directive, from 1
	only       []string
	skip       []string
	eventually time.Duration
	sql        string

	// statement
	wantErr bool
	errNums []int
	errRe   *regexp.Regexp

	// query
	types    string
	sort     string
	label    string
	want     []string
	wantLine int // of the first expected row
	fill     bool

	// the others
	wait  time.Duration
	count int
	body  []*record
	name  string
	pass  string
}

// applies reports whether the record runs with an engine.
func (rec *record) applies(engine string) bool {
	return !slices.Contains(rec.skip, engine) && !slices.ContainsFunc(rec.only, func(n string) bool { return n != engine })
}

// counts reports whether the record is one that passes or fails.
func (rec *record) counts() bool {
	return rec.kind == kindStatement || rec.kind == kindQuery || rec.kind == kindRestart || rec.kind == kindNext
}

type script struct {
	path     string
	lines    []string
	records  []*record
	restarts bool
	follows  bool // it has subscriptions, which no restart in the middle must end
}

func parseFile(path string) (*script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseScript(path, string(text))
}

func parseScript(path, text string) (*script, error) {
	p := &parser{s: &script{path: path, lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}}
	records, err := p.block(false)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.pos, err)
	}
	p.s.records = records
	return p.s, nil
}

type parser struct {
	s   *script
	pos int // lines consumed
}

var (
	errNumbers = regexp.MustCompile(`^\d{4}(\|\d{4})*$`)
	typeLetter = regexp.MustCompile(`^([ITDR]+|\?)$`)
)

func (p *parser) next() (string, bool) {
	if p.pos >= len(p.s.lines) {
		return "", false
	}
	p.pos++
	return p.s.lines[p.pos-1], true
}

func isDirective(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#")
}

func (p *parser) block(inLoop bool) ([]*record, error) {
	var out []*record
	cur := &record{}
	for {
		line, ok := p.next()
		if !ok {
			break
		}
		if !isDirective(line) {
			continue
		}
		f := strings.Fields(line)
		arg := func(i int) string {
			if i < len(f) {
				return f[i]
			}
			return ""
		}
		cur.line = p.pos
		var err error
		switch f[0] {
		case "onlyif", "skipif":
			if len(f) < 2 {
				return nil, fmt.Errorf("%s needs a name", f[0])
			}
			if f[0] == "onlyif" {
				cur.only = append(cur.only, f[1])
			} else {
				cur.skip = append(cur.skip, f[1])
			}
			continue
		case "eventually":
			cur.eventually, err = time.ParseDuration(arg(1))
			if err != nil {
				return nil, err
			}
			continue
		case "endloop":
			if !inLoop {
				return nil, fmt.Errorf("endloop without loop")
			}
			return out, nil
		case "statement":
			cur.kind = kindStatement
			err = p.statement(cur, line, f)
		case "query":
			if arg(1) == "error" {
				cur.kind = kindStatement
				err = p.statement(cur, line, f)
				break
			}
			cur.kind = kindQuery
			err = p.query(cur, f)
		case "sleep":
			cur.kind = kindSleep
			cur.wait, err = time.ParseDuration(arg(1))
		case "loop":
			cur.kind = kindLoop
			cur.count, err = strconv.Atoi(arg(1))
			if err == nil {
				cur.body, err = p.block(true)
			}
		case "restart":
			cur.kind = kindRestart
			p.s.restarts = true
		case "connection":
			cur.kind = kindConnection
			if cur.name = arg(1); cur.name == "" {
				err = fmt.Errorf("connection needs a name")
			}
		case "subscribe":
			cur.kind, p.s.follows = kindSubscribe, true
			cur.name = arg(1)
			if cur.sql, _ = p.sqlLines(); cur.name == "" || cur.sql == "" {
				err = fmt.Errorf("want: subscribe NAME, and the statement below")
			}
		case "next":
			cur.kind = kindNext
			err = p.following(cur, line, f)
		case "user":
			cur.kind = kindUser
			cur.name, cur.pass = arg(1), arg(2)
			if cur.name == "" {
				err = fmt.Errorf("user needs a name")
			}
		default:
			err = fmt.Errorf("unknown directive %q", f[0])
		}
		if err != nil {
			return nil, err
		}
		if cur.eventually > 0 && cur.kind != kindQuery {
			return nil, fmt.Errorf("eventually must stand before a query")
		}
		out = append(out, cur)
		cur = &record{}
	}
	if inLoop {
		return nil, fmt.Errorf("loop without endloop")
	}
	return out, nil
}

// sqlLines collects lines up to a blank line or ----; it reports whether ---- ended it.
func (p *parser) sqlLines() (string, bool) {
	var sql []string
	for {
		line, ok := p.next()
		if !ok || strings.TrimSpace(line) == "" {
			return strings.Join(sql, "\n"), false
		}
		if line == "----" {
			return strings.Join(sql, "\n"), true
		}
		sql = append(sql, line)
	}
}

func (p *parser) statement(r *record, line string, f []string) error {
	if len(f) < 2 || (f[1] != "ok" && f[1] != "error") {
		return fmt.Errorf("want: statement ok, or statement error [pattern]")
	}
	if f[1] == "error" {
		if err := r.expectError(line); err != nil {
			return err
		}
	}
	sql, dashes := p.sqlLines()
	if dashes {
		return fmt.Errorf("a statement has no ---- part")
	}
	if sql == "" {
		return fmt.Errorf("no SQL")
	}
	r.sql = sql
	return nil
}

// expectError reads what follows the word error in a directive.
func (r *record) expectError(line string) error {
	r.wantErr = true
	_, pattern, _ := strings.Cut(line, "error")
	pattern = strings.TrimSpace(pattern)
	first, rest, _ := strings.Cut(pattern, " ")
	if errNumbers.MatchString(first) {
		for _, n := range strings.Split(first, "|") {
			v, _ := strconv.Atoi(n)
			r.errNums = append(r.errNums, v)
		}
		pattern = strings.TrimSpace(rest)
	}
	if pattern == "" {
		return nil
	}
	re, err := regexp.Compile("(?is)" + pattern)
	r.errRe = re
	return err
}

// following reads next NAME TYPES with rows, or next NAME error [pattern].
func (p *parser) following(r *record, line string, f []string) error {
	if len(f) < 3 {
		return fmt.Errorf("want: next NAME TYPES, or next NAME error [pattern]")
	}
	r.name = f[1]
	if f[2] == "error" {
		return r.expectError(line)
	}
	if r.types = f[2]; !typeLetter.MatchString(r.types) {
		return fmt.Errorf("want a letter I, T, D or R for each column")
	}
	if sql, dashes := p.sqlLines(); sql != "" || !dashes {
		return fmt.Errorf("next has ---- and rows, and no SQL")
	}
	for {
		line, ok := p.next()
		if !ok || line == "" {
			break
		}
		r.want = append(r.want, line)
	}
	return nil
}

func (p *parser) query(r *record, f []string) error {
	if len(f) < 2 || !typeLetter.MatchString(f[1]) {
		return fmt.Errorf("want: query TYPES, with a letter I, T, D or R for each column")
	}
	r.types = f[1]
	r.sort = "nosort"
	rest := f[2:]
	if len(rest) > 0 {
		switch rest[0] {
		case "nosort", "rowsort", "valuesort":
			r.sort = rest[0]
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		r.label = rest[0]
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("unexpected %q after the label", rest[0])
	}
	sql, dashes := p.sqlLines()
	if sql == "" {
		return fmt.Errorf("no SQL")
	}
	r.sql = sql
	if !dashes {
		return fmt.Errorf("a query needs ---- and its rows (none for an empty result)")
	}
	r.wantLine = p.pos + 1
	for {
		line, ok := p.next()
		if !ok || line == "" {
			break
		}
		r.want = append(r.want, line)
	}
	r.fill = len(r.want) == 1 && r.want[0] == "?"
	return nil
}
