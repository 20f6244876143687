// Bench measures what can be seen from inside the process alone: the CPU time of
// one-row changes from cut to frontier, and memory and disk once everything has come
// to rest. Each result is checked against a known answer before a figure is printed.
// All else is measured by `streamsql bench`.
//
//	go run ./tests/bench [-seconds 20] [-only group]
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"streamsql/server"
)

// measure is one benchmark. It returns the lines of its report.
type measure struct {
	name string
	run  func(o options) ([]string, error)
}

type options struct {
	length time.Duration
}

var measures = []measure{
	{"state", stateSizes},
	{"changes", oneChange(10_000, 1_000_000)},
	{"select1", selectOne},
}

func main() {
	seconds := flag.Int("seconds", 20, "how long each measurement takes")
	only := flag.String("only", "", "measure only what has this in its name")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			slog.Error("no profile", "error", err)
			os.Exit(1)
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			slog.Error("no profile", "error", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	go server.PaceGC(context.Background())
	failed := false
	for _, m := range measures {
		if !strings.Contains(m.name, *only) {
			continue
		}
		lines, err := m.run(options{length: time.Duration(*seconds) * time.Second})
		if err != nil {
			failed = true
			lines = []string{"FAILED: " + err.Error()}
		}
		for _, l := range lines {
			fmt.Printf("%-10s %s\n", m.name, l)
		}
	}
	if failed {
		pprof.StopCPUProfile()
		os.Exit(1)
	}
}
