package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"streamsql/catalog"
)

// Log is what the store asks of a durable log. Sequences run from 1 without
// holes and are never given twice.
type Log interface {
	// Append appends data if the last sequence is expect, and returns its sequence
	// once it is on disk. After an error it may or may not be there.
	Append(ctx context.Context, data []byte, expect uint64) (seq uint64, err error)
	// Read calls fn for the messages from `from` to `to` (inclusive) in order.
	Read(ctx context.Context, from, to uint64, fn func(seq uint64, data []byte) error) error
	// Bounds returns the first sequence there is (last+1 if none) and the last ever
	// given. An error that comes with a first sequence says that acknowledged
	// messages beyond last are lost.
	Bounds(ctx context.Context) (first, last uint64, err error)
	// Purge removes the messages below seq.
	Purge(ctx context.Context, seq uint64) error
}

// When the log is compacted: it holds that many entries, and that many times
// more than there are live objects.
const (
	compactEntries = 1000
	compactRatio   = 4
)

// snapshotBytes is about how much JSON goes into one part of a snapshot.
const snapshotBytes = 2 << 20

// Store is the log of DDL together with what it adds up to. Safe for concurrent use.
type Store struct {
	log Log

	mu        sync.Mutex
	last      uint64 // sequence of the last entry that was taken in
	entries   uint64 // in the log
	nextID    catalog.ID
	databases map[catalog.ID]*catalog.Database
	tables    map[catalog.ID]*catalog.Table
	functions map[catalog.ID]*catalog.Function
	secrets   map[catalog.ID]*catalog.Secret
	extra     map[string]json.RawMessage
	parts     []*Entry // of a snapshot not yet whole
	trimmed   bool     // nothing but the parts of the first snapshot was seen, and entries lie before it
	lastNonce uint64   // of the entry at last
	damage    error
}

// Open reads the log and hands what it adds up to, as one Entry, to fn: every
// live object, in the order of ids. An error says what does not verify.
func Open(ctx context.Context, log Log, fn func(*Entry) error) (*Store, error) {
	s := &Store{log: log, nextID: 1}
	s.clear()
	first, last, err := log.Bounds(ctx)
	if err != nil && first == 0 {
		return nil, fmt.Errorf("catalog log: %w", err)
	}
	s.damage = err
	s.last = first - 1
	s.trimmed = first > 1
	if err := s.follow(ctx, last); err != nil {
		return nil, err
	}
	if s.trimmed {
		return nil, corrupt(first, "the log begins with a snapshot that is not whole")
	}
	return s, fn(s.State())
}

func (s *Store) clear() {
	s.databases = map[catalog.ID]*catalog.Database{}
	s.tables = map[catalog.ID]*catalog.Table{}
	s.functions = map[catalog.ID]*catalog.Function{}
	s.secrets = map[catalog.ID]*catalog.Secret{}
	s.extra = map[string]json.RawMessage{}
}

// follow takes in the entries from s.last+1 to last.
func (s *Store) follow(ctx context.Context, last uint64) error {
	err := s.log.Read(ctx, s.last+1, last, func(seq uint64, data []byte) error {
		if seq != s.last+1 {
			return corrupt(s.last+1, "the entry is missing")
		}
		e, nonce, err := decode(seq, data)
		if err != nil {
			return err
		}
		s.last, s.lastNonce = seq, nonce
		return s.takeIn(e)
	})
	if err == nil && s.last < last {
		err = corrupt(s.last+1, "the entry is missing")
	}
	return err
}

// takeIn applies an entry to the state. A snapshot counts once it is whole; a
// beginning of one, left by a crash, is passed over.
func (s *Store) takeIn(e *Entry) error {
	s.entries++
	if e.snapshot == nil {
		if s.trimmed {
			return corrupt(e.Version, "the log begins in the middle")
		}
		s.parts = nil
		s.apply(e)
		return nil
	}
	if e.snapshot.part == 0 {
		s.parts = nil
	}
	if int(e.snapshot.part) != len(s.parts) {
		return corrupt(e.Version, "part %d of a snapshot after %d", e.snapshot.part, len(s.parts))
	}
	s.parts = append(s.parts, e)
	if len(s.parts) < int(e.snapshot.parts) {
		return nil
	}
	s.clear()
	for _, p := range s.parts {
		s.apply(p)
	}
	s.entries, s.parts, s.trimmed = uint64(len(s.parts)), nil, false
	return nil
}

