package engine

import (
	"context"
	"sync/atomic"
	"time"

	"streamsql/catalog"
	"streamsql/engine/task"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/planner/physical"
)

// maxInFlight is how many batches of a job may be on their way at once: enough
// for stage 1 to work on batch k+1 and k+2 while stage 3 works on k.
const maxInFlight = 3

// job is a continuous query at work. Its fields are guarded by Engine.mu.
type job struct {
	id      catalog.ID
	table   *catalog.Table
	plan    *physical.Plan // what it computes
	whole   *physical.Plan // with the nodes whose rows it takes from others: the view's
	gives   *giver         // as of table; nil: nobody has asked yet
	flow    *task.Flow
	account *account.Account
	cancel  context.CancelCauseFunc // of the filling
	ctx     context.Context         // of its questions outside
	end     context.CancelFunc      // ends ctx
	views   []*job                  // the views it reads
	held    []*external             // the connectors that it reads
	from    *snapshot               // of history, until the tasks have read it all; nil: they have
	fed     chan struct{}           // closed when all of from was sent to them
	readers []*job                  // the views that read it

	linked   bool // what it reads knows of it
	outdated bool // it has failed, and what a checkpoint has of it stays there

	start    uint64          // the batch that holds all of history
	pending  []*pendingBatch // cut, not yet on their way; ids ascend
	inFlight []*flight       // on their way; ids ascend
	history  moments         // batches applied
	backlog  int             // rows of pending, in memory
	loading  bool            // the rows of pending[0] are being read from disk
	filling  bool            // the batch `start` is not applied yet
	filled   filling

	log           changelog
	sink          *sinkEnd // nil: the result is a view
	subscribers   map[*subscription]struct{}
	pace          pace
	wantSnapshot  bool
	rows          int64        // in the newest images that were taken; they may be gone
	freeze        func(frozen) // set: freeze at the next possible batch and hand it over
	freezing      bool         // that batch is in flight
	frozenAt      uint64       // the batch at which it was last frozen for a checkpoint
	frozenOnce    bool
	checkpointed  uint64 // the batch in the last checkpoint that is on disk
	failed        error
	rowErrors     map[rowErrorKey]*RowError
	errorsDropped int64
	late          lateRows
	knows         []uint64         // the streams whose watermarks its plan names
	watermarks    map[uint64]int64 // as of the last batch applied
	due           int64            // when its operators have something to do by themselves
	visit         uint64           // the last batch that saw to that
	batches       uint64           // applied since the start
	rowsIn        uint64
}

// pendingBatch is a batch that was cut and concerns the job.
type pendingBatch struct {
	id     uint64
	now    int64
	direct []sourceInput // from streams and tables; from views it is asked for when due
	// watermarks are the streams' after the batch. alone: the job must see the batch
	// even if it brings no row, since one of them moved or a time has come.
	watermarks map[uint64]int64
	alone      bool
	rows       int // of direct, in memory
	all        int // rows of direct when it was cut
	// after, upTo: the rows are not in direct but in the commit log, in this range.
	after, upTo uint64
	cold        map[*job][]*batch.Chunk // what views changed that had to be read from disk
}

// sourceInput is what a batch holds of one stream or table.
type sourceInput struct {
	table    catalog.ID
	chunks   []*batch.Chunk
	origins  []*task.Origin // of the chunks; a table's are nil
	from, to []uint64       // external source: offsets per partition
	before   []int64        // with event time: the partitions' watermarks before these rows
}

func (in *sourceInput) rows() int {
	n := 0
	for _, c := range in.chunks {
		n += c.N
	}
	for part := range in.to {
		n += int(in.to[part] - in.from[part])
	}
	return n
}

// addInput adds a chunk of a table to what a batch holds.
func addInput(inputs []sourceInput, table catalog.ID, c *batch.Chunk, o *task.Origin) []sourceInput {
	for i := range inputs {
		if in := &inputs[i]; in.table == table {
			in.chunks, in.origins = append(in.chunks, c), append(in.origins, o)
			return inputs
		}
	}
	return append(inputs, sourceInput{table: table, chunks: []*batch.Chunk{c}, origins: []*task.Origin{o}})
}

// flight is a batch on its way through the job.
type flight struct {
	id     uint64
	due    atomic.Int64 // the earliest time that a task asks for, after the batch
	rows   int
	sent   time.Time
	info   *task.Info
	images []operators.Image // by task, filled in by the tasks if asked for
	change [][]*batch.Chunk  // by task: what the batch changed, if it is collected
	states [][]*state.Delta  // by stateful operator: frozen right after the batch, if asked for
	errors errorLog
	late   lateLog
	came   atomic.Int64 // of a sink: rows given, and taken back
	went   atomic.Int64
}

// next is the first batch that is not applied yet; MaxUint64 when there is none.
func (j *job) next() uint64 {
	switch {
	case len(j.inFlight) > 0:
		return j.inFlight[0].id
	case len(j.pending) > 0:
		return j.pending[0].id
	}
	return never
}

// never is a batch id that does not come.
const never = ^uint64(0)

// hasRoom reports whether the job can take another batch soon.
func (j *job) hasRoom() bool {
	return j.failed == nil && !j.filling && !j.table.Paused && !j.clogged() && len(j.inFlight)+len(j.pending) < maxInFlight
}

// collects reports that what a batch of so many rows changes is to be kept: for
// who reads the view, or may want to a little later.
func (j *job) collects(rows int) bool {
	return j.sink != nil || rows <= collectRows || len(j.readers) > 0 || len(j.subscribers) > 0 || j.log.keep.age > 0
}

// trimLog forgets changes that nobody needs and that are not to be kept, and cuts
// off the subscribers that had not taken them in. Engine.mu is held.
func (e *Engine) trimLog(j *job) {
	need := uint64(never)
	for _, r := range j.readers {
		need = min(need, r.next())
		// A restart may put the reader back to its last checkpoint, or to the first
		// one, which is being written.
		if at := r.checkpointed; at > 0 {
			need = min(need, at+1)
		} else if r.frozenAt > 0 {
			need = min(need, r.frozenAt+1)
		}
	}
	if j.sink != nil && !j.sink.kind.Discards {
		need = min(need, j.sink.taken+1)
	}
	j.log.trim(e.now(), need)
	for s := range j.subscribers {
		if s.pos < j.log.from {
			s.cut(errFellBehind(j, s.pos))
		}
	}
}

// took notes images that were taken of the view.
func (j *job) took(images []operators.Image) *imageSet {
	s := newImageSet(images)
	j.rows = s.rows()
	return s
}
