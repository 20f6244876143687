package slt

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// follower is a statement whose rows do not end, on a connection of its own.
type follower struct {
	session *session
	cancel  context.CancelFunc
	rows    chan []*string
	err     error // why there are no more rows; read after rows is closed
}

// subscribe starts a statement and leaves it running.
func (r *runner) subscribe(ctx context.Context, rec *record) verdict {
	if r.followers[rec.name] != nil {
		return wrong("there is a subscription " + rec.name + " already")
	}
	c, err := r.open(ctx, "", "", r.database)
	if err != nil {
		return wrong("cannot connect: " + err.Error())
	}
	f := &follower{session: c, rows: make(chan []*string, 1024)}
	ctx, f.cancel = context.WithCancel(ctx)
	r.followers[rec.name] = f
	started := make(chan struct{})
	go f.run(ctx, strings.ReplaceAll(rec.sql, "${db}", r.database), started)
	<-started
	return right
}

// run reads rows until the statement ends. started is closed once the server has
// answered.
func (f *follower) run(ctx context.Context, text string, started chan struct{}) {
	defer close(f.rows)
	rows, err := f.session.conn.QueryContext(ctx, text)
	close(started)
	if err != nil {
		f.err = err
		return
	}
	defer rows.Close()
	for {
		row, err := scanRow(rows)
		if row == nil {
			f.err = err
			return
		}
		select {
		case f.rows <- row:
		case <-ctx.Done():
			return
		}
	}
}

// expect reads as many rows as the record has, or the error that ends them.
func (r *runner) expect(ctx context.Context, rec *record) verdict {
	f := r.followers[rec.name]
	if f == nil {
		return wrong("there is no subscription " + rec.name)
	}
	var got []string
	for range rec.want {
		row, ok := f.next(ctx)
		if !ok {
			return wrong(fmt.Sprintf("only %d of %d rows: %v", len(got), len(rec.want), f.ended(ctx)), diffRows(rec.want, got)...)
		}
		got = append(got, render([][]*string{row}, "nosort")[0])
	}
	if rec.wantErr {
		if row, ok := f.next(ctx); ok {
			return wrong("want an error", "+ "+render([][]*string{row}, "nosort")[0])
		}
		return rec.checkError(f.ended(ctx))
	}
	mask(got, rec.want)
	if want := slices.Clone(rec.want); !sameRows(want, got, rec.types, "nosort") {
		return wrong("other rows", diffRows(want, got)...)
	}
	return right
}

func (f *follower) next(ctx context.Context) ([]*string, bool) {
	select {
	case row, ok := <-f.rows:
		return row, ok
	case <-ctx.Done():
		return nil, false
	}
}

// ended is why there are no more rows.
func (f *follower) ended(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return f.err
}

// mask puts * where the expected row has it: any value is right there.
func mask(got, want []string) {
	for i := range got {
		g, w := strings.Split(got[i], "\t"), strings.Split(want[i], "\t")
		for k := range g {
			if k < len(w) && w[k] == "*" {
				g[k] = "*"
			}
		}
		got[i] = strings.Join(g, "\t")
	}
}

// endFollowing ends all subscriptions.
func (r *runner) endFollowing() {
	for name, f := range r.followers {
		f.cancel()
		f.session.close()
		delete(r.followers, name)
	}
}
