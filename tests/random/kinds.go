package random

import (
	"fmt"
	"slices"
	"strings"
)

// The kinds beyond numbers, text and dates. Each has a literal, and expressions of it
// and out of it; they do not mix with others.
//
//   - kFold is text of a collation without regard to case, one for each program. Which
//     of its forms a group shows differs between the servers, so that nothing tells
//     the forms apart, and rows are compared without regard to case (fold). The
//     reference has general_ci for 0900_ai_ci too: the letters and digits drawn lie
//     alike in both.
//   - kJSON is compared by <=>, =, <> and IN alone, since MariaDB's JSON is text: in
//     the form in which MySQL writes it, and no two values that are equal in two forms.
//   - kEnum is a column: what is computed of it is text.

// foldCollation is the program's collation without regard to case, as written.
func (g *gen) foldCollation() string {
	if g.collation == "" {
		g.collation = pick(g, "COLLATE utf8mb4_general_ci", "COLLATE utf8mb4_general_ci",
			g.form("COLLATE utf8mb4_0900_ai_ci", "COLLATE utf8mb4_general_ci"))
	}
	return g.collation
}

// fold is a row as it is without regard to case.
func fold(row string) string { return strings.ReplaceAll(strings.ToLower(row), "é", "e") }

// documents are JSON values as MySQL writes them.
var documents = []string{`{"n": 1}`, `{"n": 2, "s": "a"}`, `{"a": [1, 2, 3], "s": "b"}`, `[1, {"n": 3}, "x"]`, `[]`, `{}`, `7`, `"a"`, `true`, `null`, `{"n": -5, "o": {"n": 4}}`, `[1, 2]`}

// otherLiteral is literal for the kinds of this file.
func (g *gen) otherLiteral(k kind) string {
	switch k {
	case kFold:
		return "'" + pick(g, "a", "A", "b", "B", "ab", "aB", "é", "E", "", "zz", "Zz", "1", "10") + "'"
	case kJSON:
		return g.document(pick(g, documents...))
	case kClock:
		return "TIME '" + pick(g, "00:00:00", "01:30:00", "-02:00:01", "10:00:59", "23:59:59", "100:00:00") + "'"
	case kYear:
		return fmt.Sprint(2020 + g.IntN(6))
	case kUns: // beside a signed one it would be a DECIMAL, whose bits the servers take in two ways
		return pick(g, "CAST(0 AS UNSIGNED)", "CAST(1 AS UNSIGNED)", "CAST(7 AS UNSIGNED)", "9223372036854775808", "18446744073709551615")
	case kEnum:
		return "'" + pick(g, "x", "a", "M") + "'"
	}
	return pick(g, "x'00'", "x'61'", "x'41'", "x'ff00'", "x''", "x'6162'", "x'0a'")
}

// document is a JSON value. MariaDB's is the text.
func (g *gen) document(text string) string {
	return g.form("CAST('"+text+"' AS JSON)", "'"+text+"'")
}

// other is an expression of one of the kinds of this file.
func (g *gen) other(scope []column, k kind, sub func(kind) string) string {
	switch k {
	case kFold:
		return g.folded(sub)
	case kJSON:
		return g.json(sub)
	case kClock:
		return pick(g,
			func() string { return "TIMEDIFF(" + sub(kClock) + ", " + sub(kClock) + ")" },
			func() string { return "SEC_TO_TIME(" + sub(kInt) + ")" },
			func() string { return "CAST(" + sub(kTime) + " AS TIME)" },
			func() string {
				return pick(g, "ADDTIME(", "SUBTIME(") + sub(kClock) + ", " + g.literal(kClock, false) + ")"
			},
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kClock) + ", " + sub(kClock) + ")" },
		)()
	case kUns:
		return pick(g,
			func() string { return "(" + sub(kUns) + pick(g, " & ", " | ", " ^ ") + sub(kUns) + ")" },
			func() string { return "(" + sub(kUns) + pick(g, " >> ", " << ") + pick(g, "1", "33") + ")" },
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kUns) + ", " + sub(kUns) + ")" },
			func() string { return "CAST(ABS(" + sub(kInt) + ") AS UNSIGNED)" },
			func() string { return "BIT_COUNT(" + sub(kUns) + ") + CAST(0 AS UNSIGNED)" },
		)()
	case kBin:
		return pick(g,
			func() string { return "UNHEX(HEX(" + sub(kBin) + "))" },
			func() string { return "CONCAT(" + sub(kBin) + ", x'00')" },
			func() string { return "SUBSTRING(" + sub(kBin) + ", 1, 2)" },
			func() string { return "CAST(" + sub(kStr) + " AS BINARY)" },
			func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kBin) + ", " + sub(kBin) + ")" },
		)()
	}
	return g.column(scope, k)
}

// folded is text without regard to case, of some.
func (g *gen) folded(sub func(kind) string) string {
	return pick(g,
		func() string { return pick(g, "UPPER(", "LOWER(", "REVERSE(") + sub(kFold) + ")" },
		func() string {
			return fmt.Sprintf("%s(%s, %d)", pick(g, "LEFT", "RIGHT"), sub(kFold), g.IntN(3))
		},
		func() string { return fmt.Sprintf("SUBSTRING(%s, %d, %d)", sub(kFold), 1+g.IntN(3), g.IntN(3)) },
		func() string { return "CONCAT(" + sub(kFold) + ", " + sub(kFold) + ")" },
		func() string {
			return fmt.Sprintf("%s(%s, %d, 'xY')", pick(g, "LPAD", "RPAD"), sub(kFold), g.IntN(6))
		},
		func() string { return pick(g, "GREATEST(", "LEAST(") + sub(kFold) + ", " + sub(kFold) + ")" },
	)()
}

