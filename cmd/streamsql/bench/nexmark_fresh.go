package bench

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"
)

// freshness is how long rows take from the moment in which they are there to be read
// to that in which their batch can be seen.
type freshness struct{ p50, p99 time.Duration }

// How long it is watched, and before that is not.
var (
	warmUp    = 2 * time.Second
	sampleFor = 10 * time.Second
)

const sampleEvery = time.Millisecond

// nexmarkFreshness runs a query over events that come at a rate by the clock.
func (o *options) nexmarkFreshness(ctx context.Context, c nexmarkCase, rate int64) (freshness, error) {
	n, err := startNode(ctx, o)
	if err != nil {
		return freshness{}, err
	}
	defer n.stop()
	if err := n.makeStreams(ctx, fmt.Sprintf("connector = 'nexmark', table = '%%s', pace = '%d'", rate)); err != nil {
		return freshness{}, err
	}
	if err := n.exec(ctx, c.define()); err != nil {
		return freshness{}, err
	}
	time.Sleep(warmUp)
	first, begin, err := n.now(ctx, c)
	if err != nil {
		return freshness{}, err
	}
	s := &sampler{node: n, of: c}
	if err := s.watch(ctx, sampleFor); err != nil {
		return freshness{}, err
	}
	last, end, err := n.now(ctx, c)
	if err != nil {
		return freshness{}, err
	}
	due := float64(c.rows(rate*50)) / 50 * end.Sub(begin).Seconds()
	if got := float64(last.read - first.read); got < 0.9*due {
		return freshness{}, fmt.Errorf("at %d events/s the query does not keep up: it took %.0f%% of them", rate, 100*got/due)
	}
	return s.freshness()
}

func (n *node) now(ctx context.Context, c nexmarkCase) (position, time.Time, error) {
	p, err := n.at(ctx, c)
	return p, time.Now(), err
}

// sampler watches which batch can be seen, and when each was cut.
type sampler struct {
	node *node
	of   nexmarkCase
	seen []sight
	cuts []sight
}

// sight is a batch and a time.
type sight struct {
	batch int64
	at    time.Time
}

func (s *sampler) watch(ctx context.Context, length time.Duration) error {
	visible, err := s.node.db.PrepareContext(ctx, "SELECT batch_id FROM streamsql.jobs WHERE database_name = 'b' AND name = '"+s.of.name()+"'")
	if err != nil {
		return err
	}
	defer visible.Close()
	begin := time.Now()
	asked := begin
	for time.Since(begin) < length {
		var batch int64
		if err := visible.QueryRowContext(ctx).Scan(&batch); err != nil {
			return err
		}
		now := time.Now()
		if k := len(s.seen); k == 0 || s.seen[k-1].batch < batch {
			s.seen = append(s.seen, sight{batch, now})
		}
		if now.Sub(asked) > 200*time.Millisecond {
			asked = now
			if err := s.readCuts(ctx); err != nil {
				return err
			}
		}
		time.Sleep(sampleEvery)
	}
	return s.readCuts(ctx)
}

// readCuts notes the batches that were cut since the last time.
func (s *sampler) readCuts(ctx context.Context) error {
	var last int64
	if k := len(s.cuts); k > 0 {
		last = s.cuts[k-1].batch
	}
	rows, err := s.node.db.QueryContext(ctx, fmt.Sprintf("SELECT batch_id, CAST(UNIX_TIMESTAMP(time) * 1000000 AS SIGNED) FROM streamsql.batches WHERE batch_id > %d ORDER BY batch_id", last))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var batch, at int64
		if err := rows.Scan(&batch, &at); err != nil {
			return err
		}
		s.cuts = append(s.cuts, sight{batch, time.UnixMicro(at)})
	}
	return rows.Err()
}

// freshness is that of all moments between the first and the last sight. A row that
// comes at a moment is in the next cut, and is seen with that.
func (s *sampler) freshness() (freshness, error) {
	if len(s.seen) < 3 || len(s.cuts) < 3 {
		return freshness{}, fmt.Errorf("%d batches were cut and %d seen: too few to say how fresh the result is", len(s.cuts), len(s.seen))
	}
	var all []time.Duration
	end := s.seen[len(s.seen)-1]
	for at := s.seen[0].at; ; at = at.Add(250 * time.Microsecond) {
		k := sort.Search(len(s.cuts), func(i int) bool { return !s.cuts[i].at.Before(at) })
		if k == len(s.cuts) || s.cuts[k].batch > end.batch {
			break
		}
		v := sort.Search(len(s.seen), func(i int) bool { return s.seen[i].batch >= s.cuts[k].batch })
		all = append(all, s.seen[v].at.Sub(at))
	}
	if len(all) == 0 {
		return freshness{}, fmt.Errorf("no batch that was cut meanwhile was seen")
	}
	slices.Sort(all)
	return freshness{p50: quantile(all, 0.5), p99: quantile(all, 0.99)}, nil
}

// quantile is that of sorted times.
func quantile(times []time.Duration, p float64) time.Duration {
	return times[min(len(times)-1, int(p*float64(len(times))))]
}
