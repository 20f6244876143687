package shell

import (
	"slices"
	"sort"
	"strings"
)

// words are completed in upper case.
var words = strings.Fields(`ALTER ANALYZE AND AS ASC AVG BEGIN BETWEEN BIGINT BY CASCADE CASE CAST CHANGES COALESCE
COMMIT COUNT CREATE CROSS DATABASE DATABASES DATE DATETIME DECIMAL DEFAULT DELETE DESC DESCRIBE DISTINCT DOUBLE DROP ELSE
EMIT END EXISTS EXPLAIN FALSE FLUSH FOR FORMAT FROM GROUP HAVING IF IN INNER INSERT INT INTERVAL INTO IS JOIN JSON KEY KILL
LEFT LIKE LIMIT MATERIALIZED MAX MIN NOT NOW NULL OFFSET ON OR ORDER OUTER PRIMARY PROCESSLIST REPLACE RIGHT ROLLBACK
SECOND SELECT SET SHOW STATUS STREAM STREAMS SUM TABLE TABLES THEN TIMEOUT TIMESTAMP TRUE UNION UNIQUE UPDATE USE USING
VALUES VARCHAR VARIABLES VIEW VIEWS WARNINGS WATERMARK WHEN WHERE WITH`)

// maxCompleted bounds how many tables are asked for their columns.
const maxCompleted = 100

// completer completes words of SQL and names of the server: databases, and the
// tables and columns of the current one, asked for at the first use and again
// after a statement that may have changed them.
type completer struct {
	shell *shell
	names []string
	fresh bool
}

// note looks at a statement that was run.
func (c *completer) note(sql string) {
	word, _, _ := strings.Cut(strings.TrimSpace(sql), " ")
	switch strings.ToLower(word) {
	case "create", "drop", "alter", "use", "rename", "source", `\.`:
		c.fresh = false
	}
}

// Do implements readline.AutoCompleter: what can follow the word that ends at
// pos, and how long that word is.
func (c *completer) Do(line []rune, pos int) (rest [][]rune, length int) {
	start := pos
	for start > 0 && isWord(line[start-1]) {
		start--
	}
	prefix := string(line[start:pos])
	if prefix == "" && (start == 0 || line[start-1] != '.') {
		return nil, 0
	}
	if !c.fresh {
		c.names = c.ask()
		c.fresh = true
	}
	return candidates(prefix, c.names), pos - start
}

func isWord(r rune) bool {
	return r == '_' || r == '$' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80
}

// candidates are the endings of the names and words that begin with prefix:
// names as they are, words in the case in which prefix was typed.
func candidates(prefix string, names []string) (rest [][]rune) {
	add := func(s string) {
		if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
			rest = append(rest, []rune(s[len(prefix):]+" "))
		}
	}
	for _, n := range names {
		add(n)
	}
	lower := prefix != "" && prefix == strings.ToLower(prefix)
	for _, w := range words {
		if prefix == "" {
			break
		}
		if lower {
			w = strings.ToLower(w)
		}
		add(w)
	}
	return rest
}

// ask asks the server for names; what it refuses is left out.
func (c *completer) ask() []string {
	conn := c.shell.conn
	if conn.conn == nil {
		return nil
	}
	names := c.column("SHOW DATABASES")
	if conn.database != "" {
		tables := c.column("SHOW TABLES")
		names = append(names, tables...)
		for _, t := range tables[:min(len(tables), maxCompleted)] {
			names = append(names, c.column("SHOW COLUMNS FROM "+quoteName(t))...)
		}
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// column is the first column of a result.
func (c *completer) column(sql string) (out []string) {
	_, err := c.shell.conn.query(c.shell.ctx, sql, firstColumn(func(s string) { out = append(out, s) }))
	if err != nil {
		return nil
	}
	return out
}

// firstColumn is a printer that hands on the first value of each row.
type firstColumn func(string)

func (f firstColumn) begin([]column) error { return nil }

func (f firstColumn) row(fields []field) error {
	f(string(fields[0].text))
	return nil
}

func (f firstColumn) end() error { return nil }
