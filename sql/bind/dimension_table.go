package bind

import (
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// dimension checks a dimension table: its rows are elsewhere, so that it has a
// key to ask by, and nothing that only who stores rows could see to.
func (c *creating) dimension(s *parser.StreamTable) error {
	t := c.table
	switch {
	case s.Watermark != nil:
		return sqlerr.Unsupported("WATERMARK FOR in a dimension table")
	case t.Primary == nil:
		return sqlerr.New(sqlerr.WrongArguments, "A dimension table needs a PRIMARY KEY, by which its rows are looked up")
	case t.Options["connector"] == "":
		return sqlerr.New(sqlerr.WrongArguments, "A dimension table needs WITH (connector = '…'), which says where its rows are")
	}
	for i := range t.Columns {
		if t.Columns[i].Default != nil {
			return sqlerr.Unsupported("DEFAULT in a dimension table")
		}
	}
	return nil
}
