package session

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"streamsql/sql/builtin"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// scope says where a system variable lives.
type scope uint8

const (
	both        scope = iota // a session's value starts as the global one
	sessionOnly              // SET GLOBAL is refused
	globalOnly               // SET SESSION is refused
)

// variable is a system variable. Values are kept as text, in the form that SHOW
// VARIABLES prints.
type variable struct {
	scope    scope
	readOnly bool
	def      string
	kind     variableKind
	min, max int64                                // numbers outside are cut, with a warning
	check    func(string) (string, *sqlerr.Error) // text: gives the form to keep; nil: any
	nullable bool
}

type variableKind uint8

const (
	text   variableKind = iota
	onOff               // ON or OFF; 1 or 0 in expressions
	number              // an integer
	real                // a number of seconds
)

// DefaultSQLMode is MySQL 8.0's.
const DefaultSQLMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

const (
	defaultCharset   = "utf8mb4"
	defaultCollation = "utf8mb4_bin"
)

func textVar(def string) variable   { return variable{def: def} }
func fixed(def string) variable     { return variable{def: def, readOnly: true, scope: globalOnly} }
func switchVar(def string) variable { return variable{def: def, kind: onOff} }
func numberVar(def, lo, hi int64) variable {
	return variable{def: strconv.FormatInt(def, 10), kind: number, min: lo, max: hi}
}

func fixedNumber(def int64) variable {
	return variable{def: strconv.FormatInt(def, 10), kind: number, readOnly: true, scope: globalOnly}
}

func checked(def string, check func(string) (string, *sqlerr.Error)) variable {
	return variable{def: def, check: check}
}

func in(s scope, v variable) variable { v.scope = s; return v }

func orNull(v variable) variable { v.nullable = true; return v }

// enum is a variable with a fixed set of values; a number stands for a position.
func enum(def string, values ...string) variable {
	return checked(def, func(s string) (string, *sqlerr.Error) {
		for i, v := range values {
			if strings.EqualFold(s, v) || s == strconv.Itoa(i) {
				return v, nil
			}
		}
		return "", errValue
	})
}

// errValue marks a value that a check refuses; the message names the variable.
var errValue = sqlerr.New(sqlerr.WrongValueForVar, "wrong value")

const (
	maxInt32 = 1<<31 - 1
	maxInt64 = 1<<63 - 1
)

