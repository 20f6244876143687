//go:build unix

package parser_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// hostile is a text that is too deep or too long to be parsed in good time, or
// only just not.
type hostile struct {
	name string
	text string
	code uint16 // 0: no error
}

func hostileTexts() []hostile {
	million := func(s string) string { return strings.Repeat(s, 1_000_000) }
	const mb16 = 16 << 20
	return []hostile{
		{"parentheses", "SELECT " + million("(") + "1" + million(")"), 1064},
		{"open parentheses", "SELECT " + million("("), 1064},
		{"closing parentheses", "SELECT 1" + million(")"), 1064},
		{"calls", "SELECT " + million("f("), 1064},
		{"subqueries", million("SELECT * FROM ("), 1064},
		{"minus", "SELECT " + million("- ") + "1", 1064},
		{"not", "SELECT " + million("NOT ") + "1", 1064},
		{"bang", "SELECT " + million("!") + "1", 1064},
		{"case", "SELECT " + million("CASE WHEN ") + "1", 1064},
		{"case else", "SELECT " + million("CASE a WHEN 1 THEN 2 ELSE "), 1064},
		{"and", "SELECT 1" + million(" AND 1"), 1064},
		{"plus", "SELECT 1" + million("+1"), 1064},
		{"comma join", "SELECT * FROM a" + million(",a"), 1064},
		{"join", "SELECT * FROM a" + million(" JOIN a"), 1064},
		{"union", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 100_000), 0},
		{"interval", "SELECT a" + million(" + INTERVAL 1 DAY"), 1064},
		{"is", "SELECT a" + million(" IS NULL"), 1064},
		{"collate", "SELECT a" + million(" COLLATE x"), 1064},
		{"braces", "SELECT " + million("{d "), 1064},
		{"comments", "SELECT " + million("/**/") + "1", 0},
		{"version comments", "SELECT " + million("/*!40101 */") + "1", 0},
		{"open comment", "SELECT /*" + strings.Repeat("*", mb16), 1064},
		{"skipped comment", "/*!99999" + million("/* */ ") + " */ SELECT 1", 0},
		{"string", "SELECT '" + strings.Repeat("x", mb16) + "'", 0},
		{"open string", "SELECT '" + strings.Repeat("''", mb16/2), 1064},
		{"escapes", "SELECT '" + strings.Repeat(`\'`, mb16/2) + "'", 0},
		{"name", "SELECT " + strings.Repeat("x", mb16), 0},
		{"number", "SELECT " + strings.Repeat("9", mb16), 0},
		{"fraction", "SELECT 0." + strings.Repeat("9", mb16), 0},
		{"spaces", strings.Repeat(" ", mb16), 1065},
		{"semicolons", strings.Repeat(";", mb16), 1064},
		{"items", "SELECT 1" + strings.Repeat(",1", mb16/2), 1064},
		{"items that pass", "SELECT 1" + strings.Repeat(",1", 490_000), 0},
		{"rows that pass", "INSERT INTO t VALUES (1,NOW())" + strings.Repeat(",(1,NOW())", 110_000), 0},
		{"in", "SELECT a IN (1" + strings.Repeat(",1", mb16/2) + ")", 1064},
		{"parameters", "SELECT ?" + strings.Repeat(",?", mb16/2), 1064},
		{"rows", "INSERT INTO t VALUES (NOW())" + strings.Repeat(",(NOW())", mb16/8), 1064},
		{"casts", "SELECT CAST(a AS INT)" + strings.Repeat(",CAST(a AS INT)", 100_000), 0},
		{"NULs", "SELECT " + strings.Repeat("\x00", mb16), 1064},
		{"bad UTF-8", "SELECT '" + strings.Repeat("\xff", mb16) + "'", 1300},
		{"bad UTF-8, many", "SELECT " + strings.Repeat("_binary'\xff',", 200_000) + "1", 0},
	}
}

// cpu is the processor time that the process has used: a busy machine does not
// stretch it.
func cpu(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostile is about time and stack: whatever is sent, an answer comes soon.
func TestHostile(t *testing.T) {
	const (
		refused = time.Second     // of processor time, for an error
		parsed  = 2 * time.Second // for what is within the bounds
	)
	p := parser.New()
	for _, h := range hostileTexts() {
		t.Run(h.name, func(t *testing.T) {
			start := cpu(t)
			st, err := p.Parse(h.text, 0)
			took := cpu(t) - start
			t.Logf("took %v", took)
			switch {
			case h.code == 0 && err != nil:
				t.Errorf("%.300s", err)
			case h.code == 0 && took > parsed:
				t.Errorf("parsing took %v", took)
			case h.code != 0 && err == nil:
				t.Errorf("parsed as %T", st.Node)
			case h.code != 0 && took > refused:
				t.Errorf("the error took %v", took)
			case h.code != 0:
				if e := sqlerr.From(err); e.Code != h.code || len(e.Message) > 500 {
					t.Errorf("%d %.600s", e.Code, e.Message)
				}
			}
			start = cpu(t)
			parser.FastInsert(h.text, 0)
			s := parser.Split(h.text)
			for range 3 {
				s.Next()
			}
			if took := cpu(t) - start; took > refused {
				t.Errorf("FastInsert and Split took %v", took)
			}
		})
	}
}

// TestDepthThatIsAllowed parses what is just below the bound.
func TestDepthThatIsAllowed(t *testing.T) {
	p := parser.New()
	for name, sql := range map[string]string{
		"parentheses": "SELECT " + strings.Repeat("(", 3900) + "1" + strings.Repeat(")", 3900),
		"or":          "SELECT a = 1" + strings.Repeat(" OR a = 1", 1900),
		"items":       "SELECT 1+1" + strings.Repeat(", 1+1", 100_000),
		"case":        "SELECT " + strings.Repeat("CASE WHEN a THEN ", 1000) + "1" + strings.Repeat(" END", 1000),
		"calls":       "SELECT f(1+1)" + strings.Repeat(", f(1+1)", 50_000),
	} {
		if _, err := p.Parse(sql, 0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
