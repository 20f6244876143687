package bind

import (
	"sync"

	"streamsql/sql/parser"
)

// parsers read the texts that the catalog keeps: of views and of defaults. A
// parser is costly to make, and one serves one goroutine at a time.
var parsers = sync.Pool{New: func() any { return parser.New() }}

func parseStored(text string, mode parser.Mode) (*parser.Statement, error) {
	p := parsers.Get().(*parser.Parser)
	defer parsers.Put(p)
	return p.Parse(text, mode)
}