// json is a JSON value: a part of one, one with less in it, or a new one. To MariaDB
// a scalar is no array of one value, $[0], and a text that is extracted equals
// itself without quotes, unless something stands between; and it takes a LEFT JOIN
// for an inner one by the values that these functions make a null of.
func (g *gen) json(sub func(kind) string) string {
	path := func() string { return pick(g, "$.n", "$.s", "$.a", "$.a[1]", "$[1]", "$[1].n", "$.o.n", "$") }
	return pick(g,
		func() string {
			part := "JSON_EXTRACT(" + sub(kJSON) + ", '" + path() + "')"
			return g.form(part, "CONCAT("+part+", '')")
		},
		func() string { return "JSON_REMOVE(" + sub(kJSON) + ", '" + pick(g, "$.n", "$.a", "$[1]") + "')" },
		func() string { return "JSON_REPLACE(" + sub(kJSON) + ", '$.n', IFNULL(" + sub(kInt) + ", 0))" },
		func() string { return "JSON_ARRAY(IFNULL(" + sub(kInt) + ", 0), IFNULL(" + sub(kStr) + ", 'q'))" },
		func() string {
			return "JSON_OBJECT('n', IFNULL(" + sub(kInt) + ", 0), 's', IFNULL(" + sub(kStr) + ", 'q'))"
		},
		func() string { return "JSON_KEYS(" + sub(kJSON) + ")" },
	)()
}

// ofOthers is an expression of a plain kind over one of the kinds of this file; false:
// the scope has no column for it.
func (g *gen) ofOthers(scope []column, k kind, sub func(kind) string) (string, bool) {
	there := slices.DeleteFunc(slices.Clone(scope), func(c column) bool { return !slices.Contains(others, c.kind) })
	if len(there) == 0 {
		return "", false
	}
	of := pick(g, there...).kind
	x := sub(of)
	switch {
	case of == kEnum:
		x, _ = g.existing(scope, kEnum)
		if k == kInt {
			return "(" + x + " + 0)", true
		}
		return "CONCAT(" + x + ", '')", k == kStr
	case k == kInt && of == kFold: // no LOCATE: where E and é, of two bytes, are one, MariaDB does not find one by the other
		return pick(g, "CHAR_LENGTH("+x+")", "STRCMP("+x+", "+sub(kFold)+")"), true
	case k == kInt && of == kJSON:
		// The + 0: the greatest of truth values is a number, in MariaDB's JSON_OBJECT a truth value.
		// JSON_TYPE is text without regard to case in MariaDB.
		return pick(g, "JSON_LENGTH("+x+")", "CHAR_LENGTH(JSON_TYPE("+x+"))", "JSON_DEPTH("+x+")", "(JSON_CONTAINS_PATH("+x+", 'one', '$.n', '$[1]') + 0)",
			"CAST(JSON_EXTRACT("+x+", '$.n') AS SIGNED)", "(JSON_CONTAINS("+x+", '1') + 0)"), true
	case k == kStr && of == kJSON:
		return pick(g, "JSON_UNQUOTE(JSON_EXTRACT("+x+", '$.s'))", "JSON_UNQUOTE("+x+")"), true
	case k == kInt && of == kClock:
		return pick(g, "TIME_TO_SEC("+x+")", "MINUTE("+x+")", "SECOND("+x+")", "HOUR("+x+")"), true
	case k == kInt && of == kYear:
		return "CAST(" + x + " AS SIGNED)", true
	case k == kInt && of == kUns:
		return "CAST(" + x + " % 1000 AS SIGNED)", true
	case k == kDec && of == kUns:
		return "CAST(" + x + " AS DECIMAL(20,0))", true
	case k == kInt && of == kBin:
		return "LENGTH(" + x + ")", true
	case k == kStr && of == kBin:
		return "HEX(" + x + ")", true
	}
	return "", false
}

// others are the kinds of this file.
var others = []kind{kFold, kJSON, kClock, kYear, kUns, kBin, kEnum}

// unordered reports a kind whose values are only equal or not.
func (k kind) unordered() bool { return k == kJSON || k == kEnum }

// same is the comparison that holds of two NULLs too, but for years: in MariaDB
// x <=> y beside 2023 = x holds of none.
func (k kind) same() string {
	if k == kYear {
		return " = "
	}
	return " <=> "
}

// holds reports a column of a kind among items.
func holds(items []item, k kind) bool {
	return slices.ContainsFunc(items, func(it item) bool { return it.kind == k })
}

// constant is a literal as an expression of its own, whose collation counts.
func (g *gen) constant(k kind) string {
	text := g.literal(k, false)
	if k == kFold {
		text = "(" + text + " " + g.foldCollation() + ")"
	}
	return text
}

// sortable is x, of a kind, as something to order by that both servers order alike.
func sortable(x string, k kind) string {
	if k == kJSON {
		return "CAST(" + x + " AS CHAR)"
	}
	return x
}
