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

// mark remembers, in a small file beside a stream, where the stream begins and
// ends, so that a message that JetStream hides at either end is missed. The end
// is written after each acknowledgement without fsync: it may lag after a power
// cut but never runs ahead. The beginning is synced before a purge.
type mark struct {
	mu   sync.Mutex
	f    *os.File
	slot int64
	bounds
}

// bounds are the first sequence that was not purged and the last that was
// acknowledged.
type bounds struct{ first, last uint64 }

// A slot is first u64, last u64, CRC32C u32; two take turns, in sectors of their
// own, so that a torn write leaves the other.
const (
	slotSize   = 20
	slotSector = 512
)

func openMark(path string) (*mark, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	m := &mark{f: f, bounds: bounds{first: 1}}
	var buf [slotSize]byte
	for s := range int64(2) {
		if _, err := f.ReadAt(buf[:], s*slotSector); err != nil {
			continue // a new file, or a torn one: the other slot or nothing
		}
		b := bounds{binary.LittleEndian.Uint64(buf[:]), binary.LittleEndian.Uint64(buf[8:])}
		ok := crc32.Checksum(buf[:16], castagnoli) == binary.LittleEndian.Uint32(buf[16:])
		if ok && (b.last > m.last || b.first > m.first) {
			m.bounds, m.slot = b, 1-s
		}
	}
	return m, nil
}

func (m *mark) get() bounds {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bounds
}

// setLast raises the end.
func (m *mark) setLast(seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.last {
		return nil
	}
	return m.write(bounds{m.first, seq})
}

// setFirst raises the beginning, in both slots, durably.
func (m *mark) setFirst(seq uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq <= m.first {
		return nil
	}
	b := bounds{seq, m.last}
	if err := errors.Join(m.write(b), m.write(b)); err != nil {
		return err
	}
	return m.f.Sync()
}

func (m *mark) write(b bounds) error {
	var buf [slotSize]byte
	binary.LittleEndian.PutUint64(buf[:], b.first)
	binary.LittleEndian.PutUint64(buf[8:], b.last)
	binary.LittleEndian.PutUint32(buf[16:], crc32.Checksum(buf[:16], castagnoli))
	if _, err := m.f.WriteAt(buf[:], m.slot*slotSector); err != nil {
		return fmt.Errorf("mark of a log: %w", err)
	}
	m.bounds, m.slot = b, 1-m.slot
	return nil
}

func (m *mark) remove() error {
	return errors.Join(m.f.Close(), os.Remove(m.f.Name()))
}

func (m *mark) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(m.f.Sync(), m.f.Close())
}
