package build

import (
	"streamsql/planner/logical"
	"streamsql/sql/sqlerr"
)

func (b *builder) session(n *logical.Window, want []logical.Col) (*rel, error) {
	return nil, sqlerr.Unsupported("SESSION")
}
