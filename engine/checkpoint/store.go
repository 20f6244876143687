package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
)

// DB is the store of checkpoints. Safe for concurrent use; one round at a time.
type DB struct {
	db     *badger.DB
	dir    string
	low    uint64 // bytes that must stay free
	damage error

	mu      sync.Mutex
	index   *index
	counts  map[storeID]uint64 // of the newest round
	rounds  []uint64           // that have manifests, oldest first; at most two
	denied  []uint64           // newer ones that Deny gave up; the next round removes their manifests
	recent  []written          // of the newest round: what they replaced goes with the next
	garbage [][]byte           // keys to delete with the next round, in this order
	open    bool               // a round is under way

	live       atomic.Int64  // bytes of the newest round's pages, about
	collect    chan struct{} // asks for a collection of the value log
	collecting sync.Mutex    // held while files may be unmapped
	stop       chan struct{}
	loops      sync.WaitGroup
}

// LowSpace is the free space in bytes below which no checkpoint begins: Badger
// maps its files, and would die on a full disk.
const LowSpace = 512 << 20

// Open opens the checkpoints under dir, which is made if missing. Files that
// Badger cannot open are moved aside, to dir with ".damaged" and the time behind
// it, and an empty store is opened: see Damage.
func Open(dir string) (*DB, error) {
	if err := CheckSpace(dir, LowSpace); err != nil {
		return nil, err
	}
	d := &DB{dir: dir, low: LowSpace}
	err := d.load()
	if err != nil {
		aside := fmt.Sprintf("%s.damaged-%s", dir, time.Now().UTC().Format("20060102T150405.000"))
		if e := os.Rename(dir, aside); e != nil {
			return nil, errors.Join(err, e)
		}
		d.damage = fmt.Errorf("%w: %w; moved to %s", ErrCorrupt, err, aside)
		slog.Error("checkpoints cannot be read", "error", d.damage)
		if err := d.load(); err != nil {
			return nil, err
		}
	}
	d.collect, d.stop = make(chan struct{}, 1), make(chan struct{})
	d.loops.Go(d.collector)
	d.loops.Go(d.keepMappedSmall)
	return d, nil
}

// load opens Badger and reads all keys.
func (d *DB) load() (err error) {
	defer func() {
		if p := recover(); p != nil { // Badger panics on some damaged files
			err = fmt.Errorf("badger: %v", p)
		}
	}()
	o := badgerOptions(d.dir)
	if err = removeEmpty(d.dir); err != nil {
		return err
	}
	if err = precheck(o); err != nil {
		return err
	}
	if d.db, err = badger.Open(o); err != nil {
		return err
	}
	if err = d.scan(); err != nil {
		_ = d.db.Close()
	}
	return err
}

func badgerOptions(dir string) badger.Options {
	return badger.DefaultOptions(dir).
		WithSyncWrites(true).
		WithVerifyValueChecksum(true).
		WithChecksumVerificationMode(options.OnTableAndBlockRead).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithLogger(badgerLogger{}).
		// Pages lie in the value log, and only keys are sorted and merged. Few keys
		// to a memtable: what is stale is found when memtables are merged, so that a
		// large one would let the value log grow.
		WithValueThreshold(1 << 10).
		WithValueLogFileSize(64 << 20).
		WithMemTableSize(1 << 20).
		WithNumMemtables(2).
		WithNumLevelZeroTables(2).
		WithNumLevelZeroTablesStall(8).
		WithNumCompactors(2).
		WithCompression(options.None).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0)
}

