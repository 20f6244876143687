package session

import "streamsql/engine"

// diagnostics are what SHOW WARNINGS shows of a statement.
type diagnostics struct {
	list   []diagnostic // the first max_error_count of them
	count  int
	errors int
}

type diagnostic struct {
	level   string // Note, Warning or Error
	code    uint16
	message string
}

// add keeps one, up to limit in all; further ones are counted.
func (d *diagnostics) add(level string, code uint16, message string, limit int) {
	d.count++
	if level == "Error" {
		d.errors++
	}
	if len(d.list) < limit {
		d.list = append(d.list, diagnostic{level, code, message})
	}
}

// warn adds a warning. While a query runs, the engine calls it from several
// goroutines.
func (s *Session) warn(code uint16, message string) { s.diagnose("Warning", code, message) }

func (s *Session) note(code uint16, message string) {
	if s.settings.sqlNotes {
		s.diagnose("Note", code, message)
	}
}

func (s *Session) diagnose(level string, code uint16, message string) {
	s.diagnosticsMu.Lock()
	defer s.diagnosticsMu.Unlock()
	s.diagnostics.add(level, code, message, s.settings.maxWarnings)
}

// warnings is how many diagnostics the running statement has so far.
func (s *Session) warnings() int {
	s.diagnosticsMu.Lock()
	defer s.diagnosticsMu.Unlock()
	return s.diagnostics.count
}

func (s *Session) warnAll(ws []engine.Warning) {
	for _, w := range ws {
		s.warn(w.Code, w.Message)
	}
}
