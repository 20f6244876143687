package catalog

import (
	"fmt"
	"strings"

	"streamsql/sql/sqlerr"
)

// DropPlan lists what loses its name when the targets are dropped, readers before
// what they read; see Snapshot.Retire for what ends then. Without cascade, an object
// outside the targets that reads one of them is error 3730, which names it.
func DropPlan(r Reader, targets []*Table, cascade bool) ([]*Table, error) {
	d := dropping{reader: r, cascade: cascade, named: make(map[ID]bool), seen: make(map[ID]bool)}
	for _, t := range targets {
		d.named[t.ID] = true
	}
	for _, t := range targets {
		if err := d.visit(t); err != nil {
			return nil, err
		}
	}
	return d.order, nil
}

// dropping walks from what is dropped to its readers. No object reads itself, through
// others either, so there is no cycle to guard against.
type dropping struct {
	reader  Reader
	cascade bool
	named   map[ID]bool
	seen    map[ID]bool
	order   []*Table
}

func (d *dropping) visit(t *Table) error {
	if d.seen[t.ID] {
		return nil
	}
	d.seen[t.ID] = true
	var outside []*Table
	for _, reader := range d.reader.Readers(t.ID) {
		if !d.cascade && !d.named[reader.ID] {
			outside = append(outside, reader)
			continue
		}
		if err := d.visit(reader); err != nil {
			return err
		}
	}
	if len(outside) > 0 {
		return readError(t, outside)
	}
	d.order = append(d.order, t)
	return nil
}

func readError(t *Table, readers []*Table) error {
	names := make([]string, len(readers))
	for i, r := range readers {
		names[i] = fmt.Sprintf("%s '%s.%s'", r.Kind, r.Database, r.Name)
	}
	verb, them := "reads", "it"
	if len(readers) > 1 {
		verb, them = "read", "them"
	}
	return sqlerr.New(sqlerr.DropWithReaders, "Cannot drop %s '%s.%s': %s %s it; drop %s first, or add CASCADE",
		t.Kind, t.Database, t.Name, strings.Join(names, ", "), verb, them)
}
