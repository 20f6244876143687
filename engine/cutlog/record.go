// Package cutlog keeps the record of every cut durably: which input a batch id
// stands for. A replay of the id reads the same rows at the same time. Records
// lie in a JetStream stream of their own, several to a message when they queue
// up, and are trimmed behind the checkpoints.
package cutlog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"streamsql/engine/topic"
)

// Record says what a batch holds. Times are microseconds since 1970 UTC.
type Record struct {
	ID     uint64 // the batch's
	Time   int64  // NOW() of the batch; never less than that of the one before
	LogSeq uint64 // the batch ends here in the commit log, inclusive

	// Offsets are where the batch ends in external sources: by table, one per
	// partition, exclusive.
	Offsets map[uint64][]uint64
	// IdleMarks are the partitions that are idle, of the streams where that changed
	// with this cut: by table, one per partition, the watermark it adopts (Awake: it
	// is not idle).
	IdleMarks map[uint64][]int64
	// Watermarks are those of streams that moved with this cut, after the batch.
	Watermarks map[uint64]int64
	// Timers are what fell due with this cut.
	Timers []Timer
	// Stamps are the watermarks of partitions of external streams with event time
	// before the rows that the batch takes of them: by table, one per partition.
	Stamps map[uint64][]int64

	Attempt    uint32
	OwnerEpoch uint64
}

// Awake is the idle mark of a partition that is not idle.
const Awake = math.MaxInt64

// Timer is a moment that an operator asked for.
type Timer struct {
	Owner uint64 // the job's id
	Due   int64
}

// The format of a message: magic u32, version u16, zero u16, sequence u64 (its
// own), run u64, records u32, then the records as in appendRecord, and the
// CRC32C of everything before.
const (
	magic      = 0x54554353 // "SCUT"
	version    = 2          // 1 had no stamps
	headerSize = 28
	crcSize    = 4
	maxMessage = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func encodeMessage(seq, run uint64, records [][]byte) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, magic)
	out = le.AppendUint16(out, version)
	out = le.AppendUint16(out, 0)
	out = le.AppendUint64(out, seq)
	out = le.AppendUint64(out, run)
	out = le.AppendUint32(out, uint32(len(records)))
	for _, r := range records {
		out = append(out, r...)
	}
	return le.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

func decodeMessage(seq uint64, data []byte) (run uint64, records []Record, err error) {
	le := binary.LittleEndian
	end := len(data) - crcSize
	if end < headerSize || le.Uint32(data) != magic {
		return 0, nil, corrupt(seq, "no cut record")
	}
	v := le.Uint16(data[4:])
	if v == 0 || v > version {
		return 0, nil, corrupt(seq, "format version %d is not known, only those up to %d", v, version)
	}
	if crc32.Checksum(data[:end], castagnoli) != le.Uint32(data[end:]) {
		return 0, nil, corrupt(seq, "CRC")
	}
	if got := le.Uint64(data[8:]); got != seq {
		return 0, nil, corrupt(seq, "was written as %d", got)
	}
	r := reader{data: data[headerSize:end], version: v}
	for range le.Uint32(data[24:]) {
		records = append(records, r.record())
		if r.bad {
			return 0, nil, corrupt(seq, "a record does not fit")
		}
	}
	if len(r.data) > 0 {
		return 0, nil, corrupt(seq, "%d bytes too many", len(r.data))
	}
	return le.Uint64(data[16:]), records, nil
}

func corrupt(seq uint64, format string, args ...any) error {
	return &topic.LogError{Log: "cuts", Seq: seq, Err: fmt.Errorf("%w: %s", topic.ErrCorrupt, fmt.Sprintf(format, args...))}
}

