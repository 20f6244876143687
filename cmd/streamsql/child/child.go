// Package child runs `streamsql serve` as a process of its own that can be
// killed: the private server of `streamsql test` and `streamsql run`, and the
// server under test in tests/.
package child

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// Ready is the line that a server prints on standard output once it serves.
type Ready struct {
	Ready   bool   `json:"ready"`
	Version string `json:"version"`
	PID     int    `json:"pid"`
	MySQL   string `json:"mysql"`           // address, with the port that was really taken
	HTTP    string `json:"http,omitempty"`  // likewise; empty: it is off
	Debug   string `json:"debug,omitempty"` // address of --debug
	// Recovery says what the start had to do before it could serve.
	Recovery Recovery `json:"recovery"`
}

// Recovery is the work of a start.
type Recovery struct {
	Cuts    int     `json:"replayed_cuts"`
	Rows    int64   `json:"replayed_rows"`
	Seconds float64 `json:"seconds"`
}

// Options say which server to run.
type Options struct {
	Binary string   // the streamsql executable
	Data   string   // data directory; empty: a temporary one, removed by Stop
	Args   []string // further arguments of serve
	Env    []string // further NAME=value pairs
	// Log takes the server's standard error. Nil: the file serve.log beside the
	// data, whose end is part of the error when a start fails.
	Log io.Writer
	// Timeout is how long a start may take; zero: one minute.
	Timeout time.Duration
}

// Server is a running child. Its methods are for one goroutine, save DSN and Kill.
type Server struct {
	opt     Options
	address string
	private string // temporary directory, if any
	ready   Ready

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{} // closed once the process is gone
	peak int64         // its largest resident size when it was killed, in bytes
}

// Start runs a server and returns once it serves.
func Start(ctx context.Context, o Options) (*Server, error) {
	s := &Server{opt: o, address: "127.0.0.1:0"}
	if o.Data == "" {
		dir, err := os.MkdirTemp("", "streamsql-")
		if err != nil {
			return nil, err
		}
		s.private, s.opt.Data = dir, filepath.Join(dir, "data")
	}
	if s.opt.Timeout == 0 {
		s.opt.Timeout = time.Minute
	}
	if err := s.start(ctx); err != nil {
		s.cleanUp()
		return nil, err
	}
	return s, nil
}

// start runs the process and waits for its ready line. The first start takes a
// free port, later ones the same again, so that clients find the server.
func (s *Server) start(ctx context.Context) error {
	args := append([]string{"serve", "--data", s.opt.Data, "--mysql", s.address}, s.opt.Args...)
	cmd := exec.Command(s.opt.Binary, args...)
	cmd.Env = append(os.Environ(), s.opt.Env...)
	// The child must not outlive us: a test that is cut off by its own timeout
	// has no chance to clean up.
	cmd.SysProcAttr = dieWithParent()
	log, err := s.openLog()
	if err != nil {
		return err
	}
	if c, ok := log.(io.Closer); ok && s.opt.Log == nil {
		defer c.Close() // the child has its own descriptor
	}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan struct{})
	s.mu.Lock()
	s.cmd, s.done = cmd, done
	s.mu.Unlock()

	lines := make(chan Ready, 1)
	go func() {
		scan := bufio.NewScanner(out)
		for scan.Scan() {
			var r Ready
			if json.Unmarshal(scan.Bytes(), &r) == nil && r.Ready {
				lines <- r
				break
			}
		}
		io.Copy(io.Discard, out)
		cmd.Wait()
		close(done)
	}()
	timer := time.NewTimer(s.opt.Timeout)
	defer timer.Stop()
	select {
	case s.ready = <-lines:
		s.address = s.ready.MySQL
		return nil
	case <-done:
		return fmt.Errorf("the server ended at its start (%v)%s", cmd.ProcessState, s.logTail())
	case <-timer.C:
		s.Kill()
		return fmt.Errorf("the server was not ready after %v%s", s.opt.Timeout, s.logTail())
	case <-ctx.Done():
		s.Kill()
		return ctx.Err()
	}
}

func (s *Server) logPath() string { return s.opt.Data + ".log" }

func (s *Server) openLog() (io.Writer, error) {
	if s.opt.Log != nil {
		return s.opt.Log, nil
	}
	return os.OpenFile(s.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
}

// logTail is the end of the log for an error message.
func (s *Server) logTail() string {
	if s.opt.Log != nil {
		return ""
	}
	text, err := os.ReadFile(s.logPath())
	if err != nil || len(text) == 0 {
		return ""
	}
	return ":\n" + string(text[max(0, len(text)-2000):])
}

// Ready is what the last start said.
func (s *Server) Ready() Ready { return s.ready }

// Log is the end of the server's log, where Options.Log did not take it.
func (s *Server) Log() string { return s.logTail() }

// Data is the data directory.
func (s *Server) Data() string { return s.opt.Data }

// Addr is host:port of the MySQL protocol; it stays the same over restarts.
func (s *Server) Addr() string { return s.address }

// DSN names the server for go-sql-driver/mysql, without a database.
func (s *Server) DSN() string { return "root@tcp(" + s.address + ")/" }

// Exited is closed when the present process is gone.
func (s *Server) Exited() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// Kill ends the process by SIGKILL and waits until it is gone.
func (s *Server) Kill() {
	s.mu.Lock()
	cmd, done := s.cmd, s.done
	s.peak = peakRSS(cmd.Process.Pid, nil)
	s.mu.Unlock()
	cmd.Process.Kill()
	<-done
}

// Start runs the process again after a Kill.
func (s *Server) Start(ctx context.Context) error { return s.start(ctx) }

// Restart is Kill and Start.
func (s *Server) Restart(ctx context.Context) error {
	s.Kill()
	return s.start(ctx)
}

// Stop asks the server to end by SIGTERM, kills it after ten seconds, and
// removes a temporary data directory.
func (s *Server) Stop() error {
	defer s.cleanUp()
	return s.Terminate(10 * time.Second)
}

// Terminate asks the server to end by SIGTERM and waits; when the time is over
// it is killed, which is an error.
func (s *Server) Terminate(within time.Duration) error {
	s.mu.Lock()
	cmd, done := s.cmd, s.done
	s.mu.Unlock()
	select {
	case <-done:
		return nil
	default:
	}
	cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-done:
		if !cmd.ProcessState.Success() {
			return fmt.Errorf("the server ended with %v after SIGTERM", cmd.ProcessState)
		}
		return nil
	case <-time.After(within):
		s.Kill()
		return errors.New("the server did not stop after SIGTERM and was killed")
	}
}

func (s *Server) cleanUp() {
	if s.private != "" {
		os.RemoveAll(s.private)
	}
}
