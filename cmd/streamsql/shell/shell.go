// Package shell is the command `streamsql sql`: a client for any server that
// speaks the MySQL protocol. On a terminal it is a prompt with history and
// completion; otherwise it runs a script and prints as `mysql --batch` does.
package shell

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// Options say where to connect and what to do. The zero value connects to
// 127.0.0.1:4000 as root.
type Options struct {
	Host        string // a name, an address, or the path of a socket
	Port        int
	User        string
	Password    string
	AskPassword bool // read the password from the terminal
	Database    string
	Execute     string // run these statements instead of reading any
	File        string // run this file instead of the standard input
	Force       bool   // go on after an error
	Table       bool   // print tables also where nobody looks
	HistoryFile string // "": .streamsql_history in the home directory
}

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
)

// Run runs the shell to its end and returns the exit code: 1 when it could not
// connect, or when a script stopped at an error. With ctx done, the running
// statement of a script is killed and the shell ends; for a terminal see prompt.
func Run(ctx context.Context, o Options, in io.Reader, out, errOut io.Writer) int {
	s := &shell{options: o, out: bufio.NewWriterSize(out, 64<<10), err: errOut, ctx: ctx}
	code, err := s.run(in, out)
	s.out.Flush()
	if err != nil {
		fmt.Fprintln(errOut, message(err, 0))
		return exitFailed
	}
	return code
}

// shell is one run of it.
type shell struct {
	options     Options
	ctx         context.Context
	conn        *connection
	out         *bufio.Writer
	err         io.Writer
	interactive bool // a prompt on a terminal
	table       bool // results as tables, not as lines with tabs
	quit        bool // \q was typed
	depth       int  // of files that read files
}

func (s *shell) run(in io.Reader, out io.Writer) (int, error) {
	o := &s.options
	if o.AskPassword {
		if err := s.askPassword(in); err != nil {
			return exitFailed, err
		}
	}
	s.interactive = o.Execute == "" && o.File == "" && isTerminal(in) && isTerminal(out)
	s.table = o.Table || isTerminal(out)
	if !s.interactive && o.Execute != "" {
		in = strings.NewReader(o.Execute)
	}
	if !s.interactive && o.Execute == "" && o.File != "" {
		f, err := os.Open(o.File)
		if err != nil {
			return exitFailed, err
		}
		defer f.Close()
		in = f
	}
	conn, err := connect(s.ctx, *o)
	if err != nil {
		return exitFailed, err
	}
	s.conn = conn
	defer conn.close()
	if s.interactive {
		return exitOK, s.prompt(in.(*os.File), out.(*os.File))
	}
	return s.script(in), nil
}

func isTerminal(x any) bool {
	f, ok := x.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// askPassword reads the password, from the terminal even if a script comes on
// the standard input.
func (s *shell) askPassword(in io.Reader) error {
	f, ok := in.(*os.File)
	if !ok || !isTerminal(in) {
		tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
		if err != nil {
			return errors.New("there is no terminal to read a password from")
		}
		defer tty.Close()
		f = tty
	}
	fmt.Fprint(s.err, "Enter password: ")
	password, err := term.ReadPassword(int(f.Fd()))
	fmt.Fprintln(s.err)
	s.options.Password = string(password)
	return err
}

// script runs the statements of a reader; it stops at the first that fails,
// unless Force is set.
func (s *shell) script(in io.Reader) int {
	code := exitOK
	c := newCutter()
	lines := bufio.NewReaderSize(in, 64<<10)
	for !s.quit {
		line, err := lines.ReadBytes('\n')
		c.noEscapes = s.conn.noEscapes
		for p := range c.feed(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err != nil) {
			if !s.piece(p) {
				code = exitFailed
				if !s.options.Force {
					return code
				}
			}
			c.noEscapes = s.conn.noEscapes
			if s.quit {
				break
			}
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(s.err, message(err, 0))
				return exitFailed
			}
			return code
		}
	}
	return code
}

// piece runs a statement or a command of the shell; false: it failed, and the
// error is printed.
func (s *shell) piece(p piece) bool {
	var err error
	if p.command != 0 {
		err = s.command(p)
	} else {
		err = s.statement(p)
	}
	if err == nil {
		return true
	}
	s.out.Flush()
	line := p.line
	if s.interactive {
		line = 0
	}
	fmt.Fprintln(s.err, message(err, line))
	return false
}

// statement sends a statement and prints what comes back.
func (s *shell) statement(p piece) error {
	var pr printer
	switch {
	case p.vertical:
		pr = &verticalPrinter{out: s.out}
	case s.table:
		pr = &tablePrinter{out: s.out}
	default:
		pr = &tabPrinter{out: s.out}
	}
	start := time.Now()
	r, err := s.conn.query(s.ctx, p.text, pr)
	if err != nil {
		return err
	}
	if s.interactive {
		s.report(r, time.Since(start))
		return s.out.Flush()
	}
	if s.out.Buffered() > 32<<10 || s.table {
		return s.out.Flush()
	}
	return nil
}

// report says how a statement went.
func (s *shell) report(r outcome, took time.Duration) {
	switch {
	case !r.hasRows:
		fmt.Fprintf(s.out, "Query OK, %s affected", count(r.affected, "row"))
	case r.rows == 0:
		fmt.Fprint(s.out, "Empty set")
	default:
		fmt.Fprintf(s.out, "%s in set", count(uint64(r.rows), "row"))
	}
	if r.warnings > 0 {
		fmt.Fprintf(s.out, ", %s", count(uint64(r.warnings), "warning"))
	}
	fmt.Fprintf(s.out, " (%.2f sec)\n\n", took.Seconds())
}

func count(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
