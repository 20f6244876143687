package random

import "fmt"

// digits is a quotient or an average, mostly as it is, or what is computed with the
// digits that it does not show. Nothing compares it: MariaDB compares what shows,
// MySQL all digits.
func (g *gen) digits(x string) string {
	if g.chance(35) {
		return x
	}
	n := pick(g, "3", "7", "-2", "0.5", "1.000000")
	return pick(g,
		func() string { return "(" + x + ") * " + n },
		func() string { return "(" + x + ")" + pick(g, " + ", " - ") + n },
		func() string { return "-(" + x + ") * " + n },
		func() string { return fmt.Sprintf("ROUND(%s, %d)", x, g.IntN(8)) },
		func() string { return "CAST(" + x + " AS DECIMAL(40,8))" },
		func() string { return "COALESCE(" + x + ", 0) * " + n },
		func() string { return "IF(" + n + " > 0, " + x + ", 1.5) * " + n },
		func() string { return "ABS(" + x + ") * " + n },
		func() string { return "(" + x + ") / " + n },
		func() string { return "FLOOR((" + x + ") * 3) + 0.0" },
	)()
}
