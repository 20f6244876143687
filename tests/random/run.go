package random

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// side is one of the two servers.
type side struct {
	name      string
	pool      *sql.DB
	reference bool   // MariaDB: streams are tables, views plain ones
	suffix    string // of its databases, where both sides are one server
}

// translate gives a statement the server's form: of the reference's, streams are
// tables, an INSERT into a stream with a key is a REPLACE. The views are materialized
// there too, for each read: a view merged into the query around it would keep
// digits of decimals that a column does not have.
func (s *session) translate(text string) string {
	if !s.reference {
		return text
	}
	text = s.forms.reference(text)
	for _, r := range [][2]string{
		{"CREATE STREAM TABLE ", "CREATE TABLE "},
		{"CREATE MATERIALIZED VIEW ", "CREATE ALGORITHM=TEMPTABLE VIEW "},
		{"CREATE VIEW ", "CREATE ALGORITHM=TEMPTABLE VIEW "},
	} {
		if rest, ok := strings.CutPrefix(text, r[0]); ok {
			return r[1] + rest
		}
	}
	return text
}

// referenceSetUp gives a session of MariaDB MySQL 8's mode, and keeps it from
// merging derived tables for the reason above.
var referenceSetUp = []string{
	"SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
	"SET SESSION optimizer_switch = 'derived_merge=off,derived_with_keys=off,condition_pushdown_for_derived=off'",
	"SET SESSION group_concat_max_len = 1024", // MySQL's
	"SET SESSION max_statement_time = 20",
}

// difference is what a program showed; nil: nothing.
type difference struct {
	at   int // index of the step
	what string
}

// errInvalid is a program that the reference does not take, errGone one that it
// did not finish: its connection broke.
var (
	errInvalid = errors.New("the reference refuses the program")
	errGone    = errors.New("the reference is gone")
)

// session is a connection with a database of its own.
type session struct {
	side
	conn  *sql.Conn
	db    string
	forms forms
	folds bool // rows are compared without regard to case
}

func open(ctx context.Context, s side, db string, p program) (*session, error) {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	setUp := []string{"DROP DATABASE IF EXISTS " + db, "CREATE DATABASE " + db, "USE " + db}
	if s.reference {
		setUp = append(slices.Clone(referenceSetUp), setUp...)
		setUp[len(setUp)-2] += " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	}
	for _, q := range setUp {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			conn.Close()
			return nil, fmt.Errorf("%s: %s: %w", s.name, q, err)
		}
	}
	return &session{s, conn, db, p.forms, p.folds}, nil
}

func (s *session) close() {
	s.conn.ExecContext(context.Background(), "ROLLBACK")
	s.conn.ExecContext(context.Background(), "DROP DATABASE "+s.db)
	s.conn.Close()
}

// outcome is what a statement gave: the error number, 0 for success, -1 for a
// broken connection; and how many rows it changed.
type outcome struct {
	number  int
	changed int64
}

func (o outcome) describe(err error) string {
	if err == nil {
		return fmt.Sprintf("OK, %d rows changed", o.changed)
	}
	return err.Error()
}

// patience is how long the reference may take over a statement, though it is told to
// take less: what breaks the connection then is errGone.
const patience = 40 * time.Second

func (s *session) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	if !s.reference {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, patience)
}

func (s *session) exec(ctx context.Context, text string) (outcome, error) {
	ctx, cancel := s.patient(ctx)
	defer cancel()
	r, err := s.conn.ExecContext(ctx, s.translate(text))
	o := outcome{number: number(err)}
	if err == nil {
		o.changed, err = r.RowsAffected()
	}
	return o, err
}

func number(err error) int {
	var my *mysql.MySQLError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &my):
		return int(my.Number)
	}
	return -1
}

// inTime bounds a query of the reference: one that it cannot do in time is no test.
const inTime = "SET STATEMENT max_statement_time = 2 FOR "

// Errors of a statement that the reference cannot do in time, or in the space it has.
const (
	timeout   = 1969
	tableFull = 1114
)

// mostRows is how many rows a query may give; one that gives more is no test.
const mostRows = 100_000

var errTooMany = errors.New("more rows than can be compared")

// rows are the rows of a query as text, sorted unless it is ordered.
func (s *session) rows(ctx context.Context, text string, ordered bool) ([]string, error) {
	text = s.translate(text)
	if s.reference {
		text = inTime + text
	}
	ctx, cancel := s.patient(ctx)
	defer cancel()
	rows, err := s.conn.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	cells := make([]sql.NullString, len(names))
	ptrs := make([]any, len(names))
	for i := range cells {
		ptrs[i] = &cells[i]
	}
	var out []string
	for rows.Next() {
		if len(out) == mostRows {
			return nil, errTooMany
		}
		if err := rows.Scan(ptrs...); err != nil {
			return nil, err
		}
		line := make([]string, len(cells))
		for i, c := range cells {
			if line[i] = "NULL"; c.Valid {
				line[i] = "'" + digits15(columns[i], c.String) + "'"
			}
		}
		row := strings.Join(line, " ")
		if s.folds {
			row = fold(row)
		}
		out = append(out, row)
	}
	if !ordered {
		slices.Sort(out)
	}
	return out, rows.Err()
}

// digits15 is a value, a DOUBLE with the 15 digits that every decimal of that length
// keeps: MariaDB cuts one that is rounded to four places by its fraction when it goes
// through a temporary table, and has another last bit afterwards.
func digits15(c *sql.ColumnType, value string) string {
	if c.DatabaseTypeName() != "DOUBLE" {
		return value
	}
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	return strconv.FormatFloat(x, 'g', 15, 64)
}

