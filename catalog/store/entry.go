// Package store is the log of DDL: every change of the catalog as one durable
// entry, appended by compare-and-set and replayed at start. The log itself is
// behind a small interface, for what keeps it lies above this layer.
package store

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/s2"

	"streamsql/catalog"
)

// Entry is one change of the catalog, applied whole or not at all: first what it
// drops goes, then what it puts is added, or replaces what has the same id.
type Entry struct {
	// Version of the catalog that the entry makes; set by the store. It only grows.
	Version uint64 `json:"-"`
	// Text is the statement as typed, for people; empty in a snapshot.
	Text          string              `json:"text,omitempty"`
	DropDatabases []catalog.ID        `json:"drop_databases,omitempty"`
	DropTables    []catalog.ID        `json:"drop_tables,omitempty"` // any objects that stand in FROM
	Databases     []*catalog.Database `json:"databases,omitempty"`
	Tables        []*catalog.Table    `json:"tables,omitempty"` // with plans
	// Functions of the user's own; DropFunctions drops some by id.
	Functions     []*catalog.Function `json:"functions,omitempty"`
	DropFunctions []catalog.ID        `json:"drop_functions,omitempty"`
	Secrets       []*catalog.Secret   `json:"secrets,omitempty"`
	DropSecrets   []catalog.ID        `json:"drop_secrets,omitempty"`
	// NextID is the smallest id never given: 0 leaves it as it was.
	NextID catalog.ID `json:"next_id,omitempty"`
	// Extra holds entries of a kind of their own by name (settings, grants), JSON
	// each; null removes.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`

	snapshot *snapshotPart
}

// snapshotPart says that an entry is part of the whole catalog written anew.
type snapshotPart struct {
	part, parts uint32
}

// The format of a message, numbers little-endian: magic u32, version u16, flags
// u16, sequence u64 (its own), nonce u64 (names the attempt), part u32, parts
// u32 (both 0 unless a snapshot), then the entry as JSON, perhaps compressed
// (S2), and the CRC32C of everything before.
const (
	magic      = 0x54414353 // "SCAT"
	version    = 1
	headerSize = 32
	crcSize    = 4

	flagCompressed = 1

	compressFrom = 4 << 10
	// maxEntry bounds the JSON of an entry, lest a corrupt length allocate more.
	maxEntry = 256 << 20
	// maxMessage bounds a message, in bytes.
	maxMessage = 8<<20 - 4096
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Errors found with errors.Is.
var (
	// ErrConflict: the catalog was changed by somebody else first.
	ErrConflict = errors.New("the catalog was changed by somebody else at the same time")
	// ErrCorrupt: the log does not verify.
	ErrCorrupt = errors.New("corrupt")
	// ErrTooLarge: the entry does not fit a message.
	ErrTooLarge = errors.New("the definition is too large")
	// ErrUnknownVersion: the log was written by a newer release.
	ErrUnknownVersion = errors.New("written by a newer release")
)

func encode(e *Entry, seq, nonce uint64) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("catalog log: %w", err)
	}
	var flags uint16
	if len(body) >= compressFrom {
		body, flags = s2.Encode(nil, body), flagCompressed
	}
	if len(body) > maxMessage {
		return nil, ErrTooLarge
	}
	le := binary.LittleEndian
	out := make([]byte, 0, headerSize+len(body)+crcSize)
	out = le.AppendUint32(out, magic)
	out = le.AppendUint16(out, version)
	out = le.AppendUint16(out, flags)
	out = le.AppendUint64(out, seq)
	out = le.AppendUint64(out, nonce)
	var p snapshotPart
	if e.snapshot != nil {
		p = *e.snapshot
	}
	out = le.AppendUint32(out, p.part)
	out = le.AppendUint32(out, p.parts)
	out = append(out, body...)
	return le.AppendUint32(out, crc32.Checksum(out, castagnoli)), nil
}

func decode(seq uint64, data []byte) (e *Entry, nonce uint64, err error) {
	le := binary.LittleEndian
	end := len(data) - crcSize
	if end < headerSize || le.Uint32(data) != magic {
		return nil, 0, corrupt(seq, "no catalog entry")
	}
	if v := le.Uint16(data[4:]); v > version {
		return nil, 0, fmt.Errorf("catalog log at %d: %w: format version %d, this release knows up to %d", seq, ErrUnknownVersion, v, version)
	}
	if crc32.Checksum(data[:end], castagnoli) != le.Uint32(data[end:]) {
		return nil, 0, corrupt(seq, "CRC")
	}
	if got := le.Uint64(data[8:]); got != seq {
		return nil, 0, corrupt(seq, "was written as %d", got)
	}
	body := data[headerSize:end]
	if le.Uint16(data[6:])&flagCompressed != 0 {
		if n, err := s2.DecodedLen(body); err != nil || n > maxEntry {
			return nil, 0, corrupt(seq, "claims %d bytes", n)
		}
		if body, err = s2.Decode(nil, body); err != nil {
			return nil, 0, corrupt(seq, "%v", err)
		}
	}
	e = &Entry{Version: seq}
	if err := json.Unmarshal(body, e); err != nil {
		return nil, 0, corrupt(seq, "%v", err)
	}
	if parts := le.Uint32(data[28:]); parts > 0 {
		e.snapshot = &snapshotPart{le.Uint32(data[24:]), parts}
	}
	return e, le.Uint64(data[16:]), nil
}

func corrupt(seq uint64, format string, args ...any) error {
	return fmt.Errorf("catalog log at %d: %w: %s", seq, ErrCorrupt, fmt.Sprintf(format, args...))
}
