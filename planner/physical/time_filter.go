package physical

import "streamsql/sql/expr"

// TimeFilter keeps rows for as long as conditions on the time are true of them.
const TimeFilter Kind = "TimeFilter"

// TimeFilterSpec keeps the rows for which all of Conds are true at the batch's time.
type TimeFilterSpec struct {
	Conds []TimeCond `json:"conds"`
}

// TimeCond is `value op now + shift`: now is the batch's time on the clock of the
// captured zone, or UTC, cut to a multiple of Grain. Lengths are microseconds.
// Value is a DATE, DATETIME or TIMESTAMP; NULL is never true.
type TimeCond struct {
	Value *expr.Expr `json:"value"`
	Op    string     `json:"op"` // <, <=, >, >=
	Shift int64      `json:"shift,omitempty"`
	Grain int64      `json:"grain"`
	UTC   bool       `json:"utc,omitempty"`
}

// Leaves reports that the condition ceases to be true of a row with time; else it
// begins to be.
func (c TimeCond) Leaves() bool { return c.Op == ">" || c.Op == ">=" }
