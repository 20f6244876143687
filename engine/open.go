package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/engine/checkpoint"
	"streamsql/engine/cutlog"
	"streamsql/engine/eventtime"
	"streamsql/engine/sched"
	"streamsql/engine/task"
	"streamsql/engine/timeline"
	"streamsql/engine/topic"
	"streamsql/operators"
	"streamsql/operators/account"
	"streamsql/operators/connector"
	"streamsql/operators/state"
)

// DefaultWait bounds how long a read waits for views to take in what the
// session wrote, unless it says otherwise.
const DefaultWait = 10 * time.Second

// historyWeight is the share of the cores of views that are being filled, where the
// others' is 1.
const historyWeight = 0.25

// Config is what an engine is opened with.
type Config struct {
	Dir             string        // data directory, made if missing
	Workers         int           // 0: as many as cores
	Memory          int64         // bytes that state and buffers may take together; 0: 70 % of the machine's
	CheckpointEvery time.Duration // 0: a second
	BacklogRows     int           // rows that may wait in memory for one view; 0: about 4 million
	// Functions is the directory of the modules that CREATE FUNCTION … SONAME names;
	// empty: there is none.
	Functions  string
	Connectors *connector.Registry
	// FreeSpace says how many bytes are free where dir lies; nil: it asks the system.
	FreeSpace func(dir string) (uint64, error)

	made       func(*job)    // hears of each job before it works
	keepCuts   uint64        // how many records of cuts stay for those who read as of them; 0: as many as the timeline remembers
	holesBytes int64         // how much must be gained before groups in the middle of the log are deleted
	patience   time.Duration // how long a checkpoint waits for busy views; 0: an interval and a second
	// Trace, if set, hears of each batch's way through the stages of views.
	Trace func(view string, stage, task int, batchID uint64, event string)
}

// trace makes a task's trace of a view.
func (c *Config) trace(view string) func(*task.Task, uint64, string) {
	if c.Trace == nil {
		return nil
	}
	return func(t *task.Task, id uint64, event string) { c.Trace(view, t.Stage, t.Index, id, event) }
}

// Engine is the whole of what runs. Its methods are safe for concurrent use.
type Engine struct {
	cfg        Config
	ctx        context.Context
	cancel     context.CancelFunc
	lock       *os.File
	server     *topic.Server
	log        *topic.Log
	cuts       *cutlog.Log
	checkpoint *checkpoint.DB
	ddl        *store.Store
	pool       *sched.Pool
	group      *sched.Group
	history    *sched.Group // views that are being filled: the others go first
	account    *account.Account
	connectors *connector.Registry

	ddlMu  sync.Mutex // one DDL statement at a time
	lastID catalog.ID // given to an object
	cat    atomic.Pointer[catalog.Snapshot]

	mu             sync.Mutex // the timeline and everything that moves with it
	timeline       timeline.Timeline
	changed        chan struct{} // closed at each progress
	groups         []commitGroup // committed, not cut yet
	committed      uint64        // sequence of the last commit
	tableSeq       uint64        // of the last one that changed a table
	uncut          int           // rows of groups
	opened         Position      // of the last commit before the start: every read sees it
	holds          int           // cutting stands still while > 0
	jobs           map[catalog.ID]*job
	sinks          map[catalog.ID]*job // those of jobs that are sinks
	tables         map[catalog.ID]*tableState
	dimensions     sync.Map // catalog.ID → *dimension
	growths        sync.Map // catalog.ID → *growth, of tables and streams that ALTER has added columns to
	externals      map[catalog.ID]*external
	aligned        [][]*external         // see alignment; nil: to be worked out
	sourcesStopped bool                  // external sources are read no further
	readers        map[catalog.ID][]*job // of streams and tables
	dropped        map[catalog.ID]bool   // since the start
	subscribed     map[*subscription]struct{}
	pins           map[uint64]int // batches that open transactions read at
	tablesFrom     uint64         // the batch of the youngest table
	tasks          int            // per stage
	recovered      Recovery
	replaying      bool             // recorded cuts are being put before the jobs
	watermarks     map[uint64]int64 // of streams, as of the last cut; shared, never changed
	timers         timers
	timed          map[catalog.ID][]*job // by stream: whose plan names its watermark

	streams streams
	upkeep  *upkeep

	roundTurn       chan struct{}             // one checkpoint round at a time; guards the next seven
	round           uint64                    // of the last attempt
	wrote           atomic.Int64              // how long its writing took, in ns
	batchTarget     atomic.Int64              // how long a batch may take its readers under load, in ns
	manifest        *checkpoint.Manifest      // of the newest checkpoint
	previous        *checkpoint.Manifest      // of the one before
	manifestCut     uint64                    // the last cut at the newest
	manifestCatalog uint64                    // the version of the catalog then
	unwritten       map[*state.Store][]uint64 // pages of rounds that failed
	strayed         []frozen                  // parts that came too late for their round; under mu

	processes atomic.Pointer[func(func(...any))] // rows of information_schema.PROCESSLIST

	broken atomic.Bool // see fatal
	full   atomic.Bool // the disk: no writes

	cutNow      chan struct{}
	filledNow   chan struct{} // a view has been filled
	recording   chan recordedCut
	recorded    chan struct{} // closed when recordLoop has ended
	commits     chan *commitRequest
	committerDo chan func()
	stopping    chan struct{}
	ended       chan struct{} // closed when the loops have ended
	stopOnce    sync.Once
	fatalOnce   sync.Once
	failure     chan error
	loops       sync.WaitGroup
	fills       sync.WaitGroup
	queryWrites atomic.Int64 // how often continuous queries wrote into the log: late rows, and results INTO tables
	writers     []*job       // jobs that write into the log, and such as did; Engine.mu guards it
	logReads    atomic.Int64 // batches that were read from the log because memory held enough
}

