package winfn

import (
	"fmt"
	"math/rand"
	"strings"
)

// table is what the queries are about. x has halves only: they add up exactly in
// any order.
const table = "CREATE TABLE t (id INT PRIMARY KEY, g INT, k INT, d DECIMAL(8,2), x DOUBLE, s VARCHAR(5))"

// generator makes queries and changes that MySQL and MariaDB define equally.
type generator struct {
	*rand.Rand
	ids int
}

func (g *generator) one(list ...string) string { return list[g.Intn(len(list))] }

// value is a number from −n to n, or NULL.
func (g *generator) value(n int) string {
	if g.Intn(6) == 0 {
		return "NULL"
	}
	return fmt.Sprint(g.Intn(2*n+1) - n)
}

func (g *generator) row() string {
	g.ids++
	x := g.value(9)
	if x != "NULL" {
		x += ".5"
	}
	return fmt.Sprintf("(%d, %s, %s, %s, %s, %s)", g.ids, g.value(1), g.value(4), g.value(50), x, g.one("'a'", "'b'", "'B'", "''", "'é'", "NULL"))
}

// change is a statement that changes some rows.
func (g *generator) change() string {
	switch g.Intn(4) {
	case 0:
		return fmt.Sprintf("DELETE FROM t WHERE id %% 7 = %d", g.Intn(7))
	case 1:
		return fmt.Sprintf("UPDATE t SET k = %s WHERE id %% 5 = %d", g.value(4), g.Intn(5))
	case 2:
		return fmt.Sprintf("UPDATE t SET g = %s, d = d + 1 WHERE id %% 6 = %d", g.value(1), g.Intn(6))
	}
	rows := make([]string, 1+g.Intn(8))
	for i := range rows {
		rows[i] = g.row()
	}
	return "INSERT INTO t VALUES " + strings.Join(rows, ", ")
}

// query is a SELECT whose rows are told apart by id.
func (g *generator) query() string {
	switch g.Intn(8) {
	case 0:
		order := g.one("k", "k DESC", "d DESC, s", "s", "x DESC")
		limit := fmt.Sprintf("LIMIT %d OFFSET %d", g.Intn(6), g.Intn(4))
		return fmt.Sprintf("SELECT id, k, d, s FROM t ORDER BY %s, id %s", order, limit)
	case 1:
		fn := g.one("ROW_NUMBER", "RANK", "DENSE_RANK")
		cond := g.one("n <= 2", "n = 1", "n < 4", "n BETWEEN 2 AND 3", "n > 2 AND n <= 5", "3 >= n AND id > 4")
		return fmt.Sprintf("SELECT id, n FROM (SELECT id, %s() OVER (%s) AS n FROM t) x WHERE %s", fn, g.window(fn == "ROW_NUMBER", ""), cond)
	case 2:
		return "SELECT g, COUNT(*) AS n, SUM(d) AS s, RANK() OVER (ORDER BY SUM(d) DESC) AS r, SUM(COUNT(*)) OVER (ORDER BY g ROWS UNBOUNDED PRECEDING) AS c FROM t GROUP BY g"
	}
	fns := make([]string, 1+g.Intn(3))
	for i := range fns {
		fns[i] = fmt.Sprintf("%s AS f%d", g.function(), i)
	}
	return "SELECT id, " + strings.Join(fns, ", ") + " FROM t"
}

// function is a call with OVER.
func (g *generator) function() string {
	col := g.one("k", "d", "x", "s", "id")
	number := g.one("k", "d", "x", "id")
	switch g.Intn(9) {
	case 0:
		if g.Intn(2) == 0 { // MariaDB shows ten digits
			return fmt.Sprintf("ROUND(%s() OVER (%s), 8)", g.one("PERCENT_RANK", "CUME_DIST"), g.window(false, ""))
		}
		return fmt.Sprintf("%s() OVER (%s)", g.one("RANK", "DENSE_RANK"), g.window(false, ""))
	case 1:
		return fmt.Sprintf("ROW_NUMBER() OVER (%s)", g.window(true, ""))
	case 2:
		return fmt.Sprintf("NTILE(%d) OVER (%s)", 1+g.Intn(5), g.window(true, ""))
	case 3:
		return fmt.Sprintf("%s(%s, %d) OVER (%s)", g.one("LAG", "LEAD"), col, g.Intn(4), g.window(true, ""))
	case 4:
		return fmt.Sprintf("%s(%s) OVER (%s)", g.one("FIRST_VALUE", "LAST_VALUE"), col, g.window(true, g.rows()))
	case 5:
		return fmt.Sprintf("NTH_VALUE(%s, %d) OVER (%s)", col, 1+g.Intn(3), g.window(true, g.rows()))
	case 6: // by distance
		from := g.one("UNBOUNDED PRECEDING", "2 PRECEDING", "CURRENT ROW")
		to := g.one("CURRENT ROW", "1 FOLLOWING", "3 FOLLOWING", "UNBOUNDED FOLLOWING")
		return fmt.Sprintf("%s(%s) OVER (%sORDER BY k%s RANGE BETWEEN %s AND %s)", g.one("SUM", "COUNT", "MIN", "MAX"), number, g.partition(), g.one("", " DESC"), from, to)
	case 7: // peers
		return fmt.Sprintf("%s(%s) OVER (%s)", g.one("SUM", "COUNT", "MIN", "MAX", "AVG"), number, g.window(false, ""))
	}
	return fmt.Sprintf("%s(%s) OVER (%s)", g.one("SUM", "COUNT", "MIN", "MAX", "AVG"), g.one("k", "d", "id"), g.window(true, g.rows()))
}

func (g *generator) rows() string {
	bounds := []string{"UNBOUNDED PRECEDING", "3 PRECEDING", "1 PRECEDING", "CURRENT ROW", "2 FOLLOWING", "4 FOLLOWING", "UNBOUNDED FOLLOWING"}
	i := g.Intn(len(bounds) - 1)
	return "ROWS BETWEEN " + bounds[i] + " AND " + bounds[max(i, 1)+g.Intn(len(bounds)-max(i, 1))]
}

func (g *generator) partition() string { return g.one("", "PARTITION BY g ", "PARTITION BY s ") }

// window is a specification; unique: no two rows are peers.
func (g *generator) window(unique bool, frame string) string {
	order := g.one("k", "k DESC", "d, s DESC", "x DESC", "s")
	if unique {
		order += ", id" + g.one("", " DESC")
	}
	return g.partition() + "ORDER BY " + order + " " + frame
}
