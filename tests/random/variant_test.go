package random

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"

	"streamsql/cmd/streamsql/child"
	"streamsql/tests/servers"
)

var variants = flag.Int("variants", 200, "how many programs to run in two ways")

// together is how many programs are under way on a server when it is killed.
const together = 20

// twin is a program on two servers: as it is, and its variant.
type twin struct {
	plain, other program
	sessions     [2]*session
	views        []step
}

// TestVariants runs programs in two ways on two servers, one worker against
// eight, with SIGKILL and a restart of both in the middle: the views are the same
// in the end, and equal to their queries.
func TestVariants(t *testing.T) {
	var sides [2]side
	var running [2]*child.Server
	for i, workers := range []string{"1", "8"} {
		running[i] = servers.StreamSQL(t, "--workers="+workers)
		sides[i] = side{name: workers + " workers", pool: servers.Open(t, running[i].DSN()+"?collation=utf8mb4_bin")}
	}
	compared := 0
	for first := 0; first < *variants && !t.Failed(); first += together {
		var twins []*twin
		for i := first; i < min(first+together, *variants); i++ {
			p := newProgram(*seed + 1<<32 + uint64(i))
			p.folds = false // of one kind, servers show the same forms
			w := &twin{plain: p, other: p.variant()}
			twins = append(twins, w)
			for k, s := range sides {
				var err error
				if w.sessions[k], err = open(t.Context(), s, fmt.Sprintf("twin_%d", i), p); err != nil {
					t.Fatal(err)
				}
			}
			w.half(t, 0)
		}
		for k, r := range running {
			if err := r.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, w := range twins {
				w.reconnect(t, k)
			}
		}
		for _, w := range twins {
			w.half(t, 1)
			compared += w.compare(t)
			for _, s := range w.sessions {
				s.close()
			}
		}
	}
	t.Logf("%d programs in two ways, %d views the same", *variants, compared)
	if compared < *variants {
		t.Errorf("only %d views were compared", compared)
	}
}

// half runs the first or the second half of both programs. Neither is cut within a transaction.
func (w *twin) half(t *testing.T, n int) {
	t.Helper()
	for k, p := range []program{w.plain, w.other} {
		cut := 0
		for i, open := 0, false; i < len(p.steps) && (open || i <= len(p.steps)/2); i++ {
			switch p.steps[i].sql {
			case "BEGIN":
				open = true
			case "COMMIT", "ROLLBACK":
				open = false
			}
			cut = i + 1
		}
		steps := p.steps[:cut]
		if n == 1 {
			steps = p.steps[cut:]
		}
		for _, s := range steps {
			if s.check || s.view == "" && s.query != nil {
				continue
			}
			if _, err := w.sessions[k].exec(t.Context(), s.String()); number(err) < 0 {
				t.Fatalf("program %d on %s: %s: %v", p.seed, w.sessions[k].name, s, err)
			} else if err == nil && s.view != "" && k == 0 {
				w.views = append(w.views, s)
			}
		}
	}
}

func (w *twin) reconnect(t *testing.T, k int) {
	t.Helper()
	s := w.sessions[k]
	s.conn.Close()
	var err error
	if s.conn, err = s.pool.Conn(t.Context()); err == nil {
		_, err = s.conn.ExecContext(t.Context(), "USE "+s.db)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// compare reads each view on both servers, and its query, and returns how many there are.
func (w *twin) compare(t *testing.T) int {
	t.Helper()
	for _, v := range w.views {
		want, err := w.sessions[0].rows(context.Background(), "SELECT * FROM "+v.view, false)
		if err != nil {
			t.Errorf("program %d: %s: %v", w.plain.seed, v.view, err)
			continue
		}
		for k, text := range []string{v.query.String(), "SELECT * FROM " + v.view, v.query.String()} {
			s := w.sessions[min(k, 1)]
			got, err := s.rows(context.Background(), text, false)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("program %d: %s on %s differs from the view on %s: %v\n%s\n%s", w.plain.seed, text, s.name, w.sessions[0].name, err, diff(want, got), w.script())
				break
			}
		}
	}
	return len(w.views)
}

// script is both programs, for people.
func (w *twin) script() string {
	out := ""
	for i, p := range []program{w.plain, w.other} {
		out += fmt.Sprintf("-- way %d\n", i+1)
		for _, s := range p.steps {
			if text := s.String(); text != "" {
				out += text + ";\n"
			}
		}
	}
	return out
}
