package bind

import (
	"strings"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/types"
)

// Env is what a statement is bound against. The functions may be nil where the
// statement needs none of them.
type Env struct {
	Catalog catalog.Reader
	Session catalog.Session
	Mode    Mode
	// Vars is the value of @@name; error 1193 for an unknown one.
	Vars func(name string, global bool) (*expr.Expr, error)
	// UserVar is the value of @name, NULL when it was never set.
	UserVar func(name string) *expr.Expr
	// Warn takes what was accepted without effect.
	Warn func(code uint16, message string)
	Info Info
	// AskedInfo is called when the tree comes to hold something of Info or the
	// session's database: it is for nobody else then, nor for later.
	AskedInfo func()
	// Params are the values of `?`, bound as constants. While they are unknown (at
	// PREPARE), each `?` is an OpParam, typed by ParamTypes or else by its context.
	Params     []*expr.Expr
	ParamTypes []types.Type
}

// Info is what information functions answer.
type Info struct {
	ConnectionID uint64
	User         string // as the client gave it: name@host
	CurrentUser  string // the account
	Version      string
	LastInsertID uint64
	RowCount     int64
	FoundRows    int64
}

// Mode is the part of sql_mode that binding depends on.
type Mode uint16

// The modes.
const (
	OnlyFullGroupBy Mode = 1 << iota
	Strict
	NoAutoValueOnZero
	NoUnsignedSubtraction
	ErrorForDivision
	PadChar
)

var modes = map[string]Mode{
	"ONLY_FULL_GROUP_BY":         OnlyFullGroupBy,
	"STRICT_TRANS_TABLES":        Strict,
	"STRICT_ALL_TABLES":          Strict,
	"NO_AUTO_VALUE_ON_ZERO":      NoAutoValueOnZero,
	"NO_UNSIGNED_SUBTRACTION":    NoUnsignedSubtraction,
	"ERROR_FOR_DIVISION_BY_ZERO": ErrorForDivision,
	"PAD_CHAR_TO_FULL_LENGTH":    PadChar,
	"ANSI":                       OnlyFullGroupBy,
	"TRADITIONAL":                Strict | ErrorForDivision,
}

// Rules are what m says of values that go wrong in a change of data.
func (m Mode) Rules() builtin.Rules {
	return builtin.Rules{Strict: m&Strict != 0, QuietDivision: m&ErrorForDivision == 0}
}

var parserModes = map[string]parser.Mode{
	"PIPES_AS_CONCAT":      parser.PipesAsConcat,
	"ANSI_QUOTES":          parser.ANSIQuotes,
	"NO_BACKSLASH_ESCAPES": parser.NoBackslashEscapes,
	"HIGH_NOT_PRECEDENCE":  parser.HighNotPrecedence,
	"REAL_AS_FLOAT":        parser.RealAsFloat,
	"ANSI":                 parser.PipesAsConcat | parser.ANSIQuotes | parser.RealAsFloat,
}

// ParseMode reads the value of sql_mode.
func ParseMode(sqlMode string) Mode { return flags(sqlMode, modes) }

// ParserMode reads what the parser needs of the value of sql_mode.
func ParserMode(sqlMode string) parser.Mode { return flags(sqlMode, parserModes) }

func flags[M Mode | parser.Mode](sqlMode string, names map[string]M) M {
	var m M
	for name := range strings.SplitSeq(sqlMode, ",") {
		m |= names[strings.ToUpper(strings.TrimSpace(name))]
	}
	return m
}

func (e *Env) warn(code uint16, message string) {
	if e.Warn != nil {
		e.Warn(code, message)
	}
}

// scalar is the environment of package builtin.
func (e *Env) scalar() *builtin.Env {
	return &builtin.Env{DivPrecision: e.Session.DivPrecision, NoUnsignedSubtraction: e.Mode&NoUnsignedSubtraction != 0,
		BlockMode: e.Session.BlockMode}
}
