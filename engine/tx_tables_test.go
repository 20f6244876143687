package engine

import (
	"strings"
	"testing"

	"streamsql/sql/bind"
)

// TestTransactionReadsYoungTable: a table made before a transaction is there for
// it, whichever it reads first, though the batch of its making may not be on disk yet.
func TestTransactionReadsYoungTable(t *testing.T) {
	h := open(t, Config{})
	h.exec(`CREATE DATABASE d; CREATE TABLE old (id INT PRIMARY KEY); CREATE STREAM TABLE s (a INT)`)
	for i := range 60 {
		name := "young" + strings.Repeat("x", i)
		h.exec(`INSERT INTO s VALUES (1)`)
		h.exec(`CREATE TABLE ` + name + ` (id INT PRIMARY KEY)`)
		tx, err := h.e.Begin()
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range []string{`SELECT * FROM old`, `SELECT * FROM ` + name} {
			b, err := h.bind(q)
			if err != nil {
				t.Fatal(err)
			}
			h.collect(tx, b.(*bind.SelectStatement).Query, 0)
		}
		tx.Rollback()
	}
}