// scan builds the index, and finds what nobody needs: pages of rounds that never
// got a manifest, and versions that both kept rounds see replaced.
func (d *DB) scan() error {
	d.index, d.counts = newIndex(), map[storeID]uint64{}
	d.rounds, d.recent, d.garbage = nil, nil, nil
	type orphan struct {
		key   []byte
		round uint64
	}
	var orphans []orphan
	err := d.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			item := it.Item()
			k := item.Key()
			gone := item.UserMeta() == metaGone
			var round uint64
			switch k[0] {
			case manifestPrefix:
				if len(k) != 9 {
					return fmt.Errorf("%w: a key of %d bytes", ErrCorrupt, len(k))
				}
				d.rounds = append(d.rounds, be64(k[1:]))
				continue
			case pagePrefix:
				s, page, r, err := parsePageKey(k)
				if err != nil {
					return err
				}
				round = r
				d.index.addPage(s, page, version{r, 1, gone})
			case blobPrefix:
				b, r, chunk, err := parseBlobKey(k)
				if err != nil {
					return err
				}
				round = r
				d.index.blobs[b] = d.index.blobs[b].with(version{r, chunk + 1, gone})
			default:
				return fmt.Errorf("%w: a key of kind %q", ErrCorrupt, k[0])
			}
			orphans = append(orphans, orphan{item.KeyCopy(nil), round})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for len(d.rounds) > 2 {
		d.garbage = append(d.garbage, manifestKey(d.rounds[0]))
		d.rounds = d.rounds[1:]
	}
	prev, cur := d.bounds()
	for _, o := range orphans {
		if o.round > cur {
			d.garbage = append(d.garbage, o.key)
		}
	}
	d.forget(cur)
	d.dropStrangers()
	d.pruneAll(prev, cur)
	d.recall(cur)
	return nil
}

// recall finds again what the newest round wrote.
func (d *DB) recall(cur uint64) {
	for s, m := range d.index.pages {
		for p, vs := range m {
			if vs[len(vs)-1].round == cur {
				d.recent = append(d.recent, written{store: s, page: p})
			}
		}
	}
	for b, vs := range d.index.blobs {
		if vs[len(vs)-1].round == cur {
			d.recent = append(d.recent, written{blob: b, isBlob: true})
		}
	}
}

// dropStrangers drops the jobs that neither kept manifest names. If one does not
// verify it does nothing.
func (d *DB) dropStrangers() {
	known := map[uint64]bool{}
	for _, round := range d.rounds {
		data, err := d.get(manifestKey(round))
		if err != nil {
			return
		}
		m, err := decodeManifest(round, data)
		if err != nil {
			return
		}
		for _, j := range m.Jobs {
			known[j.ID] = true
		}
	}
	jobs := map[uint64]bool{}
	for s := range d.index.pages {
		jobs[s.job] = true
	}
	for b := range d.index.blobs {
		jobs[b.job] = true
	}
	for job := range jobs {
		if !known[job] {
			d.dropJob(job)
		}
	}
}

// bounds returns the two kept rounds: the same twice if there is one, 0 if none.
func (d *DB) bounds() (prev, cur uint64) {
	if len(d.rounds) == 0 {
		return 0, 0
	}
	return d.rounds[0], d.rounds[len(d.rounds)-1]
}

// forget removes versions newer than cur from the index.
func (d *DB) forget(cur uint64) {
	newer := func(v version) bool { return v.round > cur }
	for s, m := range d.index.pages {
		for p, vs := range m {
			if vs = slices.DeleteFunc(vs, newer); len(vs) == 0 {
				delete(m, p)
			} else {
				m[p] = vs
			}
		}
		if len(m) == 0 {
			delete(d.index.pages, s)
		}
	}
	for b, vs := range d.index.blobs {
		if vs = slices.DeleteFunc(vs, newer); len(vs) == 0 {
			delete(d.index.blobs, b)
		} else {
			d.index.blobs[b] = vs
		}
	}
}

// pruneAll finds all versions that neither round sees.
func (d *DB) pruneAll(prev, cur uint64) {
	for s, m := range d.index.pages {
		for p := range m {
			d.prunePage(s, p, prev, cur)
		}
	}
	for b := range d.index.blobs {
		d.pruneBlob(b, prev, cur)
	}
}

func (d *DB) prunePage(s storeID, page, prev, cur uint64) {
	m := d.index.pages[s]
	keep, drop := m[page].prune(prev, cur)
	for _, v := range drop {
		d.garbage = append(d.garbage, pageKey(s, page, v.round))
	}
	if len(keep) > 0 {
		m[page] = keep
		return
	}
	delete(m, page)
	if len(m) == 0 {
		delete(d.index.pages, s)
		delete(d.counts, s)
	}
}

