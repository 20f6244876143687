package bind

import (
	"strings"
	"unicode/utf8"

	"streamsql/sql/sqlerr"
)

// hinted adds the candidate nearest to name to an error's message, if one is near.
func hinted(e *sqlerr.Error, name string, candidates []string) *sqlerr.Error {
	if n, ok := nearest(name, candidates); ok {
		e.Message += "; did you mean '" + n + "'?"
	}
	return e
}

// nearest finds the candidate with the fewest slips from name, case aside: at
// most a third of its letters, rounded up. The first of equals wins.
func nearest(name string, candidates []string) (string, bool) {
	want := []rune(strings.ToLower(name))
	best, least := "", (len(want)+2)/3+1
	for _, c := range candidates {
		n := utf8.RuneCountInString(c)
		if n-len(want) >= least || len(want)-n >= least {
			continue
		}
		if d := slips([]rune(strings.ToLower(c)), want); d < least {
			best, least = c, d
		}
	}
	return best, best != ""
}

// slips is the optimal string alignment distance: insertions, deletions,
// replacements and exchanges of neighbours that lead from a to b.
func slips(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
