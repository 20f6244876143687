package slt

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// Options say where and how scripts run.
type Options struct {
	// DSN is the server and user in go-sql-driver/mysql's form; its database is replaced.
	DSN string
	// Engine is StreamSQL or MariaDB: the name that skipif and onlyif compare with.
	Engine string
	// Restart stops the server, by whatever means, and starts it again at the same
	// address. Nil: scripts with a restart are skipped.
	Restart func(context.Context) error
	// Interrupt calls Restart once in the middle of every script that has no
	// restart of its own. Parallel scripts wait for each other there.
	Interrupt bool
	Parallel  int           // scripts at a time, at least 1
	Timeout   time.Duration // for each script
	Verbose   bool          // every record with its time, and the SQL as sent where it was rewritten
	Fill      bool          // write received rows where a single ? is expected
	Keep      bool          // leave the databases behind
	Out       io.Writer     // failures as they come; nil: nowhere
}

// The engines that scripts know.
const (
	StreamSQL = "streamsql"
	MariaDB   = "mariadb"
)

// Find expands directories to the .slt files below them, sorted.
func Find(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, arg)
			continue
		}
		err = filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".slt") {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sort.Strings(files)
	return files, nil
}

// Run runs the scripts in waves of opt.Parallel; those that restart the server
// themselves run alone, after the others.
func Run(ctx context.Context, files []string, opt Options) *Report {
	if opt.Out == nil {
		opt.Out = io.Discard
	}
	rep := &Report{Files: make([]*FileResult, len(files))}
	scripts := make([]*script, len(files))
	var together, alone []int
	for i, path := range files {
		s, err := parseFile(path)
		if err != nil {
			rep.Files[i] = &FileResult{File: path, Failed: 1, Error: err.Error()}
			fmt.Fprintf(opt.Out, "%s: %v\n", path, err)
			continue
		}
		scripts[i] = s
		if s.restarts && opt.Restart != nil {
			alone = append(alone, i)
		} else {
			together = append(together, i)
		}
	}
	one := func(i int, w *wave) {
		var out string
		rep.Files[i], out = runFile(ctx, scripts[i], i, opt, w)
		rep.mu.Lock()
		defer rep.mu.Unlock()
		io.WriteString(opt.Out, out)
	}
	if opt.Interrupt && opt.Restart != nil {
		runWaves(ctx, together, opt, one)
	} else {
		runPool(together, max(opt.Parallel, 1), func(i int) { one(i, nil) })
	}
	for _, i := range alone {
		one(i, nil)
	}
	rep.sum()
	return rep
}

func runPool(jobs []int, parallel int, do func(int)) {
	var wg sync.WaitGroup
	gate := make(chan struct{}, parallel)
	for _, i := range jobs {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			do(i)
		})
	}
	wg.Wait()
}

// A wave is a set of scripts that meet in their middle, where the server is
// restarted once for all of them: a restart under a script that is not waiting
// would break its connections.
type wave struct {
	pending  sync.WaitGroup // scripts that have not arrived
	released chan struct{}
	err      error // of the restart; read after released is closed
}

// meet waits for the restart. Each script calls meet or leave once.
func (w *wave) meet(ctx context.Context) error {
	w.pending.Done()
	select {
	case <-w.released:
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *wave) leave() { w.pending.Done() }

func runWaves(ctx context.Context, jobs []int, opt Options, one func(int, *wave)) {
	size := max(opt.Parallel, 1)
	for len(jobs) > 0 {
		n := min(size, len(jobs))
		w := &wave{released: make(chan struct{})}
		w.pending.Add(n)
		var wg sync.WaitGroup
		for _, i := range jobs[:n] {
			wg.Go(func() { one(i, w) })
		}
		w.pending.Wait()
		w.err = opt.Restart(ctx)
		close(w.released)
		wg.Wait()
		jobs = jobs[n:]
	}
}
