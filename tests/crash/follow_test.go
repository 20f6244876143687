package crash

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

var followKills = flag.Int("follow-kills", 3, "TestFollowers: how often to kill the server")

// followed are the views that are subscribed to: beside those of all tests one with a
// changing top, ranks and a bag of rows without a key.
var followed = append(slices.Clone(views),
	view{"top", "SELECT k, n, s FROM by_key ORDER BY n DESC, k LIMIT 20"},
	view{"ranks", "SELECT id, owner, RANK() OVER (PARTITION BY owner ORDER BY price, id) AS r FROM items"},
	view{"prices", "SELECT owner, price FROM items"},
)

// follower is a client that keeps a copy of a view by its changes, and loses its
// connection now and then. What came since the last finished batch it forgets with
// the connection, and asks for again.
type follower struct {
	view view
	rng  *rand.Rand

	mu      sync.Mutex
	held    map[string]int // rows as of batch at
	at      uint64         // 0: nothing yet
	pending map[string]int // changes of batches that are not finished
	resumed int            // how often it came back with from_batch
	begun   int            // how often it began with a snapshot
	last    error          // how its last connection ended
}

// run follows the view until ctx ends; an error is a wrong answer.
func (f *follower) run(ctx context.Context, db *sql.DB) error {
	for ctx.Err() == nil {
		err := f.session(ctx, db)
		f.mu.Lock()
		f.last = err
		f.mu.Unlock()
		var my *mysql.MySQLError
		switch {
		case err == nil, !errors.As(err, &my) && !errors.As(err, new(wrong)):
			continue // it hung up itself, or the server is gone
		case errors.As(err, new(wrong)):
			return err
		case my.Number == serverShutdown:
		case strings.Contains(my.Message, "oldest"): // it was away for too long
			f.mu.Lock()
			f.at = 0
			f.mu.Unlock()
		default:
			return fmt.Errorf("%s: %w", f.view.name, err)
		}
	}
	return nil
}

// wrong is a fault of the server's answers.
type wrong string

func (w wrong) Error() string { return string(w) }

// session reads changes over one connection, for a random while.
func (f *follower) session(ctx context.Context, db *sql.DB) error {
	f.mu.Lock()
	f.pending = map[string]int{}
	with := fmt.Sprintf("from_batch = %d", f.at)
	if f.at == 0 {
		f.held = map[string]int{}
		with = "snapshot = true"
		f.begun++
	} else {
		f.resumed++
	}
	left := 1 + f.rng.IntN(3000)
	f.mu.Unlock()
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	rows, err := db.QueryContext(ctx, "SUBSCRIBE TO crash."+f.view.name+" WITH (progress = true, "+with+")")
	if err != nil {
		return err
	}
	defer func() {
		hangUp() // else Close reads on to an end that does not come
		rows.Close()
	}()
	cols, err := rows.Columns()
	if err != nil {
		return err
	}
	values := make([]sql.NullString, len(cols))
	into := make([]any, len(cols))
	for i := range values {
		into[i] = &values[i]
	}
	for ; left > 0 && rows.Next(); left-- {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := f.take(values); err != nil {
			return err
		}
	}
	if left == 0 {
		return nil
	}
	return rows.Err()
}

// take applies one row of the subscription.
func (f *follower) take(values []sql.NullString) error {
	var batch uint64
	if _, err := fmt.Sscan(values[1].String, &batch); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if batch < f.at {
		return wrong(fmt.Sprintf("%s: a row of batch %d after batch %d was finished", f.view.name, batch, f.at))
	}
	text := line(values[2:])
	switch op := values[0].String; op {
	case "+I", "+U":
		f.pending[text]++
	case "-D", "-U":
		f.pending[text]--
	default:
		return f.finish(batch)
	}
	return nil
}

// line is a row as servers.Rows has it.
func line(values []sql.NullString) string {
	cells := make([]string, len(values))
	for i, v := range values {
		if cells[i] = "NULL"; v.Valid {
			cells[i] = v.String
		}
	}
	return strings.Join(cells, "\t")
}

