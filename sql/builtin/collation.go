package builtin

import (
	"fmt"
	"strings"

	"streamsql/sql/collate"
	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	register(function{min: 1, max: 1, flags: total, kernel: func(*expr.Expr) Kernel { return passThrough },
		resolve: func(c *call) (*expr.Expr, error) { return nil, NoFunction(c.fn) }}, "collate")
}

// Derivation is how firmly an expression holds to its collation, MySQL's
// coercibility: where several meet, the one with the least decides.
type Derivation uint8

// The derivations.
const (
	Explicit   Derivation = 0 // by COLLATE
	Undecided  Derivation = 1 // of two columns with collations of which neither decides
	Implicit   Derivation = 2 // a column's
	SystemText Derivation = 3 // the system's: USER(), VERSION()
	Coercible  Derivation = 4 // a literal's
	Numeric    Derivation = 5 // of what is no text
	Ignorable  Derivation = 6 // NULL's
)

func (d Derivation) String() string {
	return [...]string{"EXPLICIT", "NONE", "IMPLICIT", "SYSCONST", "COERCIBLE", "NUMERIC", "IGNORABLE"}[d]
}

// DerivationOf is how firmly e holds to its collation.
func DerivationOf(e *expr.Expr) Derivation {
	switch {
	case e.Type.Kind == types.Null || e.IsNull():
		return Ignorable
	case e.Op == expr.OpConst && e.Type.Folds() && e.Type.IsText(): // a literal only has it by COLLATE
		return Explicit
	case e.Type.Class() != types.ClassBytes:
		if e.Type.Kind == types.Enum {
			return Implicit
		}
		return Numeric
	case e.Op == expr.OpConst || e.Op == expr.OpParam:
		return Coercible
	case e.Op != expr.OpCall:
		return Implicit
	}
	switch e.Fn {
	case "collate":
		return Explicit
	case "cast":
		return Implicit
	case "coerce", "assign":
		return DerivationOf(e.Args[0])
	case "user", "current_user", "session_user", "system_user", "database", "schema", "version":
		return SystemText
	}
	best := Coercible
	var texts []*expr.Expr
	for _, a := range e.Args {
		if a.Type.IsText() || a.Type.IsBinary() && e.Type.IsBinary() {
			best = min(best, DerivationOf(a))
			for a.Op == expr.OpCall && a.Fn == "coerce" {
				a = a.Args[0]
			}
			texts = append(texts, a)
		}
	}
	if e.Type.IsText() && best == Implicit && len(texts) > 1 {
		if _, decided := collationOf(texts); !decided {
			return Undecided
		}
	}
	return best
}

// CommonCollation is the collation in which texts of such types meet, of which each
// holds to its own as derived says. Of two that hold to theirs alike the byte-wise
// one decides; not ok: there is none, and neither decides, here or within one of them.
func CommonCollation(ts []types.Type, derived []Derivation) (c types.Collation, ok bool) {
	best := Ignorable + 1
	ok = true
	for i, t := range ts {
		if !t.IsText() && t.Kind != types.Enum {
			continue
		}
		own := collate.Of(t)
		switch d := derived[i]; {
		case d < best:
			c, best, ok = own, d, true
		case d > best || own == c:
		case d != Explicit && (own == types.UTF8MB4Bin || c == types.UTF8MB4Bin):
			c = types.UTF8MB4Bin
		default:
			ok = false
		}
	}
	return c, ok && best != Undecided
}

// collationOf is CommonCollation of expressions.
func collationOf(args []*expr.Expr) (types.Collation, bool) {
	ts, derived := make([]types.Type, len(args)), make([]Derivation, len(args))
	for i, a := range args {
		ts[i], derived[i] = a.Type, DerivationOf(a)
	}
	return CommonCollation(ts, derived)
}

// Collate is e COLLATE c.
func Collate(env *Env, e *expr.Expr, c types.Collation) *expr.Expr {
	if env == nil {
		env = defaults
	}
	e = env.toText(e)
	if e.Type.IsBinary() {
		return e
	}
	t := e.Type
	t.Collation = c
	return expr.NewCall("collate", t, e)
}

// together gives texts the one collation in which they meet; error 1267 if there is
// none. Bytes beside text make all of it bytes.
func together(args []*expr.Expr, operation string) ([]*expr.Expr, error) {
	for _, a := range args {
		if a.Type.IsBinary() {
			return args, nil
		}
	}
	c, ok := collationOf(args)
	if !ok {
		return nil, illegalMix(args, operation)
	}
	return inCollation(args, c), nil
}

// inCollation gives all text among args the collation c.
func inCollation(args []*expr.Expr, c types.Collation) []*expr.Expr {
	out := make([]*expr.Expr, len(args))
	for i, a := range args {
		t := a.Type
		t.Collation = c
		switch out[i] = a; {
		case !a.Type.IsText():
		case a.Fn == "collate" && a.Args[0].Op == expr.OpConst:
			out[i] = expr.NewConst(*a.Args[0].Value, t)
		case a.Type.Collation == c:
		case a.Op == expr.OpConst:
			out[i] = expr.NewConst(*a.Value, t)
		default:
			out[i] = expr.NewCall("coerce", t, a)
		}
	}
	return out
}

// illegalMix is error 1267 of two texts, 1270 of three, 1271 of more.
func illegalMix(args []*expr.Expr, operation string) error {
	var texts []string
	for _, a := range args {
		if a.Type.IsText() {
			texts = append(texts, fmt.Sprintf("(%s,%s)", a.Type.Collation, DerivationOf(a)))
		}
	}
	switch len(texts) {
	case 2:
		return sqlerr.New(sqlerr.CollationMismatch, "Illegal mix of collations %s and %s for operation '%s'", texts[0], texts[1], operation)
	case 3:
		return sqlerr.New(sqlerr.CollationMismatch3, "Illegal mix of collations %s for operation '%s'", strings.Join(texts, ", "), operation)
	}
	return sqlerr.New(sqlerr.CollationsMismatch, "Illegal mix of collations for operation '%s'", operation)
}
