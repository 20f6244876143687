package crash

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"streamsql/tests/servers"
)

// rows are those of a query as text, sorted.
func rows(ctx context.Context, q servers.Querier, text string) ([]string, error) {
	out, err := servers.Rows(ctx, q, text)
	slices.Sort(out)
	return out, err
}

// checkAll compares what the server holds with what the writers know, and each
// view with its recomputation. The writers must be at rest, and the server started
// after their last write. It returns how many events there are.
func checkAll(ctx context.Context, db *sql.DB, writers []*writer, live []view) (int, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	// This session is new and has written nothing: all that was acknowledged before
	// the server started must be there at its first read.
	if _, err := conn.ExecContext(ctx, "USE crash"); err != nil {
		return 0, err
	}
	total, err := checkEvents(ctx, conn, writers)
	if err != nil {
		return 0, err
	}
	if err := checkItems(ctx, conn, writers); err != nil {
		return 0, err
	}
	for _, v := range live {
		if err := checkView(ctx, conn, v); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// checkView compares a view with its recomputation.
func checkView(ctx context.Context, conn *sql.Conn, v view) error {
	return checkReading(ctx, conn, v, "SELECT * FROM "+v.name)
}

// checkReading compares what a query reads from a view with v.query.
func checkReading(ctx context.Context, conn *sql.Conn, v view, read string) error {
	got, err := rows(ctx, conn, read)
	if err != nil {
		return err
	}
	want, err := rows(ctx, conn, v.query)
	if err != nil {
		return err
	}
	if slices.Equal(got, want) {
		return nil
	}
	// Wrong already; whether it stays so tells a late view from one that lost something.
	found, later := difference(want, got), "and stays so"
	for begin := time.Now(); time.Since(begin) < 3*time.Second; time.Sleep(20 * time.Millisecond) {
		if got, err = rows(ctx, conn, read); err == nil && slices.Equal(got, want) {
			later = fmt.Sprintf("but is equal %v later", time.Since(begin).Round(time.Millisecond))
			break
		}
	}
	return fmt.Errorf("the view %s differs from its recomputation, %s (- recomputed, + view):\n%s", v.name, later, found)
}

// checkEvents settles the writers' doubts about events and finds lost, doubled and unknown rows.
func checkEvents(ctx context.Context, conn *sql.Conn, writers []*writer) (int, error) {
	rs, err := conn.QueryContext(ctx, "SELECT writer, seq, COUNT(*) FROM events GROUP BY writer, seq")
	if err != nil {
		return 0, err
	}
	defer rs.Close()
	there := make([]map[int64]bool, len(writers))
	for i := range there {
		there[i] = map[int64]bool{}
	}
	total := 0
	for rs.Next() {
		var w int
		var seq, n int64
		if err := rs.Scan(&w, &seq, &n); err != nil {
			return 0, err
		}
		if n != 1 {
			return 0, fmt.Errorf("event (%d, %d) is there %d times", w, seq, n)
		}
		there[w][seq] = true
		total++
	}
	if err := rs.Err(); err != nil {
		return 0, err
	}
	for i, w := range writers {
		if w.doubt != nil && len(w.doubt.events) > 0 {
			n := 0
			for _, seq := range w.doubt.events {
				if there[i][seq] {
					n++
				}
			}
			if n != 0 && n != len(w.doubt.events) {
				return 0, fmt.Errorf("of an INSERT of %d rows that was not answered, %d are there:\n%s", len(w.doubt.events), n, strings.Join(w.doubt.statements, ";\n"))
			}
			// The items of the same transaction are now held to the same answer.
			w.settle(n > 0)
		}
		for seq := range w.acked {
			if !there[i][seq] {
				return 0, fmt.Errorf("event (%d, %d) was acknowledged and is lost", i, seq)
			}
		}
		if len(there[i]) != len(w.acked) {
			for seq := range there[i] {
				if !w.acked[seq] {
					return 0, fmt.Errorf("event (%d, %d) is there, though its INSERT was rolled back", i, seq)
				}
			}
		}
	}
	return total, nil
}

// checkItems does the same for the table.
func checkItems(ctx context.Context, conn *sql.Conn, writers []*writer) error {
	rs, err := conn.QueryContext(ctx, "SELECT id, owner, price, n FROM items")
	if err != nil {
		return err
	}
	defer rs.Close()
	there := make([]map[int]item, len(writers))
	for i := range there {
		there[i] = map[int]item{}
	}
	for rs.Next() {
		var id int
		var it item
		if err := rs.Scan(&id, &it.owner, &it.price, &it.n); err != nil {
			return err
		}
		if _, twice := there[id%len(writers)][id]; twice {
			return fmt.Errorf("item %d is there twice", id)
		}
		there[id%len(writers)][id] = it
	}
	if err := rs.Err(); err != nil {
		return err
	}
	for i, w := range writers {
		if w.doubt != nil {
			w.settle(maps.Equal(there[i], w.doubt.items) && !maps.Equal(there[i], w.items))
		}
		if !maps.Equal(there[i], w.items) {
			return fmt.Errorf("the items of writer %d differ (- acknowledged, + there):\n%s", i, difference(lines(w.items), lines(there[i])))
		}
	}
	return nil
}

func lines(m map[int]item) []string {
	var out []string
	for id, it := range m {
		out = append(out, fmt.Sprintf("%d\t%d\t%s\t%d", id, it.owner, it.price, it.n))
	}
	slices.Sort(out)
	return out
}

// difference shows at most 20 rows that only one of two sorted lists has.
func difference(want, got []string) string {
	var out []string
	for len(want) > 0 || len(got) > 0 {
		switch {
		case len(got) == 0 || len(want) > 0 && want[0] < got[0]:
			out, want = append(out, "- "+want[0]), want[1:]
		case len(want) == 0 || got[0] < want[0]:
			out, got = append(out, "+ "+got[0]), got[1:]
		default:
			want, got = want[1:], got[1:]
		}
	}
	if len(out) > 20 {
		out = append(out[:20], fmt.Sprintf("… and %d more", len(out)-20))
	}
	return strings.Join(out, "\n")
}
