package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Errors found with errors.Is.
var (
	// ErrNone: there is no such checkpoint.
	ErrNone = errors.New("no checkpoint")
	// ErrCorrupt: the checkpoint does not verify. The one before may.
	ErrCorrupt = errors.New("checkpoint is corrupt")
)

// Manifest says what a checkpoint holds. It names every living job: Open drops
// what it finds of a job that is in neither kept manifest.
type Manifest struct {
	Round uint64
	Jobs  []Job
}

// Job is what a checkpoint holds of one job.
type Job struct {
	ID     uint64
	Batch  uint64 // the last batch that is applied
	Stores []Store
	Meta   []byte // the caller's own
}

// Store names one state store. Rows and Hash are the caller's, to compare with
// what it loaded; Pages is counted by Commit and verified by LoadPages.
type Store struct {
	Op    uint64
	Part  uint32
	Index uint8
	Rows  uint64
	Hash  uint64
	Pages uint64
}

const manifestVersion = 2 // 2: groups have one COUNT(*), and their distinct values once

// encodeManifest: version u32, round u64, then variable-length integers: jobs,
// and of each id, batch, bytes of Meta, Meta, stores; of each op, part, index,
// rows, hash, pages; and the CRC32C of everything before.
func encodeManifest(m *Manifest) []byte {
	out := binary.LittleEndian.AppendUint32(nil, manifestVersion)
	out = binary.LittleEndian.AppendUint64(out, m.Round)
	out = binary.AppendUvarint(out, uint64(len(m.Jobs)))
	for _, j := range m.Jobs {
		out = binary.AppendUvarint(out, j.ID)
		out = binary.AppendUvarint(out, j.Batch)
		out = binary.AppendUvarint(out, uint64(len(j.Meta)))
		out = append(out, j.Meta...)
		out = binary.AppendUvarint(out, uint64(len(j.Stores)))
		for _, s := range j.Stores {
			for _, v := range [...]uint64{s.Op, uint64(s.Part), uint64(s.Index), s.Rows, s.Hash, s.Pages} {
				out = binary.AppendUvarint(out, v)
			}
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func decodeManifest(round uint64, data []byte) (*Manifest, error) {
	bad := func(what string) (*Manifest, error) {
		return nil, fmt.Errorf("checkpoint %d: %w: manifest: %s", round, ErrCorrupt, what)
	}
	end := len(data) - 4
	if end < 12 || crc32.Checksum(data[:end], castagnoli) != binary.LittleEndian.Uint32(data[end:]) {
		return bad("CRC")
	}
	if v := binary.LittleEndian.Uint32(data); v != manifestVersion {
		return nil, fmt.Errorf("checkpoint %d was written by another release: format version %d, this one knows %d", round, v, manifestVersion)
	}
	m := &Manifest{Round: binary.LittleEndian.Uint64(data[4:])}
	if m.Round != round {
		return bad(fmt.Sprintf("is of round %d", m.Round))
	}
	rest, ok := data[12:end], true
	next := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 {
			ok, rest = false, nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	for range next() {
		j := Job{ID: next(), Batch: next()}
		if n := next(); n > uint64(len(rest)) {
			ok = false
		} else if n > 0 {
			j.Meta, rest = rest[:n:n], rest[n:]
		}
		for n := next(); n > 0 && ok; n-- {
			j.Stores = append(j.Stores, Store{Op: next(), Part: uint32(next()), Index: uint8(next()), Rows: next(), Hash: next(), Pages: next()})
		}
		if !ok {
			return bad("cut short")
		}
		m.Jobs = append(m.Jobs, j)
	}
	return m, nil
}

// Job finds a job in m; nil if it is not there.
func (m *Manifest) Job(id uint64) *Job {
	for i := range m.Jobs {
		if m.Jobs[i].ID == id {
			return &m.Jobs[i]
		}
	}
	return nil
}
