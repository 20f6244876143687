package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a family of types within which expressions mix.
type kind uint8

const (
	kInt kind = iota
	kDec
	kStr
	kDate
	kTime // DATETIME
	kDbl  // DOUBLE, of values whose sums are exact
	kFold
	kJSON
	kClock // TIME
	kYear
	kUns // BIGINT UNSIGNED
	kBin // VARBINARY
	kEnum
	kBool
	kinds // how many there are
)

// column is something an expression can name.
type column struct {
	name string // as written, qualified where needed
	kind kind
}

// gen draws everything of a program from one source.
type gen struct {
	*rand.Rand
	// changing is true while expressions of UPDATE and DELETE are made, where a
	// division by zero is an error.
	changing  bool
	next      int    // for names
	collation string // of kFold
	forms     forms
	tables    []*table
}

func (g *gen) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *gen, from ...T) T { return from[g.IntN(len(from))] }

func (g *gen) name(prefix string) string {
	g.next++
	return fmt.Sprintf("%s%d", prefix, g.next)
}

// literal is a constant of a kind, sometimes NULL where null allows it.
func (g *gen) literal(k kind, null bool) string {
	if null && g.chance(12) {
		return "NULL"
	}
	switch k {
	case kInt:
		return fmt.Sprint(g.IntN(12) - 3)
	case kDec:
		return fmt.Sprintf("%d.%02d", g.IntN(40)-8, g.IntN(4)*25)
	case kStr:
		return "'" + pick(g, "a", "b", "B", "ab", "abc", "é", "", "zz", "a%", "x_y") + "'"
	case kDate:
		return fmt.Sprintf("DATE '2024-%02d-%02d'", 1+g.IntN(3), pick(g, 1, 2, 15, 28, 29))
	case kTime:
		return fmt.Sprintf("TIMESTAMP '2024-%02d-%02d %02d:%02d:%02d'", 1+g.IntN(2), 1+g.IntN(3), g.IntN(3), 30*g.IntN(2), 59*g.IntN(2))
	case kDbl:
		return pick(g, "-2.5e0", "-1e0", "1e0", "0.25e0", "3e0", "1024.5e0", "7.75e0", "1e3")
	}
	if k == kBool {
		return pick(g, "TRUE", "FALSE")
	}
	return g.otherLiteral(k)
}

// column is a column of a kind, or a literal where the scope has none.
func (g *gen) column(scope []column, k kind) string {
	var fit []string
	for _, c := range scope {
		if c.kind == k {
			fit = append(fit, c.name)
		}
	}
	if len(fit) == 0 {
		return g.constant(k)
	}
	return pick(g, fit...)
}

// expr is an expression of a kind over the scope; depth bounds its nesting.
func (g *gen) expr(scope []column, k kind, depth int) string {
	if k == kBool {
		return g.condition(scope, depth)
	}
	if depth <= 0 || g.chance(30) {
		if g.chance(85) {
			return g.column(scope, k)
		}
		return g.constant(k)
	}
	sub := func(k kind) string { return g.expr(scope, k, depth-1) }
	if g.chance(25) && k != kEnum {
		return g.choice(k, sub)
	}
	if k >= kFold {
		return g.other(scope, k, sub)
	}
	if g.chance(20) {
		if x, ok := g.ofOthers(scope, k, sub); ok {
			return x
		}
	}
	switch k {
	case kInt:
		return g.integer(sub)
	case kDec:
		return g.decimal(sub)
	case kDbl:
		return pick(g,
			func() string { return "(" + sub(kDbl) + pick(g, " + ", " - ") + sub(pick(g, kDbl, kInt)) + ")" },
			func() string { return "(" + sub(kDbl) + " * " + pick(g, "0.5e0", "3e0", "2") + ")" },
			func() string { return "ABS(" + sub(kDbl) + ")" },
			func() string {
				return pick(g, "GREATEST(", "LEAST(") + sub(kDbl) + ", " + sub(pick(g, kDbl, kInt)) + ")"
			},
			func() string { return pick(g, "FLOOR(", "CEILING(") + sub(kDbl) + ") + 0.5e0" },
		)()
	case kStr:
		return g.text(sub)
	case kDate:
		return pick(g,
			func() string { return fmt.Sprintf("%s + INTERVAL %d DAY", sub(kDate), g.IntN(40)-9) },
			func() string { return fmt.Sprintf("DATE_SUB(%s, INTERVAL %d MONTH)", sub(kDate), g.IntN(3)) },
			func() string { return "DATE(" + sub(kTime) + ")" },
			func() string { return "LAST_DAY(" + sub(kDate) + ")" },
			func() string {
				return fmt.Sprintf("%s - INTERVAL %s", sub(kDate), pick(g, "1 YEAR", "2 WEEK", "'1-1' YEAR_MONTH", "1 QUARTER"))
			},
			func() string { return "MAKEDATE(2024, " + sub(kInt) + ")" },
			func() string { return "CAST(" + sub(kTime) + " AS DATE)" },
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kDate) + ", " + sub(kDate) + ")" },
		)()
	default:
		return pick(g,
			func() string { return fmt.Sprintf("%s + INTERVAL %d HOUR", sub(kTime), g.IntN(40)-9) },
			func() string { return fmt.Sprintf("DATE_ADD(%s, INTERVAL %d SECOND)", sub(kTime), g.IntN(90)) },
			func() string {
				return fmt.Sprintf("DATE_SUB(%s, INTERVAL %s)", sub(kTime), pick(g, "'1 2' DAY_HOUR", "1 MONTH", "'10:30' MINUTE_SECOND"))
			},
			func() string { return "CAST(" + sub(kDate) + " AS DATETIME)" },
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kTime) + ", " + sub(kTime) + ")" },
		)()
	}
}

