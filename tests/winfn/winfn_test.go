package winfn

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

var programs = flag.Int("programs", 40, "how many programs to run")

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func TestAgainstMariaDB(t *testing.T) {
	ref := servers.Open(t, servers.MariaDB(t).DSN()+"?collation=utf8mb4_bin")
	own := servers.Open(t, servers.StreamSQL(t).DSN()+"?collation=utf8mb4_bin")
	for n := range *programs {
		if !t.Run(fmt.Sprint(n), func(t *testing.T) { program(t, int64(n), own, ref) }) {
			return
		}
	}
}

// program makes views of some queries, and compares them after each change.
func program(t *testing.T, seed int64, own, ref *sql.DB) {
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	db := fmt.Sprintf("winfn_%d", seed)
	ours, theirs := open(t, own, db), open(t, ref, db+" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	both := func(text string) {
		run(t, ours, text)
		run(t, theirs, text)
	}
	both(table)
	both(g.change())
	queries := make([]string, 4)
	for i := range queries {
		queries[i] = g.query()
		run(t, ours, fmt.Sprintf("CREATE MATERIALIZED VIEW v%d AS %s", i, queries[i]))
	}
	for range 6 {
		change := g.change()
		both(change)
		for i, q := range queries {
			want := rows(t, theirs, q)
			if got := rows(t, ours, q); !slices.Equal(got, want) {
				t.Fatalf("%s\nafter %s gives\n%s\nand in MariaDB\n%s", q, change, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if got := rows(t, ours, fmt.Sprintf("SELECT * FROM v%d", i)); !slices.Equal(got, want) {
				t.Fatalf("the view of %s\nafter %s has\n%s\nand not\n%s", q, change, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}

func open(t *testing.T, pool *sql.DB, db string) *sql.Conn {
	c, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	run(t, c, "CREATE DATABASE "+db)
	run(t, c, "USE "+strings.Fields(db)[0])
	return c
}

func run(t *testing.T, c *sql.Conn, text string) {
	t.Helper()
	if _, err := c.ExecContext(context.Background(), text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// rows are those of a query, in the order of their text.
func rows(t *testing.T, c *sql.Conn, text string) []string {
	t.Helper()
	list, err := servers.Rows(context.Background(), c, text)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return list
}
