package bind

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// Subscribe follows what changes in a materialized view.
type Subscribe struct {
	View     *catalog.Table
	Snapshot bool    // its rows come first
	From     *uint64 // or the changes after this batch
	Progress bool    // rows tell of finished batches
}

// subscribe binds SUBSCRIBE. Without options the rows that are there come first.
func (b *binder) subscribe(n *parser.Subscribe) (Statement, error) {
	t, err := b.changing(n.View, "SUBSCRIBE TO")
	if err != nil {
		return nil, err
	}
	s := &Subscribe{View: t}
	snapshot, given := true, false
	for _, key := range slices.Sorted(maps.Keys(n.Options)) {
		value := n.Options[key]
		switch key {
		case "snapshot":
			given = true
			snapshot, err = truth(key, value)
		case "progress":
			s.Progress, err = truth(key, value)
		case "from_batch":
			var from uint64
			if from, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = sqlerr.New(sqlerr.WrongArguments, "from_batch is the number of a batch, not '%s'", value)
			}
			s.From = &from
		default:
			err = sqlerr.New(sqlerr.WrongArguments, "Unknown option '%s' in WITH; known here: from_batch, progress, snapshot", key)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.From != nil && given && snapshot {
		return nil, sqlerr.New(sqlerr.WrongArguments, "snapshot = true and from_batch exclude each other: a subscription begins with the rows that are there, or after a batch")
	}
	s.Snapshot = snapshot && s.From == nil
	return s, nil
}

func truth(key, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "1", "on":
		return true, nil
	case "false", "0", "off":
		return false, nil
	}
	return false, sqlerr.New(sqlerr.WrongArguments, "%s is true or false, not '%s'", key, value)
}

// changing finds the materialized view whose changes are to be read.
func (b *binder) changing(n *ast.TableName, what string) (*catalog.Table, error) {
	t, err := b.table(n)
	if err != nil {
		return nil, err
	}
	if t.Kind != catalog.MaterializedView {
		return nil, sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not MATERIALIZED VIEW: %s needs one (CREATE MATERIALIZED VIEW … AS SELECT * FROM %s)",
			t.Database, t.Name, what, t.Name)
	}
	return t, nil
}
