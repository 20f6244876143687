// Package arch holds the repository to its own habits.
package arch

import (
	"path"
	"strings"
)

// The layers from left to right: a package imports only what stands to its left,
// and within its own layer what inner allows. planner and operators stand side by
// side and never see each other; so do sql and catalog, save that bind asks the
// catalog and the catalog knows sql's types.
var layers = map[string]int{
	"sql":       0,
	"catalog":   0,
	"planner":   2,
	"operators": 2,
	"engine":    3,
	"server":    4,
	"cmd":       5,
	"tests":     6,
	"examples":  6,
	"tools":     6,
}

// leaves of sql import nothing of ours.
var leaves = map[string]bool{"types": true, "sqlerr": true, "decimal": true, "reference": true}

// order is the rank inside sql: each imports only ranks up to its own, and the leaves.
var order = map[string]int{"jsonkey": 0, "collate": 0, "vector": 0, "regex": 0, "routine": 0, "expr": 1, "agg": 2, "builtin": 2, "eval": 2, "ingest": 2, "jsontable": 2, "parser": 2, "bind": 3}

// forbidden says why a package may not import another, and what to do; empty
// where it may. Both are paths without the module's name.
func forbidden(from, to string, test bool) string {
	a, b := first(from), first(to)
	la, okA := layers[a]
	lb, okB := layers[b]
	switch {
	case !okA:
		return "the layer " + a + " is not known: add it to layers in tests/arch, or move the package"
	case !okB:
		return "the layer " + b + " is not known: add it to layers in tests/arch, or move the package"
	case test && b == "tests":
		return "" // tests beside the code may start the servers of tests/servers
	case from == "engine/build" && (b == "planner" || b == "operators"):
		return ""
	case a == "engine" && b == "planner" && to != "planner/physical" && !test:
		return "of the planner, the engine outside engine/build knows planner/physical only: do it in engine/build"
	case a == b && a == "sql":
		return insideSQL(second(from), second(to))
	case a == "sql" && b == "catalog" && second(from) != "bind":
		return "of sql, only bind asks the catalog: pass what is needed as an argument"
	case a == "catalog" && to == "sql/bind":
		return "bind stands on the catalog, not the other way round"
	case a == "sql" && b == "catalog", a == "catalog" && b == "sql":
		return ""
	case a == b:
		return ""
	case la == lb:
		return a + " and " + b + " never see each other: pass it through engine/build"
	case lb > la && !test:
		return "layer " + b + " stands above " + a + ": declare a small interface here and let the layer above satisfy it"
	case lb > la:
		return "a test of layer " + a + " must not need layer " + b + ": use a fake, or move the test to tests/"
	}
	return ""
}

func insideSQL(from, to string) string {
	switch {
	case from == to || leaves[to] && !leaves[from]:
		return ""
	case leaves[from]:
		return "sql/" + from + " is a leaf and imports nothing of ours: move the code to where its types are"
	}
	a, okA := order[from]
	b, okB := order[to]
	switch {
	case !okA || !okB:
		return "its place in the order of sql is not known: add it to order in tests/arch"
	case b > a:
		return "inside sql the order is collate, regex, routine, vector; expr; agg, builtin, eval, ingest and parser; bind: move the code to the left, or pass it as an argument"
	}
	return ""
}

func first(p string) string {
	head, _, _ := strings.Cut(p, "/")
	return head
}

func second(p string) string {
	_, rest, _ := strings.Cut(path.Clean(p), "/")
	return first(rest)
}
