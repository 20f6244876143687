package crash

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// schema is what the load writes to. A row of events is known by (writer, seq).
var schema = []string{
	"CREATE DATABASE crash",
	"CREATE STREAM TABLE crash.events (writer INT NOT NULL, seq BIGINT NOT NULL, k INT NOT NULL, v INT, s VARCHAR(8), d DECIMAL(10,2))",
	"CREATE TABLE crash.items (id INT PRIMARY KEY, owner INT, price DECIMAL(10,2), n INT)",
}

// view is a continuous query; its text is also its recomputation.
type view struct{ name, query string }

// views have every operator of a continuous query: filter, group, extremes that
// cannot be undone from a total, distinct counts, joins, and views on views
// three deep, so that one's checkpoint may be ahead of the other's.
var views = []view{
	{"ids", "SELECT writer, COUNT(*) AS n, COUNT(DISTINCT seq) AS u, MIN(seq) AS lo, MAX(seq) AS hi FROM events GROUP BY writer"},
	{"by_key", "SELECT k, COUNT(*) AS n, COUNT(v) AS nv, SUM(v) AS s, SUM(d) AS sd FROM events GROUP BY k"},
	{"extremes", "SELECT k, MIN(v) AS lo, MAX(v) AS hi, MIN(s) AS a, MAX(s) AS z, MAX(d) AS d FROM events GROUP BY k"},
	{"uniques", "SELECT s, COUNT(DISTINCT k) AS ks, COUNT(DISTINCT v) AS vs FROM events GROUP BY s"},
	{"large", "SELECT writer, seq, v FROM events WHERE v > 90"},
	{"histogram", "SELECT n DIV 8 AS b, COUNT(*) AS c, SUM(s) AS s FROM by_key GROUP BY n DIV 8"},
	{"joined", "SELECT i.owner, COUNT(*) AS n, SUM(e.v) AS s, MAX(i.price) AS p FROM events AS e JOIN items AS i ON e.k = i.id GROUP BY i.owner"},
	{"outer_join", "SELECT i.id, i.n, b.n AS events FROM items AS i LEFT JOIN by_key AS b ON b.k = i.id"},
	{"top_level", "SELECT COUNT(*) AS c, SUM(c) AS keyed, MAX(b) AS b FROM histogram"},
	{"owners", "SELECT DISTINCT owner, n % 5 AS m FROM items"},
}

// keys is how many different k there are; items have ids among them.
const keys = 400

// item is a row of items.
type item struct {
	owner int
	price string
	n     int
}

// writer is one client. It writes events of its own and items whose id is its
// number modulo the number of writers, so that it knows what they must be.
type writer struct {
	id, of int
	rng    *rand.Rand
	seq    int64          // last one used
	acked  map[int64]bool // events that must be there
	items  map[int]item   // items as they must be
	// doubt is what the last statement or transaction would have made, when its
	// answer never came: all of it may be there, or nothing.
	doubt *change
}

// change is one unit of work: events, items, or both in a transaction.
type change struct {
	statements []string
	events     []int64
	items      map[int]item // as they are afterwards; nil where only events change
}

func newWriter(id, of int, seed uint64) *writer {
	return &writer{
		id: id, of: of, rng: rand.New(rand.NewPCG(seed, uint64(id))),
		acked: map[int64]bool{}, items: map[int]item{},
	}
}

// run writes until something fails, which is how it learns of the kill.
func (w *writer) run(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// It may end within a transaction: the connection is not for others to go on with.
	defer conn.Raw(func(any) error { return driver.ErrBadConn })
	if _, err := conn.ExecContext(ctx, "USE crash"); err != nil {
		return err
	}
	for {
		c := w.next()
		w.doubt = &c
		for _, s := range c.statements {
			if _, err := conn.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		w.settle(true)
	}
}

// settle ends the doubt: the change is there, or it is not.
func (w *writer) settle(there bool) {
	if w.doubt == nil {
		return
	}
	if there {
		for _, seq := range w.doubt.events {
			w.acked[seq] = true
		}
		if w.doubt.items != nil {
			w.items = w.doubt.items
		}
	}
	w.doubt = nil
}

// next draws a change.
func (w *writer) next() change {
	var c change
	n := w.rng.IntN(10)
	if n < 7 {
		w.insertEvents(&c)
	}
	if n >= 5 {
		c.items = maps.Clone(w.items)
		for range 1 + w.rng.IntN(3) {
			w.changeItem(&c)
		}
	}
	if len(c.statements) > 1 {
		c.statements = slices.Concat([]string{"BEGIN"}, c.statements, []string{"COMMIT"})
	}
	return c
}

func (w *writer) insertEvents(c *change) {
	var rows []string
	for range 1 + w.rng.IntN(20) {
		w.seq++
		v, s := "NULL", "NULL"
		if w.rng.IntN(10) > 0 {
			v = fmt.Sprint(w.rng.IntN(100))
		}
		if w.rng.IntN(10) > 0 {
			s = fmt.Sprintf("'s%d'", w.rng.IntN(12))
		}
		rows = append(rows, fmt.Sprintf("(%d, %d, %d, %s, %s, %d.%02d)", w.id, w.seq, w.rng.IntN(keys), v, s, w.rng.IntN(500), w.rng.IntN(100)))
		c.events = append(c.events, w.seq)
	}
	c.statements = append(c.statements, "INSERT INTO events VALUES "+strings.Join(rows, ", "))
}

func (w *writer) changeItem(c *change) {
	id := w.rng.IntN(keys/w.of)*w.of + w.id
	old, there := c.items[id]
	switch {
	case !there:
		it := item{w.rng.IntN(9), fmt.Sprintf("%d.%02d", w.rng.IntN(90), w.rng.IntN(100)), w.rng.IntN(50)}
		c.items[id] = it
		c.statements = append(c.statements, fmt.Sprintf("INSERT INTO items VALUES (%d, %d, %s, %d)", id, it.owner, it.price, it.n))
	case w.rng.IntN(4) == 0:
		delete(c.items, id)
		c.statements = append(c.statements, fmt.Sprintf("DELETE FROM items WHERE id = %d", id))
	default:
		old.owner, old.n = w.rng.IntN(9), old.n+1
		c.items[id] = old
		c.statements = append(c.statements, fmt.Sprintf("UPDATE items SET owner = %d, n = n + 1 WHERE id = %d", old.owner, id))
	}
}