// run runs a program on both sides, in a database each.
func run(ctx context.Context, p program, subject, reference side, db string) (*difference, error) {
	ref, err := open(ctx, reference, db, p)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	defer ref.close()
	sub, err := open(ctx, subject, db+subject.suffix, p)
	if err != nil {
		return nil, err
	}
	defer sub.close()
	var views []step
	open := false // in a transaction, where a materialized view does not show what is not committed
	for i, s := range p.steps {
		switch s.sql {
		case "BEGIN":
			open = true
		case "COMMIT", "ROLLBACK":
			open = false
		}
		if s.check {
			if open {
				continue
			}
			for _, v := range views {
				if d, err := compare(ctx, v, sub, ref); d != "" || err != nil {
					return &difference{i, d}, err
				}
			}
			continue
		}
		if s.view == "" && s.query != nil {
			if d, err := ask(ctx, s.query.String(), sub, ref); d != "" || err != nil {
				return &difference{i, d}, err
			}
			continue
		}
		want, refErr := ref.exec(ctx, s.String())
		switch want.number {
		case -1:
			return nil, fmt.Errorf("%w: %w", errGone, refErr)
		case timeout, tableFull:
			return nil, fmt.Errorf("%w: %w\n%s", errInvalid, refErr, s)
		}
		if s.view != "" && refErr != nil {
			return nil, fmt.Errorf("%w: %w\n%s", errInvalid, refErr, s)
		}
		got, subErr := sub.exec(ctx, s.String())
		if s.upsert {
			got.changed = want.changed // a REPLACE counts the row that was there
		}
		if got != want {
			return &difference{i, fmt.Sprintf("%s\n%s: %s\n%s: %s", s, sub.name, got.describe(subErr), ref.name, want.describe(refErr))}, nil
		}
		if s.view != "" {
			views = append(views, s)
		}
	}
	return nil, nil
}

// ask compares a question's answers. One that the reference refuses is no test.
func ask(ctx context.Context, text string, sub, ref *session) (string, error) {
	want, err := ref.rows(ctx, text, false)
	if err != nil {
		return "", noTest(err)
	}
	got, err := sub.rows(ctx, text, false)
	if err != nil {
		return fmt.Sprintf("%s: %v\n%s", sub.name, err, text), nil
	}
	if !slices.Equal(got, want) {
		return fmt.Sprintf("a query has other rows than %s (- %s, + %s)\n%s\n%s", ref.name, ref.name, sub.name, text, diff(want, got)), nil
	}
	return "", nil
}

// compare reads a view, its query, and the reference's view. A query that the
// reference cannot evaluate is no test.
func compare(ctx context.Context, v step, sub, ref *session) (string, error) {
	want, err := ref.rows(ctx, "SELECT * FROM "+v.view, false)
	if err != nil {
		return "", noTest(err)
	}
	order := make([]string, len(v.query.items))
	for i, it := range v.query.items {
		order[i] = sortable(it.alias, it.kind) + pick2(i%2 == 0, "", " DESC")
	}
	sorted := "SELECT * FROM " + v.view + " ORDER BY " + strings.Join(order, ", ") + " LIMIT 5"
	first, err := ref.rows(ctx, sorted, true)
	if err != nil {
		return "", noTest(err)
	}
	for _, r := range []struct {
		title, text string
		ordered     bool
		want        []string
	}{
		{"the query of the view " + v.view, v.query.String(), false, want},
		{"the view " + v.view, "SELECT * FROM " + v.view, false, want},
		{"the view " + v.view + " in order", sorted, true, first},
	} {
		got, err := sub.rows(ctx, r.text, r.ordered)
		if err != nil {
			return fmt.Sprintf("%s: %s: %v\n%s", sub.name, r.title, err, r.text), nil
		}
		if !slices.Equal(got, r.want) {
			return fmt.Sprintf("%s has other rows than %s (- %s, + %s)\n%s\n%s", r.title, ref.name, ref.name, sub.name, r.text, diff(r.want, got)), nil
		}
	}
	if sub.folds {
		return sameForms(ctx, v, sub)
	}
	return "", nil
}

// sameForms compares a view with its query, letters of either case told apart.
func sameForms(ctx context.Context, v step, sub *session) (string, error) {
	exact := *sub
	exact.folds = false
	want, err := exact.rows(ctx, v.query.String(), false)
	if err != nil {
		return "", err
	}
	got, err := exact.rows(ctx, "SELECT * FROM "+v.view, false)
	if err != nil || slices.Equal(got, want) {
		return "", err
	}
	return fmt.Sprintf("the view %s shows other forms than its query (- query, + view)\n%s\n%s", v.view, v.query, diff(want, got)), nil
}

func pick2[T any](cond bool, a, b T) T {
	if cond {
		return a
	}
	return b
}

// noTest is the error of a query that the reference could not do; nil if that is
// no reason to end the program.
func noTest(err error) error {
	if errors.Is(err, errTooMany) || number(err) >= 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", errGone, err)
}

// diff shows rows only wanted with -, rows only received with +; where both are
// the same bag their order differs and all are shown.
func diff(want, got []string) string {
	var out []string
	left := slices.Clone(got)
	for _, w := range want {
		if i := slices.Index(left, w); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else {
			out = append(out, "- "+w)
		}
	}
	for _, g := range left {
		out = append(out, "+ "+g)
	}
	if len(out) == 0 {
		out = []string{"- " + strings.Join(want, " | "), "+ " + strings.Join(got, " | ")}
	}
	return strings.Join(out[:min(len(out), 40)], "\n")
}
