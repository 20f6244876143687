package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"streamsql/catalog"
	"streamsql/engine/topic"
)

// groupsBefore counts the groups that are still in the log, up to a sequence.
func (h *harness) groupsBefore(seq uint64) int {
	n := 0
	_ = h.e.log.Survey(h.t.Context(), h.e.log.FirstSeq(), seq, func(topic.Contents) { n++ })
	return n
}

// TestLogIsTrimmed: of tables the log keeps what two checkpoints do not have, of
// dropped streams nothing, of streams everything; and a start finds all it needs.
func TestLogIsTrimmed(t *testing.T) {
	cfg := Config{Dir: t.TempDir(), CheckpointEvery: 10 * time.Millisecond, holesBytes: 1}
	h := open(t, cfg)
	h.exec(`CREATE DATABASE d; CREATE TABLE t (k BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL);
		CREATE STREAM TABLE gone (n BIGINT NOT NULL)`)
	for i := range 30 {
		h.exec(fmt.Sprintf("INSERT INTO gone VALUES (%d); REPLACE INTO t VALUES (%d, %d)", i, i%3, i))
	}
	h.exec("DROP STREAM TABLE gone")
	h.exec("REPLACE INTO t VALUES (7, 7)")
	n := 0
	change := func() { n++; h.exec(fmt.Sprintf("REPLACE INTO t VALUES (8, %d)", n)) } // so that there are checkpoints
	eventually(t, "the beginning of the log goes", func() bool {
		change()
		return h.e.log.FirstSeq() > 60
	})

	h.exec("CREATE STREAM TABLE s (n BIGINT NOT NULL); INSERT INTO s VALUES (1), (2)")
	h.exec("CREATE MATERIALIZED VIEW v AS SELECT s.n, t.n AS m FROM s JOIN t ON s.n = t.k")
	for i := range 30 {
		h.exec(fmt.Sprintf("REPLACE INTO t VALUES (%d, %d)", i%3, 100+i))
	}
	first := h.e.log.FirstSeq()
	eventually(t, "what lies between goes", func() bool {
		change()
		return h.e.log.Gone() > first+25
	})
	eventually(t, "only the stream's group is left there", func() bool { return h.groupsBefore(first+25) <= 2 })
	h.exec("INSERT INTO s VALUES (0); REPLACE INTO t VALUES (8, 8)")
	check := func() {
		t.Helper()
		for sql, want := range map[string]string{
			"SELECT k, n FROM t ORDER BY k": "0 127; 1 128; 2 129; 7 7; 8 8",
			"SELECT n FROM s ORDER BY n":    "0; 1; 2",
			"SELECT n, m FROM v ORDER BY n": "0 127; 1 128; 2 129",
		} {
			if got := h.query(sql); got != want {
				t.Errorf("%s: %s, want %s", sql, got, want)
			}
		}
	}
	check()
	h.reopen()
	check()

	// Without a checkpoint the tables cannot be had again: no start pretends so.
	if err := h.e.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(cfg.Dir, "checkpoint")); err != nil {
		t.Fatal(err)
	}
	e, err := Open(h.cfg)
	if err == nil {
		e.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "restore") {
		t.Errorf("a start without the checkpoints: %v", err)
	}
	h.cfg.Dir = t.TempDir()
	h.start()
}

