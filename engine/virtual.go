package engine

import (
	"streamsql/catalog"
	"streamsql/operators/batch"
)

// virtualIDs is where the ids of system views begin: no stored object gets one.
const virtualIDs = catalog.ID(1) << 48

func isVirtual(id catalog.ID) bool { return id >= virtualIDs }

// virtual computes the rows of a system view, now.
func (e *Engine) virtual(id catalog.ID) []*batch.Chunk {
	if e.cfg.Virtual == nil {
		return nil
	}
	return e.cfg.Virtual(e, id)
}
