package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/sql/sqlerr"
)

// show prints a result as the data-driven tests have it.
func printResult(ctx context.Context, s *Session, r *Result, out *strings.Builder) error {
	if r.Rows == nil {
		fmt.Fprintf(out, "ok %d", r.Affected)
		if r.LastInsertID != 0 {
			fmt.Fprintf(out, " id=%d", r.LastInsertID)
		}
		if r.Info != "" {
			fmt.Fprintf(out, " %q", r.Info)
		}
		out.WriteByte('\n')
		return nil
	}
	for i, f := range r.Rows.Fields() {
		if i > 0 {
			out.WriteByte('|')
		}
		fmt.Fprintf(out, "%s:%s", f.Name, f.Type)
	}
	out.WriteByte('\n')
	for {
		c, err := r.Rows.Next(ctx)
		if err != nil {
			return err
		}
		if c == nil {
			return nil
		}
		for i := range c.N {
			for k := range r.Rows.Fields() {
				if k > 0 {
					out.WriteByte('|')
				}
				if v := c.Cols[k]; v.IsNull(i) {
					out.WriteString("NULL")
				} else {
					out.Write(v.AppendText(nil, i, s.settings.location))
				}
			}
			out.WriteByte('\n')
		}
	}
}

// do runs a text and prints what the client would see.
func do(s *Session, text string) string {
	var out strings.Builder
	err := s.Query(context.Background(), text, true, func(ctx context.Context, r *Result, _ bool) error {
		return printResult(ctx, s, r, &out)
	})
	var e *sqlerr.Error
	switch {
	case errors.As(err, &e):
		fmt.Fprintf(&out, "error %d (%s): %s\n", e.Code, e.State, e.Message)
	case err != nil:
		fmt.Fprintf(&out, "plain error: %v\n", err)
	}
	if n := s.State().Warnings; n > 0 && err == nil {
		fmt.Fprintf(&out, "-- warnings: %d\n", n)
	}
	return out.String()
}

func newTest(t testing.TB) (*fakeEngine, *Server, *Session) {
	t.Helper()
	e := newFake()
	v := NewServer(e, Options{Version: "8.0.36-StreamSQL-test", Port: 4000})
	s, err := v.Open(context.Background(), Client{ID: 7, User: "root", Host: "localhost", DB: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return e, v, s
}

// TestScripts runs the scripts of testdata, each in a session of its own.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		_, _, s := newTest(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return do(s, d.Input) })
	})
}

func mustDo(t testing.TB, s *Session, text string) string {
	t.Helper()
	out := do(s, text)
	if strings.Contains(out, "error") {
		t.Fatalf("%s: %s", text, out)
	}
	return out
}
