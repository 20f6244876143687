// Command streamsql is the whole of StreamSQL in one binary: the server, a
// shell, and a runner for SQL scripts.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"streamsql/cmd/streamsql/settings"
)

// A command runs to its end and returns the exit code.
type command struct {
	name, args, summary string
	run                 func(ctx context.Context, e env, args []string) int
}

// env is what a command sees of the world around it.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         func(string) (string, bool) // environment variables
}

// Exit codes beside 0.
const (
	exitFailed = 1
	exitUsage  = 2
)

func commands() []command {
	return []command{
		{"serve", "[flags]", "run the server", runServe},
		{"sql", "[flags] [file.sql]", "the shell: connect to a server and type SQL, or run a file", runSQL},
		{"run", "[flags] file.sql", "run a file against a server that lives as long as the file", runScript},
		{"test", "[flags] file|directory…", "run scripts with expected results", runTest},
		{"bench", "MEASUREMENT [flags]", "measure a server, after checking its results", runBench},
		{"version", "", "print the version", runVersion},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := dispatch(ctx, env{os.Stdin, os.Stdout, os.Stderr, os.LookupEnv}, os.Args[1:])
	stop()
	os.Exit(code)
}

// dispatch runs the command that args name.
func dispatch(ctx context.Context, e env, args []string) int {
	if len(args) == 0 {
		printHelp(e.stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		printHelp(e.stdout)
		return 0
	case "-v", "-version", "--version":
		args[0] = "version"
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, e, args[1:])
		}
	}
	fmt.Fprintf(e.stderr, "streamsql: unknown command %q (streamsql help lists them)\n", args[0])
	return exitUsage
}

func printHelp(w io.Writer) {
	fmt.Fprint(w, "StreamSQL is a streaming SQL server that speaks the MySQL protocol.\n\nusage: streamsql COMMAND …\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nstreamsql COMMAND --help describes the flags of a command. Every flag of serve is also\nan environment variable STREAMSQL_… and a key of the --config file.\n")
}

// failed prints err as the command's and returns the exit code for it.
func failed(e env, name string, err error) int {
	fmt.Fprintf(e.stderr, "streamsql %s: %v\n", name, err)
	return exitFailed
}

// release is set by the linker: -ldflags "-X main.release=1.2.3".
var release = ""

// version is the release, or the commit that the binary was built from.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	commit, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = "-" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "-modified"
		}
	}
	return "devel" + commit + modified
}

func runVersion(_ context.Context, e env, args []string) int {
	fs := settings.NewFlags("version", "", "Prints the version of this binary.")
	if err := fs.Parse(args); err != nil {
		return fs.Failed(err, e.stdout, e.stderr)
	}
	fmt.Fprintln(e.stdout, "streamsql", version())
	return 0
}
