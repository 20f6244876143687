package planner_test

import (
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
