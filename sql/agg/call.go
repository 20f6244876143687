// Package agg holds the aggregate functions: their result types, and their
// states as they lie in a row of a hash table.
package agg

import (
	"slices"
	"strings"

	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/routine"
	"streamsql/sql/types"
)

// Call is one bound aggregate of a query.
type Call struct {
	Fn string `json:"fn"` // lower case
	// Args are what the function is applied to; then what it orders by, one for each
	// of Desc; then, with Filtered, the condition of FILTER (WHERE …), 1 where a
	// row counts.
	Args     []*expr.Expr `json:"args,omitempty"`
	Distinct bool         `json:"distinct,omitempty"`
	Desc     []bool       `json:"desc,omitempty"`
	Filtered bool         `json:"filtered,omitempty"`
	// Apart is how many of the last columns of the order tell the values of
	// GROUP_CONCAT(DISTINCT …) apart.
	Apart int `json:"apart,omitempty"`
	// Separator and MaxLen, bytes, are GROUP_CONCAT's.
	Separator string `json:"separator,omitempty"`
	MaxLen    int64  `json:"max_len,omitempty"`
	// Fraction is where a percentile lies, 0 to 1; Reverse: counted from the largest value.
	Fraction float64    `json:"fraction,omitempty"`
	Reverse  bool       `json:"reverse,omitempty"`
	Type     types.Type `json:"type"` // of the result, as Resolve found it
	// Cut, of AVG: digits beyond Type's are cut off, not rounded.
	Cut bool `json:"cut,omitempty"`
	// Routine is the function of the user's own that Fn says it is.
	Routine *routine.Definition `json:"routine,omitempty"`
}

// Exact is c, as Resolve made it, with all digits that MySQL's division computes
// for AVG: more than it shows.
func (c Call) Exact(divPrecision int) Call {
	if c.Fn != "avg" || c.Type.Kind != types.Decimal {
		return c
	}
	whole := c.Type.Prec - c.Type.Scale
	s := min(decimal.QuotientScale(argScale(c), 0, divPrecision), decimal.MaxPrec-whole)
	if s >= c.Type.Scale {
		c.Type.Prec, c.Type.Scale, c.Cut = whole+s, s, true
	}
	return c
}

// Values are what the function is applied to.
func (c Call) Values() []*expr.Expr {
	n := len(c.Args) - len(c.Desc)
	if c.Filtered {
		n--
	}
	return c.Args[:n]
}

// Order is what the values are ordered by.
func (c Call) Order() []*expr.Expr {
	at := len(c.Values())
	return c.Args[at : at+len(c.Desc)]
}

// Condition is FILTER's, nil if there is none.
func (c Call) Condition() *expr.Expr {
	if !c.Filtered {
		return nil
	}
	return c.Args[len(c.Args)-1]
}

// Same reports that two calls over the same rows give the same.
func (c Call) Same(d Call) bool {
	return c.Fn == d.Fn && routine.Same(c.Routine, d.Routine) && c.Distinct == d.Distinct && c.Filtered == d.Filtered && c.Separator == d.Separator &&
		c.MaxLen == d.MaxLen && c.Fraction == d.Fraction && c.Reverse == d.Reverse && c.Apart == d.Apart && c.Type == d.Type && c.Cut == d.Cut &&
		slices.Equal(c.Desc, d.Desc) && slices.EqualFunc(c.Args, d.Args, expr.Equal)
}

// Text is the call as SQL, with show for its arguments.
func (c Call) Text(show func(*expr.Expr) string) string {
	list := func(es []*expr.Expr, desc []bool) string {
		texts := make([]string, len(es))
		for i, e := range es {
			if texts[i] = show(e); desc != nil && desc[i] {
				texts[i] += " DESC"
			}
		}
		return strings.Join(texts, ", ")
	}
	inside := list(c.Values(), nil)
	switch {
	case c.Fn == "count" && inside == "":
		inside = "*"
	case c.Distinct:
		inside = "DISTINCT " + inside
	}
	if len(c.Desc) > 0 {
		inside += " ORDER BY " + list(c.Order(), c.Desc)
	}
	if c.Fn == "group_concat" && c.Separator != "," {
		inside += " SEPARATOR '" + strings.ReplaceAll(c.Separator, "'", "''") + "'"
	}
	name := strings.ToUpper(c.Fn)
	if c.Routine != nil {
		name = c.Routine.Name
	}
	text := name + "(" + inside + ")"
	if c.Filtered {
		text += " FILTER (WHERE " + show(c.Condition()) + ")"
	}
	return text
}

// Keeping says what must be known of a group to have its result.
type Keeping uint8

// What is kept. All but a total need each value under retraction.
const (
	Total Keeping = iota // a total that values are added to and taken from
	End                  // the values in order: the result is the first or the last one
	Rank                 // the values in order, counted: the result is at a rank
	List                 // the values in order: the result is made of all of them
)

// Keeping is what the call needs.
func (c Call) Keeping() Keeping {
	switch c.Fn {
	case "min", "max", "any_value", "first_value", "last_value":
		return End
	case "median", "percentile_cont", "percentile_disc", "approx_percentile":
		return Rank
	case "group_concat", "json_arrayagg", "json_objectagg":
		return List
	}
	return Total
}

// Last reports which end of the values an End call gives.
func (c Call) Last() bool { return c.Fn == "max" || c.Fn == "last_value" }

// Name is the function's name as in MySQL's messages about it: in lower case, or as the user has it.
func (c Call) Name() string {
	if c.Routine != nil {
		return c.Routine.Name
	}
	return c.Fn
}

// SeesNulls reports that rows count whose value is NULL.
func (c Call) SeesNulls() bool {
	switch c.Fn {
	case "first_value", "last_value", "json_arrayagg", "json_objectagg":
		return true
	}
	return false
}