// variables are all system variables. Most exist because clients read or set
// them; those that do something here are in settings.
var variables = map[string]variable{
	"autocommit":                      switchVar("ON"),
	"auto_increment_increment":        numberVar(1, 1, 65535),
	"auto_increment_offset":           numberVar(1, 1, 65535),
	"big_tables":                      switchVar("OFF"),
	"character_set_client":            checked(defaultCharset, checkCharset),
	"character_set_connection":        checked(defaultCharset, checkCharset),
	"character_set_database":          checked(defaultCharset, checkCharset),
	"character_set_filesystem":        textVar("binary"),
	"character_set_results":           orNull(checked(defaultCharset, checkCharset)),
	"character_set_server":            checked(defaultCharset, checkCharset),
	"character_set_system":            fixed("utf8mb3"),
	"collation_connection":            checked(defaultCollation, checkCollation),
	"collation_database":              checked(defaultCollation, checkCollation),
	"collation_server":                checked(defaultCollation, checkCollation),
	"connect_timeout":                 in(globalOnly, numberVar(10, 2, 31536000)),
	"cte_max_recursion_depth":         numberVar(1000, 0, 4294967295),
	"default_storage_engine":          textVar("StreamSQL"),
	"default_week_format":             numberVar(0, 0, 7),
	"div_precision_increment":         numberVar(4, 0, 30),
	"block_encryption_mode":           checked(builtin.DefaultBlockMode, checkBlockMode),
	"error_count":                     {kind: number, readOnly: true, scope: sessionOnly, def: "0"},
	"event_scheduler":                 fixed("OFF"),
	"explicit_defaults_for_timestamp": switchVar("ON"),
	"foreign_key_checks":              switchVar("ON"),
	"group_concat_max_len":            numberVar(1024, 4, maxInt64),
	"have_openssl":                    fixed("DISABLED"),
	"have_ssl":                        fixed("DISABLED"),
	"hostname":                        fixed(hostname()),
	"init_connect":                    in(globalOnly, textVar("")),
	"innodb_lock_wait_timeout":        numberVar(50, 1, 1073741824),
	"interactive_timeout":             numberVar(28800, 1, 31536000),
	"last_insert_id":                  {kind: number, readOnly: true, scope: sessionOnly, def: "0"},
	"lc_messages":                     textVar("en_US"),
	"lc_time_names":                   textVar("en_US"),
	"license":                         fixed("Apache-2.0"),
	"local_infile":                    {kind: onOff, scope: globalOnly, def: "OFF"},
	"lock_wait_timeout":               numberVar(31536000, 1, 31536000),
	"log_bin":                         {kind: onOff, readOnly: true, scope: globalOnly, def: "OFF"},
	"lower_case_file_system":          {kind: onOff, readOnly: true, scope: globalOnly, def: "OFF"},
	"lower_case_table_names":          fixedNumber(0),
	"max_allowed_packet":              numberVar(64<<20, 1024, 1<<30),
	"max_connections":                 {kind: number, scope: globalOnly, readOnly: true, def: "1000"},
	"max_error_count":                 numberVar(1024, 0, 65535),
	"max_execution_time":              numberVar(0, 0, maxInt32),
	"net_buffer_length":               numberVar(16384, 1024, 1<<20),
	"net_read_timeout":                numberVar(30, 1, 31536000),
	"net_write_timeout":               numberVar(60, 1, 31536000),
	"optimizer_switch":                textVar(""),
	"performance_schema":              {kind: onOff, readOnly: true, scope: globalOnly, def: "OFF"},
	"port":                            fixedNumber(4000),
	"secure_file_priv":                fixed(""), // the server's options say it
	"profiling":                       switchVar("OFF"),
	"protocol_version":                fixedNumber(10),
	"pseudo_thread_id":                in(sessionOnly, numberVar(0, 0, maxInt32)),
	"query_cache_size":                fixedNumber(0),
	"query_cache_type":                {kind: onOff, readOnly: true, scope: globalOnly, def: "OFF"},
	"read_only":                       {kind: onOff, readOnly: true, scope: globalOnly, def: "OFF"},
	"server_id":                       fixedNumber(1),
	"server_uuid":                     fixed("00000000-0000-0000-0000-000000000001"),
	"session_track_gtids":             enum("OFF", "OFF", "OWN_GTID", "ALL_GTIDS"),
	"session_track_schema":            switchVar("ON"),
	"session_track_state_change":      switchVar("OFF"),
	"session_track_system_variables":  textVar("time_zone,autocommit,character_set_client,character_set_results,character_set_connection"),
	"session_track_transaction_info":  enum("OFF", "OFF", "STATE", "CHARACTERISTICS"),
	"socket":                          fixed(""),
	"sql_auto_is_null":                switchVar("OFF"),
	"sql_big_selects":                 switchVar("ON"),
	"sql_log_bin":                     in(sessionOnly, switchVar("ON")),
	"sql_mode":                        checked(DefaultSQLMode, checkSQLMode),
	"sql_notes":                       switchVar("ON"),
	"sql_quote_show_create":           switchVar("ON"),
	"sql_require_primary_key":         switchVar("OFF"),
	"sql_safe_updates":                switchVar("OFF"),
	"sql_select_limit":                numberVar(maxInt64, 0, maxInt64),
	"sql_warnings":                    switchVar("OFF"),
	"ssl_cipher":                      fixed(""),
	"storage_engine":                  textVar("StreamSQL"),
	"streamsql_batch_target_ms":       in(globalOnly, numberVar(100, 1, 60_000)),
	"streamsql_read_your_writes":      switchVar("ON"),
	"streamsql_share_subplans":        switchVar("ON"),
	"streamsql_wait_timeout":          {def: "10", kind: real, max: 86400},
	"system_time_zone":                fixed(systemZone()),
	"time_zone":                       checked("SYSTEM", checkTimeZone),
	"timestamp":                       in(sessionOnly, variable{def: "0", kind: real, max: 1 << 31}),
	"transaction_isolation":           enum("REPEATABLE-READ", "READ-UNCOMMITTED", "READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"),
	"transaction_read_only":           switchVar("OFF"),
	"unique_checks":                   switchVar("ON"),
	"updatable_views_with_limit":      textVar("YES"),
	"version":                         fixed(""), // the server's options say it
	"version_comment":                 fixed("StreamSQL"),
	"version_compile_machine":         fixed(runtime.GOARCH),
	"version_compile_os":              fixed(runtime.GOOS),
	"wait_timeout":                    numberVar(28800, 1, 31536000),
	"warning_count":                   {kind: number, readOnly: true, scope: sessionOnly, def: "0"},
	"windowing_use_high_precision":    switchVar("ON"),
}

// aliases are old names of variables.
var aliases = map[string]string{
	"tx_isolation": "transaction_isolation", "tx_read_only": "transaction_read_only",
	"identity": "last_insert_id",
}

// findVariable looks a system variable up by its name in any case.
func findVariable(name string) (string, variable, bool) {
	name = strings.ToLower(name)
	if a, ok := aliases[name]; ok {
		name = a
	}
	v, ok := variables[name]
	return name, v, ok
}

// variableNames are the names of all variables and of the aliases, sorted.
var variableNames = slices.Sorted(maps.Keys(variables))

func hostname() string {
	h, err := os.Hostname()
	if err != nil {
		return "localhost"
	}
	return h
}

func systemZone() string {
	name, _ := time.Now().Zone()
	return name
}

