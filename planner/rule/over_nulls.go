package rule

import (
	"streamsql/planner/logical"
	"streamsql/sql/expr"
)

// strict are functions that are NULL when an argument is.
var strict = map[string]bool{
	"=": true, "<>": true, "<": true, "<=": true, ">": true, ">=": true, "like": true, "not like": true, "regexp": true,
	"+": true, "-": true, "*": true, "/": true, "div": true, "%": true, "|": true, "&": true, "^": true, "<<": true, ">>": true, "~": true,
	"cast": true, "coerce": true, "to_scale": true, "abs": true, "floor": true, "ceiling": true, "ceil": true, "round": true, "truncate": true, "sign": true, "mod": true,
	"lower": true, "upper": true, "length": true, "char_length": true, "trim": true, "ltrim": true, "rtrim": true,
	"substring": true, "concat": true, "replace": true, "left": true, "right": true, "reverse": true,
	"year": true, "month": true, "day": true, "dayofmonth": true, "hour": true, "minute": true, "second": true, "date": true,
}

// overNulls says what e is when all columns of set are NULL.
func overNulls(e *expr.Expr, set logical.ColSet) truth {
	switch e.Op {
	case expr.OpColumn:
		if set[e.Col] {
			return isNull
		}
		return unknown
	case expr.OpConst:
		return constTruth(e)
	case expr.OpParam:
		return unknown
	}
	args := make([]truth, len(e.Args))
	for i, a := range e.Args {
		args[i] = overNulls(a, set)
	}
	switch e.Fn {
	case "and":
		return andTruth(args)
	case "or":
		return orTruth(args)
	case "not":
		return [...]truth{unknown: unknown, isTrue: isFalse, isFalse: isTrue, isNull: isNull, notTrue: unknown}[args[0]]
	case "is null":
		return known(args[0], args[0] == isNull)
	case "is not null":
		return known(args[0], args[0] != isNull)
	case "is true":
		if args[0] == notTrue {
			return isFalse
		}
		return known(args[0], args[0] == isTrue)
	case "is false":
		return known(args[0], args[0] == isFalse)
	case "in", "not in", "between", "not between":
		if args[0] == isNull {
			return isNull
		}
		if e.Fn == "between" && (args[1] == isNull || args[2] == isNull) {
			return notTrue // 1 BETWEEN 2 AND NULL is FALSE
		}
		return unknown
	}
	if strict[e.Fn] {
		for _, a := range args {
			if a == isNull {
				return isNull
			}
		}
	}
	return unknown
}

func known(t truth, yes bool) truth {
	switch {
	case t == unknown || t == notTrue:
		return unknown
	case yes:
		return isTrue
	}
	return isFalse
}

func andTruth(args []truth) truth {
	out := isTrue
	for _, a := range args {
		switch {
		case a == isFalse:
			return isFalse
		case a == isNull || a == notTrue:
			out = notTrue
		case a == unknown && out == isTrue:
			out = unknown
		}
	}
	return out
}

// orTruth is notTrue when no argument can be true.
func orTruth(args []truth) truth {
	out := isFalse
	for _, a := range args {
		switch a {
		case isTrue:
			return isTrue
		case unknown:
			out = unknown
		case isNull, notTrue:
			if out == isFalse {
				out = notTrue
			}
		}
	}
	return out
}
