package connector

import (
	"container/list"
	"context"
	"sync"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/state"
	"streamsql/sql/types"
)

// Cache is a Lookup before another one, which it asks for what it does not have.
// It also remembers which keys have no row. It is safe for concurrent use; the
// lookup behind it is asked one question at a time.
type Cache struct {
	lookup Lookup
	size   int           // entries
	ttl    time.Duration // 0: for ever
	now    func() time.Time
	keys   *state.Codec
	rows   *state.Codec

	asking sync.Mutex // held while the lookup is asked
	mu     sync.Mutex // guards all below
	byKey  map[string]*list.Element
	order  *list.List // of *cached, the longest unused last
	stats  CacheStats
}

// CacheStats are counts since the Cache was made.
type CacheStats struct {
	Entries      int
	Hits, Misses uint64 // keys
	Questions    uint64 // to the lookup behind
	Failures     uint64 // of these
	LastError    string // of the last question; empty: it was answered
}

// cached is what is known of a key: its encoded rows.
type cached struct {
	key   string
	rows  [][]byte
	until time.Time
}

// NewCache makes a cache of at most size keys, each good for ttl, before a lookup
// with the columns cols and the key columns keys. now tells the time.
func NewCache(l Lookup, cols []Column, keys []int, size int, ttl time.Duration, now func() time.Time) *Cache {
	all := make([]types.Type, len(cols))
	for i, c := range cols {
		all[i] = c.Type
	}
	some := make([]types.Type, len(keys))
	for k, i := range keys {
		some[k] = all[i]
	}
	return &Cache{
		lookup: l, size: size, ttl: ttl, now: now, keys: state.NewKeyCodec(some), rows: state.NewCodec(all),
		byKey: map[string]*list.Element{}, order: list.New(),
	}
}

// Try is Get if the cache has all the keys; not ok: it lacks some. It never waits long.
func (c *Cache) Try(keys *batch.Chunk) (rows *batch.Chunk, of []int32, ok bool) {
	found, missing := c.find(keys)
	if len(missing) > 0 {
		return nil, nil, false
	}
	c.mu.Lock()
	c.stats.Hits += uint64(keys.N)
	c.mu.Unlock()
	rows, of = c.answer(found)
	return rows, of, true
}

// Get returns the rows for the keys. Only those that the cache lacks are asked for.
func (c *Cache) Get(ctx context.Context, keys *batch.Chunk) (*batch.Chunk, []int32, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	found, missing := c.find(keys)
	c.mu.Lock()
	c.stats.Hits += uint64(keys.N - len(missing))
	c.stats.Misses += uint64(len(missing))
	c.mu.Unlock()
	if len(missing) > 0 {
		if err := c.ask(ctx, keys.Gather(missing), missing, found); err != nil {
			return nil, nil, err
		}
	}
	rows, of := c.answer(found)
	return rows, of, nil
}

// Close closes the lookup behind.
func (c *Cache) Close() error { return c.lookup.Close() }

// Lookup is the one behind.
func (c *Cache) Lookup() Lookup { return c.lookup }

// Stats are the counts so far.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries = len(c.byKey)
	return s
}

// find gives what is known of each key, and which keys nothing is known of.
func (c *Cache) find(keys *batch.Chunk) (found []*cached, missing []int32) {
	found = make([]*cached, keys.N)
	var enc []byte
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range keys.N {
		enc = c.keys.Append(enc[:0], keys.Cols, i)
		e := c.byKey[string(enc)]
		if e != nil && c.ttl > 0 && !now.Before(e.Value.(*cached).until) {
			c.drop(e)
			e = nil
		}
		if e == nil {
			missing = append(missing, int32(i))
			continue
		}
		c.order.MoveToFront(e)
		found[i] = e.Value.(*cached)
	}
	return found, missing
}

// ask asks the lookup for keys, the ones at the positions missing of found, and
// remembers the answer.
func (c *Cache) ask(ctx context.Context, keys *batch.Chunk, missing []int32, found []*cached) error {
	rows, of, err := c.lookup.Get(ctx, keys)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Questions++
	c.stats.LastError = ""
	if err != nil {
		c.stats.Failures++
		c.stats.LastError = err.Error()
		return err
	}
	until := c.now().Add(c.ttl)
	for k, i := range missing {
		found[i] = &cached{key: string(c.keys.Append(nil, keys.Cols, k)), until: until}
	}
	for r, k := range of {
		e := found[missing[k]]
		e.rows = append(e.rows, c.rows.Append(nil, rows.Cols, r))
	}
	for _, i := range missing {
		if old := c.byKey[found[i].key]; old != nil {
			c.drop(old)
		}
		c.byKey[found[i].key] = c.order.PushFront(found[i])
	}
	for len(c.byKey) > c.size {
		c.drop(c.order.Back())
	}
	return nil
}

func (c *Cache) drop(e *list.Element) {
	c.order.Remove(e)
	delete(c.byKey, e.Value.(*cached).key)
}

// answer puts what is known of the keys together.
func (c *Cache) answer(found []*cached) (*batch.Chunk, []int32) {
	var encoded [][]byte
	var of []int32
	for i, e := range found {
		for _, row := range e.rows {
			encoded, of = append(encoded, row), append(of, int32(i))
		}
	}
	rows := batch.New(c.rows.Types, len(encoded))
	c.rows.Decode(encoded, rows.Cols)
	rows.N = len(encoded)
	return rows, of
}
