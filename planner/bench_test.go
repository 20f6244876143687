package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"streamsql/planner"
	"streamsql/sql/bind"
)

// BenchmarkPlan is what a query costs between binding and running.
func BenchmarkPlan(b *testing.B) {
	w := newWorld(b)
	if err := w.create(`
		CREATE STREAM TABLE trades (seller BIGINT NOT NULL, buyer BIGINT, amount DECIMAL(12,2), ts DATETIME(3));
		CREATE TABLE products (id BIGINT PRIMARY KEY, name VARCHAR(64), price DECIMAL(10,2))`); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, sql string }{
		{"Point", "SELECT name FROM products WHERE id = 7"},
		{"GroupBy", "SELECT seller, SUM(amount), COUNT(*) FROM trades WHERE amount > 0 GROUP BY seller"},
		{"Join", "SELECT p.name, SUM(t.amount) FROM trades t LEFT JOIN products p ON p.id = t.buyer WHERE p.price > 3 + 4 GROUP BY p.name HAVING SUM(t.amount) > 10"},
	} {
		b.Run(c.name, func(b *testing.B) {
			stmt, err := w.bind(c.sql)
			if err != nil {
				b.Fatal(err)
			}
			q := stmt.(*bind.SelectStatement).Query
			b.ReportAllocs()
			for b.Loop() {
				if _, err := planner.Plan(q, planner.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPlanJoins is what many joins cost, in a row, around one table, and of all with all.
func BenchmarkPlanJoins(b *testing.B) {
	w := newWorld(b)
	if err := w.create("CREATE TABLE t (id INT PRIMARY KEY, n INT)"); err != nil {
		b.Fatal(err)
	}
	for _, shape := range []string{"chain", "star", "clique"} {
		for _, n := range []int{20, 60} {
			var tables, conds []string
			for i := range n {
				tables = append(tables, fmt.Sprintf("t AS t%d", i))
				for k := range i {
					if shape == "clique" || shape == "chain" && k == i-1 || shape == "star" && k == 0 {
						conds = append(conds, fmt.Sprintf("t%d.id = t%d.id", i, k))
					}
				}
			}
			b.Run(fmt.Sprintf("%s/%d", shape, n), func(b *testing.B) {
				stmt, err := w.bind("SELECT COUNT(*) FROM " + strings.Join(tables, ", ") + " WHERE " + strings.Join(conds, " AND "))
				if err != nil {
					b.Fatal(err)
				}
				q := stmt.(*bind.SelectStatement).Query
				for b.Loop() {
					if _, err := planner.Plan(q, planner.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
