package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"streamsql/cmd/streamsql/child"
	"streamsql/engine"
	"streamsql/operators/connector"
	"streamsql/operators/connector/blackhole"
	"streamsql/operators/connector/file"
	"streamsql/operators/connector/nexmark"
	"streamsql/server"
	"streamsql/sql/routine"
	"streamsql/sql/routine/js"
	"streamsql/sql/routine/wasm"
)

func runServe(ctx context.Context, e env, args []string) int {
	c, fs, err := parseServe(e, args)
	if err != nil {
		return fs.Failed(err, e.stdout, e.stderr)
	}
	c.Ready = func(r child.Ready) {
		r.Ready, r.Version, r.PID = true, version(), os.Getpid()
		json.NewEncoder(e.stdout).Encode(r)
	}
	if err := serve(ctx, c); err != nil {
		return failed(e, "serve", err)
	}
	return 0
}

// stopWithin bounds how long open connections may hold up a stop.
const stopWithin = 3 * time.Second

// serve runs a server until ctx is done, and stops it cleanly.
func serve(ctx context.Context, c Config) error {
	slog.SetDefault(c.Log)
	go server.PaceGC(ctx)
	listener, err := net.Listen("tcp", c.MySQL)
	if err != nil {
		return fmt.Errorf("--mysql=%s: %w", c.MySQL, err)
	}
	defer listener.Close()
	web, err := listenHTTP(c.HTTP)
	if err != nil {
		return err
	}
	if web != nil {
		defer web.Close()
	}
	var observed atomic.Pointer[engine.Engine]
	debug, err := serveDebug(ctx, c.Debug, &observed)
	if err != nil {
		return err
	}
	languages(c)
	eng, err := engine.Open(engine.Config{
		Dir: c.Data, Workers: c.Workers, CheckpointEvery: c.CheckpointInterval, Connectors: connectors(c.Files),
		Functions: c.Functions,
	})
	if err != nil {
		return err
	}
	observed.Store(eng)
	front := server.New(listener, eng, server.Options{Version: mysqlVersion(), HTTP: web, HTTPMaxBody: c.HTTPMaxBody, SecureFiles: c.SecureFiles, Log: c.Log})
	served := make(chan error, 1)
	go func() { served <- front.Serve() }()

	did := eng.Recovered()
	c.Ready(child.Ready{MySQL: listener.Addr().String(), HTTP: address(web), Debug: debug, Recovery: child.Recovery{
		Cuts: did.Cuts, Rows: int64(did.Rows), Seconds: did.Took.Seconds(),
	}})
	select {
	case <-ctx.Done():
	case err = <-served:
		err = fmt.Errorf("the listener failed: %w", err)
	case err = <-eng.Failure():
	}
	stopping, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	_ = front.Shutdown(stopping) // what is still open then is closed
	return errors.Join(err, eng.Close())
}

// languages makes known what users may write functions in.
func languages(c Config) {
	routine.SetLimits(routine.Limits{Time: c.FunctionTime, Memory: int64(c.FunctionMemory) << 20})
	routine.RegisterLanguage("javascript", js.Language{})
	routine.RegisterLanguage("wasm", wasm.Language{})
}

// listenHTTP listens for HTTP; nil: it is off.
func listenHTTP(at string) (net.Listener, error) {
	if at == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, fmt.Errorf("--http=%s: %w", at, err)
	}
	return l, nil
}

// address is where l listens; empty: nowhere.
func address(l net.Listener) string {
	if l == nil {
		return ""
	}
	return l.Addr().String()
}

// mysqlVersion is what clients are told: of MySQL 8, which decides what they ask for.
func mysqlVersion() string { return "8.0.36-StreamSQL-" + version() }

// connectors are the kinds that stream tables may name.
func connectors(files string) *connector.Registry {
	return connector.NewRegistry(blackhole.Kind(), file.Kind(files), nexmark.Kind())
}