// appendRecord appends r in variable-length integers, signed ones in zigzag:
// id, time, log sequence, attempt, owner epoch; offsets, idle marks and
// watermarks, each a count and then its entries by ascending table; timers; stamps.
func appendRecord(out []byte, r *Record) []byte {
	out = binary.AppendUvarint(out, r.ID)
	out = binary.AppendVarint(out, r.Time)
	out = binary.AppendUvarint(out, r.LogSeq)
	out = binary.AppendUvarint(out, uint64(r.Attempt))
	out = binary.AppendUvarint(out, r.OwnerEpoch)
	out = binary.AppendUvarint(out, uint64(len(r.Offsets)))
	for _, t := range slices.Sorted(maps.Keys(r.Offsets)) {
		out = binary.AppendUvarint(out, t)
		out = binary.AppendUvarint(out, uint64(len(r.Offsets[t])))
		for _, o := range r.Offsets[t] {
			out = binary.AppendUvarint(out, o)
		}
	}
	out = appendLists(out, r.IdleMarks)
	out = binary.AppendUvarint(out, uint64(len(r.Watermarks)))
	for _, t := range slices.Sorted(maps.Keys(r.Watermarks)) {
		out = binary.AppendUvarint(out, t)
		out = binary.AppendVarint(out, r.Watermarks[t])
	}
	out = binary.AppendUvarint(out, uint64(len(r.Timers)))
	for _, t := range r.Timers {
		out = binary.AppendUvarint(out, t.Owner)
		out = binary.AppendVarint(out, t.Due)
	}
	return appendLists(out, r.Stamps)
}

// appendLists appends a list of each of some tables.
func appendLists(out []byte, lists map[uint64][]int64) []byte {
	out = binary.AppendUvarint(out, uint64(len(lists)))
	for _, t := range slices.Sorted(maps.Keys(lists)) {
		out = binary.AppendUvarint(out, t)
		out = binary.AppendUvarint(out, uint64(len(lists[t])))
		for _, m := range lists[t] {
			out = binary.AppendVarint(out, m)
		}
	}
	return out
}

// reader takes a record apart. After the first thing that does not fit it is
// bad and returns zeros.
type reader struct {
	data    []byte
	version uint16
	bad     bool
}

func (r *reader) record() Record {
	rec := Record{ID: r.unsigned(), Time: r.signed(), LogSeq: r.unsigned(), Attempt: uint32(r.unsigned()), OwnerEpoch: r.unsigned()}
	for range r.count() {
		if rec.Offsets == nil {
			rec.Offsets = map[uint64][]uint64{}
		}
		t := r.unsigned()
		list := make([]uint64, r.count())
		for i := range list {
			list[i] = r.unsigned()
		}
		rec.Offsets[t] = list
	}
	rec.IdleMarks = r.lists()
	for range r.count() {
		if rec.Watermarks == nil {
			rec.Watermarks = map[uint64]int64{}
		}
		t := r.unsigned()
		rec.Watermarks[t] = r.signed()
	}
	if n := r.count(); n > 0 {
		rec.Timers = make([]Timer, n)
		for i := range rec.Timers {
			rec.Timers[i] = Timer{Owner: r.unsigned(), Due: r.signed()}
		}
	}
	if r.version > 1 {
		rec.Stamps = r.lists()
	}
	return rec
}

// lists reads a list of each of some tables; nil: there is none.
func (r *reader) lists() map[uint64][]int64 {
	var lists map[uint64][]int64
	for range r.count() {
		if lists == nil {
			lists = map[uint64][]int64{}
		}
		t := r.unsigned()
		list := make([]int64, r.count())
		for i := range list {
			list[i] = r.signed()
		}
		lists[t] = list
	}
	return lists
}

// count reads a number of things that take at least a byte each.
func (r *reader) count() int {
	n := r.unsigned()
	if n > uint64(len(r.data)) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) unsigned() uint64 {
	v, n := binary.Uvarint(r.data)
	return r.took(n, v)
}

func (r *reader) signed() int64 {
	v, n := binary.Varint(r.data)
	return int64(r.took(n, uint64(v)))
}

func (r *reader) took(n int, v uint64) uint64 {
	if n <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}
