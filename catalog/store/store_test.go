package store

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"streamsql/catalog"
)

// memoryLog is a Log in memory that can fail.
type memoryLog struct {
	first uint64
	msgs  map[uint64][]byte
	last  uint64
	fail  error // of the next Append
	land  bool  // the failing Append does its work all the same
}

func newMemoryLog() *memoryLog { return &memoryLog{first: 1, msgs: map[uint64][]byte{}} }

func (m *memoryLog) Append(_ context.Context, data []byte, expect uint64) (uint64, error) {
	err := m.fail
	m.fail = nil
	if expect != m.last {
		return 0, errors.New("wrong last sequence")
	}
	if err == nil || m.land {
		m.last++
		m.msgs[m.last] = slices.Clone(data)
	}
	return m.last, err
}

func (m *memoryLog) Read(_ context.Context, from, to uint64, fn func(uint64, []byte) error) error {
	for seq := from; seq <= to; seq++ {
		if data, ok := m.msgs[seq]; ok {
			if err := fn(seq, data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memoryLog) Bounds(context.Context) (uint64, uint64, error) { return m.first, m.last, nil }

func (m *memoryLog) Purge(_ context.Context, seq uint64) error {
	for s := range m.msgs {
		if s < seq {
			delete(m.msgs, s)
		}
	}
	m.first = max(m.first, seq)
	return nil
}

func open(t *testing.T, log Log) (*Store, string) {
	t.Helper()
	var state *Entry
	s, err := Open(context.Background(), log, func(e *Entry) error { state = e; return nil })
	if err != nil {
		t.Fatal(err)
	}
	return s, describe(state)
}

func describe(e *Entry) string {
	var b strings.Builder
	fmt.Fprintf(&b, "next %d", e.NextID)
	for _, d := range e.Databases {
		fmt.Fprintf(&b, ", %s", d.Name)
	}
	for _, t := range e.Tables {
		fmt.Fprintf(&b, ", %s.%s %q", t.Database, t.Name, t.Plan)
	}
	for k, v := range e.Extra {
		fmt.Fprintf(&b, ", %s=%s", k, v)
	}
	return b.String()
}

func table(id catalog.ID, name string) *catalog.Table {
	return &catalog.Table{ID: id, Database: "shop", Name: name, Kind: catalog.BaseTable, Plan: []byte("p")}
}

func add(t *testing.T, s *Store, e *Entry) {
	t.Helper()
	if err := s.Append(context.Background(), e, s.Version()); err != nil {
		t.Fatal(err)
	}
}

func TestStoreReplay(t *testing.T) {
	log := newMemoryLog()
	s, _ := open(t, log)
	add(t, s, &Entry{Text: "CREATE DATABASE shop", Databases: []*catalog.Database{{ID: 1, Name: "shop"}}})
	add(t, s, &Entry{Tables: []*catalog.Table{table(2, "a"), table(3, "b")}})
	add(t, s, &Entry{DropTables: []catalog.ID{2}, Tables: []*catalog.Table{table(3, "c")}, NextID: 9})
	add(t, s, &Entry{Extra: map[string]json.RawMessage{"x": json.RawMessage("1"), "y": json.RawMessage("2")}})
	add(t, s, &Entry{Extra: map[string]json.RawMessage{"y": json.RawMessage("null")}})
	want := `next 9, shop, shop.c "p", x=1`
	if got := describe(s.State()); got != want {
		t.Fatalf("live: %s", got)
	}
	s, got := open(t, log)
	if got != want || s.Version() != 5 {
		t.Fatalf("replayed: %s, version %d", got, s.Version())
	}
	if err := s.Append(context.Background(), &Entry{}, 4); !errors.Is(err, ErrConflict) {
		t.Fatalf("append after an old version: %v", err)
	}
}

func TestStoreCompact(t *testing.T) {
	log := newMemoryLog()
	s, _ := open(t, log)
	long := strings.Repeat("x", snapshotBytes/2)
	for i := range catalog.ID(5) {
		tab := table(i+1, fmt.Sprint("t", i))
		tab.Comment = long
		add(t, s, &Entry{Tables: []*catalog.Table{tab}})
	}
	want := describe(s.State())
	if err := s.Compact(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(log.msgs) < 3 || log.first != 6 {
		t.Fatalf("%d messages from %d on", len(log.msgs), log.first)
	}
	s, got := open(t, log)
	if got != want {
		t.Fatalf("after compaction: %s", got)
	}
	add(t, s, &Entry{DropTables: []catalog.ID{1}})

	// A snapshot that a crash cut short does not count, if what it stands for is there.
	parts, _ := s.snapshot()
	add(t, s, &Entry{NextID: 77})
	if err := s.append(context.Background(), parts[0]); err != nil {
		t.Fatal(err)
	}
	s, got = open(t, log)
	if !strings.HasPrefix(got, "next 77,") || strings.Contains(got, "t0") {
		t.Fatalf("after half a snapshot: %s", got)
	}
	add(t, s, &Entry{NextID: 78})
	if _, got = open(t, log); !strings.HasPrefix(got, "next 78,") {
		t.Fatalf("an entry after half a snapshot: %s", got)
	}
	delete(log.msgs, log.first) // the first part of the snapshot the log begins with
	log.first++
	if _, err := Open(context.Background(), log, func(*Entry) error { return nil }); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("without the beginning: %v", err)
	}
}

func TestStoreCompactsByItself(t *testing.T) {
	log := newMemoryLog()
	s, _ := open(t, log)
	for range 3 * compactEntries {
		add(t, s, &Entry{Tables: []*catalog.Table{table(1, "a")}})
		add(t, s, &Entry{DropTables: []catalog.ID{1}})
	}
	if len(log.msgs) > compactEntries+1 {
		t.Fatalf("%d entries in the log", len(log.msgs))
	}
	if _, got := open(t, log); got != "next 2" {
		t.Fatalf("replayed: %s", got)
	}
}

func TestStoreAppendFails(t *testing.T) {
	log := newMemoryLog()
	s, _ := open(t, log)
	log.fail, log.land = errors.New("no answer"), false
	if err := s.Append(context.Background(), &Entry{NextID: 5}, 0); err == nil || s.NextID() != 1 {
		t.Fatalf("%v, next %d", err, s.NextID())
	}
	log.fail, log.land = errors.New("no answer"), true
	if err := s.Append(context.Background(), &Entry{NextID: 5}, 0); err != nil || s.NextID() != 5 || s.Version() != 1 {
		t.Fatalf("landed after all: %v, next %d", err, s.NextID())
	}
	other, _ := open(t, log)
	add(t, other, &Entry{NextID: 6})
	if err := s.Append(context.Background(), &Entry{NextID: 7}, 1); !errors.Is(err, ErrConflict) || s.NextID() != 6 {
		t.Fatalf("somebody else was first: %v, next %d", err, s.NextID())
	}
}

func TestStoreNoticesDamage(t *testing.T) {
	log := newMemoryLog()
	s, _ := open(t, log)
	for i := range catalog.ID(3) {
		add(t, s, &Entry{NextID: 10 + i})
	}
	try := func() error {
		_, err := Open(context.Background(), log, func(*Entry) error { return nil })
		return err
	}
	data := log.msgs[2]
	for i := range len(data) * 8 {
		data[i/8] ^= 1 << (i % 8)
		if err := try(); err == nil {
			t.Fatalf("bit %d flipped was not noticed", i)
		}
		data[i/8] ^= 1 << (i % 8)
	}
	newer := slices.Clone(data)
	newer[4] = 2
	end := len(newer) - crcSize
	binary.LittleEndian.PutUint32(newer[end:], crc32.Checksum(newer[:end], castagnoli))
	log.msgs[2] = newer
	if err := try(); !errors.Is(err, ErrUnknownVersion) {
		t.Fatalf("a newer version: %v", err)
	}
	delete(log.msgs, 2)
	if err := try(); !errors.Is(err, ErrCorrupt) {
		t.Fatalf("a missing entry: %v", err)
	}
}