// choice is an expression that picks between values of one kind.
func (g *gen) choice(k kind, sub func(kind) string) string {
	switch g.IntN(6) {
	case 0:
		return "COALESCE(" + sub(k) + ", " + sub(k) + ")"
	case 1:
		return "IFNULL(" + sub(k) + ", " + g.literal(k, false) + ")"
	case 2:
		return "NULLIF(" + sub(k) + ", " + g.literal(k, false) + ")"
	case 3:
		return "IF(" + sub(kBool) + ", " + sub(k) + ", " + sub(k) + ")"
	case 4:
		return "CASE WHEN " + sub(kBool) + " THEN " + sub(k) + " WHEN " + sub(kBool) + " THEN " + sub(k) + " ELSE " + sub(k) + " END"
	}
	return "CASE " + sub(kInt) + " WHEN 1 THEN " + sub(k) + " WHEN 2 THEN " + sub(k) + " END"
}

func (g *gen) integer(sub func(kind) string) string {
	forms := []func() string{
		func() string { return "(" + sub(kInt) + pick(g, " + ", " - ") + sub(kInt) + ")" },
		func() string { return "(" + sub(kInt) + " * " + g.literal(kInt, false) + ")" },
		func() string { return "-(" + sub(kInt) + ")" },
		func() string { return "ABS(" + sub(kInt) + ")" },
		func() string { return "SIGN(" + sub(kDec) + ")" },
		func() string { return pick(g, "LENGTH(", "CHAR_LENGTH(") + sub(kStr) + ")" },
		func() string { return "LOCATE(" + g.literal(kStr, false) + ", " + sub(kStr) + ")" },
		func() string { return pick(g, "YEAR(", "MONTH(", "DAY(", "DAYOFWEEK(") + sub(kDate) + ")" },
		func() string { return pick(g, "HOUR(", "MINUTE(", "SECOND(") + sub(kTime) + ")" },
		func() string { return "DATEDIFF(" + sub(kDate) + ", " + sub(kDate) + ")" },
		func() string {
			return timestampDiff(pick(g, "DAY", "HOUR", "MONTH"), sub(kTime), sub(kTime))
		},
		func() string {
			return pick(g, "GREATEST(", "LEAST(") + sub(kInt) + ", " + sub(kInt) + ")"
		},
		func() string { return "CAST(" + sub(kDec) + " AS SIGNED)" },
		// Signed again: an unsigned one times −2 is an error, if and when it is computed.
		func() string {
			return fmt.Sprintf("CAST(ABS(%s) %s %d AS SIGNED)", sub(kInt), pick(g, "&", "|", "^"), g.IntN(12))
		},
		func() string { return pick(g, "BIT_LENGTH(", "OCTET_LENGTH(") + sub(kStr) + ")" },
		func() string { return "(ASCII(" + sub(kStr) + ") + 0)" }, // MariaDB's AVG(ASCII('é')) is 99.9999
		func() string { return "STRCMP(" + sub(kStr) + ", " + sub(kStr) + ")" },
		func() string { return "INSTR(" + sub(kStr) + ", " + g.literal(kStr, false) + ")" },
		func() string {
			return pick(g, "WEEKDAY(", "DAYOFYEAR(", "QUARTER(", "TO_DAYS(", "WEEKOFYEAR(", "WEEK(") + sub(kDate) + ")"
		},
		func() string {
			return "EXTRACT(" + pick(g, "YEAR", "YEAR_MONTH", "DAY", "MONTH") + " FROM " + sub(kDate) + ")"
		},
		func() string {
			return "EXTRACT(" + pick(g, "HOUR", "MINUTE", "DAY_HOUR", "SECOND") + " FROM " + sub(kTime) + ")"
		},
		func() string {
			return timestampDiff(pick(g, "DAY", "MONTH", "YEAR"), sub(kDate), sub(kTime))
		},
		func() string { return "(" + sub(kBool) + ")" },
		func() string { return "ROUND(" + sub(kInt) + ", -1)" },
	}
	if !g.changing {
		forms = append(forms,
			func() string { return "(" + sub(kInt) + " DIV " + sub(kInt) + ")" },
			func() string { return "(" + sub(kInt) + " % " + sub(kInt) + ")" },
			func() string { return "MOD(" + sub(kInt) + ", 3)" },
		)
	}
	return pick(g, forms...)()
}