// charsets are the character sets that text can come and go in: what is stored
// is UTF-8.
var charsets = map[string]string{ // name → default collation
	"utf8mb4": defaultCollation, "utf8mb3": "utf8mb3_bin", "ascii": "ascii_bin", "binary": "binary",
}

func checkCharset(s string) (string, *sqlerr.Error) {
	s = strings.ToLower(s)
	if s == "utf8" {
		s = "utf8mb3"
	}
	if _, ok := charsets[s]; ok {
		return s, nil
	}
	if s == "latin1" || s == "gbk" || s == "gb18030" || s == "cp1251" || s == "big5" || s == "sjis" || s == "ucs2" || s == "utf16" || s == "utf32" {
		return "", sqlerr.Unsupported("CHARACTER SET " + s)
	}
	return "", sqlerr.New(sqlerr.UnknownCharset, "Unknown character set: '%s'", s)
}

// checkCollation takes the collations of the character sets above. Those that
// the engine does not know by itself are kept as a name; text compares by
// utf8mb4_bin under them.
func checkCollation(s string) (string, *sqlerr.Error) {
	s = strings.ToLower(s)
	if s == "binary" || strings.HasPrefix(s, "utf8mb4_") || strings.HasPrefix(s, "utf8mb3_") || strings.HasPrefix(s, "utf8_") || strings.HasPrefix(s, "ascii_") {
		return s, nil
	}
	return "", sqlerr.New(sqlerr.UnknownCollation, "Unknown collation: '%s'", s)
}

// sqlModes are the names that sql_mode may hold.
var sqlModes = map[string]string{ // combination → what it stands for besides itself
	"ALLOW_INVALID_DATES": "", "ANSI_QUOTES": "", "ERROR_FOR_DIVISION_BY_ZERO": "", "HIGH_NOT_PRECEDENCE": "", "IGNORE_SPACE": "",
	"NO_AUTO_VALUE_ON_ZERO": "", "NO_BACKSLASH_ESCAPES": "", "NO_DIR_IN_CREATE": "", "NO_ENGINE_SUBSTITUTION": "",
	"NO_UNSIGNED_SUBTRACTION": "", "NO_ZERO_DATE": "", "NO_ZERO_IN_DATE": "", "ONLY_FULL_GROUP_BY": "", "PAD_CHAR_TO_FULL_LENGTH": "",
	"PIPES_AS_CONCAT": "", "REAL_AS_FLOAT": "", "STRICT_ALL_TABLES": "", "STRICT_TRANS_TABLES": "", "TIME_TRUNCATE_FRACTIONAL": "",
	"NO_AUTO_CREATE_USER": "",
	"ANSI":                "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ONLY_FULL_GROUP_BY",
	"TRADITIONAL":         "STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
}

// checkSQLMode writes combinations out, drops doubles and empty names.
func checkSQLMode(s string) (string, *sqlerr.Error) {
	var out []string
	add := func(m string) {
		if m != "" && !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	for m := range strings.SplitSeq(s, ",") {
		m = strings.ToUpper(strings.TrimSpace(m))
		means, ok := sqlModes[m]
		if !ok && m != "" {
			return "", sqlerr.New(sqlerr.WrongValueForVar, "Variable 'sql_mode' can't be set to the value of '%s'", m)
		}
		for part := range strings.SplitSeq(means, ",") {
			add(part)
		}
		add(m)
	}
	return strings.Join(out, ","), nil
}

// idleModes are the names of sql_mode that change nothing here, and would elsewhere.
var idleModes = []string{"ALLOW_INVALID_DATES", "IGNORE_SPACE", "TIME_TRUNCATE_FRACTIONAL"}

// warnOfModes says of names newly in sql_mode that they have no effect.
func (s *Session) warnOfModes(mode string) {
	before := strings.Split(s.variable("sql_mode").text, ",")
	for m := range strings.SplitSeq(mode, ",") {
		if slices.Contains(idleModes, m) && !slices.Contains(before, m) {
			s.warn(sqlerr.NotSupportedYet, "sql_mode "+m+" has no effect")
		}
	}
}

func checkBlockMode(s string) (string, *sqlerr.Error) {
	if !builtin.IsBlockMode(s) {
		return "", sqlerr.New(sqlerr.WrongValueForVar, "Variable 'block_encryption_mode' can't be set to the value of '%s'", s)
	}
	return strings.ToLower(s), nil
}

func checkTimeZone(s string) (string, *sqlerr.Error) {
	if _, err := location(s); err != nil {
		return "", err
	}
	if strings.EqualFold(s, "SYSTEM") {
		return "SYSTEM", nil
	}
	return s, nil
}

// location is the zone that time_zone names.
func location(s string) (*time.Location, *sqlerr.Error) {
	if loc, ok := types.Zone(s); ok && s != "" {
		return loc, nil
	}
	return nil, sqlerr.New(sqlerr.UnknownTimeZone, "Unknown or incorrect time zone: '%s'", s)
}
