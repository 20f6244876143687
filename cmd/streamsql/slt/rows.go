package slt

import (
	"context"
	"database/sql"
	"sort"
	"strings"
)

// fetch runs one text-protocol statement and reads all its rows. A nil cell is NULL.
func fetch(ctx context.Context, c *session, text string) ([][]*string, string, error) {
	rows, err := c.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, "", err
	}
	defer rows.Close()
	cts, err := rows.ColumnTypes()
	if err != nil {
		return nil, "", err
	}
	var types strings.Builder
	for _, ct := range cts {
		types.WriteByte(letterOf(ct.DatabaseTypeName()))
	}
	var out [][]*string
	for {
		row, err := scanRow(rows)
		if row == nil {
			return out, types.String(), err
		}
		out = append(out, row)
	}
}

// scanRow reads the next row; nil: there is none, for the reason given if it is an error.
func scanRow(rows *sql.Rows) ([]*string, error) {
	if !rows.Next() {
		return nil, rows.Err()
	}
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	raw := make([]sql.RawBytes, len(names))
	ptrs := make([]any, len(raw))
	for i := range raw {
		ptrs[i] = &raw[i]
	}
	if err := rows.Scan(ptrs...); err != nil {
		return nil, err
	}
	row := make([]*string, len(raw))
	for i, b := range raw {
		if b != nil {
			s := string(b)
			row[i] = &s
		}
	}
	return row, nil
}

func letterOf(name string) byte {
	switch {
	case strings.Contains(name, "INT"):
		return 'I'
	case name == "DECIMAL":
		return 'D'
	case name == "DOUBLE" || name == "FLOAT":
		return 'R'
	}
	return 'T'
}

var escapes = strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)

func renderCell(s *string) string {
	switch {
	case s == nil:
		return "NULL"
	case *s == "":
		return "(empty)"
	}
	return escapes.Replace(*s)
}

func render(rows [][]*string, order string) []string {
	var out []string
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, s := range row {
			cells[i] = renderCell(s)
		}
		if order == "valuesort" {
			out = append(out, cells...)
		} else {
			out = append(out, strings.Join(cells, "\t"))
		}
	}
	if order != "nosort" {
		sort.Strings(out)
	}
	return out
}
