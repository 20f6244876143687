package slt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"streamsql/cmd/streamsql/settings"
)

// Server is a private server that lives as long as a run.
type Server interface {
	// DSN names the server and a user who may do everything.
	DSN() string
	// Restart kills the server without warning and starts it again on its data,
	// at the same address.
	Restart(context.Context) error
	Stop() error
}

// Exit codes of Main.
const (
	exitOK     = 0
	exitFailed = 1 // a record failed, or none passed
	exitUsage  = 2 // wrong flags, no files, no server
)

const about = `Runs SQL scripts with expected results. Without --dsn it starts a server of its
own on a temporary data directory, and kills it with -9 where a script says
restart.`

type command struct {
	Options
	restartCmd string
	json       string
	junit      string
	files      []string
}

// Main is the command line of `streamsql test`. start makes the private server
// that is used without -dsn. The result is the exit code: 1 if a record failed or
// none passed, 2 on wrong usage.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer, start func(context.Context) (Server, error)) int {
	c, fs, err := parseFlags(args)
	if err != nil {
		return fs.Failed(err, stdout, stderr)
	}
	c.Out = stdout
	if c.DSN == "" {
		if c.Engine == MariaDB {
			fmt.Fprintln(stderr, "streamsql test: -engine mariadb needs -dsn")
			return exitUsage
		}
		s, err := start(ctx)
		if err != nil {
			fmt.Fprintln(stderr, "streamsql test: cannot start a server:", err)
			return exitUsage
		}
		defer s.Stop()
		c.DSN, c.Restart = s.DSN(), s.Restart
	}
	if c.restartCmd != "" {
		c.Restart = shellRestart(c.restartCmd)
	}
	if c.Interrupt && c.Restart == nil {
		fmt.Fprintln(stderr, "streamsql test: -interrupt needs -restart-cmd where -dsn is given")
		return exitUsage
	}
	rep := Run(ctx, c.files, c.Options)
	if err := c.write(rep); err != nil {
		fmt.Fprintln(stderr, "streamsql test:", err)
		return exitUsage
	}
	fmt.Fprintln(stdout, rep)
	if !rep.OK() {
		return exitFailed
	}
	return exitOK
}

func parseFlags(args []string) (c *command, fs *settings.Flags, err error) {
	c = &command{}
	fs = settings.NewFlags("test", "[flags] FILE|DIRECTORY …", about)
	fs.StringVar(&c.DSN, "dsn", "", "`user[:password]@tcp(host:port)/` of a running server")
	fs.StringVar(&c.Engine, "engine", StreamSQL, "`name` that skipif and onlyif compare with: streamsql or mariadb, which also rewrites the statements")
	fs.StringVar(&c.restartCmd, "restart-cmd", "", "shell `command` that the restart line runs; it returns once the server is stopped and started again")
	fs.BoolVar(&c.Interrupt, "interrupt", false, "restart the server once in the middle of every script")
	fs.IntVar(&c.Parallel, "parallel", 1, "how `many` scripts at a time, each in a database of its own")
	fs.DurationVar(&c.Timeout, "timeout", 60*time.Second, "time for each script")
	fs.BoolVar(&c.Verbose, "v", false, "print every record with its time, and the SQL as sent where it was rewritten")
	fs.BoolVar(&c.Fill, "fill", false, "write the rows received where the expected part is a single line ?, and the letters where the types are ?")
	fs.BoolVar(&c.Keep, "keep", false, "leave the databases behind")
	fs.StringVar(&c.json, "json", "", "write the outcome of every record to this `file`")
	fs.StringVar(&c.junit, "junit", "", "the same as JUnit's XML, to this `file`")
	if err := fs.Parse(args); err != nil {
		return nil, fs, err
	}
	if c.Engine != StreamSQL && c.Engine != MariaDB {
		return nil, fs, fmt.Errorf("unknown engine %q: it is streamsql or mariadb", c.Engine)
	}
	if fs.NArg() == 0 {
		return nil, fs, errors.New("no files given")
	}
	if c.files, err = Find(fs.Args()); err != nil {
		return nil, fs, err
	}
	if len(c.files) == 0 {
		return nil, fs, fmt.Errorf("no .slt file below %s", strings.Join(fs.Args(), ", "))
	}
	return c, fs, nil
}

func (c *command) write(rep *Report) error {
	if c.json != "" {
		if err := rep.WriteJSON(c.json); err != nil {
			return err
		}
	}
	if c.junit != "" {
		return rep.WriteJUnit(c.junit)
	}
	return nil
}

func shellRestart(line string) func(context.Context) error {
	return func(ctx context.Context) error {
		out, err := exec.CommandContext(ctx, "sh", "-c", line).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	}
}