func (d *DB) pruneBlob(b blobID, prev, cur uint64) {
	keep, drop := d.index.blobs[b].prune(prev, cur)
	for _, v := range drop {
		for chunk := range v.chunks {
			d.garbage = append(d.garbage, blobKey(b, v.round, chunk))
		}
	}
	if len(keep) > 0 {
		d.index.blobs[b] = keep
	} else {
		delete(d.index.blobs, b)
	}
}

// Damage returns nil, or an error (ErrCorrupt) that says that the files could
// not be opened at all and where they were moved.
func (d *DB) Damage() error { return d.damage }

// Latest returns the manifest of the newest checkpoint: ErrNone if there is none,
// ErrCorrupt if it does not verify.
func (d *DB) Latest() (*Manifest, error) { return d.manifest(0) }

// Previous returns the manifest of the checkpoint before the newest.
func (d *DB) Previous() (*Manifest, error) { return d.manifest(1) }

// manifest reads the manifest of the round that lies back rounds back.
func (d *DB) manifest(back int) (*Manifest, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.rounds) <= back {
		return nil, ErrNone
	}
	round := d.rounds[len(d.rounds)-1-back]
	data, err := d.get(manifestKey(round))
	if err != nil {
		return nil, fmt.Errorf("checkpoint %d: %w", round, err)
	}
	return decodeManifest(round, data)
}

// Deny gives up the newest checkpoint, which the caller found not to verify: the
// one before becomes the newest, and the next round follows that. On disk it
// stays until then.
func (d *DB) Deny() {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.rounds)
	if n == 0 {
		return
	}
	denied := d.rounds[n-1]
	d.denied = append(d.denied, denied)
	d.rounds = d.rounds[:n-1]
	prev, cur := d.bounds()
	d.discard(cur)
	clear(d.counts)
	d.recent = nil
	d.pruneAll(prev, cur)
	d.recall(cur)
}

// discard makes garbage of the versions newer than cur.
func (d *DB) discard(cur uint64) {
	for s, m := range d.index.pages {
		for p, vs := range m {
			for _, v := range vs {
				if v.round > cur {
					d.garbage = append(d.garbage, pageKey(s, p, v.round))
				}
			}
		}
	}
	for b, vs := range d.index.blobs {
		for _, v := range vs {
			for chunk := range v.chunks {
				if v.round > cur {
					d.garbage = append(d.garbage, blobKey(b, v.round, chunk))
				}
			}
		}
	}
	d.forget(cur)
}

// NewestRound is the number of the newest round there is, denied ones included: 0
// if there is none.
func (d *DB) NewestRound() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, cur := d.bounds()
	for _, round := range d.denied {
		cur = max(cur, round)
	}
	return cur
}

