package slt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// runner steps through one script. One goroutine.
type runner struct {
	opt       Options
	base      *mysql.Config
	database  string
	script    *script
	wave      *wave // not nil: restart at middle
	middle    int   // index of the top-level record before which the restart comes; -1: none
	res       *FileResult
	out       strings.Builder
	sessions  map[string]*session
	followers map[string]*follower
	current   string
	labels    map[string][]string
	fills     map[int]fillIn
	rw        *rewriter
	index     string // value of ${i}
}

var notName = regexp.MustCompile(`[^a-z0-9]+`)

// runFile runs a script in a database of its own; n makes the name unique in
// this process. It returns the outcome and what to print.
func runFile(ctx context.Context, s *script, n int, opt Options, w *wave) (*FileResult, string) {
	start := time.Now()
	r := &runner{
		opt: opt, script: s, wave: w, middle: -1, res: &FileResult{File: s.path},
		sessions: map[string]*session{}, followers: map[string]*follower{}, current: "default",
		labels: map[string][]string{}, fills: map[int]fillIn{}, rw: newRewriter(),
	}
	name := notName.ReplaceAllString(strings.ToLower(strings.TrimSuffix(filepath.Base(s.path), ".slt")), "_")
	r.database = fmt.Sprintf("slt_%.40s_%d_%d", name, os.Getpid(), n)
	ctx, cancel := context.WithTimeout(ctx, opt.Timeout)
	defer cancel()
	if w != nil {
		r.middle = s.middle()
		defer r.leaveWave()
	}

	if s.restarts && opt.Restart == nil {
		// Half of such a script would mean nothing.
		for _, rec := range s.records {
			r.skip(rec)
		}
		return r.res, ""
	}
	if err := r.setUp(ctx); err != nil {
		r.trouble("cannot begin", err)
	} else {
		for i, rec := range s.records {
			if i == r.middle {
				r.interrupt(ctx)
			}
			r.block(ctx, []*record{rec})
		}
		r.leaveWave() // the restart must not wait for, nor break, what follows
		if err := r.tearDown(); err != nil {
			r.trouble("cannot drop the database", err)
		}
	}
	r.closeAll()
	r.res.Seconds = time.Since(start).Seconds()
	if opt.Fill && len(r.fills) > 0 {
		if err := r.writeFills(); err != nil {
			r.trouble("cannot write the rows", err)
		}
	}
	if opt.Verbose {
		fmt.Fprintf(&r.out, "%s: %d passed, %d failed, %d skipped (%.2f s)\n", s.path, r.res.Passed, r.res.Failed, r.res.Skipped, r.res.Seconds)
	}
	return r.res, r.out.String()
}

// trouble is a failure outside any record.
func (r *runner) trouble(what string, err error) {
	r.res.Failed++
	r.res.Error = what + ": " + err.Error()
	fmt.Fprintf(&r.out, "%s: %s\n", r.script.path, r.res.Error)
}

// leaveWave lets the wave go on without this script, and then waits for the
// restart, which a script that is not in a record can stand.
func (r *runner) leaveWave() {
	if w := r.wave; w != nil {
		r.wave = nil
		w.leave()
		<-w.released
	}
}

// interrupt waits for the restart that the wave shares, and goes on with new
// sessions that have the settings of the old ones.
func (r *runner) interrupt(ctx context.Context) {
	w := r.wave
	if w == nil {
		return
	}
	r.wave = nil
	old := r.closeAll()
	err := w.meet(ctx)
	if err == nil {
		err = r.reconnect(ctx, old, true)
	}
	if err != nil {
		r.trouble("the restart in the middle", err)
	}
}

func (r *runner) block(ctx context.Context, records []*record) {
	for _, rec := range records {
		if !rec.applies(r.opt.Engine) {
			r.skip(rec)
			continue
		}
		if rec.kind == kindLoop {
			outer := r.index
			for i := range rec.count {
				r.index = strconv.Itoa(i)
				r.block(ctx, rec.body)
			}
			r.index = outer
			continue
		}
		r.one(ctx, rec)
	}
}

