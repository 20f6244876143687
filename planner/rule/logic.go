package rule

import (
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// truth is what is known of an expression as a condition.
type truth uint8

const (
	unknown truth = iota
	isTrue
	isFalse
	isNull
	notTrue // FALSE or NULL
)

// constTruth is the truth of a constant of an integer type.
func constTruth(e *expr.Expr) truth {
	switch {
	case e.Op != expr.OpConst:
		return unknown
	case e.Value.Null:
		return isNull
	case e.Type.Class() != types.ClassInt:
		return unknown
	case e.Value.I != 0:
		return isTrue
	}
	return isFalse
}

func boolConst(b bool) *expr.Expr {
	v := expr.Value{}
	if b {
		v.I = 1
	}
	return expr.NewConst(v, types.MakeBool())
}

// conjuncts flattens nested ANDs.
func conjuncts(e *expr.Expr, list []*expr.Expr) []*expr.Expr { return flatten("and", e, list) }

func flatten(fn string, e *expr.Expr, list []*expr.Expr) []*expr.Expr {
	if e.Op != expr.OpCall || e.Fn != fn {
		return append(list, e)
	}
	for _, a := range e.Args {
		list = flatten(fn, a, list)
	}
	return list
}

// isBool reports that e's values are only 0, 1 and NULL.
func isBool(e *expr.Expr) bool { return e.Type.Bool }
