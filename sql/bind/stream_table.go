package bind

import (
	"math/big"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// eventTime binds WATERMARK FOR, and gives an upsert stream its hidden columns.
func (c *creating) eventTime(w *parser.Watermark) error {
	t := c.table
	if w != nil {
		at := -1
		for i := range t.Columns {
			if sameName(t.Columns[i].Name, w.Column) {
				at = i
			}
		}
		if at < 0 {
			return sqlerr.New(sqlerr.BadField, "Unknown column '%s' in 'WATERMARK FOR'", w.Column)
		}
		col := &t.Columns[at]
		if !col.Type.HasDate() {
			return sqlerr.New(sqlerr.WrongFieldSpec, "WATERMARK FOR needs a column of type DATE, DATETIME or TIMESTAMP; '%s' is %s", col.Name, strings.ToUpper(col.Type.String()))
		}
		delay, err := fixedInterval(w)
		if err != nil {
			return err
		}
		if col.Type.Kind == types.Date && delay%types.Day != 0 {
			return sqlerr.New(sqlerr.WrongArguments, "The delay of WATERMARK FOR '%s', which is a DATE, must be whole days", col.Name)
		}
		t.EventTime = &catalog.EventTime{Column: at, Delay: delay}
	}
	if t.Primary == nil {
		return nil
	}
	if t.Options["connector"] != "" {
		return sqlerr.Unsupported("PRIMARY KEY of a stream table with a connector")
	}
	arrival := types.MakeBigInt()
	arrival.Unsigned = true
	t.Columns = append(t.Columns, catalog.Column{Name: catalog.ArrivalName, Type: arrival, Hidden: true})
	if t.EventTime != nil {
		before := t.Columns[t.EventTime.Column].Type
		before.NotNull = false
		t.Columns = append(t.Columns, catalog.Column{Name: catalog.WatermarkName, Type: before, Hidden: true})
	}
	return nil
}

// fixedUnits are the units that always last as long, in microseconds.
var fixedUnits = map[string]int64{
	"microsecond": 1, "second": types.Second, "minute": types.Minute, "hour": types.Hour, "day": types.Day, "week": 7 * types.Day,
}

// maxDelay bounds a watermark's delay: a hundred years.
const maxDelay = 36525 * types.Day

// fixedInterval is the delay of a watermark in microseconds.
func fixedInterval(w *parser.Watermark) (int64, error) {
	unit, ok := fixedUnits[w.Unit]
	if !ok {
		return 0, sqlerr.New(sqlerr.WrongArguments, "The delay of a watermark is in MICROSECOND, SECOND, MINUTE, HOUR, DAY or WEEK, which always last as long; not in %s", strings.ToUpper(w.Unit))
	}
	amount, ok := new(big.Rat).SetString(strings.TrimSpace(w.Amount))
	if !ok || strings.ContainsAny(w.Amount, "/xXpP_eE") || len(w.Amount) > 40 {
		return 0, sqlerr.New(sqlerr.WrongArguments, "'%s' is not a number for the delay of a watermark", w.Amount)
	}
	amount.Mul(amount, new(big.Rat).SetInt64(unit))
	switch {
	case amount.Sign() < 0:
		return 0, sqlerr.New(sqlerr.WrongArguments, "The delay of a watermark must not be negative")
	case !amount.IsInt():
		return 0, sqlerr.New(sqlerr.WrongArguments, "The delay of a watermark must be whole microseconds")
	case amount.Cmp(new(big.Rat).SetInt64(maxDelay)) > 0:
		return 0, sqlerr.New(sqlerr.WrongArguments, "The delay of a watermark must not be above 100 years")
	}
	return amount.Num().Int64(), nil
}
