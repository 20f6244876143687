package bench

import (
	"context"
	"fmt"
	"strings"

	"streamsql/cmd/streamsql/bench/nexmark"
)

// sideTable is q13's table: it has every other one of the ten thousand keys that
// are asked for.
func sideTable() map[int64]string {
	side := map[int64]string{}
	for id := int64(1); id < 10_000; id += 2 {
		side[id] = fmt.Sprint("item ", id%7)
	}
	return side
}

// makeStreams creates the three streams with WITH (options), where %s is the
// table; without options they are of the built-in log. The side table has its rows.
func (n *node) makeStreams(ctx context.Context, options string) error {
	for _, text := range nexmark.Schema() {
		if table, ok := strings.CutPrefix(text, "CREATE STREAM TABLE "); ok {
			table, _, _ = strings.Cut(table, " ")
			text = strings.Replace(text, "extra VARCHAR(64)", "extra VARCHAR(1024)", 1) // as large as the benchmark's events
			if options != "" {
				text += " WITH (" + fmt.Sprintf(options, table) + ")"
			}
		}
		if err := n.exec(ctx, text); err != nil {
			return err
		}
	}
	var rows []string
	for id, value := range sideTable() {
		rows = append(rows, fmt.Sprintf("(%d,'%s')", id, value))
	}
	return n.exec(ctx, "INSERT INTO side_input VALUES "+strings.Join(rows, ","))
}

// define is the statement that makes the query run.
func (c nexmarkCase) define() string {
	if c.lane == "b" {
		return sinkText(c.query)
	}
	return viewText(c.query)
}

// rows is how many rows of its tables the query reads.
func (c nexmarkCase) rows(events int64) (rows int64) {
	for _, t := range nexmark.Tables(c.query) {
		rows += nexmark.Rows(t, events)
	}
	return rows
}

// position is how far a query got.
type position struct {
	read      int64 // rows of its streams that were cut
	generator int64 // µs of CPU that making them took
	behind    int64 // batches that were cut and not applied
	memory    int64
	batch     int64
}

// at asks how far a query got.
func (n *node) at(ctx context.Context, c nexmarkCase) (p position, err error) {
	tables := "'" + strings.Join(nexmark.Tables(c.query), "','") + "'"
	err = n.db.QueryRowContext(ctx, "SELECT COALESCE(SUM(next_offset), 0), COALESCE(SUM(read_cpu_us), 0) FROM streamsql.partitions WHERE database_name = 'b' AND name IN ("+tables+")").
		Scan(&p.read, &p.generator)
	if err != nil {
		return p, err
	}
	var state string
	var reason *string
	err = n.db.QueryRowContext(ctx, "SELECT state, reason, behind_batches, memory_bytes, batch_id FROM streamsql.jobs WHERE database_name = 'b' AND name = ?", c.name()).
		Scan(&state, &reason, &p.behind, &p.memory, &p.batch)
	if err == nil && state == "failed" {
		err = fmt.Errorf("the query has failed: %s", *reason)
	}
	if state == "filling" {
		p.behind++
	}
	return p, err
}
