package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"streamsql/cmd/streamsql/child"
)

func runServe(ctx context.Context, e env, args []string) int {
	c, err := parseServe(e, args)
	if err != nil {
		return failed(e, "serve", exitUsage, err)
	}
	c.Ready = func(r child.Ready) {
		r.Ready, r.Version, r.PID = true, version(), os.Getpid()
		json.NewEncoder(e.stdout).Encode(r)
	}
	if err := serve(ctx, c); err != nil {
		return failed(e, "serve", exitFailed, err)
	}
	return 0
}

// serve runs a server until ctx is done, and stops it cleanly.
func serve(ctx context.Context, c Config) error {
	return errors.New("this binary was built without an engine")
}