// finish makes the pending changes part of the copy: batch is over.
func (f *follower) finish(batch uint64) error {
	for text, n := range f.pending {
		f.held[text] += n
		switch n := f.held[text]; {
		case n < 0:
			return wrong(fmt.Sprintf("%s at batch %d: row %s is there %d times", f.view.name, batch, text, n))
		case n == 0:
			delete(f.held, text)
		}
	}
	f.pending, f.at = map[string]int{}, batch
	return nil
}

// copied are the rows of the copy, sorted, and the batch that they are as of.
func (f *follower) copied() (rows []string, at uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, text := range slices.Sorted(maps.Keys(f.held)) {
		for range f.held[text] {
			rows = append(rows, text)
		}
	}
	return rows, f.at
}

// check compares the copy with the view as of the same batch; it is not
// counted where the server forgot that batch.
func (f *follower) check(ctx context.Context, db *sql.DB) (checked bool, err error) {
	got, at := f.copied()
	if at == 0 {
		return false, nil
	}
	want, err := rows(ctx, db, fmt.Sprintf("SELECT * FROM crash.%s AS OF BATCH %d", f.view.name, at))
	if err != nil {
		return false, err
	}
	if d := difference(want, got); d != "" {
		return true, wrong(fmt.Sprintf("%s as of batch %d is not what its changes make:\n%s", f.view.name, at, d))
	}
	return true, nil
}

// TestFollowers has clients follow views that change, with lost connections and a
// server that is killed: what they make of the changes is the view at every batch
// that they were told is finished.
func TestFollowers(t *testing.T) {
	s := servers.StreamSQL(t)
	rng := rand.New(rand.NewPCG(*seed, 44))
	var writers []*writer
	for i := range writerCount {
		writers = append(writers, newWriter(i, writerCount, *seed))
	}
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, schema...)
	for _, v := range followed {
		exec(t, db, "CREATE MATERIALIZED VIEW crash."+v.name+" WITH (history = '10 min') AS "+qualified(v.query))
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var followers []*follower
	ended := make(chan error, 2*len(followed))
	for i, v := range slices.Concat(followed, followed) {
		f := &follower{view: v, rng: rand.New(rand.NewPCG(*seed, uint64(100+i)))}
		followers = append(followers, f)
		go func() { ended <- f.run(ctx, db) }()
	}
	checked := 0
	for k := range *followKills {
		wait := load(t.Context(), t, db, writers)
		for range 20 {
			time.Sleep(time.Duration(20+rng.IntN(100)) * time.Millisecond) // the moment is what the test is about
			yes, err := followers[rng.IntN(len(followers))].check(t.Context(), db)
			if err != nil {
				t.Fatalf("before kill %d (-crash-seed %d): %v", k+1, *seed, err)
			}
			if yes {
				checked++
			}
		}
		s.Kill()
		wait()
		startAgain(t, s, rng)
		if _, err := checkAll(t.Context(), db, writers, nil); err != nil {
			t.Fatalf("after kill %d: %v", k+1, err)
		}
	}
	resumed := 0
	for _, f := range followers {
		servers.Eventually(t, 30*time.Second, func() error {
			select {
			case err := <-ended:
				t.Fatalf("a follower ended (-crash-seed %d): %v", *seed, err)
			default:
			}
			want, err := rows(t.Context(), db, "SELECT * FROM crash."+f.view.name)
			if err != nil {
				return err
			}
			got, at := f.copied()
			if d := difference(want, got); d != "" {
				f.mu.Lock()
				defer f.mu.Unlock()
				return fmt.Errorf("%s, followed up to batch %d, its last connection ended with %v (-crash-seed %d):\n%s", f.view.name, at, f.last, *seed, d)
			}
			return nil
		})
		f.mu.Lock()
		resumed += f.resumed
		f.mu.Unlock()
	}
	stop()
	for range followers {
		if err := <-ended; err != nil {
			t.Errorf("-crash-seed %d: %v", *seed, err)
		}
	}
	if resumed < len(followers) || checked < *followKills {
		t.Errorf("only %d times a client came back, and %d copies were compared", resumed, checked)
	}
	t.Logf("%d kills, %d times a client came back, %d copies compared", *followKills, resumed, checked)
}
