package engine

import (
	"context"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/sql/bind"
)

// rename gives objects other names. What reads them by their ids, as continuous
// queries do, goes on; a plain view's text no longer finds them, as in MySQL.
func (e *Engine) rename(ctx context.Context, s *bind.RenameTables) error {
	next, changed, err := s.Resolve(e.cat.Load())
	if err != nil {
		return err
	}
	if err := e.logDDL(ctx, next, store.Entry{Tables: changed}); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range changed {
		if ts := e.tables[t.ID]; ts != nil {
			ts.Rename(t.Name)
		}
	}
	return nil
}

// alter changes a definition that no row depends on.
func (e *Engine) alter(ctx context.Context, s *bind.AlterTable) error {
	cat := e.cat.Load()
	old, ok := cat.Table(s.Name.DB, s.Name.Name)
	if !ok {
		return catalog.NoSuchTable(s.Name.DB, s.Name.Name)
	}
	t, err := s.Change(*old)
	if err != nil {
		return err
	}
	next, err := cat.WithChanged(t)
	if err != nil {
		return err
	}
	return e.logDDL(ctx, next, store.Entry{Tables: []*catalog.Table{t}})
}
