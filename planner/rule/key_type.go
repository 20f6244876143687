package rule

import "streamsql/sql/types"

// SameRepresentation reports that values of a and b that `=` takes for equal lie
// in memory alike, so that they hash alike.
func SameRepresentation(a, b types.Type) bool {
	switch {
	case a.Class() != b.Class() || (a.Kind == types.JSON) != (b.Kind == types.JSON):
		return false
	case a.Kind == types.JSON: // by its key
		return true
	case a.Kind == types.Enum || b.Kind == types.Enum: // ordinals, each in its own list
		return a.Kind == b.Kind && a.Enum == b.Enum
	case a.Class() == types.ClassDecimal:
		return a.Scale == b.Scale
	case a.IsInteger() && b.IsInteger(): // a negative has the bits of a large unsigned one
		return a.Unsigned == b.Unsigned || !large(a) && !large(b)
	case a.Class() == types.ClassInt:
		return a.Kind == b.Kind || plainDate(a) && plainDate(b)
	case a.Class() == types.ClassBytes:
		return a.IsBinary() == b.IsBinary() && (a.IsBinary() || a.Collation == b.Collation)
	}
	return true
}

// large: values that an int64 holds by their bits only.
func large(t types.Type) bool { return t.Kind == types.BigInt && t.Unsigned }

// plainDate: microseconds on the value's own clock.
func plainDate(t types.Type) bool { return t.Kind == types.Date || t.Kind == types.DateTime }

// keyType is a type that both sides of `=` can be cast to without loss, in which
// equal values are alike. Not ok when there is none: the condition is then
// tested pair by pair.
func keyType(a, b types.Type) (t types.Type, ok bool) {
	if SameRepresentation(a, b) {
		return a.Nullable(), true
	}
	if !a.IsNumeric() || !b.IsNumeric() {
		return t, false
	}
	if a.Class() == types.ClassFloat || b.Class() == types.ClassFloat {
		return types.MakeDouble(), true // as `=` compares them
	}
	intDigits := max(wholeDigits(a), wholeDigits(b))
	scale := max(a.Scale*decimalOne(a), b.Scale*decimalOne(b))
	if intDigits+scale > 65 {
		return t, false
	}
	return types.MakeDecimal(intDigits+scale, scale), true
}

// wholeDigits are the digits before the point that a value of t can have.
func wholeDigits(t types.Type) int {
	if t.Kind == types.Decimal {
		return t.Prec - t.Scale
	}
	return 20 // BIGINT UNSIGNED
}

func decimalOne(t types.Type) int {
	if t.Kind == types.Decimal {
		return 1
	}
	return 0
}
