package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime/metrics"
	"sync/atomic"

	"streamsql/cmd/streamsql/child"
	"streamsql/engine"
)

// serveDebug answers what Go's profiler asks (/debug/pprof/) and what the process has
// used (/usage), until ctx is done; of the engine, once it is there. It returns the
// address; none is listened on without one.
func serveDebug(ctx context.Context, address string, eng *atomic.Pointer[engine.Engine]) (string, error) {
	if address == "" {
		return "", nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", fmt.Errorf("--debug=%s: %w", address, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		u := usage()
		if e := eng.Load(); e != nil {
			u.LongestQuantum = e.LongestQuantum()
		}
		_ = json.NewEncoder(w).Encode(u)
	})
	s := &http.Server{Handler: mux}
	go s.Serve(l)
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return l.Addr().String(), nil
}

// usage is what this process has used by now.
func usage() child.Usage {
	u := child.OwnUsage()
	samples := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(samples)
	u.Allocated, u.Heap = int64(samples[0].Value.Uint64()), int64(samples[1].Value.Uint64())
	return u
}