func (g *gen) decimal(sub func(kind) string) string {
	switch g.IntN(10) {
	case 8:
		return pick(g, "GREATEST(", "LEAST(") + sub(kDec) + ", " + sub(pick(g, kDec, kInt)) + ")"
	case 9:
		return "ROUND(" + sub(kDec) + ", -1)"
	case 0, 1:
		return "(" + sub(kDec) + pick(g, " + ", " - ") + sub(pick(g, kDec, kInt)) + ")"
	case 2:
		return "(" + sub(kDec) + " * " + g.literal(pick(g, kDec, kInt), false) + ")"
	case 3:
		return "ROUND(0.00 + " + sub(kDec) + pick(g, ")", ", 1)")
	case 4:
		return pick(g, "FLOOR(", "CEILING(", "ABS(") + sub(kDec) + ")"
	case 5:
		return "TRUNCATE(0.00 + " + sub(kDec) + ", 1)" // MariaDB gives TRUNCATE(CEILING(x), 1) a digit
	case 6:
		return "CAST(" + sub(pick(g, kDec, kInt)) + " AS DECIMAL(14,3))"
	}
	return "-(" + sub(kDec) + ")"
}

func (g *gen) text(sub func(kind) string) string {
	switch g.IntN(13) {
	case 8:
		return "CONCAT_WS('-', IFNULL(" + sub(kStr) + ", ''), IFNULL(" + sub(kStr) + ", 'q'))"
	case 9:
		return pick(g, "TRIM(", "LTRIM(", "TRIM(LEADING 'a' FROM ") + sub(kStr) + ")"
	case 10:
		return fmt.Sprintf("%s(%s, %d, 'xy')", pick(g, "LPAD", "RPAD"), sub(kStr), g.IntN(6))
	case 11:
		return "SUBSTRING_INDEX(" + sub(kStr) + ", 'b', " + pick(g, "1", "-1") + ")"
	case 12:
		return pick(g,
			func() string { return "DATE_FORMAT(" + sub(kTime) + ", '%Y/%m/%d %H-%i-%s %j %a %b')" },
			func() string { return "HEX(" + sub(kStr) + ")" },
			func() string { return "REPEAT(" + sub(kStr) + ", 2)" },
			func() string { return "ELT(" + sub(kInt) + ", 'a', 'é')" },
			func() string { return pick(g, "DAYNAME(", "MONTHNAME(") + sub(kDate) + ")" },
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kStr) + ", " + sub(kStr) + ")" },
			func() string { return "INSERT(" + sub(kStr) + ", 2, 1, 'Q')" },
		)()
	case 0:
		return "UPPER(" + sub(kStr) + ")"
	case 1:
		return "LOWER(" + sub(kStr) + ")"
	case 2:
		return "CONCAT(" + sub(kStr) + ", " + sub(pick(g, kStr, kInt)) + ")"
	case 3:
		return fmt.Sprintf("SUBSTRING(%s, %d, %d)", sub(kStr), 1+g.IntN(3), g.IntN(3))
	case 4:
		return fmt.Sprintf("%s(%s, %d)", pick(g, "LEFT", "RIGHT"), sub(kStr), g.IntN(3))
	case 5:
		return "REPLACE(" + sub(kStr) + ", 'a', 'é')"
	case 6:
		return "REVERSE(" + sub(kStr) + ")"
	}
	return "CAST(" + sub(pick(g, kInt, kDate)) + " AS CHAR)"
}

