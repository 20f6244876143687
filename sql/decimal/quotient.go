package decimal

// QuotientScale is how many digits after the point MySQL's division of decimals with
// s1 and s2 of them computes, where increment (div_precision_increment) more than s1
// are asked for: it works on groups of 9 digits, and cuts after a whole one.
func QuotientScale(s1, s2, increment int) int {
	up := func(n int) int { return (n + 8) / 9 * 9 }
	increment = max(0, increment-(up(s1)-s1)-(up(s2)-s2))
	return min(up(up(s1)+up(s2)+increment), 30)
}