func (s *Store) apply(e *Entry) {
	for _, id := range e.DropDatabases {
		delete(s.databases, id)
	}
	for _, id := range e.DropTables {
		delete(s.tables, id)
	}
	for _, id := range e.DropFunctions {
		delete(s.functions, id)
	}
	for _, id := range e.DropSecrets {
		delete(s.secrets, id)
	}
	for _, d := range e.Databases {
		s.databases[d.ID] = d
		s.nextID = max(s.nextID, d.ID+1)
	}
	for _, t := range e.Tables {
		s.tables[t.ID] = t
		s.nextID = max(s.nextID, t.ID+1)
	}
	for _, f := range e.Functions {
		s.functions[f.ID] = f
		s.nextID = max(s.nextID, f.ID+1)
	}
	for _, x := range e.Secrets {
		s.secrets[x.ID] = x
		s.nextID = max(s.nextID, x.ID+1)
	}
	for k, v := range e.Extra {
		if string(v) == "null" {
			delete(s.extra, k)
		} else {
			s.extra[k] = v
		}
	}
	s.nextID = max(s.nextID, e.NextID)
}

// State returns what the log adds up to: all live objects by id, and the version.
func (s *Store) State() *Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state()
}

func (s *Store) state() *Entry {
	e := &Entry{Version: s.last, NextID: s.nextID, Extra: maps.Clone(s.extra)}
	for _, id := range slices.Sorted(maps.Keys(s.databases)) {
		e.Databases = append(e.Databases, s.databases[id])
	}
	for _, id := range slices.Sorted(maps.Keys(s.tables)) {
		e.Tables = append(e.Tables, s.tables[id])
	}
	for _, id := range slices.Sorted(maps.Keys(s.functions)) {
		e.Functions = append(e.Functions, s.functions[id])
	}
	for _, id := range slices.Sorted(maps.Keys(s.secrets)) {
		e.Secrets = append(e.Secrets, s.secrets[id])
	}
	return e
}

// Damage returns nil, or an error that says that acknowledged changes at the end
// of the log are lost. The store shows what is left and takes no changes.
func (s *Store) Damage() error { return s.damage }

// Version returns the version of the catalog.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// NextID returns the smallest id that was never given.
func (s *Store) NextID() catalog.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.nextID
}

// Append makes e durable as the change after version, and sets e.Version. If
// the catalog has moved on since version it does nothing and returns
// ErrConflict.
func (s *Store) Append(ctx context.Context, e *Entry, version uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damage != nil {
		return s.damage
	}
	if s.last != version {
		return ErrConflict
	}
	if err := s.append(ctx, e); err != nil {
		return err
	}
	if live := uint64(len(s.databases) + len(s.tables) + len(s.functions) + len(s.secrets) + len(s.extra)); s.entries >= compactEntries && s.entries >= compactRatio*live {
		// The entry is durable whatever becomes of this; the next one tries again.
		_ = s.compact(ctx)
	}
	e.Version = s.last
	return nil
}

// append writes one entry. If the outcome is unclear it looks.
func (s *Store) append(ctx context.Context, e *Entry) error {
	nonce := rand.Uint64()
	data, err := encode(e, s.last+1, nonce)
	if err != nil {
		return err
	}
	seq, err := s.log.Append(ctx, data, s.last)
	if err == nil && seq == s.last+1 {
		s.last, s.lastNonce = seq, nonce
		e.Version = seq
		return s.takeIn(e)
	}
	_, last, e2 := s.log.Bounds(ctx)
	if e2 == nil && last > s.last {
		if e2 = s.follow(ctx, last); e2 == nil && s.lastNonce == nonce {
			return nil
		}
		return errors.Join(ErrConflict, e2)
	}
	return fmt.Errorf("catalog log: %w", errors.Join(err, e2))
}

// Compact writes the whole catalog anew and removes the entries before.
func (s *Store) Compact(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compact(ctx)
}

func (s *Store) compact(ctx context.Context) error {
	parts, err := s.snapshot()
	if err != nil {
		return err
	}
	begin := s.last + 1
	for _, p := range parts {
		if err := s.append(ctx, p); err != nil {
			return err
		}
	}
	return s.log.Purge(ctx, begin)
}

// snapshot cuts the state into entries that fit messages.
func (s *Store) snapshot() ([]*Entry, error) {
	all := s.state()
	cur := &Entry{Databases: all.Databases, NextID: all.NextID, Extra: all.Extra, Secrets: all.Secrets}
	parts := []*Entry{cur}
	size := 0
	for _, t := range all.Tables {
		b, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		if size > 0 && size+len(b) > snapshotBytes {
			cur, size = &Entry{}, 0
			parts = append(parts, cur)
		}
		size += len(b)
		cur.Tables = append(cur.Tables, t)
	}
	for _, f := range all.Functions {
		n := len(f.Definition.Code)
		if size > 0 && size+n > snapshotBytes {
			cur, size = &Entry{}, 0
			parts = append(parts, cur)
		}
		size += n
		cur.Functions = append(cur.Functions, f)
	}
	for i, p := range parts {
		p.snapshot = &snapshotPart{uint32(i), uint32(len(parts))}
	}
	return parts, nil
}
