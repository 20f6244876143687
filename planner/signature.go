package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"streamsql/planner/physical"
	"streamsql/planner/physical/build"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
)

// Signatures says what nodes of a continuous plan compute, of those whose result is
// worth taking from another query that computes it already: they, or a node below,
// keep state. Two nodes with the same signature, also of different plans, give the same
// rows at each batch, in the same columns, whatever these are called, if the sessions
// that made the queries are alike.
//
// Left out is all that asks what time it is (watermarks, NOW(), timers), or somebody
// outside (look-ups), and what a function computes that may be another one tomorrow:
// its answer depends on when the query was made. Left out are also the halves of
// operations that each task does for itself.
func Signatures(root *physical.Node) map[*physical.Node]string {
	s := signer{text: map[*physical.Node]string{}, keeps: map[*physical.Node]bool{}, out: map[*physical.Node]string{}}
	s.visit(root)
	return s.out
}

type signer struct {
	text  map[*physical.Node]string // of nodes seen; empty: it has none
	keeps map[*physical.Node]bool
	out   map[*physical.Node]string
}

func (s *signer) visit(n *physical.Node) string {
	if t, seen := s.text[n]; seen {
		return t
	}
	keeps, signed := n.Props.State != "", lasting(n)
	var below strings.Builder
	for _, in := range n.Inputs {
		t := s.visit(in)
		below.WriteString(t + " ")
		signed, keeps = signed && t != "", keeps || s.keeps[in]
	}
	s.keeps[n] = keeps
	if !signed {
		s.text[n] = ""
		return ""
	}
	sum := sha256.Sum256([]byte(below.String() + build.Computes(n)))
	t := hex.EncodeToString(sum[:])
	s.text[n] = t
	if keeps && whole(n) {
		s.out[n] = t
	}
	return t
}

// lasting reports a node that gives the same for the same inputs at any time.
func lasting(n *physical.Node) bool {
	switch n.Kind {
	case physical.Source:
		return n.Source.Recursion == nil && n.Source.Changes == nil
	case physical.Map:
		return !slices.ContainsFunc(slices.Concat(n.Map.Filter, n.Map.Project), fleeting)
	case physical.Join:
		return !n.AsksTime() && !slices.ContainsFunc(n.Join.Residual, fleeting)
	case physical.Values, physical.Shuffle, physical.Reduce, physical.Merge, physical.Distinct,
		physical.Union, physical.SetOp, physical.TopN, physical.Over, physical.Expand:
		return !n.AsksTime()
	}
	return false
}

// fleeting reports an expression that depends on more than its arguments.
func fleeting(e *expr.Expr) bool {
	found := TellsTime(e)
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpCall && !builtin.Deterministic(x.Fn)
		return !found
	})
	return found
}

// whole reports a node whose output is that of all tasks together: not a half that
// each task does for itself, which another node brings together.
func whole(n *physical.Node) bool {
	switch n.Kind {
	case physical.Source, physical.Shuffle, physical.Reduce:
		return false
	case physical.Merge, physical.Distinct, physical.TopN, physical.Over:
		return n.Inputs[0].Kind == physical.Shuffle
	case physical.Map, physical.Union, physical.Expand:
		return !slices.ContainsFunc(n.Inputs, func(in *physical.Node) bool { return in.Kind == physical.Reduce || !placed(in) })
	}
	return true
}

// placed reports that no node from n down to the next Shuffle is such a half.
func placed(n *physical.Node) bool {
	switch n.Kind {
	case physical.Source, physical.Values, physical.Shuffle:
		return true
	case physical.Map, physical.Union, physical.Expand:
		return !slices.ContainsFunc(n.Inputs, func(in *physical.Node) bool { return !placed(in) })
	}
	return whole(n)
}