// condition is a truth value over the scope.
func (g *gen) condition(scope []column, depth int) string {
	sub := func(k kind) string { return g.expr(scope, k, depth-1) }
	if depth > 1 && g.chance(30) {
		switch g.IntN(5) {
		case 0, 1:
			return "(" + sub(kBool) + " AND " + sub(kBool) + ")"
		case 2:
			return "(" + sub(kBool) + " OR " + sub(kBool) + ")"
		case 3:
			return "NOT (" + sub(kBool) + ")"
		}
		return "(" + sub(kBool) + " XOR " + sub(kBool) + ")"
	}
	if g.chance(6) {
		return "(" + sub(kBool) + ")" + pick(g, " IS TRUE", " IS NOT TRUE", " IS FALSE", " IS NOT FALSE", " IS UNKNOWN", " IS NOT UNKNOWN")
	}
	k := g.kindOf(scope)
	left := sub(k)
	if k.unordered() {
		return left + pick(g, " IS NULL", " IS NOT NULL", " = "+sub(k), " <> "+sub(k), " <=> "+sub(k), " IN ("+sub(k)+", "+sub(k)+")")
	}
	switch g.IntN(12) {
	case 9:
		return left + pick(g, " IN (", " NOT IN (") + sub(k) + ", " + sub(k) + ")"
	case 10:
		k2 := g.kindOf(scope)
		if k.same() == " <=> " && k2.same() == " <=> " {
			return "(" + left + ", " + sub(k2) + ") <=> (" + sub(k) + ", " + sub(k2) + ")"
		}
	case 11:
		if k == kDate || k == kTime {
			return sub(kDate) + pick(g, " = ", " < ", " >= ", " <> ") + sub(kTime)
		}
	case 0:
		return left + pick(g, " IS NULL", " IS NOT NULL")
	case 1:
		return left + pick(g, " IN (", " NOT IN (") + strings.Join([]string{g.literal(k, false), g.literal(k, false), g.literal(k, g.chance(20))}, ", ") + ")"
	case 2:
		return left + pick(g, " BETWEEN ", " NOT BETWEEN ") + g.literal(k, false) + " AND " + sub(k)
	case 3:
		if k == kStr || k == kFold {
			return left + pick(g, " LIKE ", " NOT LIKE ") + pick(g, "'a%'", "'%b%'", "'_'", "'%'", "'x\\_y'")
		}
		if k != kYear {
			return left + k.same() + sub(k)
		}
	}
	right := sub(k)
	if k == kYear && !(mentions(left, scope) && mentions(right, scope)) { // see joinOn
		return left + pick(g, " <> ", " < ", " <= ", " > ", " >= ") + right
	}
	if k == kInt && g.chance(20) {
		right = sub(kDec)
		if !mentions(right, scope) { // MariaDB looks 9.75 up in a key of integers as 10
			return left + pick(g, " <> ", " < ", " <= ", " > ", " >= ") + right
		}
	}
	return left + pick(g, " = ", " <> ", " < ", " <= ", " > ", " >= ") + right
}

// kindOf is the kind of a column of the scope.
func (g *gen) kindOf(scope []column) kind {
	if len(scope) == 0 {
		return kInt
	}
	return pick(g, scope...).kind
}

// timestampDiff is TIMESTAMPDIFF(unit, a, b). MariaDB takes it for the same in every unit
// where two are compared, so each unit has a form of its own.
func timestampDiff(unit, a, b string) string {
	form := map[string]string{"DAY": "", "HOUR": " + 0", "MONTH": " - 0", "YEAR": " * 1"}[unit]
	return "(TIMESTAMPDIFF(" + unit + ", " + a + ", " + b + ")" + form + ")"
}
