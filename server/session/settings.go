package session

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"streamsql/catalog"
	"streamsql/sql/bind"
	"streamsql/sql/decimal"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// value is what a system variable holds.
type value struct {
	text string
	null bool
}

// globals are the global values that differ from the defaults. Safe for all.
type globals struct {
	mu sync.RWMutex
	m  map[string]value
}

func (g *globals) get(name string) value {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if v, ok := g.m[name]; ok {
		return v
	}
	return value{text: variables[name].def}
}

func (g *globals) set(name string, v value) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.m[name] = v
}

// settings are the variables that do something, in the form in which it is done.
type settings struct {
	autocommit     bool
	readYourWrites bool
	readOnly       bool
	location       *time.Location
	sqlMode        string
	mode           bind.Mode
	parserMode     parser.Mode
	rules          eval.Rules    // of a change of data
	waitTimeout    time.Duration // of streamsql_wait_timeout
	idleTimeout    time.Duration
	netRead        time.Duration
	netWrite       time.Duration
	maxExecution   time.Duration // 0: none
	recursion      int64         // how often a recursive expression may be computed
	selectLimit    int64         // maxInt64: none
	maxPacket      int
	maxWarnings    int
	sqlNotes       bool
	timestamp      int64 // µs; 0: the clock
	catalog        catalog.Session
}

// readSettings derives settings from the variables; called whenever one was set.
func (s *Session) readSettings() {
	text := func(name string) string { return s.variable(name).text }
	integer := func(name string) int64 { n, _ := strconv.ParseInt(text(name), 10, 64); return n }
	seconds := func(name string) time.Duration { return time.Duration(integer(name)) * time.Second }
	fraction := func(name string) float64 { f, _ := strconv.ParseFloat(text(name), 64); return f }
	loc, err := location(text("time_zone"))
	if err != nil {
		loc = time.UTC
	}
	mode := text("sql_mode")
	s.settings = settings{
		autocommit:     text("autocommit") == "ON",
		readYourWrites: text("streamsql_read_your_writes") == "ON",
		readOnly:       text("transaction_read_only") == "ON",
		location:       loc,
		sqlMode:        mode,
		mode:           bind.ParseMode(mode),
		parserMode:     bind.ParserMode(mode),
		rules:          bind.ParseMode(mode).Rules(),
		waitTimeout:    time.Duration(fraction("streamsql_wait_timeout") * float64(time.Second)),
		idleTimeout:    seconds("wait_timeout"),
		netRead:        seconds("net_read_timeout"),
		netWrite:       seconds("net_write_timeout"),
		maxExecution:   time.Duration(integer("max_execution_time")) * time.Millisecond,
		selectLimit:    integer("sql_select_limit"),
		recursion:      integer("cte_max_recursion_depth"),
		maxPacket:      int(integer("max_allowed_packet")),
		maxWarnings:    int(integer("max_error_count")),
		sqlNotes:       text("sql_notes") == "ON",
		timestamp:      s.setTimestamp(),
		catalog: catalog.Session{
			Database: s.db, TimeZone: text("time_zone"), SQLMode: mode, Collation: text("collation_connection"),
			DivPrecision: int(integer("div_precision_increment")), ConcatMaxLen: int(min(integer("group_concat_max_len"), math.MaxInt32)),
			Apart:     text("streamsql_share_subplans") == "OFF",
			BlockMode: text("block_encryption_mode"),
		},
	}
}

// setTimestamp is what SET timestamp fixed the clock at, in µs; 0: nothing.
func (s *Session) setTimestamp() int64 {
	f, _ := strconv.ParseFloat(s.vars["timestamp"].text, 64)
	return int64(f * 1e6)
}

// variable is the session's value of a variable that is there.
func (s *Session) variable(name string) value {
	switch name { // what is counted, not set
	case "warning_count":
		return value{text: strconv.Itoa(s.diagnosticsBefore.count)}
	case "error_count":
		return value{text: strconv.Itoa(s.diagnosticsBefore.errors)}
	case "last_insert_id":
		return value{text: strconv.FormatUint(s.lastInsertID, 10)}
	case "timestamp":
		if v, ok := s.vars[name]; ok && v.text != "0" {
			return v
		}
		return value{text: strconv.FormatFloat(float64(s.now.UnixMicro())/1e6, 'f', 6, 64)}
	case "pseudo_thread_id":
		return value{text: strconv.FormatUint(uint64(s.client.ID), 10)}
	case "version":
		return value{text: s.server.options.Version}
	case "port":
		return value{text: strconv.Itoa(s.server.options.Port)}
	case "secure_file_priv":
		dir := s.server.options.SecureFiles
		return value{text: dir, null: dir == ""}
	}
	if v, ok := s.vars[name]; ok {
		return v
	}
	return s.server.globals.get(name)
}

// lookupVar is the value of @@name for an expression.
func (s *Session) lookupVar(name string, global bool) (*expr.Expr, error) {
	name, v, ok := findVariable(name)
	if !ok {
		return nil, unknownVariable(name)
	}
	var val value
	switch {
	case !global || name == "version" || name == "port" || name == "secure_file_priv":
		val = s.variable(name)
	case v.scope == sessionOnly:
		return nil, sqlerr.New(sqlerr.IncorrectGlobalLocal, "Variable '%s' is a SESSION variable", name)
	default:
		val = s.server.globals.get(name)
	}
	return v.expr(val), nil
}

func unknownVariable(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UnknownSystemVariable, "Unknown system variable '%s'", name)
}

// expr is the value as a constant of the variable's type.
func (v variable) expr(val value) *expr.Expr {
	if val.null {
		return expr.NewConst(expr.Value{Null: true}, types.MakeVarChar(64))
	}
	switch v.kind {
	case onOff:
		return expr.NewInt(int64(boolInt(val.text == "ON")))
	case number:
		n, err := strconv.ParseUint(val.text, 10, 64)
		t := types.MakeBigInt()
		t.Unsigned = err == nil && n > math.MaxInt64
		return expr.NewConst(expr.Value{I: int64(n)}, t)
	case real:
		n := decimal.Parse([]byte(val.text), 6)
		if i, ok := n.Value.Int64(); ok {
			return expr.NewConst(expr.Value{I: i}, types.MakeDecimal(20, n.Scale))
		}
	}
	return expr.NewConst(expr.Value{S: []byte(val.text)}, types.MakeVarChar(len(val.text)))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// userVar is the value of @name.
func (s *Session) userVar(name string) *expr.Expr {
	if v, ok := s.userVars[strings.ToLower(name)]; ok {
		return v
	}
	return expr.NewConst(expr.Value{Null: true}, types.MakeVarChar(0))
}
