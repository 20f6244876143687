package engine

import (
	"streamsql/catalog"
	"streamsql/catalog/infoschema"
	"streamsql/operators/batch"
)

func isVirtual(id catalog.ID) bool { return id >= infoschema.FirstID }

// virtual computes the rows of a system view, now.
func (e *Engine) virtual(id catalog.ID) []*batch.Chunk {
	cols, n := infoschema.Rows(e.Catalog(), id)
	return []*batch.Chunk{{Cols: cols, N: n}}
}
