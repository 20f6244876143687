package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"streamsql/catalog"
	"streamsql/engine/checkpoint"
	"streamsql/engine/table"
	"streamsql/engine/topic"
	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
)

// commitRequest is a transaction that changes tables, on its way through the committer.
type commitRequest struct {
	tables []catalog.ID // of writes
	writes []*table.Writes
	blocks []*topic.Block // rows for streams
	mark   *queryMark     // of what changes tables; nil: none
	done   chan struct{}
	seq    uint64
	err    error
}

// maxUncutRows bounds how far commits run ahead of the cuts: beyond it writers
// wait, so that neither memory nor the work of a restart grows with their lead.
const maxUncutRows = 2 * maxBatchRows

// admit lets a writer commit. It waits while commits are too far ahead of the
// cuts, and refuses where nothing may be written.
func (e *Engine) admit(ctx context.Context) error {
	if err := e.writable(); err != nil {
		return err
	}
	return e.await(ctx, func() bool { return e.uncut < maxUncutRows })
}

// Admit returns when a writer would be let in without a wait. A client that has
// not sent its rows yet is so kept from sending them.
func (e *Engine) Admit(ctx context.Context) error { return e.admit(ctx) }

// writable says why nothing may be written now.
func (e *Engine) writable() error {
	switch {
	case e.broken.Load():
		return errStopping()
	case e.full.Load():
		return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); waiting for someone to free some space...", e.cfg.Dir)
	}
	return nil
}

// spaceEvery is how often the free space is looked at: nothing fills what lies
// below the watermark within that time.
const spaceEvery = 100 * time.Millisecond

// spaceLoop makes the engine refuse writes while the disk is nearly full, before
// what keeps the data meets a full one.
func (e *Engine) spaceLoop() {
	defer e.loops.Done()
	tick := time.NewTicker(spaceEvery)
	defer tick.Stop()
	for {
		free, err := e.cfg.FreeSpace(e.cfg.Dir)
		if err != nil {
			slog.Warn("the free space is not known", "directory", e.cfg.Dir, "error", err)
		}
		if full := err == nil && free < checkpoint.LowSpace; e.full.Swap(full) != full {
			slog.Warn("free space", "directory", e.cfg.Dir, "free_mb", free>>20, "writes_refused", full)
		}
		select {
		case <-tick.C:
		case <-e.stopping:
			return
		}
	}
}

// append makes blocks for streams durable. They need no validation: writers
// encode side by side, and the log groups them.
func (e *Engine) append(ctx context.Context, blocks []*topic.Block) (uint64, error) {
	if err := e.admit(ctx); err != nil {
		return 0, err
	}
	// A client that goes away does not take back what is on its way to the disk.
	seq, err := e.log.Append(context.WithoutCancel(ctx), blocks)
	if err != nil {
		e.unstamp(blocks)
	}
	e.stopIfUnknown(err)
	return seq, e.logError(err)
}

// stopIfUnknown ends the engine when the log may hold what memory does not: only
// a restart, which reads the log, makes them agree. A log that once failed to
// write may also not write again before it is opened anew.
func (e *Engine) stopIfUnknown(err error) {
	if errors.Is(err, topic.ErrUnknown) {
		e.fatal("the outcome of a commit is unknown", err)
	}
}

func (e *Engine) logError(err error) error {
	var known *sqlerr.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, topic.ErrClosed):
		return errStopping()
	}
	return sqlerr.New(sqlerr.OutOfResources, "The rows could not be made durable: %v", err)
}

// commit hands a transaction to the committer and waits for it.
func (e *Engine) commit(ctx context.Context, r *commitRequest) (Position, error) {
	if err := e.admit(ctx); err != nil {
		return 0, err
	}
	select {
	case e.commits <- r:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-e.stopping:
		return 0, errStopping()
	}
	// From here on it may become durable: its outcome is awaited.
	select {
	case <-r.done:
	case <-e.ended:
		select {
		case <-r.done:
		default: // the committer ended before it came to this one
			return 0, errStopping()
		}
	}
	return Position(r.seq), r.err
}

// maxGroupCommits bounds how many transactions share one log entry.
const maxGroupCommits = 1024

