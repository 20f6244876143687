package session

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/sql/sqlerr"
)

func (s *Session) showVariables(global bool) *table {
	t := newTable("Variable_name", "Value")
	for _, name := range variableNames {
		v := variables[name]
		switch {
		case !global:
			t.add(name, s.variable(name).text)
		case v.scope == sessionOnly:
		case v.readOnly:
			t.add(name, s.variable(name).text)
		default:
			t.add(name, s.server.globals.get(name).text)
		}
	}
	return t
}

func (s *Session) showStatus() *table {
	t := newTable("Variable_name", "Value")
	v := s.server
	up := int64(time.Since(v.started).Seconds())
	v.mu.Lock()
	threads := len(v.sessions)
	v.mu.Unlock()
	t.add("Connections", strconv.FormatUint(v.accepted.Load(), 10))
	t.add("Queries", strconv.FormatUint(v.questions.Load(), 10))
	t.add("Questions", strconv.FormatUint(v.questions.Load(), 10))
	t.add("Ssl_cipher", "")
	t.add("Threads_connected", strconv.Itoa(threads))
	t.add("Uptime", strconv.FormatInt(up, 10))
	return t
}

// showDiagnostics answers SHOW WARNINGS and SHOW ERRORS, which are about the
// statement before and keep what it said.
func (s *Session) showDiagnostics(n *ast.ShowStmt) *table {
	s.diagnostics = s.diagnosticsBefore
	if n.CountWarningsOrErrors {
		if n.Tp == ast.ShowErrors {
			t := newTable("@@session.error_count#")
			t.add(s.diagnostics.errors)
			return t
		}
		t := newTable("@@session.warning_count#")
		t.add(s.diagnostics.count)
		return t
	}
	t := newTable("Level", "Code#", "Message")
	for _, d := range s.diagnostics.list {
		if n.Tp == ast.ShowWarnings || d.level == "Error" {
			t.add(d.level, int(d.code), d.message)
		}
	}
	return t
}

func (s *Session) showProcesses(full bool) *table {
	t := newTable("Id#", "User", "Host", "db", "Command", "Time#", "State", "Info")
	for _, o := range s.server.all() {
		if o.user.Name != s.user.Name && catalog.Check(s.user, catalog.Need{Privilege: catalog.All}) != nil {
			continue // another's, without the privilege to see it
		}
		row := o.process()
		if text, ok := row[7].(string); ok && !full && len(text) > 100 {
			row[7] = strings.ToValidUTF8(text[:100], "")
		}
		t.add(row...)
	}
	return t
}

// process is the session's row in lists of processes.
func (s *Session) process() []any {
	s.mu.Lock()
	text, since, db := s.running, s.since, s.showDB
	s.mu.Unlock()
	command, state := "Query", "executing"
	var info, database any = text, db
	switch {
	case text == "":
		command, state, info = "Sleep", "", nil
	case startsWith(text, "subscribe"):
		state = "sending changes"
	}
	if db == "" {
		database = nil
	}
	return []any{int(s.client.ID), s.client.User, s.client.Host, database, command, int64(time.Since(since).Seconds()), state, info}
}

// addProcesses makes the rows of information_schema.PROCESSLIST.
func (v *Server) addProcesses(add func(values ...any)) {
	for _, s := range v.all() {
		add(s.process()...)
	}
}

func showCharsets() *table {
	t := newTable("Charset", "Description", "Default collation", "Maxlen#")
	for _, c := range infoschema.CharacterSets {
		t.add(c.Name, c.Description, c.Collation, c.MaxLen)
	}
	return t
}

func showCollations() *table {
	t := newTable("Collation", "Charset", "Id#", "Default", "Compiled", "Sortlen#", "Pad_attribute")
	for _, c := range infoschema.Collations {
		t.add(c.Name, c.Charset, c.ID, c.Default, "Yes", c.SortLen, c.Pad)
	}
	return t
}

// showGrants answers SHOW GRANTS [FOR the user of the session].
func (s *Session) showGrants(n *ast.ShowStmt) (*table, error) {
	if n.User != nil && !n.User.CurrentUser && n.User.Username != s.user.Name {
		return nil, sqlerr.New(1141, "There is no such grant defined for user '%s' on host '%s'", n.User.Username, n.User.Hostname)
	}
	t := newTable(fmt.Sprintf("Grants for %s@%s", s.user.Name, s.user.Host))
	to := fmt.Sprintf("%s@%s", quoteName(s.user.Name), quoteName(s.user.Host))
	if len(s.user.Grants) == 0 {
		t.add("GRANT USAGE ON *.* TO " + to)
	}
	for _, g := range s.user.Grants {
		what := g.Privileges.String()
		if g.Privileges == catalog.All {
			what = "ALL PRIVILEGES"
		}
		on := "*.*"
		switch {
		case g.Table != "":
			on = quoteName(g.Database) + "." + quoteName(g.Table)
		case g.Database != "":
			on = quoteName(g.Database) + ".*"
		}
		t.add("GRANT " + what + " ON " + on + " TO " + to)
	}
	return t, nil
}

func showPrivileges() *table {
	t := newTable("Privilege", "Context", "Comment")
	for p := catalog.Select; p < catalog.All; p <<= 1 {
		t.add(p.String(), "Databases,Tables", "")
	}
	return t
}
