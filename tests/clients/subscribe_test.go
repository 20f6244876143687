package clients

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

// TestSubscribe follows a view by a prepared statement, whose rows come as they are
// made. KILL QUERY ends it, and a client that goes leaves nothing behind.
func TestSubscribe(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN())
	for _, q := range []string{
		"CREATE DATABASE follow", "CREATE STREAM TABLE follow.s (k INT NOT NULL, v INT)",
		"CREATE MATERIALIZED VIEW follow.v AS SELECT k, SUM(v) AS total FROM follow.s GROUP BY k",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(q, err)
		}
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var id int
	if err := conn.QueryRowContext(t.Context(), "SELECT CONNECTION_ID()").Scan(&id); err != nil {
		t.Fatal(err)
	}
	prepared, err := conn.PrepareContext(t.Context(), "SUBSCRIBE TO follow.v")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := prepared.QueryContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for i := range 20 {
		if _, err := db.Exec("INSERT INTO follow.s VALUES (1, ?)", i+1); err != nil {
			t.Fatal(err)
		}
		total += int64(i + 1)
		for {
			var op string
			var batch, k, now int64
			if !rows.Next() {
				t.Fatal(rows.Err())
			}
			if err := rows.Scan(&op, &batch, &k, &now); err != nil {
				t.Fatal(err)
			}
			if op == "+I" || op == "+U" {
				if now != total {
					t.Fatalf("%s %d, want %d", op, now, total)
				}
				break
			}
		}
	}
	if _, err := db.Exec(fmt.Sprintf("KILL QUERY %d", id)); err != nil {
		t.Fatal(err)
	}
	if rows.Next() {
		t.Error("a row after KILL QUERY")
	}
	var my *mysql.MySQLError
	if err := rows.Err(); !errors.As(err, &my) || my.Number != 1317 {
		t.Errorf("KILL QUERY: %v, want error 1317", err)
	}
	rows.Close()
	// The connection goes on.
	if err := conn.QueryRowContext(t.Context(), "SELECT total FROM follow.v").Scan(&total); err != nil {
		t.Errorf("after KILL QUERY: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if rows, err = db.QueryContext(ctx, "SUBSCRIBE TO follow.v"); err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if n := subscribers(t, db); n != 1 {
		t.Errorf("%d subscribers, want 1", n)
	}
	cancel() // the driver hangs up
	for begin := time.Now(); subscribers(t, db) != 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 20*time.Second {
			t.Fatal("the subscription of a client that is gone is still there")
		}
	}
}

func subscribers(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT subscribers FROM streamsql.jobs WHERE database_name = 'follow'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
