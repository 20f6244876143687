package main

import (
	"context"
	"errors"
)

// runSQL is the shell.
func runSQL(ctx context.Context, e env, args []string) int {
	return failed(e, "sql", exitFailed, errors.New("this binary was built without a shell"))
}