// Recovery says what a start had to do.
type Recovery struct {
	Checkpoint uint64        `json:"checkpoint"` // the round that was restored, 0: none
	Cuts       int           `json:"cuts"`       // recorded cuts replayed
	Rows       uint64        `json:"rows"`       // rows of these cuts
	Blocks     uint64        `json:"blocks"`     // of the commit log that were read again
	Took       time.Duration `json:"took_ns"`
}

// Open starts an engine on a data directory, recovering what is there.
func Open(cfg Config) (*Engine, error) {
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.NumCPU()
	}
	if cfg.Memory <= 0 {
		cfg.Memory = machineMemory() / 10 * 7
	}
	if cfg.BacklogRows <= 0 {
		cfg.BacklogRows = defaultBacklog
	}
	if cfg.CheckpointEvery <= 0 {
		cfg.CheckpointEvery = time.Second
	}
	if cfg.keepCuts == 0 {
		cfg.keepCuts = timeline.Keep
	}
	if cfg.holesBytes == 0 {
		cfg.holesBytes = holesBytes
	}
	if cfg.patience <= 0 {
		cfg.patience = cfg.CheckpointEvery + time.Second
	}
	if cfg.FreeSpace == nil {
		cfg.FreeSpace = checkpoint.FreeSpace
	}
	e := &Engine{
		cfg: cfg, changed: make(chan struct{}),
		jobs: map[catalog.ID]*job{}, tables: map[catalog.ID]*tableState{}, externals: map[catalog.ID]*external{},
		tasks: cfg.Workers, roundTurn: make(chan struct{}, 1), unwritten: map[*state.Store][]uint64{}, readers: map[catalog.ID][]*job{}, dropped: map[catalog.ID]bool{}, subscribed: map[*subscription]struct{}{}, pins: map[uint64]int{},
		cutNow: make(chan struct{}, 1), filledNow: make(chan struct{}, 1), recording: make(chan recordedCut, 2*maxUnrecorded), recorded: make(chan struct{}),
		commits: make(chan *commitRequest, maxGroupCommits), committerDo: make(chan func()),
		stopping: make(chan struct{}), ended: make(chan struct{}), failure: make(chan error, 1),
		account: account.New("server", nil, cfg.Memory), connectors: cfg.Connectors,
		sinks: map[catalog.ID]*job{}, timed: map[catalog.ID][]*job{},
		timers:  timers{jobs: map[*job]struct{}{}, least: operators.Never, rings: operators.Never},
		upkeep:  newUpkeep(),
		streams: streams{of: map[catalog.ID]*stream{}, idleAt: eventtime.Never},
	}
	e.group = &sched.Group{Name: "default", Weight: 1}
	e.SetBatchTarget(defaultBatchTarget)
	e.history = &sched.Group{Name: "history", Weight: historyWeight}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	if err := e.openStores(); err != nil {
		e.closeStores()
		return nil, err
	}
	e.pool = sched.NewPool(cfg.Workers)
	start := time.Now()
	if err := e.recover(); err != nil {
		e.pool.Close()
		e.closeStores()
		return nil, fmt.Errorf("recovery from %s: %w", cfg.Dir, err)
	}
	e.recovered.Took = time.Since(start)
	e.opened = Position(e.log.LastSeq())
	e.log.OnStamp(e.stamp)
	e.log.OnCommit(e.onCommit)
	e.loops.Add(5)
	go e.upkeepLoop()
	go e.cutLoop()
	go e.spaceLoop()
	go e.recordLoop()
	go e.commitLoop()
	go e.checkpointLoop()
	e.wakeCutter()
	e.adoptSoon()
	return e, nil
}

