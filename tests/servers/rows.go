package servers

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// Querier is a pool, a connection or a transaction.
type Querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

var escapes = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\x00", `\0`)

// Rows are the rows of a query as `mysql --batch --skip-column-names` prints them.
func Rows(ctx context.Context, q Querier, text string) ([]string, error) {
	rs, err := q.QueryContext(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	defer rs.Close()
	names, err := rs.Columns()
	if err != nil {
		return nil, err
	}
	cells, ptrs := make([]sql.NullString, len(names)), make([]any, len(names))
	for i := range cells {
		ptrs[i] = &cells[i]
	}
	var out []string
	for rs.Next() {
		if err := rs.Scan(ptrs...); err != nil {
			return nil, err
		}
		line := make([]string, len(cells))
		for i, c := range cells {
			if line[i] = "NULL"; c.Valid {
				line[i] = escapes.Replace(c.String)
			}
		}
		out = append(out, strings.Join(line, "\t"))
	}
	return out, rs.Err()
}
