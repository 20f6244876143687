package main

import (
	"fmt"
	"io"
	"log/slog"
	"time"

	"streamsql/cmd/streamsql/child"
	"streamsql/cmd/streamsql/settings"
	"streamsql/sql/routine"
)

// Config is how a server is to run.
type Config struct {
	MySQL              string        // listen address of the MySQL protocol
	HTTP               string        // listen address for rows that come by HTTP; empty: none
	HTTPMaxBody        int           // bytes of a request's body
	Data               string        // data directory, made when it is not there
	Files              string        // directory that files of dimension tables lie in, or below
	Debug              string        // listen address of the profiler; empty: none
	SecureFiles        string        // directory of the files of LOAD DATA INFILE; empty: none are read
	Functions          string        // directory of the modules of users' functions; empty: none are read
	FunctionTime       time.Duration // what one row may take in a user's function
	FunctionMemory     int           // MB that an instance of a user's function may hold
	Workers            int           // threads that run queries; 0: one per core
	CheckpointInterval time.Duration // how often state is made durable at the latest
	Log                *slog.Logger
	// Ready is called once, when the server accepts connections.
	Ready func(child.Ready)
}

// parseServe reads the flags of serve, the environment and the config file. The
// flags are returned for the sake of their help.
func parseServe(e env, args []string) (c Config, fs *settings.Flags, err error) {
	var level slog.Level
	format := "text"
	fs = settings.NewFlags("serve", "[flags]",
		"Runs the server until SIGINT or SIGTERM. Once it serves, a line of JSON with its addresses\nappears on standard output; logs go to standard error.\nEvery flag is also an environment variable, as STREAMSQL_LOG_LEVEL, and a key of the --config file.")
	fs.StringVar(&c.MySQL, "mysql", "127.0.0.1:4000", "`address` for MySQL clients; port 0 takes a free one")
	fs.StringVar(&c.HTTP, "http", "", "`address` for rows that come by HTTP, such as 127.0.0.1:8040; empty: none")
	fs.IntVar(&c.HTTPMaxBody, "http-max-body", 64<<20, "`bytes` that the body of an HTTP request may have, unpacked")
	fs.StringVar(&c.Data, "data", "./data", "data `directory`")
	fs.StringVar(&c.Files, "files", ".", "`directory` of the files that tables may name; what is not below it is not read")
	fs.StringVar(&c.Debug, "debug", "", "`address` for profiles and memory figures, over HTTP and for anybody who reaches it; empty: none")
	fs.StringVar(&c.SecureFiles, "secure-file-priv", "", "`directory` of the files that LOAD DATA INFILE may read; empty: none")
	fs.StringVar(&c.Functions, "function-dir", "", "`directory` of the files that CREATE FUNCTION … AS SONAME may name; empty: none")
	fs.DurationVar(&c.FunctionTime, "function-time", routine.DefaultLimits.Time, "processor time that a user's function may take for one row")
	fs.IntVar(&c.FunctionMemory, "function-memory", int(routine.DefaultLimits.Memory>>20), "`MB` of memory that a user's function may hold")
	fs.IntVar(&c.Workers, "workers", 0, "threads that run queries; 0: one per core")
	fs.DurationVar(&c.CheckpointInterval, "checkpoint-interval", time.Second, "how often state is made durable")
	fs.TextVar(&level, "log-level", slog.LevelInfo, "`level`: debug, info, warn or error")
	fs.StringVar(&format, "log-format", format, "`format`: text or json")
	fs.String(settings.FileFlag, "", "YAML `file` with further settings")
	if err := settings.Parse(fs.FlagSet, args, e.lookup); err != nil {
		return c, fs, err
	}
	switch {
	case fs.NArg() > 0:
		return c, fs, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case c.Workers < 0:
		return c, fs, fmt.Errorf("--workers=%d: want 0 or more", c.Workers)
	case c.FunctionTime < time.Millisecond:
		return c, fs, fmt.Errorf("--function-time=%v: want 1ms or more", c.FunctionTime)
	case c.FunctionMemory < 1 || c.FunctionMemory > 4096:
		return c, fs, fmt.Errorf("--function-memory=%d: want 1 to 4096", c.FunctionMemory)
	case c.HTTPMaxBody <= 0:
		return c, fs, fmt.Errorf("--http-max-body=%d: want more than 0", c.HTTPMaxBody)
	case c.CheckpointInterval <= 0:
		return c, fs, fmt.Errorf("--checkpoint-interval=%v: want more than 0", c.CheckpointInterval)
	case c.Data == "":
		return c, fs, fmt.Errorf("--data is empty")
	}
	c.Log, err = newLog(e.stderr, format, level)
	return c, fs, err
}

func newLog(w io.Writer, format string, level slog.Level) (*slog.Logger, error) {
	o := &slog.HandlerOptions{Level: level}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format=%s: want text or json", format)
}
