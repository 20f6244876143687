package checkpoint

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

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

// collectPause is the least time between two collections of the value log.
const collectPause = 2 * time.Second

// collector gives the space of deleted pages back: after a commit, file by file,
// those of which half is stale.
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
	d.collecting.Lock()
	defer d.collecting.Unlock()
	return d.db.RunValueLogGC(0.5)
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
