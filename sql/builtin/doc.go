// Package builtin holds the operators and functions of the dialect, a family a
// file: which arguments each takes, how they are coerced, the type of the result
// (as MySQL 8.0 has it), and the kernel that computes it over vectors.
//
// Call, Cast, Assign and Common build bound expressions; KernelOf gives the
// kernel of a call so built. What evaluates its arguments only where they are
// reached (AND, OR, CASE, IF, COALESCE …) has no kernel: package eval does it.
//
// Besides the names that a user writes there are calls that are put in: "coerce" (an
// implicit cast), "to_scale" (cuts the hidden digits of a quotient to the digits that
// show), "assign" (a value on its way into a column) and "sort_key" (what a value
// is grouped by).
package builtin
