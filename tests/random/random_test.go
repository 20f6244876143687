package random

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"streamsql/tests/servers"
)

var (
	programs = flag.Int("programs", 5000, "how many programs to run")
	seed     = flag.Uint64("seed", 1, "seed of the first program; the others follow")
	workers  = flag.Int("workers", 4, "programs at a time")
	failures = flag.Int("failures", 3, "stop after so many programs that differ")
	self     = flag.Bool("self", false, "compare the reference with itself, to try the generator")
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }

func sides(t *testing.T) (subject, reference side) {
	ref := servers.MariaDB(t)
	reference = side{name: "MariaDB", pool: servers.Open(t, ref.DSN()+"?collation=utf8mb4_bin"), reference: true}
	if *self {
		subject = side{"MariaDB again", servers.Open(t, ref.DSN()+"?collation=utf8mb4_bin"), true, "_again"}
	} else {
		s := servers.StreamSQL(t)
		subject = side{name: "StreamSQL", pool: servers.Open(t, s.DSN()+"?collation=utf8mb4_bin")}
	}
	for _, s := range []side{subject, reference} {
		s.pool.SetMaxOpenConns(*workers + 1)
		s.pool.SetMaxIdleConns(*workers + 1)
	}
	return subject, reference
}

// TestPrograms runs random programs on both sides: none may differ.
func TestPrograms(t *testing.T) {
	subject, reference := sides(t)
	var next, ran, invalid atomic.Int64
	var alone sync.RWMutex // held for writing by a program that must have the reference for itself
	var mu sync.Mutex
	var failed int
	stop := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return failed >= *failures
	}
	var wg sync.WaitGroup
	for w := range *workers {
		db := fmt.Sprintf("random_%d", w)
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(*programs) && !stop(); i = next.Add(1) - 1 {
				p := newProgram(*seed + uint64(i))
				alone.RLock()
				d, err := run(t.Context(), p, subject, reference, db)
				alone.RUnlock()
				if errors.Is(err, errGone) {
					d, err = runAlone(t, &alone, p, subject, reference, db)
				}
				if n := ran.Add(1); n%1000 == 0 {
					t.Logf("%d programs", n)
				}
				switch {
				case errors.Is(err, errInvalid):
					invalid.Add(1)
					t.Logf("program %d: %v", p.seed, err)
				case err != nil:
					t.Errorf("program %d: %v", p.seed, err)
					mu.Lock()
					failed = *failures
					mu.Unlock()
				case d != nil:
					mu.Lock()
					failed++
					mu.Unlock()
					t.Errorf("%s", explain(t.Context(), p, d, subject, reference, db))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d programs, %d differ, %d refused by the reference", ran.Load(), failed, invalid.Load())
	if invalid.Load()*100 > ran.Load() {
		t.Errorf("%d of %d programs are none: mend the generator", invalid.Load(), ran.Load())
	}
}

// runAlone runs a program again after the reference broke down under it or under
// one beside it. Where it breaks down under this one alone the program is none.
func runAlone(t *testing.T, alone *sync.RWMutex, p program, subject, reference side, db string) (*difference, error) {
	alone.Lock()
	defer alone.Unlock()
	ref := servers.MariaDB(t)
	if err := ref.Restart(); err != nil {
		return nil, err
	}
	d, err := run(t.Context(), p, subject, reference, db)
	if errors.Is(err, errGone) {
		err = errors.Join(fmt.Errorf("%w: it makes it crash", errInvalid), ref.Restart())
	}
	return d, err
}

// shrinkWithin bounds the search for a smaller program that differs.
const shrinkWithin = 2 * time.Minute

// explain shrinks a program that differs and writes it as a script.
func explain(ctx context.Context, p program, d *difference, subject, reference side, db string) string {
	last := d
	p.steps = slices.Concat(p.steps[:d.at+1])
	if !p.steps[d.at].check {
		p.steps = append(p.steps, step{check: true})
	}
	enough := time.Now().Add(shrinkWithin)
	small := shrink(p, 400, func(c program) bool {
		if time.Now().After(enough) {
			return false
		}
		got, err := run(ctx, c, subject, reference, db)
		if err != nil || got == nil {
			return false
		}
		last = got
		return true
	})
	var b strings.Builder
	fmt.Fprintf(&b, "program %d differs:\n%s\n", p.seed, d.what)
	if last != d {
		fmt.Fprintf(&b, "\nand shrunk:\n%s\n", last.what)
	}
	fmt.Fprintf(&b, "\n-- go test ./tests/random -run TestPrograms -programs 1 -seed %d, shrunk:\n", p.seed)
	for _, s := range small.steps {
		if text := s.String(); text != "" {
			b.WriteString(text + ";\n")
		}
	}
	return b.String()
}

// TestDeterministic: a seed is enough to repeat a program.
func TestDeterministic(t *testing.T) {
	for s := range uint64(50) {
		a, b := newProgram(s), newProgram(s)
		if !slices.EqualFunc(a.steps, b.steps, func(x, y step) bool { return x.String() == y.String() && x.check == y.check }) {
			t.Fatalf("seed %d makes two programs", s)
		}
	}
}

// TestVariety: the generator still makes all that it is for.
func TestVariety(t *testing.T) {
	var all strings.Builder
	for s := range uint64(800) {
		for _, st := range newProgram(s).steps {
			all.WriteString(st.String() + ";\n")
		}
	}
	text := all.String()
	for _, want := range []string{
		"CREATE STREAM TABLE", "UPDATE ", "DELETE FROM", "REPLACE INTO", "ON DUPLICATE KEY", "INSERT IGNORE", "BEGIN;", "ROLLBACK;",
		" LEFT JOIN ", " JOIN ", " GROUP BY ", " HAVING ", " DISTINCT ", " UNION ALL ", " UNION SELECT", "WITH w", "FROM (SELECT", "FROM v",
		"COUNT(DISTINCT", "SUM(", "AVG(", "MIN(", "MAX(", " RIGHT JOIN ", " FULL JOIN ", " CROSS JOIN ", "LATERAL (", " NOT IN (SELECT", " EXISTS (SELECT", " ANY (SELECT", " ALL (SELECT", " OVER (", "ROW_NUMBER()",
		"WITH ROLLUP", "WITH RECURSIVE", "CUBE (", "GROUPING SETS (", " FILTER (WHERE", "GROUP_CONCAT(", "VAR_POP(", "BIT_XOR(", " INTERSECT ", " EXCEPT ALL ", " LIMIT ",
		"TUMBLE(", "HOP(", "CUMULATE(", "SESSION(", "WATERMARK FOR", "COLLATE utf8mb4_0900_ai_ci", "COLLATE utf8mb4_general_ci", " JSON", "JSON_EXTRACT(", "JSON_TYPE(", " TIME,", " YEAR", "BIGINT UNSIGNED", "VARBINARY", "ENUM(", "DATETIME(6)",
		" USING (", "VALUES ROW(", "LEFT JOIN LATERAL (", "DESCRIPTOR(", "TUMBLE_START(", "GROUPING(", "ANY_VALUE(", "APPROX_COUNT_DISTINCT(", "MEDIAN(", "PERCENTILE_CONT(",
		" RANGE BETWEEN ", " GROUPS BETWEEN ", "NTH_VALUE(", "NTILE(", "PERCENT_RANK()", "CUME_DIST()", "LEAD(",
		"(AVG(", ") OVER (", "CASE ", " LIKE ", " IN (", " BETWEEN ", " / ", " DIV ", "<=>", "NULL",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in 800 programs", want)
		}
	}
}

// TestShrink: of a program only the guilty steps and rows remain.
func TestShrink(t *testing.T) {
	p := newProgram(3)
	p.steps = append(p.steps, step{sql: "INSERT INTO guilty VALUES ", rows: []string{"(1)", "(2)", "(3)"}})
	small := shrink(p, 1000, func(c program) bool {
		return slices.ContainsFunc(c.steps, func(s step) bool { return strings.Contains(s.String(), "(2)") && strings.Contains(s.sql, "guilty") })
	})
	if len(small.steps) != 1 || small.steps[0].String() != "INSERT INTO guilty VALUES (2)" {
		t.Errorf("%v", small.steps)
	}
}
