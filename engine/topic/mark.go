package topic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"sync"
)

// tailMark remembers, in a small file beside the log, the last sequence that was
// acknowledged. It is written after each acknowledgement without fsync, so it
// may lag after a power cut but never runs ahead: a log that ends before its
// mark has lost its tail, which JetStream itself would hide.
type tailMark struct {
	mu   sync.Mutex
	f    *os.File
	slot int64
	seq  uint64
}

// A slot is sequence u64, CRC32C u32, zero u32; two take turns, in sectors of
// their own, so that a torn write leaves the other.
const (
	markSize   = 16
	markSector = 512
)

func openMark(path string) (*tailMark, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	m := &tailMark{f: f}
	var buf [markSize]byte
	for s := range int64(2) {
		if _, err := f.ReadAt(buf[:], s*markSector); err != nil {
			continue // a new file, or a torn one: the other slot or nothing
		}
		seq := binary.LittleEndian.Uint64(buf[:])
		if crc32.Checksum(buf[:8], castagnoli) == binary.LittleEndian.Uint32(buf[8:]) && seq > m.seq {
			m.seq, m.slot = seq, 1-s
		}
	}
	return m, nil
}

func (m *tailMark) get() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seq
}

// set raises the mark to seq.
func (m *tailMark) set(seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.seq {
		return nil
	}
	var buf [markSize]byte
	binary.LittleEndian.PutUint64(buf[:], seq)
	binary.LittleEndian.PutUint32(buf[8:], crc32.Checksum(buf[:8], castagnoli))
	if _, err := m.f.WriteAt(buf[:], m.slot*markSector); err != nil {
		return fmt.Errorf("tail mark: %w", err)
	}
	m.seq, m.slot = seq, 1-m.slot
	return nil
}

func (m *tailMark) remove() error {
	return errors.Join(m.f.Close(), os.Remove(m.f.Name()))
}

func (m *tailMark) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(m.f.Sync(), m.f.Close())
}
