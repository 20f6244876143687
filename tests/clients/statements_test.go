package clients

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

// shop is the schema that the clients of statements.txt browsed.
var shop = []string{
	"CREATE DATABASE shop",
	"CREATE TABLE shop.orders (id INT PRIMARY KEY AUTO_INCREMENT, customer VARCHAR(40) NOT NULL, amount DECIMAL(10,2), ts DATETIME, note TEXT)",
	"CREATE TABLE shop.big (id BIGINT PRIMARY KEY, v VARCHAR(100))",
	"CREATE MATERIALIZED VIEW shop.total AS SELECT customer, SUM(amount) AS amount FROM shop.orders GROUP BY customer",
	"INSERT INTO shop.orders VALUES (1, 'ann', 2.50, '2026-01-02 03:04:05', NULL)",
}

// TestStatements sends what stock clients were seen to send. Each statement must
// be understood; those of refused.txt are refused, by name, with error 1235.
func TestStatements(t *testing.T) {
	text, err := os.ReadFile("statements.txt")
	if err != nil {
		t.Fatal(err)
	}
	db := servers.Open(t, servers.StreamSQL(t).DSN())
	for _, s := range shop {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	refused, met := servers.List(t, "refused.txt", "\t"), map[string]bool{}
	sent := 0
	for _, section := range strings.Split(string(text), "### ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		t.Run(title, func(t *testing.T) {
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			// The next section begins with a connection of its own.
			defer conn.Raw(func(any) error { return errDone })
			if _, err := conn.ExecContext(t.Context(), "USE shop"); err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(body, "\n") {
				kind, statement, _ := strings.Cut(line, "\t")
				err, ok := send(t.Context(), conn, kind, statement)
				if !ok {
					continue
				}
				sent++
				begin, feature := entry(refused, statement)
				var my *mysql.MySQLError
				switch {
				case feature == "" && err != nil:
					t.Errorf("%s %s\n%v", kind, statement, err)
				case feature == "":
				case err == nil:
					t.Errorf("%s is understood now: take it off refused.txt", begin)
				case err != nil && (!errors.As(err, &my) || my.Number != 1235):
					t.Errorf("%s: want error 1235, got %v", begin, err)
				}
				met[begin] = true
			}
		})
	}
	if sent < 100 {
		t.Errorf("only %d statements were found in statements.txt", sent)
	}
	for begin := range refused {
		if !met[begin] {
			t.Errorf("refused.txt: no statement begins with %s", begin)
		}
	}
}

// errDone makes the pool throw a connection away.
var errDone = errors.New("the section is over")

// send does what a line of statements.txt says; false where there is nothing to send.
func send(ctx context.Context, conn *sql.Conn, kind, statement string) (error, bool) {
	switch kind {
	case "Query", "Execute":
		rows, err := conn.QueryContext(ctx, statement)
		if err != nil {
			return err, true
		}
		for rows.Next() {
		}
		return errors.Join(rows.Err(), rows.Close()), true
	case "Prepare":
		s, err := conn.PrepareContext(ctx, statement)
		if err != nil {
			return err, true
		}
		return s.Close(), true
	case "Init DB":
		_, err := conn.ExecContext(ctx, "USE "+statement)
		return err, true
	}
	return nil, false
}

// entry finds what refused.txt says of a statement.
func entry(refused map[string]string, statement string) (begin, feature string) {
	for begin, feature := range refused {
		if strings.HasPrefix(statement, begin) {
			return begin, feature
		}
	}
	return "", ""
}
