package engine

import (
	"slices"

	"streamsql/catalog"
	"streamsql/engine/topic"
)

// defaultBacklog bounds the rows that wait in memory for one job. Of batches beyond
// it only the place in the commit log is kept, and they are read from there when
// their turn comes: a slow view costs memory to nobody.
const defaultBacklog = 4 << 20

// backlogged counts a batch that was put before a job, and lets go of its rows
// if too many wait already. Engine.mu is held.
func (e *Engine) backlogged(j *job, p *pendingBatch) {
	p.rows = 0
	for i := range p.direct {
		for _, c := range p.direct[i].chunks {
			p.rows += c.N
		}
	}
	p.all = p.rows
	limit := e.cfg.BacklogRows
	if j.table.Paused {
		limit = 0 // it will be a while
	}
	if p.rows == 0 || j.backlog+p.rows <= limit {
		j.backlog += p.rows
		return
	}
	cut, known := e.timeline.Get(p.id)
	before, ok := e.timeline.Get(p.id - 1)
	if !known || !ok {
		j.backlog += p.rows // too long ago to know where it lies
		return
	}
	p.rows, p.after, p.upTo = 0, before.LogSeq, cut.LogSeq
	p.direct = slices.DeleteFunc(p.direct, func(in sourceInput) bool { return in.to == nil })
}

// inLog reports that a batch's rows must be read from the commit log.
func (p *pendingBatch) inLog() bool { return p.upTo > p.after }

// load reads the rows of the batch that is next for a job, then sends it on its
// way: those from the commit log, and what views changed that is no longer in memory.
func (e *Engine) load(j *job, p *pendingBatch) {
	defer e.fills.Done()
	e.logReads.Add(1)
	var inputs []sourceInput
	cold, err := e.readCold(j, p.id)
	if err == nil && p.inLog() {
		inputs, err = e.readInputs(j, p)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	j.loading = false
	if err != nil {
		if e.ctx.Err() == nil {
			e.jobFailed(j, err)
		}
		return
	}
	p.direct, p.after, p.upTo, p.cold = append(p.direct, inputs...), 0, 0, cold
	e.dispatch(j)
}

// readInputs reads what a batch holds of the job's streams and tables.
func (e *Engine) readInputs(j *job, p *pendingBatch) (inputs []sourceInput, err error) {
	err = e.readLog(e.ctx, p.after+1, p.upTo, func(seq uint64, b *topic.Block) error {
		if !j.reads(b.Table) {
			return nil
		}
		c, err := e.chunk(b, nil)
		if err == nil {
			inputs = addInput(inputs, catalog.ID(b.Table), c, e.originOf(seq, b))
		}
		return err
	})
	return inputs, err
}

func (j *job) reads(table uint64) bool {
	for _, s := range j.flow.Sources {
		if s.Table == table {
			return true
		}
	}
	return false
}

// uncutRows counts the rows that are committed but not cut.
func (e *Engine) uncutRows() int {
	n := 0
	for _, g := range e.groups {
		n += g.rows
	}
	return n
}
