package slt

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sameRows compares cell by cell; columns of letter R as numbers.
func sameRows(want, got []string, types, order string) bool {
	if len(want) != len(got) {
		return false
	}
	if !strings.Contains(types, "R") || order == "valuesort" {
		for i := range want {
			if want[i] != got[i] && !(strings.Contains(types, "R") && sameReal(want[i], got[i])) {
				return false
			}
		}
		return true
	}
	// With rowsort two renderings of one number can sort differently, so
	// each wanted row takes the first free row that equals it.
	used := make([]bool, len(got))
	for i := range want {
		found := false
		for k := range got {
			j := k
			if order == "nosort" {
				j = i
			}
			if !used[j] && sameRow(want[i], got[j], types) {
				used[j], found = true, true
				break
			}
			if order == "nosort" {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

func sameRow(want, got, types string) bool {
	w, g := strings.Split(want, "\t"), strings.Split(got, "\t")
	if len(w) != len(g) {
		return false
	}
	for i := range w {
		if w[i] == g[i] {
			continue
		}
		if i >= len(types) || types[i] != 'R' || !sameReal(w[i], g[i]) {
			return false
		}
	}
	return true
}

func sameReal(w, g string) bool {
	if w == g {
		return true
	}
	a, err1 := strconv.ParseFloat(w, 64)
	b, err2 := strconv.ParseFloat(g, 64)
	if err1 != nil || err2 != nil {
		return false
	}
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b))
}

// diffRows shows rows only wanted with -, rows only received with +, by the
// longest common subsequence.
func diffRows(want, got []string) []string {
	if len(want) > 400 || len(got) > 400 {
		return []string{fmt.Sprintf("- %d rows", len(want)), fmt.Sprintf("+ %d rows", len(got))}
	}
	n, m := len(want), len(got)
	lcs := make([][]int, n+1)
	for i := range lcs {
		lcs[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if want[i] == got[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []string
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && want[i] == got[j]:
			out = append(out, "  "+want[i])
			i++
			j++
		case i < n && (j == m || lcs[i+1][j] >= lcs[i][j+1]):
			out = append(out, "- "+want[i])
			i++
		default:
			out = append(out, "+ "+got[j])
			j++
		}
	}
	return out
}
