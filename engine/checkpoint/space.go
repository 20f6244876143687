package checkpoint

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"

	"streamsql/sql/sqlerr"
)

// CheckSpace returns error 1021 if less than low bytes are free where dir lies or
// will lie.
func CheckSpace(dir string, low uint64) error {
	free, err := FreeSpace(dir)
	if err != nil {
		return err
	}
	if free < low {
		return sqlerr.New(sqlerr.DiskFull, "Disk full (%s); waiting for someone to free some space...", dir)
	}
	return nil
}

// FreeSpace returns how many bytes are free where dir lies or will lie.
func FreeSpace(dir string) (uint64, error) {
	for {
		var st syscall.Statfs_t
		err := syscall.Statfs(dir, &st)
		if err == nil {
			return st.Bavail * uint64(st.Bsize), nil
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, os.ErrNotExist) || up == dir {
			return 0, err
		}
		dir = up
	}
}

const (
	// collectPause is the least time between two collections of the value log.
	collectPause = 2 * time.Second
	// mostStale is how much of the value log may be stale whatever is live. To collect a
	// file is to read all of it and to write again what is live: the longer one waits,
	// the less that is, and state that is small and changes everywhere would be written
	// twice else.
	mostStale = 512 << 20
	// pageBytes is about what a stored page takes.
	pageBytes = 16 << 10
)

// collector gives the space of deleted pages back: after a commit, file by file,
// those of which half is stale, while more of the log is stale than live.
func (d *DB) collector() {
	for {
		select {
		case <-d.stop:
			return
		case <-d.collect:
		}
		for d.collectFile() == nil {
			select {
			case <-d.stop:
				return
			default:
			}
		}
		select {
		case <-d.stop:
			return
		case <-time.After(collectPause):
		}
	}
}

func (d *DB) collectFile() error {
	live := d.live.Load()
	if size, err := d.logBytes(); err != nil || size <= live+max(live, mostStale) {
		return errors.Join(badger.ErrNoRewrite, err)
	}
	d.collecting.Lock()
	defer d.collecting.Unlock()
	return d.db.RunValueLogGC(0.5)
}

// logBytes is the space on disk of the value log's files.
func (d *DB) logBytes() (size int64, err error) {
	files, err := filepath.Glob(filepath.Join(d.dir, "*.vlog"))
	for _, f := range files {
		var st syscall.Stat_t
		switch err := syscall.Stat(f, &st); {
		case errors.Is(err, os.ErrNotExist): // collected just now
		case err != nil:
			return 0, err
		default:
			size += st.Blocks * 512 // one that is written is longer than what it holds
		}
	}
	return size, err
}

// What mapped files may have of the process's memory before they are let go of, and
// how often that is looked at.
const (
	mostMapped  = 512 << 20
	mappedEvery = 250 * time.Millisecond
)

// keepMappedSmall keeps what the process has in memory of the value log's files
// small. The system would do so only once the whole machine is short of memory, and
// until then it counts as the process's.
func (d *DB) keepMappedSmall() {
	m, err := newMappedFiles(d.dir)
	if err != nil {
		slog.Warn("what checkpoints have in memory is not bounded", "error", err)
		return
	}
	tick := time.NewTicker(mappedEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
		}
		if m.resident() < mostMapped {
			continue
		}
		d.collecting.Lock()
		err := m.letGo()
		d.collecting.Unlock()
		if err != nil {
			slog.Warn("what checkpoints have in memory is not bounded", "error", err)
			return
		}
	}
}

func be64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }
