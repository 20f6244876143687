package bench

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// connections is how many clients there are at a time where many are measured.
const connections = 64

// load is what some clients did side by side.
type load struct {
	count int64
	took  time.Duration
	times []time.Duration // of each, sorted
}

// errEnough is what do of hammer returns when its client has nothing left to do.
var errEnough = errors.New("enough")

// hammer makes n clients each do something again and again, for so long or until it
// is enough; do is told which client it is and how often that has done it.
func hammer(ctx context.Context, n int, length time.Duration, do func(ctx context.Context, client, k int) error) (load, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var count atomic.Int64
	all := make([][]time.Duration, n)
	var clients sync.WaitGroup
	begin := time.Now()
	for c := range n {
		clients.Go(func() {
			for k := 0; ctx.Err() == nil; k++ {
				t := time.Now()
				if t.Sub(begin) >= length {
					return
				}
				err := do(ctx, c, k)
				if err == errEnough {
					return
				}
				if err != nil {
					cancel(err)
					return
				}
				all[c] = append(all[c], time.Since(t))
				count.Add(1)
			}
		})
	}
	clients.Wait()
	l := load{count: count.Load(), took: time.Since(begin), times: slices.Concat(all...)}
	slices.Sort(l.times)
	return l, context.Cause(ctx)
}

// perSecond is how many were done in a second.
func (l load) perSecond() float64 { return float64(l.count) / l.took.Seconds() }

// p is a quantile in milliseconds.
func (l load) p(q float64) float64 {
	if len(l.times) == 0 {
		return 0
	}
	return 1e3 * quantile(l.times, q).Seconds()
}

// conns opens connections of their own.
func conns(ctx context.Context, db *sql.DB, n int) ([]*sql.Conn, func(), error) {
	var out []*sql.Conn
	closeAll := func() {
		for _, c := range out {
			c.Close()
		}
	}
	for range n {
		c, err := db.Conn(ctx)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		out = append(out, c)
	}
	return out, closeAll, nil
}

// sorted are times that were taken apart.
func sorted(times []time.Duration) load {
	slices.Sort(times)
	return load{count: int64(len(times)), times: times}
}
