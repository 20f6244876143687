package slt

import (
	"slices"
	"strings"
)

// middle is the index of the top-level record before which an interruption
// takes nothing with it: the first statement in the second half outside any
// transaction; -1 where there is none. Between a statement and the queries after
// it lies what only the session knows (warnings, last ids), so that a query is
// never the place.
func (s *script) middle() int {
	if s.restarts || s.follows {
		return -1
	}
	open := map[string]bool{} // connections in a transaction
	current := "default"
	for i, rec := range s.records {
		if i >= (len(s.records)+1)/2 && rec.kind == kindStatement && len(open) == 0 && len(rec.skip)+len(rec.only) == 0 {
			return i
		}
		current = follow(rec, current, open)
	}
	return -1
}

// follow notes what rec does to the transactions that are open, and returns the
// connection that is current after it.
func follow(rec *record, current string, open map[string]bool) string {
	switch rec.kind {
	case kindConnection:
		return rec.name
	case kindUser:
		delete(open, current)
	case kindLoop:
		for _, b := range rec.body {
			current = follow(b, current, open)
		}
	case kindStatement:
		f := strings.Fields(strings.ToUpper(rec.sql))
		switch text := strings.Join(f, " "); {
		case f[0] == "BEGIN" || strings.HasPrefix(text, "START TRANSACTION") || strings.Contains(text, "AUTOCOMMIT = 0") || strings.Contains(text, "AUTOCOMMIT=0"):
			open[current] = true
		case f[0] == "COMMIT" || f[0] == "ROLLBACK" && !slices.Contains(f, "TO"), strings.Contains(text, "AUTOCOMMIT = 1"), strings.Contains(text, "AUTOCOMMIT=1"):
			delete(open, current)
		}
	}
	return current
}
