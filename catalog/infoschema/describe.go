package infoschema

import (
	"slices"
	"strings"

	"streamsql/catalog"
	"streamsql/sql/types"
)

// TableType is what MySQL calls a kind of object: clients know these three words only.
func TableType(k catalog.Kind) string {
	switch k {
	case catalog.View, catalog.MaterializedView:
		return "VIEW"
	case catalog.Virtual:
		return "SYSTEM VIEW"
	}
	return "BASE TABLE"
}

// Comment is an object's comment, or its kind if that is not a plain table.
func Comment(t *catalog.Table) string {
	if t.Comment == "" && t.Kind != catalog.BaseTable {
		return string(t.Kind)
	}
	return t.Comment
}

// Default is a column's default as MySQL shows it: a literal without its quotes;
// nil: none or NULL. extra is the word of the column EXTRA.
func Default(c catalog.Column) (def any, extra string) {
	switch {
	case c.AutoIncrement:
		return nil, "auto_increment"
	case c.Stored:
		return nil, "STORED GENERATED"
	case c.Generated != "":
		return nil, "VIRTUAL GENERATED"
	}
	if c.Default == nil || strings.EqualFold(*c.Default, "NULL") {
		return nil, ""
	}
	d := *c.Default
	switch {
	case len(d) >= 2 && d[0] == '\'' && d[len(d)-1] == '\'':
		return strings.ReplaceAll(d[1:len(d)-1], "''", "'"), ""
	case strings.Trim(d, "0123456789.-") == "":
		return d, ""
	default:
		return d, "DEFAULT_GENERATED"
	}
}

// Collation is the name of a column's collation; nil: it is not text.
func Collation(t types.Type) any {
	if !t.IsText() && t.Kind != types.Enum {
		return nil
	}
	return t.Collation.String()
}

// KeyOf is PRI for a column of the primary key, UNI for a unique key of its own,
// MUL for the first column of a longer one or of
// an index.
func KeyOf(t *catalog.Table, column int) string {
	if slices.Contains(t.Primary, column) {
		return "PRI"
	}
	for _, u := range t.Unique {
		switch {
		case u.Columns[0] != column:
		case len(u.Columns) == 1:
			return "UNI"
		default:
			return "MUL"
		}
	}
	if slices.ContainsFunc(t.Indexes, func(x catalog.SecondaryIndex) bool { return x.Columns[0] == column }) {
		return "MUL"
	}
	return ""
}

// Keys are the keys of an object that a user sees, the primary key first.
func Keys(t *catalog.Table) []catalog.Key {
	var keys []catalog.Key
	if len(t.Primary) > 0 && !t.Columns[t.Primary[0]].Hidden {
		keys = append(keys, catalog.Key{Name: "PRIMARY", Columns: t.Primary})
	}
	return append(keys, t.Unique...)
}

// CharacterSets are those that text can come and go in; what is stored is UTF-8.
var CharacterSets = []struct {
	Name, Description, Collation string // Collation: the default one
	MaxLen                       int
}{
	{"ascii", "US ASCII", "ascii_bin", 1},
	{"binary", "Binary pseudo charset", "binary", 1},
	{"utf8mb3", "UTF-8 Unicode", "utf8mb3_bin", 3},
	{"utf8mb4", "UTF-8 Unicode", "utf8mb4_bin", 4},
}

// Collations have MySQL's ids: clients look up by id what a column definition
// of the protocol names.
var Collations = []struct {
	Name, Charset string
	ID            int
	Default       string
	SortLen       int
	Pad           string
}{
	{"ascii_bin", "ascii", 65, "Yes", 1, "PAD SPACE"},
	{"binary", "binary", 63, "Yes", 1, "NO PAD"},
	{"utf8mb3_bin", "utf8mb3", 83, "Yes", 1, "PAD SPACE"},
	{"utf8mb3_general_ci", "utf8mb3", 33, "", 1, "PAD SPACE"},
	{"utf8mb4_0900_ai_ci", "utf8mb4", 255, "", 0, "NO PAD"},
	{"utf8mb4_bin", "utf8mb4", 46, "Yes", 1, "PAD SPACE"},
	{"utf8mb4_general_ci", "utf8mb4", 45, "", 1, "PAD SPACE"},
}
