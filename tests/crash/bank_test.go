package crash

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"streamsql/tests/servers"
)

var reads = flag.Int("reads", 100_000, "TestBank: how many reads of the sum")

const (
	accounts  = 100
	balance   = 1000
	transfers = 3 // clients that transfer
	readers   = 4
)

// conflict is the error of a transaction that another one overtook.
const conflict = 1213

// TestBank holds transactions and snapshots together: money moves between accounts in transactions,
// and no reader of a view ever sees some of it under way.
func TestBank(t *testing.T) {
	s := servers.StreamSQL(t)
	db := servers.Open(t, s.DSN()+options)
	db.SetMaxOpenConns(transfers + readers + 1)
	var rows []string
	for i := range accounts {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i, balance))
	}
	exec(t, db,
		"CREATE DATABASE bank",
		"CREATE TABLE bank.accounts (id INT PRIMARY KEY, balance BIGINT NOT NULL)",
		"INSERT INTO bank.accounts VALUES "+strings.Join(rows, ", "),
		"CREATE MATERIALIZED VIEW bank.total AS SELECT SUM(balance) AS s, COUNT(*) AS n FROM bank.accounts",
		"CREATE MATERIALIZED VIEW bank.parts AS SELECT id % 7 AS p, SUM(balance) AS s FROM bank.accounts GROUP BY id % 7",
		"CREATE MATERIALIZED VIEW bank.total_of_parts AS SELECT SUM(s) AS s FROM bank.parts")

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var moved, conflicts, done atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, transfers+readers)
	for i := range transfers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(i)))
			for ctx.Err() == nil {
				if err := transfer(ctx, db, rng, &moved, &conflicts); err != nil && ctx.Err() == nil {
					errs <- err
					stop()
				}
			}
		})
	}
	// Every form must give the same number at every moment.
	forms := []string{
		"SELECT s FROM bank.total",
		"SELECT SUM(s) FROM bank.parts",
		"SELECT s FROM bank.total_of_parts",
		"SELECT SUM(balance) FROM bank.accounts",
		// Several views in one query are read at one batch: their difference is nothing.
		fmt.Sprintf("SELECT a.s - b.s + c.s - c.s + %d FROM bank.total AS a JOIN bank.total_of_parts AS b ON 1 = 1 JOIN (SELECT SUM(s) AS s FROM bank.parts) AS c ON 1 = 1", accounts*balance),
	}
	start := time.Now()
	var readersLeft sync.WaitGroup
	for r := range readers {
		readersLeft.Go(func() {
			for i := r; done.Add(1) <= int64(*reads) && ctx.Err() == nil; i++ {
				q := forms[0]
				if i%4 == 3 {
					q = forms[i/4%len(forms)]
				}
				var got int64
				if err := db.QueryRowContext(ctx, q).Scan(&got); err != nil {
					if ctx.Err() == nil {
						errs <- fmt.Errorf("%s: %w", q, err)
						stop()
					}
					return
				}
				if got != accounts*balance {
					errs <- fmt.Errorf("%s gives %d, want %d: a transfer was seen half-way", q, got, accounts*balance)
					stop()
				}
			}
		})
	}
	readersLeft.Wait()
	took := time.Since(start)
	stop()
	wg.Wait()
	select {
	case err := <-errs:
		t.Fatal(err)
	default:
	}
	if moved.Load() == 0 {
		t.Fatal("no transfer was ever committed")
	}
	t.Logf("%d reads right in %v, during %d transfers (%d conflicts)", *reads, took.Round(time.Millisecond), moved.Load(), conflicts.Load())
}

// transfer moves an amount between two accounts; a conflict is counted and left at that.
func transfer(ctx context.Context, db *sql.DB, rng *rand.Rand, moved, conflicts *atomic.Int64) error {
	from, to, amount := rng.IntN(accounts), rng.IntN(accounts), 1+rng.IntN(50)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range []string{
		fmt.Sprintf("UPDATE bank.accounts SET balance = balance - %d WHERE id = %d", amount, from),
		fmt.Sprintf("UPDATE bank.accounts SET balance = balance + %d WHERE id = %d", amount, to),
	} {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return overtaken(err, conflicts)
		}
	}
	if err := tx.Commit(); err != nil {
		return overtaken(err, conflicts)
	}
	moved.Add(1)
	return nil
}

func overtaken(err error, conflicts *atomic.Int64) error {
	var my *mysql.MySQLError
	if errors.As(err, &my) && my.Number == conflict {
		conflicts.Add(1)
		return nil
	}
	return err
}
