package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

// numbered is a client that numbers its batches, and sends each again until it
// has an answer.
type numbered struct {
	name    string
	address *atomic.Pointer[string] // of HTTP, as of the last start
	rng     *rand.Rand
	batch   int
	rows    int // acknowledged
	again   int // batches that had been stored although the answer never came
}

// run sends batches until ctx is done; the last one is then still sent until it is answered.
func (w *numbered) run(ctx context.Context) error {
	for ctx.Err() == nil {
		w.batch++
		n := 1 + w.rng.IntN(200)
		var body strings.Builder
		for i := range n {
			fmt.Fprintf(&body, `{"writer":%q,"batch":%d,"place":%d}`+"\n", w.name, w.batch, i)
		}
		for {
			a, status, err := w.send(body.String())
			if err != nil || status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests {
				time.Sleep(5 * time.Millisecond) // the server is down, or coming up
				continue
			}
			if status != http.StatusOK || a.Rows != n {
				return fmt.Errorf("batch %d of %d rows: status %d, %+v", w.batch, n, status, a)
			}
			if a.Duplicate {
				w.again++
			}
			break
		}
		w.rows += n
	}
	return nil
}

type answer struct {
	Rows      int
	Duplicate bool
	Error     json.RawMessage
}

func (w *numbered) send(body string) (a answer, status int, err error) {
	r, err := http.NewRequest("POST", "http://"+*w.address.Load()+"/v1/databases/crash/streams/sent", strings.NewReader(body))
	if err != nil {
		return a, 0, err
	}
	r.SetBasicAuth("root", "")
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("Idempotency-Key", fmt.Sprintf("%s/%d", w.name, w.batch))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return a, 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return a, 0, err
	}
	return a, resp.StatusCode, json.Unmarshal(text, &a)
}

// TestRetry kills the server while clients push numbered batches, each of which
// is sent again until it is answered: every row must be there once, in the stream
// and in a view over it.
func TestRetry(t *testing.T) {
	s := servers.StreamSQL(t, "--http=127.0.0.1:0", "--checkpoint-interval=200ms")
	db := servers.Open(t, s.DSN()+options)
	exec(t, db, "CREATE DATABASE crash",
		"CREATE STREAM TABLE crash.sent (writer VARCHAR(8) NOT NULL, batch INT NOT NULL, place INT NOT NULL)",
		"CREATE MATERIALIZED VIEW crash.counted AS SELECT writer, COUNT(*) AS n, COUNT(DISTINCT batch * 1000 + place) AS ids FROM crash.sent GROUP BY writer")
	var address atomic.Pointer[string]
	listen := func() { at := s.Ready().HTTP; address.Store(&at) }
	listen()
	rng := rand.New(rand.NewPCG(*seed, 8))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var clients []*numbered
	var running sync.WaitGroup
	for i := range writerCount {
		w := &numbered{name: fmt.Sprintf("w%d", i), address: &address, rng: rand.New(rand.NewPCG(*seed, uint64(i)))}
		clients = append(clients, w)
		running.Go(func() {
			if err := w.run(ctx); err != nil {
				t.Errorf("%s: %v", w.name, err)
			}
		})
	}
	for range *kills {
		time.Sleep(time.Duration(20+rng.IntN(300)) * time.Millisecond) // the moment is what the test is about
		s.Kill()
		startAgain(t, s, rng)
		listen()
	}
	cancel()
	running.Wait()
	exec(t, db, "FLUSH STREAMS")
	again := 0
	for _, w := range clients {
		again += w.again
		for _, from := range []string{
			"SELECT n, ids FROM crash.counted WHERE writer = ?",
			"SELECT COUNT(*), COUNT(DISTINCT batch * 1000 + place) FROM crash.sent WHERE writer = ?",
		} {
			var n, ids int
			if err := db.QueryRowContext(t.Context(), from, w.name).Scan(&n, &ids); err != nil {
				t.Fatal(err)
			}
			if n != w.rows || ids != w.rows || n == 0 {
				t.Errorf("%s: %d rows, %d different ones, where %d were acknowledged (%s)", w.name, n, ids, w.rows, from)
			}
		}
	}
	if again == 0 && *kills >= 20 {
		t.Error("no batch was sent a second time that had been stored: the kills missed what the test is about")
	}
	t.Logf("%d kills, %d batches were stored whose answer was lost, none lost, none doubled", *kills, again)
}
