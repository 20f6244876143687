package engine

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"streamsql/catalog"
	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// dimension is a dimension table: a connector's look-up behind a cache that all
// queries share.
type dimension struct {
	table *catalog.Table
	cache *connector.Cache
}

// What a dimension table has unless WITH (…) says otherwise.
const (
	defaultCacheRows = 10_000
	defaultCacheTTL  = time.Minute
)

// openDimension opens a dimension table's connector. Nothing is asked yet.
func (e *Engine) openDimension(t *catalog.Table) (*dimension, error) {
	kind, err := e.connectors.Kind(t.Options["connector"])
	if err != nil {
		return nil, err
	}
	if kind.Lookup == nil {
		return nil, sqlerr.New(sqlerr.WrongArguments, "Connector '%s' cannot be looked up by key", kind.Name)
	}
	values, err := e.optionValues(kind, t.Options, "cache", "cache_ttl")
	if err != nil {
		return nil, err
	}
	size, ttl, err := cacheOptions(t.Options)
	if err != nil {
		return nil, err
	}
	cols := make([]connector.Column, len(t.Columns))
	for i, c := range t.Columns {
		cols[i] = connector.Column{Name: c.Name, Type: c.Type}
	}
	l, err := kind.Lookup(cols, t.Primary, values)
	if err != nil {
		return nil, err
	}
	return &dimension{table: t, cache: connector.NewCache(l, cols, t.Primary, size, ttl, time.Now)}, nil
}

// cacheOptions reads cache = '10000 rows' and cache_ttl = '5 min'.
func cacheOptions(o map[string]string) (size int, ttl time.Duration, err error) {
	size, ttl = defaultCacheRows, defaultCacheTTL
	if v, ok := o["cache"]; ok {
		number, unit, _ := strings.Cut(strings.TrimSpace(v), " ")
		size, err = strconv.Atoi(number)
		if unit = strings.TrimSpace(unit); err != nil || size < 0 || unit != "" && unit != "rows" {
			return 0, 0, sqlerr.New(sqlerr.WrongArguments, "cache is a number of rows like '10000 rows', not '%s'", v)
		}
	}
	if v, ok := o["cache_ttl"]; ok {
		if ttl, err = connector.ParseDuration(v); err != nil {
			return 0, 0, sqlerr.New(sqlerr.WrongArguments, "cache_ttl: %s", err)
		}
		if ttl == 0 {
			size = 0 // what is not good for any time need not be kept
		}
	}
	return size, ttl, nil
}

// prepareDimension opens a new dimension table, and asks once, to see that it can.
func (e *Engine) prepareDimension(ctx context.Context, t *catalog.Table) (func(bool), error) {
	d, err := e.openDimension(t)
	if err != nil {
		return nil, err
	}
	if _, _, err := d.cache.Lookup().Get(ctx, d.noKeys()); err != nil {
		_ = d.cache.Close()
		return nil, err
	}
	return func(yes bool) {
		if !yes {
			_ = d.cache.Close()
			return
		}
		e.dimensions.Store(t.ID, d)
	}, nil
}

func (d *dimension) noKeys() *batch.Chunk {
	c := &batch.Chunk{}
	for _, k := range d.table.Primary {
		c.Cols = append(c.Cols, vector.New(d.table.Columns[k].Type, 0))
	}
	return c
}

// removeDimension closes a dropped dimension table.
func (e *Engine) removeDimension(id catalog.ID) {
	if d := e.dimension(id); d != nil {
		e.dimensions.Delete(id)
		_ = d.cache.Close()
	}
}

// dimension finds a dimension table; nil: it is another object.
func (e *Engine) dimension(id catalog.ID) *dimension {
	if d, ok := e.dimensions.Load(id); ok {
		return d.(*dimension)
	}
	return nil
}

// rows gives the rows of a dimension table for a query that reads it itself:
// the one with a key, past the cache, or if key is nil all.
func (d *dimension) rows(ctx context.Context, key []*vector.Vector) (func(max int) *batch.Chunk, error) {
	if key != nil {
		c, _, err := d.cache.Lookup().Get(ctx, &batch.Chunk{Cols: key, N: 1})
		return func(int) *batch.Chunk {
			one := c
			c = nil
			if one != nil && one.N == 0 {
				return nil
			}
			return one
		}, err
	}
	s, ok := d.cache.Lookup().(connector.Scanner)
	if !ok {
		return nil, sqlerr.Unsupported("reading all of dimension table '" + d.table.Name + "', whose connector only answers by key")
	}
	return s.Scan(ctx)
}

// answers answers the questions of one query.
type answers struct {
	ctx context.Context
	d   *dimension
	// patience is how often a question is asked that fails; 0: until it is answered.
	patience int
}

// The waits between two attempts of a question.
const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// onceAttempts is how often a one-off query asks.
const onceAttempts = 3

// answersOf makes the function that build.Options wants.
func (e *Engine) answersOf(ctx context.Context, patience int) func(table uint64) (operators.Answers, error) {
	return func(table uint64) (operators.Answers, error) {
		d := e.dimension(catalog.ID(table))
		if d == nil {
			return nil, sqlerr.New(sqlerr.NoSuchTable, "The dimension table is no more")
		}
		return &answers{ctx: ctx, d: d, patience: patience}, nil
	}
}

// Ask answers at once what the cache knows, and else on a goroutine of its own,
// which tries again as often as patience allows.
func (a *answers) Ask(keys *batch.Chunk, to *operators.Answer) {
	if rows, of, ok := a.d.cache.Try(keys); ok {
		to.Set(rows, of, nil)
		return
	}
	go a.ask(keys, to)
}

func (a *answers) ask(keys *batch.Chunk, to *operators.Answer) {
	wait := firstRetry
	for attempt := 1; ; attempt++ {
		rows, of, err := a.d.cache.Get(a.ctx, keys)
		if err == nil || a.ctx.Err() != nil || attempt == a.patience {
			to.Set(rows, of, err)
			return
		}
		slog.Warn("a dimension table does not answer", "table", a.d.table.Database+"."+a.d.table.Name, "attempt", attempt, "error", err)
		select {
		case <-time.After(wait):
		case <-a.ctx.Done():
		}
		wait = min(2*wait, lastRetry)
	}
}

// addDimensions lists how the dimension tables' caches do.
func (e *Engine) addDimensions(add func(values ...any)) {
	for _, t := range e.cat.Load().Objects() {
		d := e.dimension(t.ID)
		if d == nil {
			continue
		}
		s := d.cache.Stats()
		var problem any
		if s.LastError != "" {
			problem = s.LastError
		}
		add(t.Database, t.Name, t.Options["connector"], s.Entries, int(s.Hits), int(s.Misses), int(s.Questions), int(s.Failures), problem)
	}
}