// commitLoop is the one committer of tables: it validates transactions in the
// order in which they come, applies them, and makes all that waited durable together.
func (e *Engine) commitLoop() {
	defer e.loops.Done()
	for {
		var first *commitRequest
		select {
		case first = <-e.commits:
		case f := <-e.committerDo:
			f()
			continue
		case <-e.stopping:
			return
		}
		requests := []*commitRequest{first}
	more:
		for len(requests) < maxGroupCommits {
			select {
			case r := <-e.commits:
				requests = append(requests, r)
			default:
				break more
			}
		}
		e.commitGroup(requests)
	}
}

// accepted is a changelog that was applied to a table's image.
type accepted struct {
	table  *table.Table
	change *batch.Chunk
	blocks []*topic.Block // of an upsert stream; nil: one of the change
}

func (e *Engine) commitGroup(requests []*commitRequest) {
	var blocks []*topic.Block
	var applied []accepted
	var going []*commitRequest
	for _, r := range requests {
		var changes []accepted
		err := e.writable()
		if err == nil {
			changes, err = e.accept(r)
		}
		if err != nil {
			r.err = err
			close(r.done)
			continue
		}
		for k, a := range changes {
			applied = append(applied, a)
			if a.blocks == nil {
				a.blocks = []*topic.Block{e.newBlock(r.tables[k], a.change)}
				if r.writes[k].Renumbers() {
					a.blocks[0].Flags |= topic.FlagRenumber
				}
			}
			for _, b := range a.blocks {
				if r.mark != nil {
					r.mark.put(b)
				}
			}
			blocks = append(blocks, a.blocks...)
		}
		blocks = append(blocks, r.blocks...)
		going = append(going, r)
	}
	if len(going) == 0 {
		return
	}
	seq, err := e.log.Append(context.Background(), blocks)
	if err != nil {
		e.unstamp(blocks)
		for i := len(applied) - 1; i >= 0; i-- {
			if back := applied[i].table.Revert(applied[i].change); back != nil {
				e.fatal("a table's image cannot be put back", back)
			}
		}
		e.stopIfUnknown(err)
	}
	for _, r := range going {
		r.seq, r.err = seq, e.logError(err)
		close(r.done)
	}
}

// accept validates all write sets of a transaction and applies them, or none.
func (e *Engine) accept(r *commitRequest) ([]accepted, error) {
	var done []accepted
	for k, w := range r.writes {
		e.mu.Lock()
		ts := e.tables[r.tables[k]]
		e.mu.Unlock()
		var err error
		var c *batch.Chunk
		var blocks []*topic.Block
		if ts == nil || ts.Table != w.Table() {
			err = sqlerr.New(sqlerr.NoSuchTable, "A table of the transaction was dropped")
		} else {
			var finish func(*batch.Chunk) *batch.Chunk
			if ts.Desc.Upsert() {
				blocks = []*topic.Block{} // there may be nothing to log
				finish = e.finisher(ts.Table, &blocks)
			}
			c, err = w.Accept(finish)
		}
		if err != nil {
			e.unstamp(blocks)
			for i := len(done) - 1; i >= 0; i-- {
				e.unstamp(done[i].blocks)
				if back := done[i].table.Revert(done[i].change); back != nil {
					e.fatal("a table's image cannot be put back", back)
				}
			}
			return nil, err
		}
		done = append(done, accepted{ts.Table, c, blocks})
	}
	return done, nil
}

// withCommitter runs f while no transaction is being committed.
func (e *Engine) withCommitter(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case e.committerDo <- func() { f(); close(done) }:
		<-done
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-e.stopping:
		return errStopping()
	}
}

// fatal stops everything that writes: what is on disk is right, memory is not
// to be trusted any more, so that no checkpoint is taken of it either. The
// process ends, and a start recovers.
func (e *Engine) fatal(what string, err error) {
	e.broken.Store(true)
	slog.Error("the engine cannot go on", "reason", what, "error", err)
	e.fatalOnce.Do(func() { e.failure <- errors.Join(errors.New(what), err) })
}

func errStopping() error {
	return sqlerr.New(sqlerr.ServerShutdown, "Server shutdown in progress")
}