// TestRetention: rows of a stream are shown until its retention is over, and then
// leave the log; a view that has them keeps them.
func TestRetention(t *testing.T) {
	h := open(t, Config{CheckpointEvery: 10 * time.Millisecond, holesBytes: 1})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (n BIGINT NOT NULL) WITH (retention = '300 ms');
		CREATE STREAM TABLE all_of_it (n BIGINT NOT NULL);
		INSERT INTO all_of_it VALUES (1);
		INSERT INTO s VALUES (1), (2), (3);
		CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) AS c FROM s`)
	if got := h.query("SELECT c FROM v"); got != "3" {
		t.Fatalf("the view has %s rows", got)
	}
	eventually(t, "the rows are not shown any more", func() bool { return h.query("SELECT COUNT(*) FROM s") == "0" })
	eventually(t, "the group goes", func() bool {
		h.exec("INSERT INTO all_of_it VALUES (2)")
		return h.e.log.Gone() > 0
	})
	h.exec("CREATE MATERIALIZED VIEW w AS SELECT COUNT(*) AS c FROM s; INSERT INTO s VALUES (4)")
	if got := h.query("SELECT v.c, w.c FROM v, w"); got != "4 1" {
		t.Errorf("the old view and the new one count %s", got)
	}
	h.reopen()
	if got := h.query("SELECT v.c, w.c FROM v, w"); got != "4 1" {
		t.Errorf("the old view and the new one count %s", got)
	}
	for text, want := range map[string]string{
		"CREATE STREAM TABLE x (n BIGINT) WITH (retention = 'soon')":                           "retention is for how long",
		"CREATE STREAM TABLE x (n BIGINT NOT NULL PRIMARY KEY) WITH (retention = '1 day')":     "retention of a stream table with a PRIMARY KEY",
		"CREATE MATERIALIZED VIEW x WITH (retention = '1 day') AS SELECT COUNT(*) AS c FROM s": "Unknown option 'retention'",
	} {
		if err := h.try(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestRetentionSet: ALTER … SET (retention) holds for what is there, and what it has
// hidden does not come back.
func TestRetentionSet(t *testing.T) {
	h := open(t, Config{CheckpointEvery: 10 * time.Millisecond})
	h.exec(`CREATE DATABASE d; CREATE STREAM TABLE s (n BIGINT NOT NULL);
		INSERT INTO s VALUES (1), (2), (3)`)
	h.want("SELECT COUNT(*) FROM s", "3")
	h.exec("ALTER STREAM TABLE s SET (retention = '200 ms')")
	eventually(t, "the rows are not shown any more", func() bool { return h.query("SELECT COUNT(*) FROM s") == "0" })
	h.exec("ALTER STREAM TABLE s SET (retention = DEFAULT); INSERT INTO s VALUES (4)")
	h.reopen()
	time.Sleep(250 * time.Millisecond)
	h.want("SELECT n FROM s", "4")
}

// TestLogMoments: however long a retention, what is remembered of it stays small,
// and no row goes before its time.
func TestLogMoments(t *testing.T) {
	u := newUpkeep()
	long, short := retained(1, "7 days"), retained(2, "1 hour")
	const minute = 60_000_000
	for now := int64(0); now < 10*24*60*minute; now += minute / 2 {
		u.hide([]*catalog.Table{long, short}, now, uint64(now/minute)+1)
		if len(u.moments) > 2000 {
			t.Fatalf("%d moments", len(u.moments))
		}
		for _, x := range []struct {
			mark uint64
			keep int64
		}{{u.marks()[1], 7 * 24 * 60}, {u.marks()[2], 60}} {
			oldest := now/minute + 1 - x.keep
			if int64(x.mark) > max(oldest, 0) {
				t.Fatalf("after %d minutes rows up to %d are hidden, whose retention is %d", now/minute, x.mark, x.keep)
			}
			if int64(x.mark) < oldest-max(x.keep/8, 2) {
				t.Fatalf("after %d minutes rows up to %d alone are hidden, whose retention is %d", now/minute, x.mark, x.keep)
			}
		}
	}
}

func retained(id catalog.ID, keep string) *catalog.Table {
	return &catalog.Table{ID: id, Kind: catalog.StreamTable, Options: map[string]string{retentionOption: keep}}
}

// TestLookFrom: what is needed again is not trimmed, nor is anything forgotten that is not looked at again.
func TestLookFrom(t *testing.T) {
	u := newUpkeep()
	for _, c := range []struct {
		needed uint64
		anew   bool
		from   uint64 // 0: not at all
		live   uint64
	}{
		{needed: 40, from: 3},
		{needed: 50, from: 41, live: 30},
		{needed: 45, anew: true, live: 30}, // a job that began further back
		{needed: 45, live: 30},
		{needed: 50, anew: true, from: 3},
		{needed: 60, from: 51, live: 30},
	} {
		from, ok := u.lookFrom(3, c.needed, c.anew)
		if from != c.from || ok != (c.from > 0) || u.live != c.live {
			t.Errorf("up to %d (%v): from %d, %v; needed is %d on; want %+v", c.needed, c.anew, from, ok, u.live, c)
		}
		if ok {
			u.looked, u.live = c.needed, 30
		}
	}
}
