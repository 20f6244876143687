package main

import (
	"context"
	"errors"
	"net"
	"os"

	"streamsql/cmd/streamsql/bench"
	"streamsql/cmd/streamsql/child"
	"streamsql/cmd/streamsql/settings"
	"streamsql/cmd/streamsql/slt"
)

// startPrivate runs this very binary as a server on a temporary data directory.
// A process of its own, and not a goroutine, so that it can be killed for real.
func startPrivate(ctx context.Context) (*child.Server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return child.Start(ctx, child.Options{Binary: self})
}

func runBench(ctx context.Context, e env, args []string) int {
	self, err := os.Executable()
	if err != nil {
		return failed(e, "bench", err)
	}
	return bench.Main(ctx, args, bench.Host{Binary: self, Version: version(), Stdout: e.stdout, Stderr: e.stderr})
}

func runTest(ctx context.Context, e env, args []string) int {
	return slt.Main(ctx, args, e.stdout, e.stderr, func(ctx context.Context) (slt.Server, error) { return startPrivate(ctx) })
}

// runScript gives a file to the shell, connected to a private server.
func runScript(ctx context.Context, e env, args []string) int {
	fs := settings.NewFlags("run", "[shell flags] file.sql",
		"Starts a server on a temporary data directory and a free port, runs the file through the shell,\nand stops it. Flags are those of streamsql sql, save host, port and user.")
	switch {
	case len(args) == 0:
		return fs.Failed(errors.New("no file given"), e.stdout, e.stderr)
	case asksHelp(args):
		fs.Help(e.stdout)
		return 0
	}
	// What is wrong is said before a server starts.
	if o, sfs, err := parseSQL(e, args); err != nil {
		return sfs.Failed(err, e.stdout, e.stderr)
	} else if o.File != "" {
		if _, err := os.Stat(o.File); err != nil {
			return failed(e, "run", err)
		}
	}
	s, err := startPrivate(ctx)
	if err != nil {
		return failed(e, "run", err)
	}
	defer s.Stop()
	host, port, err := net.SplitHostPort(s.Addr())
	if err != nil {
		return failed(e, "run", err)
	}
	return runSQL(ctx, e, append([]string{"-h", host, "-P", port, "-u", "root"}, args...))
}
