package slt

import (
	"os"
	"sort"
	"strings"
)

// fillIn is what takes the place of a single ? in a script.
type fillIn struct {
	types string
	rows  []string
}

// writeFills rewrites the script with the rows received.
func (r *runner) writeFills() error {
	var at []int
	for line := range r.fills {
		at = append(at, line)
	}
	sort.Ints(at)
	byLine := map[int]*record{}
	var walk func([]*record)
	walk = func(rs []*record) {
		for _, rec := range rs {
			byLine[rec.line] = rec
			walk(rec.body)
		}
	}
	walk(r.script.records)
	var out []string
	from := 0
	for _, line := range at {
		rec, f := byLine[line], r.fills[line]
		out = append(out, r.script.lines[from:line-1]...)
		head := strings.Fields(r.script.lines[line-1])
		head[1] = f.types
		out = append(out, strings.Join(head, " "))
		out = append(out, r.script.lines[line:rec.wantLine-1]...)
		out = append(out, f.rows...)
		from = rec.wantLine
	}
	out = append(out, r.script.lines[from:]...)
	return os.WriteFile(r.script.path, []byte(strings.Join(out, "\n")), 0o644)
}
