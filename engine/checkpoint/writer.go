package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// maxValue bounds one value; the value log's files are little larger.
const maxValue = 32 << 20

// written is a page or blob that a round wrote.
type written struct {
	store storeID
	page  uint64
	blob  blobID
	isBlob,
	gone bool
	chunks uint32
}

// Writer writes one round. Its methods may be called by several goroutines, but
// not while or after Commit or Abort, the first of which ends it; an Abort after
// that does nothing, so that it can be deferred.
type Writer struct {
	d     *DB
	round uint64
	wb    *badger.WriteBatch
	swept int // keys of DB.garbage that this round deletes

	mu    sync.Mutex
	done  []written
	err   error
	ended bool // by Commit or Abort
}

// Begin begins round, which must be greater than all before. Error 1021 if the
// disk is nearly full.
func (d *DB) Begin(round uint64) (*Writer, error) {
	if err := CheckSpace(d.dir, d.low); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, cur := d.bounds()
	for _, round := range d.denied {
		cur = max(cur, round)
	}
	if round <= cur || d.open {
		return nil, fmt.Errorf("checkpoint %d after %d, or before another has ended", round, cur)
	}
	d.open = true
	w := &Writer{d: d, round: round, wb: d.db.NewWriteBatch(), swept: len(d.garbage)}
	for _, k := range d.garbage {
		w.note(w.wb.Delete(k))
	}
	return w, nil
}

func (w *Writer) note(err error) {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("checkpoint %d: %w", w.round, err)
	}
}

// PutPages writes the pages of a store that changed: number and bytes, no bytes
// for one that was freed. The bytes must stay as they are until the round ends.
func (w *Writer) PutPages(job, op uint64, part uint32, store uint8, pages iter.Seq2[uint64, []byte]) error {
	s := storeID{job, op, part, store}
	for page, data := range pages {
		if len(data) > maxValue {
			return fmt.Errorf("checkpoint %d: a page of %d bytes", w.round, len(data))
		}
		err := w.wb.SetEntry(entry(pageKey(s, page, w.round), data, len(data) == 0))
		w.mu.Lock()
		w.note(err)
		w.done = append(w.done, written{store: s, page: page, gone: len(data) == 0, chunks: 1})
		err = w.err
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// entry makes a Badger entry; one that says "gone" carries a byte of its own, and
// a mark beside.
func entry(key, data []byte, gone bool) *badger.Entry {
	if gone {
		return badger.NewEntry(key, []byte{0}).WithMeta(metaGone)
	}
	return badger.NewEntry(key, data)
}

// A blob is its size u64 and the CRC32C of its bytes u32, then the bytes, cut
// into chunks.
const (
	blobHeader = 12
	blobChunk  = 4 << 20
)

// PutBlob writes bytes under a name, which replace what had the name before; nil
// removes it. Like pages, blobs need not be written again each round.
func (w *Writer) PutBlob(job uint64, name string, data []byte) error {
	b := blobID{job, name}
	var all []byte
	if data != nil {
		all = make([]byte, 0, blobHeader+len(data))
		all = binary.LittleEndian.AppendUint64(all, uint64(len(data)))
		all = binary.LittleEndian.AppendUint32(all, crc32.Checksum(data, castagnoli))
		all = append(all, data...)
	}
	chunk := uint32(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	for first := true; first || len(all) > 0; first = false {
		n := min(len(all), blobChunk)
		w.note(w.wb.SetEntry(entry(blobKey(b, w.round, chunk), all[:n:n], data == nil)))
		all = all[n:]
		chunk++
	}
	w.done = append(w.done, written{blob: b, isBlob: true, gone: data == nil, chunks: chunk})
	return w.err
}

// Commit makes the round current, with the manifest m: Round and the counts of
// pages are set here. When it returns without error all is on disk, and the
// round before the one before is no more.
func (w *Writer) Commit(m *Manifest) error {
	d := w.d
	w.ended = true
	w.note(w.wb.Flush())
	if w.err != nil {
		w.void()
		return w.err
	}
	d.mu.Lock()
	d.apply(w)
	m.Round = w.round
	for i := range m.Jobs {
		j := &m.Jobs[i]
		for k := range j.Stores {
			s := &j.Stores[k]
			s.Pages = d.pages(storeID{j.ID, s.Op, s.Part, s.Index})
		}
	}
	d.mu.Unlock()
	old := slices.Clone(d.denied)
	if len(d.rounds) == 2 {
		old = append(old, d.rounds[0])
	}
	err := d.db.Update(func(txn *badger.Txn) error {
		for _, round := range old {
			if err := txn.Delete(manifestKey(round)); err != nil {
				return err
			}
		}
		return txn.Set(manifestKey(w.round), encodeManifest(m))
	})
	if err != nil {
		w.note(err)
		w.void()
		return w.err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.garbage = append([][]byte(nil), d.garbage[w.swept:]...)
	d.denied = nil
	d.advance(w, m)
	return nil
}

// Abort gives the round up, unless it has ended.
func (w *Writer) Abort() {
	if w.ended {
		return
	}
	w.ended = true
	w.wb.Cancel()
	w.void()
}

// void takes the round's versions back: what reached the disk of them goes with
// the next round.
func (w *Writer) void() {
	d := w.d
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range w.done {
		if !x.isBlob {
			d.garbage = append(d.garbage, pageKey(x.store, x.page, w.round))
			delete(d.counts, x.store)
			continue
		}
		for chunk := range x.chunks {
			d.garbage = append(d.garbage, blobKey(x.blob, w.round, chunk))
		}
	}
	_, cur := d.bounds()
	d.forget(cur)
	d.open = false
}

// apply enters what w wrote into the index.
func (d *DB) apply(w *Writer) {
	for _, x := range w.done {
		if x.isBlob {
			d.index.blobs[x.blob] = d.index.blobs[x.blob].with(version{w.round, x.chunks, x.gone})
			continue
		}
		n, known := d.counts[x.store]
		if known {
			if _, was := d.index.pages[x.store][x.page].at(w.round); was {
				n--
			}
			if !x.gone {
				n++
			}
			d.counts[x.store] = n
		}
		d.index.addPage(x.store, x.page, version{w.round, 1, x.gone})
	}
}

// pages returns how many pages the newest round has of s.
func (d *DB) pages(s storeID) uint64 {
	n, ok := d.counts[s]
	if !ok {
		n = d.index.count(s, ^uint64(0))
		d.counts[s] = n
	}
	return n
}

// advance makes w's round the newest of the two that are kept.
func (d *DB) advance(w *Writer, m *Manifest) {
	d.rounds = append(d.rounds, w.round)
	if len(d.rounds) > 2 {
		d.rounds = d.rounds[1:]
	}
	prev, cur := d.bounds()
	for _, x := range d.recent {
		if x.isBlob {
			d.pruneBlob(x.blob, prev, cur)
		} else {
			d.prunePage(x.store, x.page, prev, cur)
		}
	}
	d.recent = w.done
	d.open = false
	pages := uint64(0)
	for _, j := range m.Jobs {
		for _, s := range j.Stores {
			pages += s.Pages
		}
	}
	d.live.Store(int64(pages) * pageBytes)
	select {
	case d.collect <- struct{}{}:
	default:
	}
}
