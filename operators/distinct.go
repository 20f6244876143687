package operators

import "streamsql/sql/types"

// Distinct keeps each row once, however often it is there: a Merge by all
// columns, without aggregates.
type Distinct struct{ *Merge }

// NewDistinct makes a Distinct over rows of the types input.
func NewDistinct(input []types.Type, env Env) (*Distinct, error) {
	m, err := NewMerge(AggSpec{Input: input, Keys: positions(len(input))}, env)
	return &Distinct{m}, err
}

// String names the operator as EXPLAIN does.
func (d *Distinct) String() string { return "Distinct" }

// NewExpiringDistinct makes a Distinct that forgets rows when their time is over.
func NewExpiringDistinct(input []types.Type, e Expiry, env Env) (*Distinct, error) {
	m, err := NewMerge(AggSpec{Input: input, Keys: positions(len(input)), Expiry: &e}, env)
	return &Distinct{m}, err
}
