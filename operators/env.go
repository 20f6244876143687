package operators

import (
	"time"

	"streamsql/operators/account"
	"streamsql/sql/eval"
)

// Env is what an operator is given besides its spec.
type Env struct {
	Node     string           // the plan node as EXPLAIN shows it: the Operator of a RowError
	Account  *account.Account // where state and large buffers take their memory; nil: uncounted
	Location *time.Location   // the time zone captured with the query; nil: UTC
	Rules    eval.Rules       // what the captured sql_mode says of values that go wrong
}