func (e *Engine) openStores() (err error) {
	if err := os.MkdirAll(e.cfg.Dir, 0o700); err != nil {
		return err
	}
	if e.lock, err = lockDir(e.cfg.Dir); err != nil {
		return err
	}
	if e.server, err = topic.Open(filepath.Join(e.cfg.Dir, "log")); err != nil {
		return err
	}
	if e.log, err = topic.OpenLog(e.ctx, e.server, "main"); err != nil {
		return err
	}
	if e.cuts, err = cutlog.Open(e.ctx, e.server, "cuts"); err != nil {
		return err
	}
	if err := e.openCatalog(); err != nil {
		return err
	}
	// A log that lost what was acknowledged can only be read. Going on would give
	// its sequences again, so that a backup no longer fits.
	for name, err := range map[string]error{"commit log": e.log.Damage(), "log of cuts": e.cuts.Damage(), "catalog": e.ddl.Damage()} {
		if err != nil {
			return fmt.Errorf("the %s is damaged; restore %s from a backup: %w", name, e.cfg.Dir, err)
		}
	}
	e.checkpoint, err = checkpoint.Open(filepath.Join(e.cfg.Dir, "checkpoint"))
	return err
}

// openCatalog replays the log of DDL.
func (e *Engine) openCatalog() error {
	records, err := topic.OpenRecords(e.ctx, e.server, "catalog")
	if err != nil {
		return err
	}
	cat := catalog.NewSnapshot()
	e.ddl, err = store.Open(e.ctx, records, func(s *store.Entry) error {
		e.lastID = s.NextID - 1
		for _, d := range s.Databases {
			if cat, err = cat.WithDatabase(d); err != nil {
				return err
			}
		}
		for _, t := range s.Tables {
			if cat, err = cat.WithTable(t); err != nil {
				return err
			}
		}
		for _, f := range s.Functions {
			if cat, err = cat.WithFunction(f); err != nil {
				return err
			}
		}
		for _, x := range s.Secrets {
			cat = cat.WithSecret(x)
		}
		cat = cat.WithVersion(s.Version)
		return nil
	})
	e.cat.Store(cat)
	return err
}

// lockDir makes sure that no other process works on the directory.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "LOCK"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("data directory %s is in use by another process", dir)
	}
	return f, nil
}

// Catalog is what exists now.
func (e *Engine) Catalog() catalog.Reader { return e.cat.Load() }

// Failure delivers an error after which the process must end.
func (e *Engine) Failure() <-chan error { return e.failure }

// WorkerCPU is the CPU time that the workers have used.
func (e *Engine) WorkerCPU() time.Duration { return e.group.CPU() + e.history.CPU() }

// LongestQuantum is the most CPU time for which a worker was held since the last
// call. Quanta are meant to take sched.Length, and one Step more at most.
func (e *Engine) LongestQuantum() time.Duration { return e.pool.Longest() }

// Recovered says what the start had to do.
func (e *Engine) Recovered() Recovery { return e.recovered }

// Close stops the engine: what was acknowledged is on disk, work under way is
// done again after the next start. It takes a last checkpoint if that is quick.
func (e *Engine) Close() error {
	e.stopOnce.Do(func() {
		e.lastCheckpoint(time.Second)
		close(e.stopping)
	})
	e.cancel()
	e.mu.Lock()
	//lint:ignore SA2001 who saw the engine running has counted what it started
	e.mu.Unlock()
	e.fills.Wait()
	e.loops.Wait()
	close(e.ended)
	e.mu.Lock()
	for _, j := range e.jobs {
		j.flow.Kill()
		j.sink.close()
	}
	e.mu.Unlock()
	close(e.recording)
	<-e.recorded
	e.pool.Close()
	e.releaseSources()
	return e.closeStores()
}

func (e *Engine) closeStores() error {
	var errs []error
	closing := func(name string, f func() error) {
		if err := f(); err != nil {
			slog.Warn("closing failed", "what", name, "error", err)
			errs = append(errs, err)
		}
	}
	if e.log != nil {
		closing("commit log", e.log.Close)
	}
	if e.cuts != nil {
		closing("log of cuts", e.cuts.Close)
	}
	if e.checkpoint != nil {
		closing("checkpoints", e.checkpoint.Close)
	}
	if e.server != nil {
		closing("log server", e.server.Close)
	}
	if e.lock != nil {
		closing("lock", e.lock.Close)
	}
	return errors.Join(errs...)
}
