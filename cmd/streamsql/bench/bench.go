// Package bench is `streamsql bench`: it measures a server of its own from outside,
// as a client sees it, and checks every result against a known answer before it
// prints a figure.
//
// Each measurement starts the server as a child process, on a data directory of its
// own and with checkpoints each second. CPU time, memory and profiles are the child's
// alone. What is measured is a list of figures; the bars that they should meet stand
// beside them in the code.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"streamsql/cmd/streamsql/settings"
)

// Host is what the command gets from the program around it.
type Host struct {
	Binary         string // the streamsql executable, which is run as the server
	Version        string
	Stdout, Stderr io.Writer
}

// options are the flags. Which of them a measurement reads, its usage says.
type options struct {
	host     Host
	queries  string
	lanes    string
	events   int64
	rate     int64
	length   time.Duration
	workers  int
	json     bool
	markdown bool
	save     string
	against  string
	repeats  int
	series   string
	svg      string
	profile  string
	check    bool
	progress *progress
	expected map[string]groups // results that are known, of growth
}

// measurement is one sub-command.
type measurement struct {
	name, about string
	flags       func(*settings.Flags, *options)
	run         func(ctx context.Context, o *options) ([]Result, error)
}

var measurements = []measurement{
	{"nexmark", "The queries of the Nexmark benchmark. Lane a: the result is a view that is stored and can be\nqueried; lane b: it goes into a sink that keeps nothing; lane c: events come as JSON over HTTP\ninto the built-in log, durable, and from there into a view.", nexmarkFlags, runNexmark},
	{"ingest", "Durable writes: INSERTs of 1000 rows, single rows from 64 connections, and JSON over HTTP.", lengthFlag, runIngest},
	{"lookup", "Look-ups of single rows of a view by prepared statements, from 64 connections.", lengthFlag, runLookup},
	{"freshness", "From an INSERT's OK to its row in a view: idle, and at half load.", lengthFlag, runFreshness},
	{"stall", "How long others wait while millions of rows at once go into a view that keeps them in order.", noFlags, runStall},
	{"growth", "What an event costs with more partitions, keys, views over one stream, columns, and rows a batch.", growthFlags, runGrowth},
	{"start", "How long a start takes: empty, and with a million keys of state.", noFlags, runStart},
}

func lengthFlag(fs *settings.Flags, o *options) {
	fs.DurationVar(&o.length, "length", 10*time.Second, "how long each figure is measured")
}

func noFlags(*settings.Flags, *options) {}

// Main runs `streamsql bench args…` and returns the exit code.
func Main(ctx context.Context, args []string, h Host) int {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		usage(h.Stderr)
		if len(args) > 0 && (args[0] == "-h" || args[0] == "--help" || args[0] == "-help") {
			return 0
		}
		return 2
	}
	for _, m := range measurements {
		if m.name == args[0] {
			return m.main(ctx, args[1:], h)
		}
	}
	fmt.Fprintf(h.Stderr, "streamsql bench: there is no measurement %q\n", args[0])
	usage(h.Stderr)
	return 2
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: streamsql bench MEASUREMENT [flags]\n\n")
	for _, m := range measurements {
		head, _, _ := strings.Cut(m.about, "\n")
		if at := strings.Index(head, ". "); at > 0 {
			head = head[:at+1]
		}
		fmt.Fprintf(w, "  %-10s %s\n", m.name, head)
	}
	fmt.Fprint(w, "\nstreamsql bench MEASUREMENT --help describes the flags of one.\n")
}

func (m *measurement) main(ctx context.Context, args []string, h Host) int {
	o := &options{host: h, progress: newProgress(h.Stderr)}
	fs := settings.NewFlags("bench "+m.name, "[flags]", m.about)
	fs.IntVar(&o.workers, "workers", 0, "threads that run queries; 0: one per core")
	fs.BoolVar(&o.json, "json", false, "print the figures as JSON")
	fs.BoolVar(&o.markdown, "markdown", false, "print them as a table of Markdown; of nexmark, the figures that docs/performance.md shows")
	fs.StringVar(&o.save, "save", "", "write them to this `file`")
	fs.StringVar(&o.against, "against", "", "compare with a `file` that --save wrote")
	fs.IntVar(&o.repeats, "repeats", 1, "measure so many times and give medians")
	fs.StringVar(&o.profile, "profile", "", "write profiles of the CPU time and the allocations of each measurement into this `directory`")
	fs.BoolVar(&o.check, "check", false, "exit with 1 when a figure misses its bar")
	m.flags(fs, o)
	err := fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if err != nil {
		return fs.Failed(err, h.Stdout, h.Stderr)
	}
	var before *Report
	if o.against != "" {
		if before, err = readReport(o.against); err != nil {
			return fs.Failed(err, h.Stdout, h.Stderr)
		}
	}
	results, err := m.repeat(ctx, o)
	o.progress.end()
	r := newReport(m.name, h.Version, o, results)
	if perr := r.put(o, before); perr != nil {
		err = errors.Join(err, perr)
	}
	if err == nil && o.svg != "" {
		err = r.draw(o.svg)
	}
	switch {
	case err != nil:
		fmt.Fprintf(h.Stderr, "streamsql bench %s: %v\n", m.name, err)
		return 1
	case o.check && r.missed() > 0:
		fmt.Fprintf(h.Stderr, "streamsql bench %s: bars missed: %d\n", m.name, r.missed())
		return 1
	}
	return 0
}