// one carries out a record that is not a loop and notes the outcome.
func (r *runner) one(ctx context.Context, rec *record) {
	start := time.Now()
	v, sqlText := r.step(ctx, rec)
	o := Outcome{
		Line: rec.line, Kind: rec.kind.String(), SQL: sqlText, Result: "passed",
		Reason: v.reason, Diff: v.diff, Millis: float64(time.Since(start).Microseconds()) / 1000,
	}
	switch {
	case v.reason != "":
		o.Result = "failed"
		r.res.Failed++
		r.report(rec, o)
	case rec.counts():
		r.res.Passed++
	}
	if v.reason == "" && r.opt.Verbose {
		fmt.Fprintf(&r.out, "%s:%d: ok (%.1f ms)\n", r.script.path, rec.line, o.Millis)
	}
	if rec.counts() || v.reason != "" {
		r.res.Records = append(r.res.Records, o)
	}
}

func (r *runner) skip(rec *record) {
	if rec.counts() {
		r.res.Skipped++
		r.res.Records = append(r.res.Records, Outcome{Line: rec.line, Kind: rec.kind.String(), SQL: rec.sql, Result: "skipped"})
	}
	for _, b := range rec.body {
		r.skip(b)
	}
}

func (r *runner) report(rec *record, o Outcome) {
	fmt.Fprintf(&r.out, "%s:%d: FAIL: %s\n", r.script.path, rec.line, o.Reason)
	for _, l := range strings.Split(o.SQL, "\n") {
		if l != "" {
			fmt.Fprintf(&r.out, "    %s\n", l)
		}
	}
	for _, l := range o.Diff {
		fmt.Fprintf(&r.out, "  %s\n", l)
	}
}

// A verdict with a reason is a failure.
type verdict struct {
	reason string
	diff   []string
}

var right = verdict{}

func wrong(reason string, diff ...string) verdict { return verdict{reason, diff} }

// step carries out one record; it also returns the SQL with its variables filled in.
func (r *runner) step(ctx context.Context, rec *record) (verdict, string) {
	if ctx.Err() != nil {
		return wrong("no time left for this script (-timeout)"), rec.sql
	}
	switch rec.kind {
	case kindSleep:
		select {
		case <-time.After(rec.wait):
		case <-ctx.Done():
		}
		return right, ""
	case kindConnection:
		r.current = rec.name
		return right, ""
	case kindUser:
		return r.login(ctx, rec), ""
	case kindRestart:
		return r.restart(ctx), ""
	case kindSubscribe:
		return r.subscribe(ctx, rec), rec.sql
	case kindNext:
		return r.expect(ctx, rec), ""
	}
	return r.send(ctx, rec)
}

func (r *runner) send(ctx context.Context, rec *record) (verdict, string) {
	sqlText := strings.ReplaceAll(rec.sql, "${db}", r.database)
	if r.index != "" {
		sqlText = strings.ReplaceAll(sqlText, "${i}", r.index)
	}
	text := sqlText
	if r.opt.Engine == MariaDB {
		text = r.rw.rewrite(text)
		if r.opt.Verbose && text != sqlText {
			fmt.Fprintf(&r.out, "%s:%d: sent as: %s\n", r.script.path, rec.line, text)
		}
	}
	c, err := r.session(ctx)
	if err != nil {
		return wrong("cannot connect: " + err.Error()), sqlText
	}
	if rec.kind == kindStatement {
		return r.statement(ctx, c, rec, text), sqlText
	}
	deadline := time.Now().Add(rec.eventually)
	for {
		v := r.query(ctx, c, rec, text)
		if v.reason == "" || !time.Now().Before(deadline) || ctx.Err() != nil {
			return v, sqlText
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (r *runner) login(ctx context.Context, rec *record) verdict {
	if c := r.sessions[r.current]; c != nil {
		c.close()
		delete(r.sessions, r.current)
	}
	user := rec.name
	if user == "-" {
		user = ""
	}
	c, err := r.open(ctx, user, rec.pass, r.database)
	if err != nil {
		return wrong("cannot log in as " + rec.name + ": " + err.Error())
	}
	r.sessions[r.current] = c
	return right
}

func (r *runner) restart(ctx context.Context) verdict {
	old := r.closeAll()
	if err := r.opt.Restart(ctx); err != nil {
		return wrong("restart: " + err.Error())
	}
	if err := r.reconnect(ctx, old, false); err != nil {
		return wrong("cannot reconnect after the restart: " + err.Error())
	}
	return right
}
