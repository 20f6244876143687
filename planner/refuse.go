package planner

import (
	"strings"

	"streamsql/planner/logical"
	"streamsql/planner/rule"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
)

// clock are the functions that tell the batch's time.
var clock = map[string]bool{
	"now": true, "current_timestamp": true, "localtime": true, "localtimestamp": true, "sysdate": true, "utc_timestamp": true,
	"curdate": true, "current_date": true, "utc_date": true, "curtime": true, "current_time": true, "utc_time": true,
}

// TellsTime reports an expression that depends on the batch's time.
func TellsTime(e *expr.Expr) bool {
	found := false
	e.Walk(func(x *expr.Expr) bool {
		found = found || x.Op == expr.OpCall && clock[x.Fn]
		return !found
	})
	return found
}

// refuse finds what a continuous query cannot compute right: a function that
// gives another value each time may not decide which rows stay (a row would have
// to go again by itself), nor stand over rows that can be retracted (the
// retraction would carry another value than the row).
func refuse(c *rule.Context, n logical.Node) error {
	for _, in := range n.Inputs() {
		if err := refuse(c, in); err != nil {
			return err
		}
	}
	if w, ok := n.(*logical.Window); ok && w.Time.ID == 0 && !c.Derived.Props(w.Input).AppendOnly {
		return sqlerr.Unsupported("PROCTIME() over rows that can be retracted")
	}
	fn := changing(c, n.Exprs())
	if fn == "" {
		return nil
	}
	switch n := n.(type) {
	case *logical.Filter, *logical.Join, *logical.TimedJoin:
		what := fn + "() in a condition of a materialized view"
		if clock[strings.ToLower(fn)] {
			what += ", other than `column < NOW() - INTERVAL …` and the like"
		}
		return sqlerr.Unsupported(what)
	case *logical.Project:
		if !c.Derived.Props(n.Input).AppendOnly {
			return sqlerr.Unsupported(fn + "() over rows that can be retracted")
		}
	}
	return nil
}

// changing names a function in list, in upper case, whose value is not the same
// at another time; empty if there is none.
func changing(c *rule.Context, list []*expr.Expr) (fn string) {
	for _, e := range list {
		e.Walk(func(x *expr.Expr) bool {
			if fn == "" && x.Op == expr.OpCall && (c.Volatile(x.Fn) || clock[x.Fn] || x.Fn == "unix_timestamp" && len(x.Args) == 0) {
				fn = strings.ToUpper(x.Fn)
			}
			return fn == ""
		})
	}
	return fn
}
