package clients

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"streamsql/tests/servers"
)

var hostileRounds = flag.Int("hostile", 150, "how many objects with hostile names and literals to make, show and make again")

// pieces are what breaks out of quotes where they are written carelessly.
var pieces = []string{
	"'", `"`, "`", `\`, `\'`, "''", ";", "; DROP DATABASE victim; ", "--", "-- ", "#", "/*", "*/", "/*!50000 ", "$$", "$", "{", "}", "%s", "%", "?", "@x", ":a",
	"\n", "\r\n", "\t", " ", "a", "B", "select", "NULL", "0x27", "é", "漢", "x'", "()", ",", ".", "=", "\u200b", "\ufeff", "ﾊ", "AS", "WITH (", "SECRET s",
}

// hostile is a text made of some of the pieces.
func hostile(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

// hostileName is one that MySQL takes as a name: not empty, of 64 characters at most, and
// without a blank at its end. It tells itself from all others by a number.
func hostileName(r *rand.Rand, n int) string {
	name := []rune(hostile(r, 8))
	return string(name[:min(len(name), 40)]) + fmt.Sprint("é", n)
}

func name(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }

// text is a literal as the mode of the session has it.
func text(s string, backslash bool) string {
	if backslash {
		s = strings.ReplaceAll(s, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// hostileObject is a statement that makes an object, and how it is shown and dropped.
type hostileObject struct {
	kind, create, name string
}

// made are objects that read one another, in the order in which they can be made.
func made(r *rand.Rand, n int, backslash bool) []hostileObject {
	lit := func() string { return text(hostile(r, 6), backslash) }
	var names, columns []string
	for k := range 9 {
		names = append(names, hostileName(r, 100*n+k))
		columns = append(columns, hostileName(r, 100*n+10+k))
	}
	table, stream, view, mat, into, query, sink, fn, index := names[0], names[1], names[2], names[3], names[4], names[5], names[6], names[7], names[8]
	a, b, at := name(columns[0]), name(columns[1]), name(columns[2])
	return []hostileObject{
		{"TABLE", fmt.Sprintf("CREATE TABLE %s (%s INT PRIMARY KEY COMMENT %s, %s VARCHAR(100) DEFAULT %s, %s VARCHAR(200) AS (CONCAT(%s, %s)), KEY %s (%s))",
			name(table), a, lit(), b, lit(), at, b, lit(), name(index), b), table},
		{"STREAM TABLE", fmt.Sprintf("CREATE STREAM TABLE %s (%s INT, %s VARCHAR(100) NOT NULL DEFAULT %s COMMENT %s, %s DATETIME(3), WATERMARK FOR %s AS %s - INTERVAL 3 SECOND) WITH (partitions = 1)",
			name(stream), a, b, lit(), lit(), at, at, at), stream},
		{"FUNCTION", fmt.Sprintf("CREATE FUNCTION %s(%s VARCHAR(100)) RETURNS VARCHAR(200) COMMENT %s LANGUAGE JAVASCRIPT AS %s",
			name(fn), name("p"+fmt.Sprint(n)), lit(), text("exports.call = (x) => x + "+jsText(hostile(r, 4)), backslash)), fn},
		{"VIEW", fmt.Sprintf("CREATE VIEW %s (%s, %s) AS SELECT %s, %s FROM %s WHERE %s <> %s /* %s */",
			name(view), b, a, a, lit(), name(stream), b, lit(), strings.ReplaceAll(hostile(r, 3), "*/", "")), view},
		{"MATERIALIZED VIEW", fmt.Sprintf("CREATE MATERIALIZED VIEW %s (%s, %s) WITH (history = '1 hour') AS SELECT %s, COUNT(DISTINCT CONCAT(%s, %s)) FROM %s GROUP BY 1",
			name(mat), a, b, b, a, lit(), name(view)), mat},
		{"STREAM TABLE", fmt.Sprintf("CREATE STREAM TABLE %s (%s VARCHAR(300))", name(into), b), into},
		{"CONTINUOUS QUERY", fmt.Sprintf("CREATE CONTINUOUS QUERY %s INTO %s (%s) AS SELECT CONCAT(%s, %s) AS %s FROM %s", name(query), name(into), b, b, lit(), at, name(stream)), query},
		{"SINK", fmt.Sprintf("CREATE SINK %s WITH (connector = 'blackhole') AS SELECT %s AS %s, %s(%s) AS %s FROM %s", name(sink), lit(), a, name(fn), b, at, name(stream)), sink},
	}
}

// jsText is s as a literal of JavaScript.
func jsText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).Replace(s) + `"`
}

// TestHostileNames makes objects whose names, literals and comments try to break out of
// their quotes, has them shown in any sql_mode, drops them, and makes them again of what
// was shown: they are the same, and nothing else is there.
func TestHostileNames(t *testing.T) {
	conn, err := servers.Open(t, servers.StreamSQL(t).DSN()).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := t.Context()
	exec := func(text string) {
		t.Helper()
		if _, err := conn.ExecContext(ctx, text); err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
	}
	exec("CREATE DATABASE victim")
	exec("CREATE TABLE victim.t (x INT)")
	r := rand.New(rand.NewPCG(29, 1))
	for n := 0; n*8 < *hostileRounds; n++ {
		backslash := r.IntN(3) > 0
		mode := "STRICT_TRANS_TABLES"
		if !backslash {
			mode += ",NO_BACKSLASH_ESCAPES"
		}
		exec("SET sql_mode = '" + mode + "'")
		db := hostileName(r, n)
		exec("CREATE DATABASE " + name(db))
		exec("USE " + name(db))
		objects := made(r, n, backslash)
		for _, o := range objects {
			exec(o.create)
		}
		exec("SET sql_mode = 'STRICT_TRANS_TABLES" + [...]string{"", ",NO_BACKSLASH_ESCAPES", ",ANSI_QUOTES", ",ANSI_QUOTES,NO_BACKSLASH_ESCAPES"}[r.IntN(4)] + "'")
		var shown []string
		for _, o := range objects {
			shown = append(shown, show(ctx, t, conn, o))
		}
		count(ctx, t, conn, objects)
		if r.IntN(2) == 0 {
			exec("DROP DATABASE " + name(db))
			exec("CREATE DATABASE " + name(db))
			exec("USE " + name(db))
		} else {
			for _, o := range slices.Backward(objects) {
				exec("DROP " + o.kind + " " + name(o.name))
			}
		}
		for i, o := range objects {
			exec(shown[i])
			if again := show(ctx, t, conn, o); again != shown[i] {
				t.Fatalf("made of\n%s\nit is shown as\n%s", shown[i], again)
			}
		}
		count(ctx, t, conn, objects)
		if _, err := servers.Rows(ctx, conn, "SELECT x FROM victim.t"); err != nil {
			t.Fatal(err)
		}
		exec("DROP DATABASE " + name(db))
	}
}

// show is what SHOW CREATE gives as the statement.
func show(ctx context.Context, t *testing.T, conn *sql.Conn, o hostileObject) string {
	t.Helper()
	rows, err := conn.QueryContext(ctx, "SHOW CREATE "+o.kind+" "+name(o.name))
	if err != nil {
		t.Fatalf("%s\n%v", o.create, err)
	}
	defer rows.Close()
	titles, err := rows.Columns()
	if err != nil || !rows.Next() {
		t.Fatalf("%s: nothing is shown: %v", o.create, err)
	}
	values, into := make([]sql.NullString, len(titles)), make([]any, len(titles))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		t.Fatal(err)
	}
	for i, title := range titles {
		if strings.HasPrefix(title, "Create ") {
			return values[i].String
		}
	}
	t.Fatalf("no statement in %v", titles)
	return ""
}

// count is an error if not just the objects are there, under their names.
func count(ctx context.Context, t *testing.T, conn *sql.Conn, objects []hostileObject) {
	t.Helper()
	rows, err := conn.QueryContext(ctx, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() UNION ALL SELECT routine_name FROM information_schema.routines WHERE routine_schema = DATABASE()")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	there := map[string]bool{}
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		there[s] = true
	}
	for _, o := range objects {
		if !there[o.name] && o.kind != "SINK" && o.kind != "CONTINUOUS QUERY" {
			t.Fatalf("%q is not there, but %v", o.name, there)
		}
		delete(there, o.name)
	}
	if len(there) > 0 {
		t.Fatalf("besides there is %v", there)
	}
}
