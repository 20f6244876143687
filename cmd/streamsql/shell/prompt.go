package shell

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/chzyer/readline"
	"golang.org/x/term"
)

// secret finds statements that do not go into the history.
var secret = regexp.MustCompile(`(?i)\b(identified|password|secret)\b`)

// prompt reads statements from a terminal until the user leaves. There ctrl-C
// belongs to the statement being typed or run, so a context that it cancels
// does not count: the shell ends by itself on SIGTERM and SIGHUP.
func (s *shell) prompt(in, out *os.File) error {
	ctx, cancel := signal.NotifyContext(context.WithoutCancel(s.ctx), syscall.SIGTERM, syscall.SIGHUP)
	defer cancel()
	s.ctx = ctx
	history := s.options.HistoryFile
	if history == "" {
		if home, err := os.UserHomeDir(); err == nil {
			history = filepath.Join(home, ".streamsql_history")
		}
	}
	complete := &completer{shell: s}
	raw := rawMode{fd: int(in.Fd())}
	rl, err := readline.NewEx(&readline.Config{
		HistoryFile: history, HistoryLimit: 10000, DisableAutoSaveHistory: true, HistorySearchFold: true,
		AutoComplete: complete, InterruptPrompt: "^C", EOFPrompt: "",
		Stdin: readline.NewCancelableStdin(in), Stdout: out, Stderr: s.err,
		FuncIsTerminal: func() bool { return true }, FuncMakeRaw: raw.enter, FuncExitRaw: raw.leave,
		FuncGetWidth: func() int { return terminalWidth(out) },
	})
	if err != nil {
		return err
	}
	defer rl.Close()
	stop := context.AfterFunc(s.ctx, func() { rl.Close() })
	defer stop()
	fmt.Fprintf(s.out, "Connected to %s, version %s.\nType help for help, \\q to leave. Statements end with ; or \\G.\n\n",
		s.options.address(), s.conn.conn.GetServerVersion())
	s.out.Flush()
	c := newCutter()
	var typed []string
	for !s.quit && s.ctx.Err() == nil {
		rl.SetPrompt(s.promptText(c))
		line, err := rl.Readline()
		switch {
		case err == readline.ErrInterrupt:
			c.clear()
			typed = nil
			continue
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
		typed = append(typed, line)
		for p := range c.feed([]byte(line), false) {
			s.interruptible(func() { s.piece(p) })
			complete.note(p.text)
			if s.quit {
				break
			}
		}
		c.noEscapes = s.conn.noEscapes
		if !c.pending() {
			if text := strings.Join(typed, " "); strings.TrimSpace(text) != "" && !secret.MatchString(text) {
				_ = rl.SaveHistory(text)
			}
			typed = nil
		}
	}
	return nil
}

// promptText shows the database, or inside what the statement stands.
func (s *shell) promptText(c *cutter) string {
	first := "streamsql> "
	if s.conn.database != "" {
		first = "streamsql [" + s.conn.database + "]> "
	}
	if !c.pending() {
		return first
	}
	mark := "-"
	if c.inside != plain {
		mark = string(rune(c.inside))
	}
	return strings.Repeat(" ", max(0, len(first)-len(mark)-2)) + mark + "> "
}

// interruptible runs f so that ctrl-C kills its statement, not the shell.
func (s *shell) interruptible(f func()) {
	outer := s.ctx
	ctx, cancel := signal.NotifyContext(outer, os.Interrupt)
	s.ctx = ctx
	f()
	cancel()
	s.ctx = outer
}

// rawMode switches a terminal to single keys while a line is edited.
type rawMode struct {
	fd    int
	state *term.State
}

func (r *rawMode) enter() (err error) {
	r.state, err = term.MakeRaw(r.fd)
	return err
}

func (r *rawMode) leave() error {
	if r.state == nil {
		return nil
	}
	return term.Restore(r.fd, r.state)
}

func terminalWidth(f *os.File) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		return w
	}
	return 80
}