// get reads one value, which the caller may keep.
func (d *DB) get(key []byte) (data []byte, err error) {
	err = d.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(key)
		if err == nil {
			data, err = item.ValueCopy(nil)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return data, nil
}

// LoadPages calls fn for each page that round holds of s, in the order of their
// numbers; fn keeps data. It fails with ErrCorrupt if a page cannot be read or
// there are not as many as s, taken from the round's manifest, says. The hash is
// for the caller to compare.
func (d *DB) LoadPages(round, job uint64, s Store, fn func(page uint64, data []byte) error) error {
	id := storeID{job, s.Op, s.Part, s.Index}
	d.mu.Lock()
	m := d.index.pages[id]
	type place struct{ page, round uint64 }
	var places []place
	for _, p := range slices.Sorted(maps.Keys(m)) {
		if v, ok := m[p].at(round); ok {
			places = append(places, place{p, v.round})
		}
	}
	d.mu.Unlock()
	if uint64(len(places)) != s.Pages {
		return fmt.Errorf("checkpoint %d: %w: job %d, operator %d, part %d, store %d has %d of %d pages",
			round, ErrCorrupt, job, s.Op, s.Part, s.Index, len(places), s.Pages)
	}
	for _, p := range places {
		data, err := d.get(pageKey(id, p.page, p.round))
		if err == nil && len(data) == 0 {
			err = ErrCorrupt // what Badger reads beyond the end of a value log that was cut
		}
		if err != nil {
			return fmt.Errorf("checkpoint %d: job %d, operator %d, page %d: %w", round, job, s.Op, p.page, err)
		}
		if err := fn(p.page, data); err != nil {
			return err
		}
	}
	return nil
}

// LoadBlobs calls fn for each blob that round holds of job, by name; fn keeps data.
func (d *DB) LoadBlobs(round, job uint64, fn func(name string, data []byte) error) error {
	type place struct {
		id blobID
		v  version
	}
	var places []place
	d.mu.Lock()
	for b, vs := range d.index.blobs {
		if v, ok := vs.at(round); ok && b.job == job {
			places = append(places, place{b, v})
		}
	}
	d.mu.Unlock()
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.id.name, b.id.name) })
	for _, p := range places {
		data, err := d.blob(p.id, p.v)
		if err != nil {
			return fmt.Errorf("checkpoint %d: job %d, %s: %w", round, job, p.id.name, err)
		}
		if err := fn(p.id.name, data); err != nil {
			return err
		}
	}
	return nil
}

// ReadBlob reads a blob as the newest round has it: ErrNone if it has none. It
// may be called while rounds are written.
func (d *DB) ReadBlob(job uint64, name string) ([]byte, error) {
	b := blobID{job, name}
	for try := 0; ; try++ {
		d.mu.Lock()
		_, cur := d.bounds()
		v, ok := d.index.blobs[b].at(cur)
		d.mu.Unlock()
		if !ok {
			return nil, ErrNone
		}
		// A round that ends meanwhile may replace the version and sweep this one.
		data, err := d.blob(b, v)
		if err == nil || try == 2 {
			return data, err
		}
	}
}

func (d *DB) blob(b blobID, v version) ([]byte, error) {
	var all []byte
	for chunk := range v.chunks {
		data, err := d.get(blobKey(b, v.round, chunk))
		if err != nil {
			return nil, err
		}
		all = append(all, data...)
	}
	if len(all) < blobHeader {
		return nil, ErrCorrupt
	}
	data := all[blobHeader:]
	if binary.LittleEndian.Uint64(all) != uint64(len(data)) || binary.LittleEndian.Uint32(all[8:]) != crc32.Checksum(data, castagnoli) {
		return nil, ErrCorrupt
	}
	return data, nil
}

// DropJob forgets all pages and blobs of a job that is no more. It must not be in
// the manifest of a round under way. The space comes back with later rounds.
func (d *DB) DropJob(job uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropJob(job)
}

func (d *DB) dropJob(job uint64) {
	for s, m := range d.index.pages {
		if s.job != job {
			continue
		}
		for p, vs := range m {
			for _, v := range vs {
				d.garbage = append(d.garbage, pageKey(s, p, v.round))
			}
		}
		delete(d.index.pages, s)
		delete(d.counts, s)
	}
	for b, vs := range d.index.blobs {
		if b.job != job {
			continue
		}
		for _, v := range vs {
			for chunk := range v.chunks {
				d.garbage = append(d.garbage, blobKey(b, v.round, chunk))
			}
		}
		delete(d.index.blobs, b)
	}
}

// Close closes the files. A round under way is void.
func (d *DB) Close() error {
	close(d.stop)
	d.loops.Wait()
	return d.db.Close()
}

// badgerLogger passes Badger's warnings and errors on to slog.
type badgerLogger struct{}

func (badgerLogger) Errorf(f string, a ...any) {
	slog.Error("checkpoints", "message", fmt.Sprintf(f, a...))
}
func (badgerLogger) Warningf(f string, a ...any) {
	slog.Warn("checkpoints", "message", fmt.Sprintf(f, a...))
}
func (badgerLogger) Infof(string, ...any)  {}
func (badgerLogger) Debugf(string, ...any) {}
