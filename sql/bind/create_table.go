package bind

import (
	"slices"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/sql/builtin"
	"streamsql/sql/expr"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// maxColumns is the most columns of a table.
const maxColumns = 4096

// creating is a CREATE TABLE while it is bound.
type creating struct {
	*binder
	table  *catalog.Table
	stream bool
	// collation is that of columns that name none.
	collation types.Collation
	// nullDefaults are the columns with DEFAULT NULL; their number is final by then.
	nullDefaults []*catalog.Column
	indexes      []index
}

// index is a KEY among the columns.
type index struct {
	name  string
	parts []*ast.IndexPartSpecification
}

// createTable binds CREATE TABLE and CREATE STREAM TABLE.
func (b *binder) createTable(n *ast.CreateTableStmt, s *parser.Statement) (Statement, error) {
	switch {
	case n.TemporaryKeyword != ast.TemporaryNone:
		return nil, sqlerr.Unsupported("CREATE TEMPORARY TABLE")
	case n.ReferTable != nil:
		return nil, sqlerr.Unsupported("CREATE TABLE … LIKE")
	case n.Select != nil:
		return nil, sqlerr.Unsupported("CREATE TABLE … AS SELECT")
	case n.Partition != nil:
		return nil, sqlerr.Unsupported("PARTITION BY")
	}
	t, err := b.newTable(n.Table, catalog.BaseTable)
	if err != nil {
		return nil, err
	}
	t.Text = s.Text
	c := &creating{binder: b, table: t}
	if s.Stream != nil {
		c.stream = true
		t.Kind, t.Options = catalog.StreamTable, s.Stream.Options
		if s.Stream.Dimension {
			t.Kind = catalog.DimensionTable
		}
	}
	if err := c.defaultCollation(n.Options); err != nil {
		return nil, err
	}
	if err := c.columns(n.Cols); err != nil {
		return nil, err
	}
	for _, k := range n.Constraints {
		if err := c.constraint(k); err != nil {
			return nil, err
		}
	}
	if err := c.options(n.Options); err != nil {
		return nil, err
	}
	if t.Kind == catalog.DimensionTable {
		if err := c.dimension(s.Stream); err != nil {
			return nil, err
		}
		return &CreateTable{Table: t, IfNotExists: n.IfNotExists, Indexes: c.secondary()}, nil
	}
	if c.stream {
		if err := c.eventTime(s.Stream.Watermark); err != nil {
			return nil, err
		}
		switch t.Temporary = s.Stream.Temporary; {
		case t.Temporary && t.Options["connector"] != "":
			return nil, sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of TEMPORARY and connector: a temporary stream table is fed by continuous queries and INSERT")
		case t.Temporary && t.Upsert():
			return nil, sqlerr.New(sqlerr.WrongUsage, "Incorrect usage of TEMPORARY and PRIMARY KEY: a temporary stream table keeps no rows that others could replace")
		}
	} else if err := c.finish(); err != nil {
		return nil, err
	}
	return &CreateTable{Table: t, IfNotExists: n.IfNotExists, Indexes: c.secondary()}, nil
}

// secondary are the indexes to be made with the table, if it can have any.
func (c *creating) secondary() (out []*CreateIndex) {
	if len(c.indexes) > 0 && c.stream && !c.table.Upsert() {
		c.env.warn(sqlerr.NotSupportedYet, "An index of a stream table without a primary key, or of a dimension table, has no effect: make one of a materialized view over it")
		return nil
	}
	for _, x := range c.indexes {
		out = append(out, c.index(Name{c.table.Database, c.table.Name}, x.name, x.parts))
	}
	return out
}

// newTable is the descriptor of what a statement makes, named and in a database
// that exists.
func (b *binder) newTable(n *ast.TableName, kind catalog.Kind) (*catalog.Table, error) {
	db, err := b.database(n.Schema)
	if err != nil {
		return nil, err
	}
	if _, ok := b.env.Catalog.Database(db); !ok {
		return nil, catalog.UnknownDatabase(db)
	}
	if err := checkIdentifier(n.Name.O, sqlerr.WrongTableName, "table"); err != nil {
		return nil, err
	}
	return &catalog.Table{Database: db, Name: n.Name.O, Kind: kind, Session: b.env.Session}, nil
}

// defaultCollation is the collation of columns that name none: the table's, else
// that of the database.
func (c *creating) defaultCollation(list []*ast.TableOption) error {
	if db, ok := c.env.Catalog.Database(c.table.Database); ok {
		c.collation, _ = types.ParseCollation(db.Collation)
	}
	for _, o := range list {
		switch o.Tp {
		case ast.TableOptionCharset:
			c.collation = types.UTF8MB4Bin
		case ast.TableOptionCollate:
			named, ok, err := collationOf(o.StrValue)
			if err != nil {
				return err
			}
			if ok {
				c.collation = named
			}
		}
	}
	return nil
}

func wrongCollation(name, charset string) error {
	return sqlerr.New(sqlerr.CollationCharset, "COLLATION '%s' is not valid for CHARACTER SET '%s'", name, charset)
}

func (c *creating) columns(defs []*ast.ColumnDef) error {
	if len(defs) == 0 {
		return sqlerr.New(sqlerr.TableMustHaveColumns, "A table must have at least 1 column")
	}
	if len(defs) > maxColumns {
		return sqlerr.New(sqlerr.TooManyFields, "Too many columns")
	}
	seen := make(map[string]bool)
	for _, d := range defs {
		name := d.Name.Name.O
		if err := checkIdentifier(name, sqlerr.WrongColumnName, "column"); err != nil {
			return err
		}
		if reservedColumn(name, c.stream) {
			return sqlerr.New(sqlerr.WrongColumnName, "Incorrect column name '%s'", name)
		}
		if seen[d.Name.Name.L] {
			return sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", name)
		}
		seen[d.Name.Name.L] = true
		t, err := columnType(name, d.Tp, c.collation)
		if err != nil {
			return err
		}
		c.table.Columns = append(c.table.Columns, catalog.Column{Name: name, Type: t})
	}
	// Options last: a column's PRIMARY KEY may come before a later column's error.
	for i, d := range defs {
		for _, o := range d.Options {
			if err := c.columnOption(i, o); err != nil {
				return err
			}
		}
	}
	if err := c.checkDefaults(); err != nil {
		return err
	}
	return c.checkGenerated()
}

// reservedColumn reports a name of a hidden column.
func reservedColumn(name string, stream bool) bool {
	return sameName(name, catalog.RowID) || stream && (sameName(name, catalog.ArrivalName) || sameName(name, catalog.WatermarkName))
}

func (c *creating) columnOption(i int, o *ast.ColumnOption) error {
	col := &c.table.Columns[i]
	switch o.Tp {
	case ast.ColumnOptionNotNull:
		col.Type.NotNull = true
	case ast.ColumnOptionNull, ast.ColumnOptionNoOption:
	case ast.ColumnOptionComment:
		text, err := c.commentText(o)
		col.Comment = text
		return err
	case ast.ColumnOptionPrimaryKey:
		return c.primary([]int{i})
	case ast.ColumnOptionUniqKey:
		return c.unique(col.Name, []int{i})
	case ast.ColumnOptionAutoIncrement:
		if !col.Type.IsInteger() || col.Type.Kind == types.Year {
			return sqlerr.New(sqlerr.WrongFieldSpec, "Incorrect column specifier for column '%s'", col.Name)
		}
		if c.stream {
			return sqlerr.Unsupported("AUTO_INCREMENT in a stream table")
		}
		col.AutoIncrement, col.Type.NotNull = true, true
	case ast.ColumnOptionDefaultValue:
		return c.defaultOption(col, o)
	case ast.ColumnOptionCollate:
		c, ok, err := collationOf(o.StrValue)
		if err != nil {
			return err
		}
		switch t := col.Type; {
		case ok && t.IsBinary() && c != types.BinaryCollation:
			return wrongCollation(o.StrValue, "binary")
		case ok:
			col.Type = inCollation(t, c)
		}
	case ast.ColumnOptionGenerated:
		return c.generatedOption(col, o)
	case ast.ColumnOptionReference:
		return sqlerr.Unsupported("FOREIGN KEY")
	case ast.ColumnOptionCheck:
		return sqlerr.Unsupported("CHECK")
	case ast.ColumnOptionOnUpdate:
		return sqlerr.Unsupported("ON UPDATE CURRENT_TIMESTAMP")
	case ast.ColumnOptionFulltext:
		return sqlerr.Unsupported("FULLTEXT")
	case ast.ColumnOptionColumnFormat, ast.ColumnOptionStorage:
		c.env.warn(sqlerr.NotSupportedYet, "COLUMN_FORMAT and STORAGE have no effect")
	default:
		return sqlerr.Unsupported("this column option")
	}
	return nil
}

func (c *creating) commentText(o *ast.ColumnOption) (string, error) {
	if l, ok := o.Expr.(*parser.Literal); ok {
		return l.GetString(), nil
	}
	return "", sqlerr.New(sqlerr.ParseError, "COMMENT takes a string")
}

// defaultOption keeps the text of DEFAULT; checkDefaults looks at its value.
func (c *creating) defaultOption(col *catalog.Column, o *ast.ColumnOption) error {
	text, err := defaultText(o.Expr)
	if err != nil {
		return err
	}
	if text == "NULL" {
		c.nullDefaults = append(c.nullDefaults, col) // what a nullable column has anyway
		return nil
	}
	if t := col.Type; !isExpression(text) && (t.Kind == types.Text || t.Kind == types.Blob || t.Kind == types.JSON) {
		return sqlerr.New(sqlerr.BlobCantHaveDefault, "BLOB, TEXT, GEOMETRY or JSON column '%s' can't have a default value", col.Name)
	}
	col.Default = &text
	return nil
}

// checkDefaults binds each DEFAULT once: error 1067 for one that its column
// cannot hold.
func (c *creating) checkDefaults() error {
	for _, col := range c.nullDefaults {
		if col.Type.NotNull {
			return sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", col.Name)
		}
	}
	for i := range c.table.Columns {
		col := &c.table.Columns[i]
		if col.Default == nil {
			continue
		}
		invalid := sqlerr.New(sqlerr.InvalidDefault, "Invalid default value for '%s'", col.Name)
		if col.AutoIncrement {
			return invalid
		}
		e, err := c.defaultValue(*col.Default)
		if err != nil {
			return invalid
		}
		if isExpression(*col.Default) {
			if _, err := builtin.Assign(c.scalar, e, col.Type); err != nil || e.HasSubquery() {
				return invalid
			}
			continue
		}
		if e.Op == expr.OpCall && !(col.Type.Kind == types.DateTime || col.Type.Kind == types.Timestamp) {
			return invalid
		}
		if e.Op == expr.OpCall && e.Type.Scale != col.Type.Scale {
			return invalid
		}
		if assigned, err := builtin.Assign(c.scalar, e, col.Type); err != nil || stored(assigned) == nil {
			return invalid
		}
	}
	return nil
}

// constraint binds PRIMARY KEY, UNIQUE and what else stands among the columns.
func (c *creating) constraint(k *ast.Constraint) error {
	switch k.Tp {
	case ast.ConstraintPrimaryKey:
		cols, err := c.keyColumns(k.Keys)
		if err != nil {
			return err
		}
		return c.primary(cols)
	case ast.ConstraintUniq, ast.ConstraintUniqKey, ast.ConstraintUniqIndex:
		cols, err := c.keyColumns(k.Keys)
		if err != nil {
			return err
		}
		name := k.Name
		if name == "" {
			name = c.table.Columns[cols[0]].Name
		}
		return c.unique(name, cols)
	case ast.ConstraintKey, ast.ConstraintIndex:
		return c.key(k.Name, k.Keys)
	case ast.ConstraintForeignKey:
		return sqlerr.Unsupported("FOREIGN KEY")
	case ast.ConstraintCheck:
		return sqlerr.Unsupported("CHECK")
	case ast.ConstraintFulltext:
		return sqlerr.Unsupported("FULLTEXT")
	default:
		return sqlerr.Unsupported("this kind of key")
	}
}

// key notes a secondary index; its name is that of its first column, with a number if
// that is taken, if it was not chosen.
func (c *creating) key(name string, parts []*ast.IndexPartSpecification) error {
	cols, err := c.keyColumns(parts)
	if err != nil {
		return err
	}
	if err := c.checkKey(cols); err != nil {
		return err
	}
	if name != "" {
		if sameName(name, "PRIMARY") {
			return sqlerr.New(sqlerr.WrongNameForIndex, "Incorrect index name '%s'", name)
		}
		if c.keyTaken(name) {
			return duplicateKey(name)
		}
		if err := checkIdentifier(name, sqlerr.WrongNameForIndex, "index"); err != nil {
			return err
		}
	} else {
		name = freeKeyName(c.table.Columns[cols[0]].Name, c.keyTaken)
	}
	c.indexes = append(c.indexes, index{name, parts})
	return nil
}

// freeKeyName is MySQL's name for a key that has none: that of its first column, with a
// number if it is taken.
func freeKeyName(first string, taken func(string) bool) string {
	free := first
	for i := 2; taken(free); i++ {
		free = first + "_" + itoa(i)
	}
	return free
}

// keyColumns finds the columns of a key: errors 1072, 1060, and for text
// without a bound 1170.
func (c *creating) keyColumns(parts []*ast.IndexPartSpecification) ([]int, error) {
	var out []int
	for _, p := range parts {
		switch {
		case p.Expr != nil:
			return nil, sqlerr.Unsupported("a key over an expression")
		case p.Length > 0:
			return nil, sqlerr.Unsupported("a key over a prefix of a column")
		}
		at := -1
		for i := range c.table.Columns {
			if sameName(c.table.Columns[i].Name, p.Column.Name.O) {
				at = i
			}
		}
		if at < 0 {
			return nil, sqlerr.New(sqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", p.Column.Name.O)
		}
		for _, i := range out {
			if i == at {
				return nil, sqlerr.New(sqlerr.DupFieldName, "Duplicate column name '%s'", p.Column.Name.O)
			}
		}
		out = append(out, at)
	}
	return out, nil
}

// checkKey is error 1170 or 3152 for columns that cannot be in a key.
func (c *creating) checkKey(cols []int) error {
	for _, i := range cols {
		switch col := &c.table.Columns[i]; col.Type.Kind {
		case types.Text, types.Blob:
			return sqlerr.New(sqlerr.BlobKeyWithoutLength, "BLOB/TEXT column '%s' used in key specification without a key length", col.Name)
		case types.JSON:
			return sqlerr.New(sqlerr.JSONUsedAsKey, "JSON column '%s' supports indexing only via generated columns on a specified JSON path.", col.Name)
		}
	}
	return nil
}

func (c *creating) primary(cols []int) error {
	if c.table.Primary != nil {
		return sqlerr.New(sqlerr.MultiplePriKey, "Multiple primary key defined")
	}
	for _, i := range cols {
		c.table.Columns[i].Type.NotNull = true
	}
	c.table.Primary = cols
	return c.checkKey(cols)
}

// unique adds a key; its name gets a number if it is taken and was not chosen.
func (c *creating) unique(name string, cols []int) error {
	if c.stream {
		return sqlerr.Unsupported("UNIQUE in a stream table")
	}
	if c.keyTaken(name) {
		if name != c.table.Columns[cols[0]].Name {
			return duplicateKey(name)
		}
		name = freeKeyName(name, c.keyTaken)
	}
	c.table.Unique = append(c.table.Unique, catalog.Key{Name: name, Columns: cols})
	return c.checkKey(cols)
}

// keyTaken reports that a key has the name.
func (c *creating) keyTaken(name string) bool {
	for _, k := range c.table.Unique {
		if sameName(k.Name, name) {
			return true
		}
	}
	return strings.EqualFold(name, "PRIMARY") || slices.ContainsFunc(c.indexes, func(x index) bool { return sameName(x.name, name) })
}

func duplicateKey(name string) error {
	return sqlerr.New(sqlerr.DupKeyName, "Duplicate key name '%s'", name)
}

// options reads ENGINE, CHARSET, COMMENT …; what has no effect warns.
func (c *creating) options(list []*ast.TableOption) error {
	for _, o := range list {
		switch o.Tp {
		case ast.TableOptionComment:
			c.table.Comment = o.StrValue
		case ast.TableOptionCharset:
			if err := checkCharset(o.StrValue); err != nil {
				return err
			}
		case ast.TableOptionCollate: // seen to before the columns
		case ast.TableOptionEngine:
			if !strings.EqualFold(o.StrValue, "innodb") {
				c.env.warn(sqlerr.NotSupportedYet, "ENGINE="+o.StrValue+" has no effect")
			}
		case ast.TableOptionAutoIncrement:
			c.table.AutoIncrement = o.UintValue
		default:
			text, err := restored(o)
			if err != nil {
				return err
			}
			c.env.warn(sqlerr.NotSupportedYet, text+" has no effect")
		}
	}
	return nil
}

// finish checks what needs all of the table, and gives a table without a
// primary key its hidden row id.
func (c *creating) finish() error {
	numbered := -1
	for i, col := range c.table.Columns {
		if !col.AutoIncrement {
			continue
		}
		if numbered >= 0 || !c.leads(i) {
			return sqlerr.New(sqlerr.WrongAutoKey, "Incorrect table definition; there can be only one auto column and it must be defined as a key")
		}
		numbered = i
	}
	if c.table.Primary == nil {
		t := types.MakeBigInt()
		t.NotNull = true
		c.table.Primary = []int{len(c.table.Columns)}
		c.table.Columns = append(c.table.Columns, catalog.Column{Name: catalog.RowID, Type: t, Hidden: true})
	}
	return nil
}

// leads reports whether column i is the first of a key.
func (c *creating) leads(i int) bool {
	if len(c.table.Primary) > 0 && c.table.Primary[0] == i {
		return true
	}
	for _, k := range c.table.Unique {
		if k.Columns[0] == i {
			return true
		}
	}
	return false
}
