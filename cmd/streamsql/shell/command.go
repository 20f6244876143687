package shell

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

const help = `Statements end with ; or with \G, which prints each row as lines of name: value.

  \q  quit, exit      leave
  \c  clear           drop the statement being typed
  \.  source FILE     run the statements of a file
  \u  use DATABASE    change the database
  \h  help, \?        this text
      delimiter X     statements end with X instead of ;

In StreamSQL:
  SHOW STREAM TABLES; SHOW MATERIALIZED VIEWS; SHOW STREAM STATUS;
  EXPLAIN SELECT …; FLUSH STREAMS;

`

// maxSourceDepth bounds files that read files.
const maxSourceDepth = 16

// command runs a command of the shell itself.
func (s *shell) command(p piece) error {
	switch p.command {
	case 'q':
		s.quit = true
	case 'h':
		fmt.Fprint(s.out, help)
		return s.out.Flush()
	case 'u':
		return s.statement(piece{text: "USE " + quoteName(p.text), line: p.line})
	case '.':
		return s.source(p.text)
	}
	return nil
}

// source runs a file; its errors are printed with its own lines.
func (s *shell) source(name string) error {
	if s.depth >= maxSourceDepth {
		return errors.New("files read one another too deeply")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	s.depth++
	was := s.interactive
	s.interactive = false
	code := s.script(f)
	s.interactive = was
	s.depth--
	if code != exitOK && !s.interactive {
		return fmt.Errorf("in file %s", name)
	}
	return nil
}

// quoteName quotes a name unless it is quoted already.
func quoteName(name string) string {
	if strings.HasPrefix(name, "`") {
		return name
	}
	return "`" + strings.ReplaceAll(name, "`", "``") + "`"
}
